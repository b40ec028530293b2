/* SPDX-License-Identifier: Apache-2.0 */
/* The one description of every method: name, parameters, inputs, outputs, help.
 *
 *     operation_rows.h     one row for each method: name, class, how it starts, its effect, help
 *     operation_details.h  sentences behind the help: result, limits, source of the method
 *     param_rows_*.h       one row for each parameter: type, unit, default, range, help
 *     params.h             the place of each parameter in its row, for the code that reads bound arguments
 *     bind.h               a request's map of parameters, checked by these rows, becomes typed values
 *
 * Validation, the wire's `describe`, the command line's help, the generated parts of PROTOCOL.md and the man pages,
 * and the tests that walk every operation all read this table. A new operation is one row of
 * engine/operations/operation_rows.h and one kernel. All of it is constant: any thread may read it, without a lock. */
#ifndef TRNSCI_ENGINE_OPERATIONS_H
#define TRNSCI_ENGINE_OPERATIONS_H

#include <stdbool.h>
#include <stddef.h>

enum param_type {
	PARAM_U64,    /* uint, or decimal or 0x string */
	PARAM_INT,    /* an integer from -2^63 to 2^64, or decimal text of one */
	PARAM_F64,
	PARAM_BOOL,
	PARAM_CHOICE, /* one of `choices` */
	PARAM_SHAPE,  /* array of 1 to 8 sizes, or one size */
	PARAM_AXES,   /* array of axes, negative from the end, or one axis */
	PARAM_TILE,   /* a handle, in a program also a name, or for inputs a map {dtype, shape, data} */
	PARAM_TEXT,
	PARAM_ANY,    /* checked by the method itself: the steps of a program */
};

/* Numbers by which a PARAM_TILE of a prepared call may name memory of the caller's: one input and one output. */
enum { PARAM_TILE_MEMORY = 2 };

struct param {
	const char *name;
	enum param_type type;
	const char *unit;     /* "samples", "Hz"; "" when it has none */
	const char *fallback; /* the default, as text; NULL: required; "": may be missing, the operation then decides */
	/* Inclusive bounds of numbers and of a list's elements. Both 0: the type's own range, finite numbers only. A
	 * max of 0 beside a positive min: no maximum. An infinite max allows inf and -inf. */
	double min, max;
	bool above_min;       /* min itself is not allowed */
	const char *choices;  /* "backward|ortho|forward": a bound choice is an index into it. NULL: of no PARAM_CHOICE */
	const char *help;     /* one line */
};

enum method_class {
	METHOD_SESSION,     /* answered by the daemon's session: arena, cancel, stats */
	METHOD_SERVICE,     /* answered at once by the engine: version, ping, describe, tile, free */
	METHOD_STREAM,      /* named streams: answered by the session's owner, a daemon, perhaps later */
	METHOD_PROGRAM,     /* run */
	METHOD_DRAW,        /* random numbers: n samples of a stream */
	METHOD_POINTS,      /* quasi-random numbers: n points in d dimensions */
	METHOD_ELEMENTWISE, /* out[i] from in[i] */
	METHOD_TRANSFORM,   /* whole axes at a time */
	METHOD_SIGNAL,      /* signal processing on transforms */
};

/* Who starts a request of the method. */
enum method_start {
	START_SESSION,     /* the owner's session itself; the engine refuses it */
	START_SERVICE,     /* engine/service, which replies at once */
	START_OWNER,       /* the owner of the session's memory, by deferred_reply_ops.begin */
	START_COMPILED,    /* engine/compile; then its program runs */
	START_STREAM_DRAW, /* the same, once the owner has reserved its samples */
	START_PREPARED,    /* engine/call: a plan that was compiled before runs again */
};

/* What a request leaves behind, which decides whether it may be repeated. */
enum method_effect {
	EFFECT_NONE,    /* a pure function of its parameters, or a look at something */
	EFFECT_SESSION, /* it makes, changes or uses what lives as long as the session */
	EFFECT_LASTING, /* it changes what outlives the daemon */
};

/* One method. Its number, the index of its row, indexes other tables too: services, compilers, bound defaults. */
struct operation {
	const char *name;
	size_t name_size; /* without the NUL */
	enum method_class class;
	enum method_start start;
	enum method_effect effect;
	const char *help; /* one line */
	const char *details; /* sentences on results, limits and sources; "": the help says all */
	const struct param *params; /* in the order of params.h */
	size_t n_params;            /* 1 to PARAMS_MAX */
	bool is_distribution; /* of dist_rows.h: its samples depend on no other, and have the same bytes with all kernels */
};

/* "draw"; "choice". */
const char *method_class_name(enum method_class class);
const char *param_type_name(enum param_type type);

/* All rows, in the order of documentation. */
const struct operation *operations(size_t *ret_count);

/* Returns the row of that name, or NULL. The name may be a client's: any bytes, also none. */
const struct operation *operation_find(const char *name, size_t size);

/* Returns whether the parameter may also be an array with an element for each sample, as those of distributions may. */
bool operation_takes_array(const struct operation *operation, size_t param);

/* Returns the parameter of that name in a row, or NULL; its number is its distance from operation->params. */
const struct param *operation_param(const struct operation *operation, const char *name, size_t size);

#endif
