/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of operations from Python's dicts. What they point to lives as long as the list. An Ellipsis is a new tile.
 *
 * `kept` is a Python list that owns every object and block of memory that a parameter borrows: one release frees all. */
#include "extension.h"

#include <string.h>

/* A dict that is being read, with those in it. */
struct reading {
	struct session_object *session;
	unsigned flags;
	PyObject *kept;
	struct pending *arrays; /* the last one first */
};

static int read_dict(struct reading *reading, PyObject *dict, struct trnsci_param **ret_params, int *ret_n);

/* Returns memory that is freed with the list; NULL with an exception. */
static void *allocate(PyObject *kept, size_t bytes)
{
	PyObject *block = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)bytes);
	const int r = block ? PyList_Append(kept, block) : -1;

	Py_XDECREF(block);
	return r < 0 ? NULL : PyBytes_AS_STRING(block);
}

static int refuse(const char *name, PyObject *value)
{
	PyErr_Format(PyExc_TypeError, "%s: got %.200s, allowed are numbers, texts, arrays, tiles, and lists and dicts of them",
		     name, Py_TYPE(value)->tp_name);
	return -1;
}

/* Any integer from -2^63 to 2^64 - 1, with or without a sign: the library decides which ones the parameter takes. */
static int read_integer(const char *name, PyObject *value, struct trnsci_param *param)
{
	PyObject *number = PyNumber_Index(value);
	int overflow;

	if (!number)
		return -1;
	const long long small = PyLong_AsLongLongAndOverflow(number, &overflow);

	if (overflow == 0 && small < 0)
		*param = trnsci_param_i64(name, small);
	else
		*param = trnsci_param_u64(name, overflow < 0 ? 0 : PyLong_AsUnsignedLongLong(number));
	Py_DECREF(number);
	if (overflow < 0)
		PyErr_Format(PyExc_OverflowError, "%s: an integer below -2^63", name);
	return PyErr_Occurred() ? -1 : 0;
}

/* What is known of an array that a parameter names. It is looked at when all parameters are read: Python code that runs for
 * a later one may change it. */
struct pending {
	struct pending *next;
	const char *name;
	PyObject *array; /* the dict's */
	struct trnsci_param *param;
};

static int read_array(struct reading *reading, const char *name, PyObject *value, struct trnsci_param *param)
{
	struct pending *pending = allocate(reading->kept, sizeof *pending);

	if (!pending)
		return -1;
	*pending = (struct pending){reading->arrays, name, value, param};
	reading->arrays = pending;
	*param = trnsci_param_bool(name, false);
	return 0;
}

/* An array over a tile of the session is passed as that tile, without a copy; another one as its memory, made contiguous. Runs
 * no Python code. */
static int finish_array(struct session_object *session, const char *name, PyObject *value, PyObject *kept,
			struct trnsci_param *param)
{
	PyArrayObject *given = (PyArrayObject *)value, *array;
	const enum trnsci_dtype dtype = dtype_of_numpy(PyArray_TYPE(given));
	struct trnsci_tile *tile = tile_of_array(session, given);
	struct trnsci_array *described;
	struct trnsci_tile_info info;
	int r;

	if (!dtype || PyArray_NDIM(given) < 1 || PyArray_NDIM(given) > TRNSCI_MAX_DIMS) {
		PyErr_Format(PyExc_TypeError, "%s: an array of %R with %d dimensions, allowed are numbers of 32 bits or more "
			     "with 1 to %d dimensions", name, (PyObject *)PyArray_DESCR(given), PyArray_NDIM(given),
			     TRNSCI_MAX_DIMS);
		return -1;
	}
	array = (PyArrayObject *)PyArray_FROM_OTF(value, numpy_type_of(dtype),
						  NPY_ARRAY_CARRAY_RO | NPY_ARRAY_NOTSWAPPED | NPY_ARRAY_ENSUREARRAY);
	if (!array)
		return -1;
	r = PyList_Append(kept, (PyObject *)array);
	Py_DECREF(array);
	described = r < 0 ? NULL : allocate(kept, sizeof *described);
	if (!described)
		return -1;
	array_describe(array, described);
	trnsci_tile_describe(tile, &info);
	if (tile && PyArray_DATA(array) == PyArray_DATA(given) && tile_is_like(&info, described))
		*param = trnsci_param_tile(name, tile);
	else
		*param = trnsci_param_array(name, described);
	return 0;
}

