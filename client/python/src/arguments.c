/* SPDX-License-Identifier: Apache-2.0 */
/* Arguments of methods, read as numpy.random.Generator reads them and refused with its kinds of errors.
 *
 * The texts are numpy's own, so that what matches numpy's errors matches these. */
#include "extension.h"

/* Returns the place of a keyword among the names, or -1. */
static int find_name(const char *const *names, int n_names, PyObject *name)
{
	for (int i = 0; i < n_names; i++)
		if (PyUnicode_CompareWithASCIIString(name, names[i]) == 0)
			return i;
	return -1;
}

int args_sort(const char *function, const char *const *names, int n_names, int n_required, PyObject *const *args,
	      Py_ssize_t n_args, PyObject *kwnames, PyObject **ret_values)
{
	const Py_ssize_t n_named = kwnames ? PyTuple_GET_SIZE(kwnames) : 0;

	if (n_args > n_names) {
		PyErr_Format(PyExc_TypeError, "%s() takes at most %d positional arguments (%zd given)", function,
			     n_names, n_args);
		return -1;
	}
	for (int i = 0; i < n_names; i++)
		ret_values[i] = i < n_args ? args[i] : NULL;
	for (Py_ssize_t i = 0; i < n_named; i++) {
		PyObject *name = PyTuple_GET_ITEM(kwnames, i);
		const int place = find_name(names, n_names, name);

		if (place < 0 || ret_values[place]) {
			PyErr_Format(PyExc_TypeError,
				     place < 0 ? "%s() got an unexpected keyword argument '%U'"
					       : "%s() got multiple values for keyword argument '%U'",
				     function, name);
			return -1;
		}
		ret_values[place] = args[n_args + i];
	}
	for (int i = 0; i < n_required; i++)
		if (!ret_values[i]) {
			PyErr_Format(PyExc_TypeError, "%s() takes at least %d positional argument%s", function,
				     n_required, n_required == 1 ? "" : "s");
			return -1;
		}
	return 0;
}

/* The tuple is not shared yet. */
static int freeze_items(PyObject *tuple)
{
	for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(tuple); i++) {
		PyObject *item = PyTuple_GET_ITEM(tuple, i);

		if (!PyList_Check(item) && !PyTuple_Check(item))
			continue;
		PyObject *frozen = args_freeze(item);

		if (!frozen)
			return -1;
		PyTuple_SET_ITEM(tuple, i, frozen);
		Py_DECREF(item);
	}
	return 0;
}

PyObject *args_freeze(PyObject *value)
{
	if (!PyList_CheckExact(value) && !PyTuple_CheckExact(value))
		return Py_NewRef(value);
	PyObject *list = PySequence_List(value), *tuple = list ? PyList_AsTuple(list) : NULL;

	Py_XDECREF(list);
	if (!tuple || Py_EnterRecursiveCall(" while a list is read")) {
		Py_XDECREF(tuple);
		return NULL;
	}
	if (freeze_items(tuple) < 0)
		Py_CLEAR(tuple);
	Py_LeaveRecursiveCall();
	return tuple;
}

/* numpy would return an array of which nothing is asked as it is, but takes longer. */
PyArrayObject *args_array(PyObject *value, int type, int flags)
{
	if (PyArray_CheckExact(value) && type < 0 && flags == 0)
		return (PyArrayObject *)Py_NewRef(value);
	PyObject *frozen = args_freeze(value);
	PyArray_Descr *descr = type < 0 ? NULL : PyArray_DescrFromType(type);
	PyObject *array = NULL;

	if (frozen)
		array = PyArray_FromAny(frozen, descr, 0, 0, flags, NULL);
	else
		Py_XDECREF(descr);
	Py_XDECREF(frozen);
	return (PyArrayObject *)array;
}

/* A plain int is by far the most common size, and is read without numpy's converter. */
int args_shape(PyObject *size, int *ret_ndim, npy_intp *ret_shape)
{
	PyArray_Dims dims = {NULL, 0};

	if (PyLong_CheckExact(size)) {
		ret_shape[0] = PyLong_AsSsize_t(size);
		*ret_ndim = 1;
		if (ret_shape[0] == -1 && PyErr_Occurred())
			return -1;
	} else {
		PyObject *frozen = args_freeze(size);
		const bool read = frozen && PyArray_IntpConverter(frozen, &dims);

		Py_XDECREF(frozen);
		if (!read)
			return -1;
		for (int i = 0; i < dims.len; i++)
			ret_shape[i] = dims.ptr[i];
		*ret_ndim = dims.len;
		PyDimMem_FREE(dims.ptr);
	}
	for (int i = 0; i < *ret_ndim; i++)
		if (ret_shape[i] < 0) {
			PyErr_SetString(PyExc_ValueError, "negative dimensions are not allowed");
			return -1;
		}
	return 0;
}

int args_float_type(PyObject *dtype, const char *function, int *ret_type)
{
	PyArray_Descr *descr = NULL;

	*ret_type = NPY_DOUBLE;
	if (!dtype || dtype == (PyObject *)&PyDoubleArrType_Type)
		return 0;
	if (!PyArray_DescrConverter(dtype, &descr))
		return -1;
	*ret_type = descr->type_num;
	if ((*ret_type == NPY_FLOAT || *ret_type == NPY_DOUBLE) && PyArray_ISNBO(descr->byteorder)) {
		Py_DECREF(descr);
		return 0;
	}
	PyErr_Format(PyExc_TypeError, "Unsupported dtype %R for %s", descr, function);
	Py_DECREF(descr);
	return -1;
}

int args_check_out(PyObject *out, int type, bool c_order)
{
	PyArrayObject *array = (PyArrayObject *)out;

	if (!PyArray_Check(out) || !PyArray_ISCARRAY(array)) {
		const bool fortran = !c_order && PyArray_Check(out) && PyArray_ISFARRAY(array);

		if (!fortran) {
			PyErr_Format(PyExc_ValueError,
				     "Supplied output array must be %scontiguous, writable, aligned, and in machine "
				     "byte-order.",
				     c_order ? "C-" : "");
			return -1;
		}
	}
	if (PyArray_TYPE(array) != type) {
		PyErr_Format(PyExc_TypeError, "Supplied output array has the wrong type. Expected %s, got %S",
			     type == NPY_FLOAT ? "float32" : "float64", PyArray_DESCR(array));
		return -1;
	}
	return 0;
}

int args_u64(PyObject *value, const char *name, uint64_t *ret)
{
	PyObject *integer = PyNumber_Index(value);
	unsigned long long number;

	if (!integer)
		return -1;
	number = PyLong_AsUnsignedLongLong(integer);
	Py_DECREF(integer);
	if (number == (unsigned long long)-1 && PyErr_Occurred()) {
		PyErr_Clear();
		PyErr_Format(PyExc_ValueError, "%s: got %R, allowed is 0 to 2^64 - 1", name, value);
		return -1;
	}
	*ret = number;
	return 0;
}

int args_convert_u64(PyObject *value, void *ret_u64)
{
	return args_u64(value, "integer", ret_u64) == 0;
}

int args_convert_u32(PyObject *value, void *ret_u32)
{
	uint64_t number;

	if (args_u64(value, "integer", &number) < 0)
		return 0;
	if (number > UINT32_MAX) {
		PyErr_Format(PyExc_ValueError, "integer: got %R, allowed is 0 to 2^32 - 1", value);
		return 0;
	}
	*(uint32_t *)ret_u32 = (uint32_t)number;
	return 1;
}
