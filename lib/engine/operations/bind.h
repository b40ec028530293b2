/* SPDX-License-Identifier: Apache-2.0 */
/* Binding: a map of parameters becomes typed values, with defaults and range checks, by the row of the operation.
 *
 * Every failure is a named error of the form "name: context: parameter: what was wrong, what is allowed". */
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

/* A size of -1, where the row's bounds begin with it. */
#define BIND_AS_IT_IS UINT64_MAX

struct arg {
	bool given; /* by the request; else the default, if there is one */
	bool is_array; /* an array with an element for each sample: then only `value` is set */
	union {
		uint64_t u64;
		int128 whole; /* INT */
		double f64;
		bool boolean;
		unsigned choice; /* which of the row's choices */
		struct {
			unsigned count;
			uint64_t at[SHAPE_MAX_DIMS];
		} shape;
		struct {
			unsigned count;
			int64_t at[SHAPE_MAX_DIMS];
		} axes;
	};
	const struct value *value; /* as given: TILE, TEXT and ANY, and arrays */
};

struct args {
	const struct operation *operation;
	const char *context; /* what an error's text names first: "uniform", "run: step 3 uniform" */
	bool in_program;   /* tiles may be named, and the members "op" and "as" are skipped */
	bool names_stream; /* "stream_name" is, too */
	struct arg at[PARAMS_MAX];
};

/* Binds map to the parameters of args->operation; what stands before `at` is set by the caller. err may be NULL. */
int bind_args(struct args *args, const struct value *map, struct error *err);

/* What bound args say of timeout_ms; 0: nothing. */
uint64_t bind_timeout_ms(const struct args *args);

/* The text of a parameter's choice, borrowed from its row. */
struct value bind_choice_text(const struct param *param, unsigned choice);

/* The dtype that a bound PARAM_CHOICE of dtypes stands for; DTYPE_NONE when it was left out without a default. */
enum dtype bind_dtype(const struct args *args, unsigned param);

/* error_set with "context: parameter: " before the rest. */
int bind_error(const struct args *args, unsigned param, struct error *err, enum error_code code, const char *format,
	       ...) __attribute__((format(printf, 5, 6), cold));

/* At most 40 bytes of a client's text, other than printable ASCII replaced by '?'; returns text. */
enum { BIND_TEXT = 44 };
const char *bind_text(const char *bytes, size_t size, char text[BIND_TEXT]);

#endif
