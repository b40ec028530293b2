/* SPDX-License-Identifier: Apache-2.0 */
/* One transform of an array: what trnsci.fft's functions come down to.
 *
 * The engine takes arrays in row order of at most 8 dimensions. Others are copied into that order, and axes that are not
 * transformed are joined with their neighbours. Lengths are the engine's to pad and to trim. */
#include "extension.h"

#include <string.h>

/* What a kind's input and output are. */
enum elements {
	SAME_WIDTH_COMPLEX,
	REAL_TO_HALF,
	HALF_TO_REAL,
	SAME, /* real for real, complex for complex */
};

struct kind {
	const char *operation;
	enum elements elements;
	const char *flags[2];
};

static const struct kind kinds[] = {
	{"fft", SAME_WIDTH_COMPLEX, {NULL, NULL}}, {"fft", SAME_WIDTH_COMPLEX, {"inverse", NULL}},
	{"fft", REAL_TO_HALF, {"real", NULL}},	   {"fft", HALF_TO_REAL, {"real", "inverse"}},
	{"fft", HALF_TO_REAL, {"hermitian", NULL}}, {"fft", REAL_TO_HALF, {"hermitian", "inverse"}},
	{"dct", SAME, {NULL, NULL}},		   {"dct", SAME, {"inverse", NULL}},
	{"dst", SAME, {NULL, NULL}},		   {"dst", SAME, {"inverse", NULL}},
};

enum {
	MAX_PARAMS = 13,
	LOCK_ELEMENTS = 4096,	  /* fewer are transformed before another Python thread could be woken */
};

/* A transform, from its arguments to the engine's. */
struct transform {
	const struct kind *kind;
	PyArrayObject *in, *out;
	int ndim, n_axes;
	npy_intp shape[NPY_MAXDIMS]; /* of out */
	npy_intp axes[NPY_MAXDIMS];
	bool transformed[NPY_MAXDIMS];
	npy_intp lengths[NPY_MAXDIMS]; /* of each of the axes; -1: as it is */
	bool has_lengths;
	bool overwrite;
	const char *norm, *precision, *type, *orthogonalize;
	double target_error; /* 0: none */
	bool wide;	     /* of the result: 64-bit floats */
	unsigned workers;    /* 0: the module's session */
};

/* ---- Input ---- */

/* Returns the dtype that the engine is given: numpy's halves as float32, integers as float64. */
static int input_type(const struct transform *t, PyArrayObject *x)
{
	const int type = PyArray_TYPE(x);
	const bool is_complex = PyTypeNum_ISCOMPLEX(type);
	const bool narrow = type == NPY_HALF || type == NPY_FLOAT || type == NPY_CFLOAT;

	if (t->kind->elements == HALF_TO_REAL || is_complex)
		return narrow ? NPY_CFLOAT : NPY_CDOUBLE;
	return narrow ? NPY_FLOAT : NPY_DOUBLE;
}

static int take_input(struct transform *t, PyObject *x)
{
	PyArrayObject *array = args_array(x, -1, 0);

	if (!array)
		return -1;
	const int type = PyArray_TYPE(array);

	if (type == NPY_LONGDOUBLE || type == NPY_CLONGDOUBLE)
		PyErr_SetString(PyExc_TypeError, "x: long double is not supported, allowed are float64 and narrower");
	else if (t->kind->elements == REAL_TO_HALF && PyTypeNum_ISCOMPLEX(type))
		PyErr_SetString(PyExc_TypeError, "x must be a real sequence");
	if (PyErr_Occurred()) {
		Py_DECREF(array);
		return -1;
	}
	/* Memory that nobody else has may be written over; an object's __array__ may give the object's own. */
	t->in = (PyArrayObject *)PyArray_FROM_OTF((PyObject *)array, input_type(t, array),
						  NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED | NPY_ARRAY_FORCECAST);
	if (t->in && t->in != array && PyArray_BASE(t->in) == NULL)
		t->overwrite = true;
	else if (t->in == array && (PyList_Check(x) || PyTuple_Check(x)))
		t->overwrite = true;
	Py_DECREF(array);
	return t->in ? 0 : -1;
}

/* ---- Axes and lengths ---- */

