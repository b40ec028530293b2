/* SPDX-License-Identifier: Apache-2.0 */
/* numpy's distributions of numbers by the engine's: one row each. */
#ifndef TRNSCI_PYTHON_DISTRIBUTIONS_H
#define TRNSCI_PYTHON_DISTRIBUTIONS_H

#include "extension.h"

enum { MAX_PARAMS = 3 };

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
};

/* A method. */
struct method {
	const char *name;
	const char *args[MAX_PARAMS + 3]; /* the parameters, then "size" */
	int n_params, n_required;
	double defaults[MAX_PARAMS];
	enum constraint constraints[MAX_PARAMS];
	bool counts;			 /* int64, otherwise float64 */
	bool one_recipe;		 /* parameters change the finish only */
	void (*plan)(const double *params, struct plan *ret_plan);
	/* What is demanded of several parameters together: 0, or -1 with an exception. NULL: nothing. */
	int (*check)(const double *params, bool of_array);
};

/* Checks one value. 0, or -1 with numpy's ValueError; of_array: numpy words it so when the value stood in an array. */
int constraint_check(double value, const char *name, enum constraint constraint, bool of_array);
/* Finishes n samples of float64 in place. */
void finish_samples(const struct plan *plan, double *samples, size_t n);
/* Gives the finish to the engine where it does the same. */
void plan_fuse(struct plan *plan);
/* Draws by a method: scalars, arrays of one set of parameters, and parameters that are arrays. */
PyObject *method_call(const struct method *method, METHOD_ARGS);
/* The same where some parameter is an array; `out` (NULL: none) takes the result. */
PyObject *method_broadcast(const struct method *method, struct generator_object *g, PyObject *const *params,
			   PyObject *size, PyObject *out);
/* Reads a parameter that is one number. 1: it is an array; 0, or -1 with an exception. */
int param_read(PyObject *value, enum constraint constraint, double *ret);

#endif
