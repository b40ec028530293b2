/* SPDX-License-Identifier: Apache-2.0 */
/* What a method of method_rows.h is, and what plan.c, methods.c, standard.c and distributions.c do with it. */
#ifndef TRNSCI_PYTHON_METHOD_H
#define TRNSCI_PYTHON_METHOD_H

#include "extension.h"

enum { MAX_PARAMS = 3, METHOD_VALUES = MAX_PARAMS + 1 };

/* What numpy demands of a parameter. */
enum constraint {
	ANY_NUMBER,
	NON_NEGATIVE,	  /* NaN passes */
	COUNT,		  /* the same of an int64: numbers lose what follows the point, arrays have to be of integers */
	POSITIVE,	  /* NaN passes */
	POSITIVE_NOT_NAN,
	PROBABILITY,	  /* 0 to 1 */
	PROBABILITY_NOT_0, /* above 0 to 1 */
	PROBABILITY_NOT_1, /* 0 to below 1 */
	ABOVE_1,
	MEAN_OF_COUNTS,   /* 0 to the most that an int64 count can be about */
};

/* How a sample x of the recipe becomes the method's. */
enum finish {
	AS_IS,
	AFFINE,	  /* fma(x, scale, shift), as the engine rounds it */
	WITHIN,   /* the same, and below `limit` */
	EXP_OF_INFINITE, /* the exponential of that where scale or shift is infinite: 0, infinity or NaN */
	CONSTANT,	 /* shift: a degenerate case, which the engine does not draw */
};

/* One set of parameters, ready to draw. */
struct plan {
	struct recipe recipe;
	enum finish finish;
	double scale, shift, limit;
	bool fusable; /* the engine's parameters can do the finish */
};

struct parameter {
	const char *name; /* numpy's */
	double otherwise; /* the default; NAN: required */
	enum constraint constraint;
	const char *about;  /* what its document says; NULL: the parameter before says it, too */
	const char *engine; /* its name there; NULL: the same */
};

#define P(i) (1U << (i))

/* Where a parameter has this value, all samples are the same, as numpy's algorithms have it; the parameters of `finite` are
 * finite. Elsewhere a parameter that is infinite or NaN gives NaN. The engine draws none of these. */
struct edge {
	int param;
	unsigned finite;
	double at, sample; /* of counts 0, which has the same bits as a number and as an integer */
};

/* A method: its arguments are the parameters, then size; of typed ones also dtype, method and out. */
struct method {
	const char *name, *distribution, *summary, *notes, *example; /* notes and example: NULL: none */
	struct parameter params[MAX_PARAMS];
	struct edge edges[2];
	int n_params, n_edges;
	bool counts;       /* int64, otherwise float64 */
	bool one_recipe;   /* parameters change the finish only */
	bool typed;        /* with dtype and out; at most one parameter */
	bool takes_method; /* numpy's choice between its own algorithms: here there is one */
	void (*plan)(const struct method *method, const double *params, struct plan *ret_plan);
	/* What is demanded of several parameters together: 0, or -1 with an exception. NULL: nothing. */
	int (*check)(const double *params, bool of_array);
	/* What the row says, as args_sort takes it: distributions_prepare sets it. */
	const char *names[METHOD_VALUES];
	int n_names, n_required;
};

/* Makes names and documents of distribution_methods from their rows. 0, or -1 with an exception. */
int distributions_prepare(void);
/* Checks one value. 0, or -1 with numpy's ValueError; of_array: numpy words it so when the value stood in an array. */
int constraint_check(double value, const struct parameter *param, bool of_array);
/* Finishes n samples of float64 in place. */
void finish_samples(const struct plan *plan, double *samples, size_t n);
/* Gives the finish to the engine where it does the same. */
void plan_fuse(const struct method *method, struct plan *plan);
/* Returns the engine's name of a parameter. */
const char *engine_name(const struct parameter *param);
/* Draws by a method: scalars, arrays of one set of parameters, and parameters that are arrays. */
PyObject *method_call(const struct method *method, METHOD_ARGS);
/* Draws by a method that takes a dtype. */
PyObject *standard_call(const struct method *method, METHOD_ARGS);
/* Draws where some parameter is an array; `out` (NULL: none) takes the result. */
PyObject *method_broadcast(const struct method *method, struct generator_object *g, PyObject *const *params,
			   PyObject *size, PyObject *out);
/* Reads a parameter that is one number. 1: it is an array; 0, or -1 with an exception. */
int param_read(PyObject *value, enum constraint constraint, double *ret);

#endif
