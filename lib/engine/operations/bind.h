/* SPDX-License-Identifier: Apache-2.0 */
/* Binding: a map of parameters becomes typed values, with defaults and range checks, by the row of the operation.
 *
 *     {"n": "0x10", "low": -1}  --bind_args-->  at[DRAW_N].u64 = 16, at[DRAW_COMMON].f64 = -1, defaults elsewhere
 *
 * Binding checks each parameter by itself. What depends on several (a rank below its size, low below high, dtypes that
 * agree) is checked where the operation is compiled. Bound arguments point into the map, which must outlive them. Every
 * failure is a named error of the form "name: context: parameter: what was wrong, what is allowed". */
#ifndef TRNSCI_ENGINE_BIND_H
#define TRNSCI_ENGINE_BIND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/int128.h"
#include "base/value.h"
#include "engine/operations/operations.h"
#include "engine/operations/params.h"
#include "engine/operations/shape.h"

/* A size of -1 ("unchanged"), in lists whose row has a minimum of -1. */
#define BIND_AS_IT_IS UINT64_MAX

/* One bound parameter. Which member of the union holds the value follows from the row's type. */
struct arg {
	bool given; /* by the request; else the union holds the default, or zeros where there is none */
	bool is_array; /* an array with an element for each sample: then only `value` is set */
	union {
		uint64_t u64;
		int128 whole; /* PARAM_INT, whose range needs 65 bits and a sign */
		double f64;
		bool boolean;
		unsigned choice; /* which of the row's choices */
		struct {
			unsigned count;
			uint64_t at[SHAPE_MAX_DIMS];
		} shape;
		struct {
			unsigned count;
			int64_t at[SHAPE_MAX_DIMS]; /* as given; negative ones count from the end */
		} axes;
	};
	const struct value *value; /* as given: of TILE, TEXT and ANY, and of arrays. Borrowed from the map; NULL: default */
};

struct args {
	const struct operation *operation;
	const char *context; /* what an error's text names first: "uniform", "run: step 3 uniform" */
	bool in_program;     /* tiles may be named, and the members "op" and "as" are skipped */
	bool names_stream;   /* the member "stream_name" is skipped, too */
	struct arg at[PARAMS_MAX]; /* the first operation->n_params are set by bind_args */
};

/* Binds map to the parameters of args->operation. The caller sets the members before `at`. Returns 0 or a negative
 * error with its text in err, which may be NULL. Any thread. */
int bind_args(struct args *args, const struct value *map, struct error *err);

/* Returns the timeout_ms of bound args; 0: none was given, or the operation has none. */
uint64_t bind_timeout_ms(const struct args *args);

/* Returns the text of a parameter's choice, borrowed from its row (not NUL-terminated: a `|` follows, or the end). */
struct value bind_choice_text(const struct param *param, unsigned choice);

/* Returns the dtype of a bound PARAM_CHOICE of dtypes; DTYPE_NONE where it is missing and has no default. */
enum dtype bind_dtype(const struct args *args, unsigned param);

/* Finds the distribution that a parameter's map {op: its name, ...} names. Without op it is normal, or, where it
 * is_required, -ERROR_MISSING_PARAMETER. -ERROR_WRONG_TYPE, -ERROR_UNKNOWN_METHOD */
int bind_distribution(const struct args *args, unsigned param, const struct value *map, bool is_required,
		      const struct operation **ret_distribution, struct error *err);

/* Returns the kind of a value for an error's text: "a map". */
const char *bind_kind_text(enum value_kind kind);

/* Sets an error whose text begins with "context: parameter: ". Returns -code, as error_set. */
int bind_error(const struct args *args, unsigned param, struct error *err, enum error_code code, const char *format,
	       ...) __attribute__((format(printf, 5, 6), cold));

/* Quotes a client's text in an error: copies at most 40 bytes ("..." where it is longer) and replaces all but printable
 * ASCII by '?', so that no error can carry control codes to a terminal or a log. Returns text. */
enum { BIND_TEXT = 44 };
const char *bind_text(const char *bytes, size_t size, char text[BIND_TEXT]);

#endif
