/* SPDX-License-Identifier: Apache-2.0 */
/* How a TYPED row of method_rows.h is called. */
#include "method.h"

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

/* Fills a request but for its recipe from arguments, which may be NULL. The array is looked at last: Python code that runs for
 * the others may change it. */
static int read_request(const struct method *method, PyObject *size, PyObject *dtype, PyObject *out, struct request *ret_request)
{
	const bool c_order = method->n_params > 0; /* as numpy has it */

	if (args_float_type(dtype, method->name, &ret_request->type) < 0)
		return -1;
	ret_request->size = size ? size : Py_None;
	ret_request->out = out ? out : Py_None;
	if (ret_request->size != Py_None && args_shape(size, &ret_request->ndim, ret_request->shape) < 0)
		return -1;
	return ret_request->out == Py_None ? 0 : args_check_out(ret_request->out, ret_request->type, c_order);
}

static void take_recipe(struct request *request, const struct recipe *recipe)
{
	request->recipe = *recipe;
	if (request->type == NPY_DOUBLE)
		return;
	request->recipe.dtype = TRNSCI_F32;
	request->recipe.words = 1;
}

static PyObject *answer(struct generator_object *g, const struct request *request)
{
	if (request->size == Py_None && request->out == Py_None)
		return one_value(g, request);
	return many_values(g, request);
}

/* float32 samples of an array of parameters are float64 ones, rounded. */
static PyObject *draw_of_array(const struct method *method, struct generator_object *g, const struct request *request,
			       PyObject *array)
{
	PyObject *out = request->out == Py_None ? NULL : request->out, *wide, *narrow;

	if (request->type == NPY_DOUBLE)
		return method_broadcast(method, g, &array, request->size, out);
	wide = method_broadcast(method, g, &array, request->size, NULL);
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

/* Puts one value in the place of every sample. */
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

/* Constant samples are drawn with a parameter of 1, to take the same words, and replaced. */
static PyObject *constant_or_drawn(const struct method *method, struct generator_object *g, struct request *request, double value)
{
	const double one = 1;
	struct plan plan;

	if (method->n_params > 0 && constraint_check(value, &method->params[0], false) < 0)
		return NULL;
	method->plan(method, &value, &plan);
	const double constant = plan.shift;
	const bool is_constant = plan.finish == CONSTANT;

	if (is_constant)
		method->plan(method, &one, &plan);
	take_recipe(request, &plan.recipe);
	PyObject *array = answer(g, request);

	return array && is_constant ? same_everywhere(request, array, constant) : array;
}

/* The parameter, where there is one, comes first: a number, or an array of them. */
PyObject *standard_call(const struct method *method, METHOD_ARGS)
{
	struct generator_object *g = (struct generator_object *)self;
	const int n = method->n_params;
	PyObject *values[METHOD_VALUES], *array = NULL, *drawn = NULL;
	struct request request;
	double value = 0;
	int r = 0;

	if (args_sort(method->name, method->names, method->n_names, method->n_required, args, n_args, kwnames, values) < 0 ||
	    generator_check(g) < 0)
		return NULL;
	if (n > 0)
		r = param_read(values[0], method->params[0].constraint, &value);
	if (r == 1 && !(array = (PyObject *)args_array(values[0], NPY_DOUBLE, NPY_ARRAY_CARRAY_RO)))
		r = -1;
	if (r >= 0)
		r = read_request(method, values[n], values[n + 1], values[n + 2 + method->takes_method], &request);
	if (r == 0)
		drawn = array ? draw_of_array(method, g, &request, array) : constant_or_drawn(method, g, &request, value);
	Py_XDECREF(array);
	return drawn;
}
