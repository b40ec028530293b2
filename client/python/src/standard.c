/* SPDX-License-Identifier: Apache-2.0 */
/* The methods with dtype and out: random, standard_normal, standard_exponential and standard_gamma. */
#include "distributions.h"
#include "documents.h"

#include <math.h>
#include <string.h>

static const char UNIFORM[] = "uniform", NORMAL[] = "normal", EXPONENTIAL[] = "exponential", GAMMA[] = "gamma";

/* What the arguments of a call ask for. */
struct request {
	PyObject *size, *out; /* None: not given */
	int ndim;
	npy_intp shape[NPY_MAXDIMS]; /* of size */
	int type;
	struct recipe recipe;
};

static PyObject *one_value(struct generator_object *g, const struct request *request)
{
	uint64_t base;
	double wide;
	float narrow;

	if (generator_reserve(g, 1, request->recipe.words, &base) < 0 ||
	    generator_draw(g, &request->recipe, base, 0, 1,
			   request->type == NPY_DOUBLE ? (void *)&wide : (void *)&narrow) < 0)
		return NULL;
	return PyFloat_FromDouble(request->type == NPY_DOUBLE ? wide : (double)narrow);
}

/* The whole draw's shape: of size, or of out where no size is given. With ranks, out has the part's. */
static int find_part(struct generator_object *g, const struct request *request, struct part *ret_part)
{
	PyArrayObject *out = request->out == Py_None ? NULL : (PyArrayObject *)request->out;

	if (request->size == Py_None && g->size > 1) {
		PyErr_SetString(PyExc_ValueError, "size: missing; out has the samples of one rank only");
		return -1;
	}
	if (request->size == Py_None)
		return part_of(g, PyArray_NDIM(out), PyArray_DIMS(out), ret_part);
	if (part_of(g, request->ndim, request->shape, ret_part) < 0)
		return -1;
	if (!out || (PyArray_NDIM(out) == ret_part->ndim &&
		     PyArray_CompareLists(PyArray_DIMS(out), ret_part->shape, ret_part->ndim)))
		return 0;
	PyErr_SetString(PyExc_ValueError, "size must match out.shape when used together");
	return -1;
}

static PyObject *many_values(struct generator_object *g, const struct request *request)
{
	struct part part;
	uint64_t base;

	if (find_part(g, request, &part) < 0 || generator_reserve(g, part.whole, request->recipe.words, &base) < 0)
		return NULL;
	if (request->out == Py_None)
		return generator_array(g, &request->recipe, base, &part, request->type);
	if (generator_draw(g, &request->recipe, base, part.begin, (size_t)part.n,
			   PyArray_DATA((PyArrayObject *)request->out)) < 0)
		return NULL;
	return Py_NewRef(request->out);
}

/* Fills a request from arguments; dtype, size and out may be NULL. The array is looked at last: Python code that runs for the
 * others may change it. */
static int read_request(const char *function, const char *distribution, PyObject *size, PyObject *dtype, PyObject *out,
			bool c_order, struct request *ret_request)
{
	if (args_float_type(dtype, function, &ret_request->type) < 0)
		return -1;
	ret_request->size = size ? size : Py_None;
	ret_request->out = out ? out : Py_None;
	if (ret_request->size != Py_None && args_shape(size, &ret_request->ndim, ret_request->shape) < 0)
		return -1;
	if (ret_request->out != Py_None && args_check_out(ret_request->out, ret_request->type, c_order) < 0)
		return -1;
	ret_request->recipe = (struct recipe){.distribution = distribution,
					      .dtype = ret_request->type == NPY_DOUBLE ? TRNSCI_F64 : TRNSCI_F32,
					      .words = ret_request->type == NPY_DOUBLE ? 2 : 1};
	return 0;
}

static PyObject *answer(struct generator_object *g, const struct request *request)
{
	if (request->size == Py_None && request->out == Py_None)
		return one_value(g, request);
	return many_values(g, request);
}

static PyObject *call_random(METHOD_ARGS)
{
	static const char *const names[] = {"size", "dtype", "out"};
	struct generator_object *g = (struct generator_object *)self;
	PyObject *values[3];
	struct request request;

	if (args_sort("random", names, 3, 0, args, n_args, kwnames, values) < 0 || generator_check(g) < 0 ||
	    read_request("random", UNIFORM, values[0], values[1], values[2], false, &request) < 0)
		return NULL;
	return answer(g, &request);
}

static PyObject *call_standard_normal(METHOD_ARGS)
{
	static const char *const names[] = {"size", "dtype", "out"};
	struct generator_object *g = (struct generator_object *)self;
	PyObject *values[3];
	struct request request;

	if (args_sort("standard_normal", names, 3, 0, args, n_args, kwnames, values) < 0 || generator_check(g) < 0 ||
	    read_request("standard_normal", NORMAL, values[0], values[1], values[2], false, &request) < 0)
		return NULL;
	return answer(g, &request);
}