/* Reads an integer or a sequence of at most NPY_MAXDIMS. Returns their number, or -1 with an exception. */
static int read_integers(PyObject *value, const char *name, npy_intp *ret)
{
	if (PyLong_Check(value)) {
		ret[0] = PyNumber_AsSsize_t(value, PyExc_OverflowError);
		return ret[0] == -1 && PyErr_Occurred() ? -1 : 1;
	}
	PyObject *list = PySequence_Tuple(value);
	const Py_ssize_t n = list ? PyTuple_GET_SIZE(list) : 0;

	if (n > NPY_MAXDIMS)
		PyErr_Format(PyExc_ValueError, "%s: got %zd numbers, allowed are at most %d", name, n, NPY_MAXDIMS);
	for (Py_ssize_t i = 0; i < n && !PyErr_Occurred(); i++)
		ret[i] = PyNumber_AsSsize_t(PyTuple_GET_ITEM(list, i), PyExc_OverflowError);
	Py_XDECREF(list);
	return PyErr_Occurred() ? -1 : (int)n;
}

/* Reads both as they stand. */
static int read_axes(struct transform *t, PyObject *axes, PyObject *lengths)
{
	for (int i = 0; i < NPY_MAXDIMS; i++)
		t->lengths[i] = -1;
	t->n_axes = read_integers(axes, "axes", t->axes);
	t->has_lengths = lengths != Py_None;
	if (t->n_axes < 0)
		return -1;
	return t->has_lengths && read_integers(lengths, "lengths", t->lengths) < 0 ? -1 : 0;
}

/* Counts the axes from the first one of the input. */
static int place_axes(struct transform *t)
{
	t->ndim = PyArray_NDIM(t->in);
	for (int i = 0; i < t->n_axes; i++) {
		const npy_intp axis = t->axes[i] + (t->axes[i] < 0 ? t->ndim : 0);

		if (axis < 0 || axis >= t->ndim || i >= t->ndim) {
			PyErr_SetString(PyExc_IndexError, "tuple index out of range");
			return -1;
		}
		t->axes[i] = axis;
		t->transformed[axis] = true;
	}
	return 0;
}

/* Sets the result's shape and refuses lengths below 1. */
static int find_shape(struct transform *t)
{
	const npy_intp *shape = PyArray_DIMS(t->in);

	for (int i = 0; i < t->ndim; i++)
		t->shape[i] = shape[i];
	for (int i = 0; i < t->n_axes; i++) {
		const npy_intp axis = t->axes[i];
		const bool last = i == t->n_axes - 1;
		npy_intp n = t->lengths[i];

		if (!t->has_lengths && last && t->kind->elements == HALF_TO_REAL)
			n = 2 * (shape[axis] - 1);
		else if (!t->has_lengths)
			n = shape[axis];
		if (n < 1) {
			PyErr_Format(PyExc_ValueError, "invalid number of data points (%zd) specified", n);
			return -1;
		}
		t->shape[axis] = last && t->kind->elements == REAL_TO_HALF ? n / 2 + 1 : n;
	}
	return 0;
}

/* ---- Output ---- */

static int output_type(const struct transform *t)
{
	const bool real = t->kind->elements == HALF_TO_REAL ||
			  (t->kind->elements == SAME && !PyArray_ISCOMPLEX(t->in));

	return t->wide ? (real ? NPY_DOUBLE : NPY_CDOUBLE) : (real ? NPY_FLOAT : NPY_CFLOAT);
}

static bool is_wide(const struct transform *t)
{
	static const char *const modes[] = {"double", "ozaki_hq", "ozaki_fp64"};
	const int type = PyArray_TYPE(t->in);

	for (size_t i = 0; i < sizeof modes / sizeof *modes; i++)
		if (t->precision && strcmp(t->precision, modes[i]) == 0)
			return true;
	return type == NPY_DOUBLE || type == NPY_CDOUBLE || (t->target_error > 0 && t->target_error < 1e-7);
}

static int make_output(struct transform *t, struct session_object *session)
{
	const int type = output_type(t);
	const bool in_place = t->overwrite && type == PyArray_TYPE(t->in) && PyArray_ISWRITEABLE(t->in) &&
			      PyArray_CompareLists(PyArray_DIMS(t->in), t->shape, t->ndim);

	if (in_place)
		t->out = (PyArrayObject *)Py_NewRef((PyObject *)t->in);
	else
		t->out = (PyArrayObject *)result_new(session, t->ndim, t->shape, type);
	return t->out ? 0 : -1;
}