static int read_tile(struct reading *reading, const char *name, PyObject *value, struct trnsci_param *param)
{
	const struct tile_object *tile = (struct tile_object *)value;

	if (tile->session != reading->session || tile->fork_count != forks()) {
		PyErr_Format(PyExc_ValueError, "%s: the tile is of another session", name);
		return -1;
	}
	*param = reading->flags & PARAMS_OF_DRAW ? trnsci_param_tile_elements(name, tile->tile)
						 : trnsci_param_tile(name, tile->tile);
	return 0;
}

/* A list of integers, or of numbers. It is copied, since the items' Python code may change it. */
static int read_list(const char *name, PyObject *value, PyObject *kept, struct trnsci_param *param)
{
	PyObject *items = PySequence_Tuple(value);
	bool whole = true;

	if (!items || PyList_Append(kept, items) < 0) {
		Py_XDECREF(items);
		return -1;
	}
	Py_DECREF(items);
	const Py_ssize_t n = PyTuple_GET_SIZE(items);
	union {
		int64_t i64;
		double f64;
	} *values = allocate(kept, (size_t)n * sizeof *values);

	if (!values)
		return -1;
	for (Py_ssize_t i = 0; i < n; i++)
		whole &= PyIndex_Check(PyTuple_GET_ITEM(items, i)) != 0;
	for (Py_ssize_t i = 0; i < n && !PyErr_Occurred(); i++) {
		PyObject *item = PyTuple_GET_ITEM(items, i);

		if (whole)
			values[i].i64 = PyNumber_AsSsize_t(item, PyExc_OverflowError);
		else
			values[i].f64 = PyFloat_AsDouble(item);
	}
	if (PyErr_Occurred())
		return PyErr_ExceptionMatches(PyExc_TypeError) ? refuse(name, value) : -1;
	*param = whole ? trnsci_param_i64s(name, &values->i64, (size_t)n) : trnsci_param_f64s(name, &values->f64, (size_t)n);
	return 0;
}

/* A dict within a dict, such as the noise of a ring. */
static int read_map(struct reading *reading, const char *name, PyObject *value, struct trnsci_param *param)
{
	struct trnsci_param *members;
	int n;

	if (read_dict(reading, value, &members, &n) < 0)
		return -1;
	*param = trnsci_param_map(name, members);
	return 0;
}

/* The text is the str's own, which the dict keeps. */
static int read_text(const char *name, PyObject *value, struct trnsci_param *param)
{
	Py_ssize_t size;
	const char *text = PyUnicode_AsUTF8AndSize(value, &size);

	if (text && strlen(text) != (size_t)size)
		PyErr_Format(PyExc_ValueError, "%s: embedded null character", name);
	*param = trnsci_param_text(name, text);
	return PyErr_Occurred() ? -1 : 0;
}

/* As numpy means it, by the engine's name. */
static int read_dtype(const char *name, PyObject *value, struct trnsci_param *param)
{
	const enum trnsci_dtype dtype = dtype_of_argument(value);

	if (dtype)
		*param = trnsci_param_text(name, trnsci_dtype_name(dtype));
	return dtype ? 0 : -1;
}

static int read_value(struct reading *reading, const char *name, PyObject *value, struct trnsci_param *param)
{
	if (strcmp(name, "dtype") == 0)
		return read_dtype(name, value, param);
	if (PyBool_Check(value) || PyArray_IsScalar(value, Bool)) {
		*param = trnsci_param_bool(name, PyObject_IsTrue(value));
		return 0;
	}
	if (PyUnicode_Check(value))
		return read_text(name, value, param);
	if (value == Py_Ellipsis) {
		*param = trnsci_param_new_tile(name);
		return 0;
	}
	if (PyArray_Check(value) && PyArray_NDIM((PyArrayObject *)value) > 0)
		return read_array(reading, name, value, param);
	if (Py_IS_TYPE(value, reading->session->state->tile_type))
		return read_tile(reading, name, value, param);
	if (PyIndex_Check(value))
		return read_integer(name, value, param);
	if (PyFloat_Check(value) || PyArray_CheckAnyScalar(value)) {
		*param = trnsci_param_f64(name, PyFloat_AsDouble(value));
		return PyErr_Occurred() ? -1 : 0;
	}
	if (PyBytes_Check(value)) {
		*param = trnsci_param_bytes(name, PyBytes_AS_STRING(value), (size_t)PyBytes_GET_SIZE(value));
		return 0;
	}
	if (PyDict_Check(value))
		return read_map(reading, name, value, param);
	if (PyList_Check(value) || PyTuple_Check(value))
		return read_list(name, value, reading->kept, param);
	return refuse(name, value);
}