/* numpy's `method` chooses between its own algorithms; here there is one. */
static PyObject *call_standard_exponential(METHOD_ARGS)
{
	static const char *const names[] = {"size", "dtype", "method", "out"};
	struct generator_object *g = (struct generator_object *)self;
	PyObject *values[4];
	struct request request;

	if (args_sort("standard_exponential", names, 4, 0, args, n_args, kwnames, values) < 0 ||
	    generator_check(g) < 0 ||
	    read_request("standard_exponential", EXPONENTIAL, values[0], values[1], values[3], false, &request) < 0)
		return NULL;
	return answer(g, &request);
}

/* ---- standard_gamma ---- */

static void plan_standard_gamma(const double *params, struct plan *plan)
{
	const double shape = params[0];

	*plan = (struct plan){.recipe = {.distribution = GAMMA, .dtype = TRNSCI_F64, .words = 2, .n_params = 1},
			      .finish = AS_IS,
			      .scale = 1};
	plan->recipe.params[0] = trnsci_param_f64("shape", shape);
	if (shape > 0 && isfinite(shape))
		return;
	plan->finish = CONSTANT;
	plan->shift = shape == 0 ? 0 : shape;
}

static const struct method standard_gamma = {
	"standard_gamma", {"shape", "size"}, 1, 1, {0}, {NON_NEGATIVE}, false, false, plan_standard_gamma};

/* float32 samples of an array of shapes are float64 ones, rounded. */
static PyObject *broadcast_gamma(struct generator_object *g, const struct request *request, PyObject *shape)
{
	PyObject *out = request->out == Py_None ? NULL : request->out, *wide, *narrow;

	if (request->type == NPY_DOUBLE)
		return method_broadcast(&standard_gamma, g, &shape, request->size, out);
	wide = method_broadcast(&standard_gamma, g, &shape, request->size, NULL);
	if (!wide)
		return NULL;
	if (!out) {
		narrow = PyArray_Cast((PyArrayObject *)wide, NPY_FLOAT);
	} else {
		narrow = PyArray_CopyInto((PyArrayObject *)out, (PyArrayObject *)wide) < 0 ? NULL : Py_NewRef(out);
	}
	Py_DECREF(wide);
	return narrow;
}

/* Of shape 0 (or none that is a number) every sample is the same. */
static PyObject *same_everywhere(const struct request *request, PyObject *array, double value)
{
	PyObject *number = PyFloat_FromDouble(value);

	if (request->size == Py_None && request->out == Py_None) {
		Py_DECREF(array);
		return number;
	}
	if (!number || PyArray_FillWithScalar((PyArrayObject *)array, number) < 0)
		Py_CLEAR(array);
	Py_XDECREF(number);
	return array;
}

/* A shape of 0, or one that is not finite, has constant samples: they are drawn with shape 1, to take the same words, and
 * replaced. */
static PyObject *call_standard_gamma(METHOD_ARGS)
{
	static const char *const names[] = {"shape", "size", "dtype", "out"};
	struct generator_object *g = (struct generator_object *)self;
	PyObject *values[4];
	struct request request;
	double shape;
	int r;

	if (args_sort("standard_gamma", names, 4, 1, args, n_args, kwnames, values) < 0 || generator_check(g) < 0)
		return NULL;
	r = param_read(values[0], NON_NEGATIVE, &shape);
	PyObject *shapes = r == 1 ? (PyObject *)args_array(values[0], NPY_DOUBLE, NPY_ARRAY_CARRAY_RO) : Py_NewRef(Py_None);

	if (r < 0 || !shapes ||
	    read_request("standard_gamma", GAMMA, values[1], values[2], values[3], true, &request) < 0) {
		Py_XDECREF(shapes);
		return NULL;
	}
	PyObject *drawn = r == 1 ? broadcast_gamma(g, &request, shapes) : NULL;

	Py_DECREF(shapes);
	if (r == 1)
		return drawn;
	if (constraint_check(shape, "shape", NON_NEGATIVE, false) < 0)
		return NULL;
	request.recipe.n_params = 1;
	request.recipe.params[0] = trnsci_param_f64("shape", shape > 0 && isfinite(shape) ? shape : 1);
	PyObject *array = answer(g, &request);

	if (!array || (shape > 0 && isfinite(shape)))
		return array;
	return same_everywhere(&request, array, shape == 0 ? 0 : shape);
}

#define ROW(name)                                                                                                      \
	{#name, (PyCFunction)(void (*)(void))call_##name, METH_FASTCALL | METH_KEYWORDS, PyDoc_STR(DOC_##name)}
PyMethodDef standard_methods[] = {
	ROW(random), ROW(standard_normal), ROW(standard_exponential), ROW(standard_gamma), {NULL, NULL, 0, NULL},
};