/* ---- The engine ---- */

/* Describes the array with its untransformed neighbours joined; to[] maps axes. 0, or -1: more than 8 dimensions. */
static int join_axes(const struct transform *t, PyArrayObject *array, struct trnsci_array *ret_array, int *to)
{
	const npy_intp *shape = PyArray_DIMS(array);
	uint64_t joined[NPY_MAXDIMS];
	int n = 0;

	for (int i = 0; i < t->ndim; i++) {
		if (i > 0 && !t->transformed[i] && !t->transformed[i - 1]) {
			joined[n - 1] *= (uint64_t)shape[i];
		} else {
			joined[n] = (uint64_t)shape[i];
			n++;
		}
		to[i] = n - 1;
	}
	if (n > TRNSCI_MAX_DIMS) {
		PyErr_Format(PyExc_ValueError, "x: %d dimensions between transformed axes, allowed is %d", n,
			     TRNSCI_MAX_DIMS);
		return -1;
	}
	*ret_array = trnsci_array_of(dtype_of_numpy(PyArray_TYPE(array)), (size_t)n, joined, PyArray_DATA(array));
	return 0;
}

static void make_params(const struct transform *t, const int *to, int64_t *axes, int64_t *lengths,
			struct trnsci_param *params)
{
	int n = 0;

	for (int i = 0; i < t->n_axes; i++) {
		axes[i] = to[t->axes[i]];
		lengths[i] = t->lengths[i];
	}
	params[n++] = trnsci_param_i64s("axes", axes, (size_t)t->n_axes);
	if (t->has_lengths)
		params[n++] = trnsci_param_i64s("length", lengths, (size_t)t->n_axes);
	for (int i = 0; i < 2 && t->kind->flags[i]; i++)
		params[n++] = trnsci_param_bool(t->kind->flags[i], true);
	if (t->norm)
		params[n++] = trnsci_param_text("norm", t->norm);
	if (t->precision)
		params[n++] = trnsci_param_text("precision", t->precision);
	if (t->target_error > 0)
		params[n++] = trnsci_param_f64("target_error", t->target_error);
	if (t->kind->elements == SAME)
		params[n++] = trnsci_param_text("type", t->type);
	if (t->kind->elements == SAME && t->orthogonalize)
		params[n++] = trnsci_param_text("orthogonalize", t->orthogonalize);
	params[n] = trnsci_param_end();
}

/* Makes t->out; nothing is left to do where it is empty. A short transform keeps Python's lock. */
static int run_in(struct transform *t, struct module_state *state, struct session_object *session)
{
	int64_t axes[NPY_MAXDIMS], lengths[NPY_MAXDIMS];
	struct trnsci_session *handle = session->handle;
	struct trnsci_param params[MAX_PARAMS];
	struct trnsci_array in, out;
	int to[NPY_MAXDIMS], r;
	struct trnsci_error err;

	if (make_output(t, session) < 0)
		return -1;
	if (PyArray_SIZE(t->out) == 0)
		return 0;
	if (join_axes(t, t->in, &in, to) < 0 || join_axes(t, t->out, &out, to) < 0)
		return -1;
	make_params(t, to, axes, lengths, params);
	if (session->embedded && PyArray_SIZE(t->in) <= LOCK_ELEMENTS && PyArray_SIZE(t->out) <= LOCK_ELEMENTS) {
		r = trnsci_apply_array(handle, t->kind->operation, params, in, out, &err);
	} else {
		call_begin();
		r = call_end(trnsci_apply_array(handle, t->kind->operation, params, in, out, &err));
	}
	return raise_if(r, state, &err);
}

static int run(struct transform *t, struct module_state *state)
{
	struct session_object *session = t->workers ? session_of_workers(state, t->workers) : session_default(state);
	struct use use;

	if (!session || use_begin(session, &use) < 0)
		return -1;
	const int r = run_in(t, state, session);

	use_end(&use);
	return r;
}

/* ---- Results in a daemon's memory ---- */