/* The dict is copied, so that nobody changes it meanwhile. */
static int read_dict(struct reading *reading, PyObject *dict, struct trnsci_param **ret_params, int *ret_n)
{
	PyObject *kept = reading->kept, *copy = PyDict_Copy(dict), *key, *value;
	Py_ssize_t at = 0;
	int r = copy ? PyList_Append(kept, copy) : -1;

	Py_XDECREF(copy);
	struct trnsci_param *params =
		r < 0 ? NULL : allocate(kept, ((size_t)PyDict_GET_SIZE(copy) + PARAM_ROOM + 1) * sizeof *params);

	if (!params || Py_EnterRecursiveCall(" while parameters are read"))
		return -1;
	*ret_n = 0;
	while (r == 0 && PyDict_Next(copy, &at, &key, &value)) {
		const char *name = PyUnicode_Check(key) ? PyUnicode_AsUTF8(key) : NULL;

		if (!name && !PyErr_Occurred())
			PyErr_SetString(PyExc_TypeError, "names of parameters must be strings");
		if (!name)
			r = -1;
		else if (value != Py_None)
			r = read_value(reading, name, value, &params[(*ret_n)++]);
	}
	Py_LeaveRecursiveCall();
	params[*ret_n] = trnsci_param_end();
	*ret_params = params;
	return r;
}

static int finish_arrays(struct reading *reading)
{
	int r = 0;

	for (const struct pending *p = reading->arrays; p && r == 0; p = p->next)
		r = finish_array(reading->session, p->name, p->array, reading->kept, p->param);
	return r;
}

int params_read(struct session_object *session, PyObject *dict, unsigned flags, struct param_list *ret_list)
{
	PyObject *empty = dict == Py_None ? PyDict_New() : Py_NewRef(dict);
	int r = -1;

	*ret_list = (struct param_list){.kept = PyList_New(0)};
	struct reading reading = {session, flags, ret_list->kept, NULL};

	if (empty && !PyDict_Check(empty))
		PyErr_SetString(PyExc_TypeError, "parameters must be a dict");
	else if (empty && ret_list->kept)
		r = read_dict(&reading, empty, &ret_list->params, &ret_list->n);
	if (r == 0)
		r = finish_arrays(&reading);
	Py_XDECREF(empty);
	if (r < 0)
		params_free(ret_list);
	return r;
}

void params_free(struct param_list *list)
{
	Py_CLEAR(list->kept);
	list->params = NULL;
}

/* ---- Sources ---- */

static int read_member(PyObject *dict, const char *name, uint64_t *ret)
{
	PyObject *value = PyDict_GetItemString(dict, name);

	return !value || value == Py_None ? 0 : args_u64(value, name, ret);
}

static int read_name(PyObject *dict, const char *name, const char **ret)
{
	PyObject *value = PyDict_GetItemString(dict, name);

	if (!value || value == Py_None)
		return 0;
	if (!PyUnicode_Check(value)) {
		PyErr_Format(PyExc_TypeError, "%s: must be a string", name);
		return -1;
	}
	*ret = PyUnicode_AsUTF8(value);
	return *ret ? 0 : -1;
}

static int read_members(PyObject *dict, struct trnsci_source *ret_source)
{
	*ret_source = (struct trnsci_source){0};
	return read_name(dict, "name", &ret_source->name) < 0 ||
			       read_name(dict, "generator", &ret_source->generator) < 0 ||
			       read_member(dict, "seed", &ret_source->seed) < 0 ||
			       read_member(dict, "stream", &ret_source->stream) < 0 ||
			       read_member(dict, "position", &ret_source->position) < 0 ||
			       read_member(dict, "offset", &ret_source->offset) < 0
		       ? -1
		       : 0;
}

/* The dict is copied, since its members' Python code may change it. */
int source_read(PyObject *dict, struct trnsci_source *ret_source, PyObject **ret_kept)
{
	if (!PyDict_Check(dict)) {
		PyErr_SetString(PyExc_TypeError, "a source must be a dict");
		return -1;
	}
	PyObject *copy = PyDict_Copy(dict);

	if (!copy || read_members(copy, ret_source) < 0) {
		Py_XDECREF(copy);
		return -1;
	}
	*ret_kept = copy;
	return 0;
}
