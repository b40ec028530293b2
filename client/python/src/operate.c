/* SPDX-License-Identifier: Apache-2.0 */
/* Operations by name: of one array into another, and draws into an array. The Python side knows the result's shape and
 * dtype; the library refuses those that are wrong. */
#include "extension.h"

/* An operation, from its arguments to the engine's. */
struct operation {
	struct use use;
	const char *name, *input;
	PyArrayObject *in, *out;
	struct param_list params;
	int type, ndim; /* of the result, as numpy has them */
	npy_intp shape[NPY_MAXDIMS];
};

static void clear_operation(struct operation *o)
{
	use_end(&o->use);
	Py_CLEAR(o->in);
	Py_CLEAR(o->out);
	params_free(&o->params);
}

/* Describes an array of 1 to 8 dimensions. 0, or -1 with an exception. */
static int describe(PyArrayObject *array, struct trnsci_array *ret_array)
{
	if (array_describe(array, ret_array))
		return 0;
	PyErr_Format(PyExc_ValueError, "an array of %R with %d dimensions, allowed are numbers with 1 to %d",
		     (PyObject *)PyArray_DESCR(array), PyArray_NDIM(array), TRNSCI_MAX_DIMS);
	return -1;
}

static int read_result(struct operation *o, PyObject *shape, PyObject *dtype)
{
	const enum trnsci_dtype result = dtype_of_argument(dtype);

	if (!result || args_shape(shape, &o->ndim, o->shape) < 0)
		return -1;
	o->type = numpy_type_of(result);
	if (o->type < 0) {
		PyErr_SetString(PyExc_TypeError, "dtype: numpy has no bfloat16");
		return -1;
	}
	return 0;
}

/* Reads what runs Python code, the session last. */
static int read_operation(struct operation *o, struct module_state *state, PyObject *argument, PyObject *params,
			  unsigned flags)
{
	struct session_object *session = session_of_argument(state, argument);

	int r = -1;

	Py_XINCREF(session);
	if (session && params_read(session, params, flags, &o->params) == 0)
		r = use_begin(session, &o->use);
	Py_XDECREF(session);
	return r;
}

static int make_output(struct operation *o)
{
	o->out = (PyArrayObject *)result_new(o->use.session, o->ndim, o->shape, o->type);
	return o->out ? 0 : -1;
}

/* Computes into memory of numpy's. */
static int transform_memory(struct operation *o, const struct trnsci_array *in)
{
	struct trnsci_array out;
	struct trnsci_error err;
	int r;

	if (make_output(o) < 0 || describe(o->out, &out) < 0)
		return -1;
	call_begin();
	r = call_end(trnsci_apply_array(o->use.handle, o->name, o->params.params, *in, out, &err));
	return raise_if(r, o->use.session->state, &err);
}

static int run_operation(struct operation *o)
{
	struct trnsci_array in;
	const size_t bytes = (size_t)PyArray_MultiplyList(o->shape, o->ndim) * 4;

	if (describe(o->in, &in) < 0)
		return -1;
	if (!o->use.session->embedded && bytes >= TILE_BYTES && PyArray_SIZE(o->in) > 0)
		o->out = (PyArrayObject *)tiles_apply(o->use.session, o->name, o->params.params, o->params.n, o->input, o->in,
						      &in, o->type, o->ndim, o->shape);
	if (!o->out && !PyErr_Occurred())
		return transform_memory(o, &in);
	return o->out ? 0 : -1;
}

/* operate(session, operation, input, x, params, shape, dtype): x is the operation's input of that name. */
static PyObject *operate(PyObject *module, PyObject *args)
{
	struct operation o = {0};
	PyObject *session, *x, *params, *shape, *dtype, *result = NULL;

	if (!PyArg_ParseTuple(args, "OssOOOO:operate", &session, &o.name, &o.input, &x, &params, &shape, &dtype))
		return NULL;
	if (read_result(&o, shape, dtype) == 0 && read_operation(&o, PyModule_GetState(module), session, params, 0) == 0)
		o.in = args_array(x, -1, NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED);
	if (o.in && run_operation(&o) == 0)
		result = Py_NewRef((PyObject *)o.out);
	clear_operation(&o);
	return result;
}

static PyObject *span_tuple(const struct trnsci_span *span)
{
	return Py_BuildValue("sKKKKK", span->generator, (unsigned long long)span->seed, (unsigned long long)span->stream,
			     (unsigned long long)span->offset, (unsigned long long)span->position,
			     (unsigned long long)span->next);
}

static int fill_output(struct operation *o, const struct trnsci_source *source, struct trnsci_span *ret_span)
{
	struct trnsci_array out;
	struct trnsci_error err;
	int r;

	if (make_output(o) < 0 || describe(o->out, &out) < 0)
		return -1;
	call_begin();
	r = call_end(trnsci_draw_array(o->use.handle, o->name, o->params.params, source, out.dtype, (uint64_t)PyArray_SIZE(o->out),
				       out.data, ret_span, &err));
	return raise_if(r, o->use.session->state, &err);
}

/* fill(session, operation, params, source, shape, dtype, span): points or samples; with span a tuple of the array and the
 * place (generator, seed, stream, offset, position, next), else the array. */
static PyObject *fill(PyObject *module, PyObject *args)
{
	struct operation o = {0};
	PyObject *session, *params, *origin, *kept, *shape, *dtype, *result = NULL;
	struct trnsci_source source;
	struct trnsci_span span;
	int wants_span;

	if (!PyArg_ParseTuple(args, "OsOOOOp:fill", &session, &o.name, &params, &origin, &shape, &dtype, &wants_span) ||
	    source_read(origin, &source, &kept) < 0)
		return NULL;
	if (read_result(&o, shape, dtype) == 0 &&
	    read_operation(&o, PyModule_GetState(module), session, params, PARAMS_OF_DRAW) == 0 &&
	    fill_output(&o, &source, wants_span ? &span : NULL) == 0)
		result = wants_span ? Py_BuildValue("ON", (PyObject *)o.out, span_tuple(&span))
				    : Py_NewRef((PyObject *)o.out);
	clear_operation(&o);
	Py_DECREF(kept);
	return result;
}

PyMethodDef operate_functions[] = {
	{"operate", operate, METH_VARARGS, NULL},
	{"fill", fill, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