/* Makes t->out an array over a tile that the daemon writes. False: nothing was made, see tiles_apply. */
static bool run_on_tiles(struct transform *t, struct module_state *state)
{
	struct session_object *session = t->workers ? NULL : session_default(state);
	int64_t axes[NPY_MAXDIMS], lengths[NPY_MAXDIMS];
	struct trnsci_param params[MAX_PARAMS];
	struct trnsci_array in;
	int to[NPY_MAXDIMS], n = 0;

	if (!session || !session_use(session) || session->embedded || join_axes(t, t->in, &in, to) < 0) {
		PyErr_Clear();
		return false;
	}
	make_params(t, to, axes, lengths, params);
	while (params[n].kind != TRNSCI_PARAM_END)
		n++;
	t->out = (PyArrayObject *)tiles_apply(session, t->kind->operation, params, n, "in", t->in, &in, output_type(t),
					      t->ndim, t->shape);
	return t->out;
}

/* Whether the result is long enough, and memory of its own. */
static bool wants_tiles(const struct transform *t)
{
	const size_t width = (size_t)(t->wide ? 8 : 4);

	return !t->overwrite && (size_t)PyArray_MultiplyList(t->shape, t->ndim) * width >= TILE_BYTES &&
	       PyArray_SIZE(t->in) > 0;
}

/* ---- The function ---- */

static int read_text(PyObject *value, const char **ret)
{
	*ret = NULL;
	if (value == Py_None)
		return 0;
	*ret = PyUnicode_AsUTF8(value);
	return *ret ? 0 : -1;
}

static int read_options(struct transform *t, PyObject *const *args)
{
	t->overwrite = PyObject_IsTrue(args[5]) == 1;
	t->workers = (unsigned)PyLong_AsUnsignedLong(args[6]);
	t->target_error = args[8] == Py_None ? 0 : PyFloat_AsDouble(args[8]);
	if (PyErr_Occurred() || read_text(args[4], &t->norm) < 0 || read_text(args[7], &t->precision) < 0 ||
	    read_text(args[9], &t->type) < 0 || read_text(args[10], &t->orthogonalize) < 0)
		return -1;
	if (args[8] != Py_None && !(t->target_error > 0)) {
		PyErr_SetString(PyExc_ValueError, "target_error: allowed is above 0 to 1");
		return -1;
	}
	return 0;
}

static const struct kind *read_kind(PyObject *number)
{
	const long kind = PyLong_AsLong(number);

	if (kind >= 0 && kind < (long)(sizeof kinds / sizeof *kinds))
		return &kinds[kind];
	PyErr_SetString(PyExc_ValueError, "transform(): there is no such kind");
	return NULL;
}

/* transform(kind, x, lengths, axes, norm, overwrite_x, workers, precision, target_error, type, orthogonalize): kind is an
 * index into kinds[]; workers 0: the module's session; None where the engine's default is meant. */
static PyObject *transform(PyObject *module, PyObject *const *args, Py_ssize_t n_args)
{
	struct transform t = {0};
	PyObject *result = NULL;

	if (n_args != 11) {
		PyErr_SetString(PyExc_TypeError, "transform() takes 11 arguments");
		return NULL;
	}
	t.kind = read_kind(args[0]);
	if (!t.kind)
		return NULL;
	/* The array is looked at last: Python code that runs for the others may change it. */
	if (read_options(&t, args) == 0 && read_axes(&t, args[3], args[2]) == 0 && take_input(&t, args[1]) == 0 &&
	    place_axes(&t) == 0 && find_shape(&t) == 0) {
		t.wide = is_wide(&t);
		if ((wants_tiles(&t) && run_on_tiles(&t, PyModule_GetState(module))) ||
		    (!PyErr_Occurred() && run(&t, PyModule_GetState(module)) == 0))
			result = Py_NewRef((PyObject *)t.out);
	}
	Py_XDECREF(t.in);
	Py_XDECREF(t.out);
	return result;
}

/* transform_kind(kind): the operation's name and its flags. */
static PyObject *transform_kind(PyObject *module, PyObject *number)
{
	const struct kind *kind = read_kind(number);

	(void)module;
	if (!kind)
		return NULL;
	return Py_BuildValue(kind->flags[1] ? "(sss)" : kind->flags[0] ? "(ss)" : "(s)", kind->operation, kind->flags[0],
			     kind->flags[1]);
}

PyMethodDef transform_functions[] = {
	{"transform_kind", transform_kind, METH_O, NULL},
	{"transform", (PyCFunction)(void (*)(void))transform, METH_FASTCALL, NULL},
	{NULL, NULL, 0, NULL},
};
