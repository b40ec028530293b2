/* SPDX-License-Identifier: Apache-2.0 */
/* Values of replies, as Python's. */
#include "extension.h"
#include "value.h"

#include <string.h>

static PyObject *read_array(const struct trnsci_array *array)
{
	const int type = numpy_type_of(array->dtype);
	npy_intp shape[TRNSCI_MAX_DIMS];
	PyObject *made;

	if (type < 0)
		return PyBytes_FromStringAndSize(array->data, (Py_ssize_t)array->bytes);
	for (size_t i = 0; i < array->ndim; i++)
		shape[i] = (npy_intp)array->shape[i];
	made = PyArray_SimpleNew((int)array->ndim, shape, type);
	if (made && array->bytes > 0)
		memcpy(PyArray_DATA((PyArrayObject *)made), array->data, array->bytes);
	return made;
}

static PyObject *read_map(const struct trnsci_value *map)
{
	PyObject *dict = PyDict_New();

	for (size_t i = 0; dict && i < trnsci_value_count(map); i++) {
		size_t size;
		const char *name = trnsci_value_name_at(map, i, &size);
		PyObject *key = PyUnicode_DecodeUTF8(name, (Py_ssize_t)size, "replace");
		PyObject *member = key ? value_to_python(trnsci_value_at(map, i)) : NULL;

		if (!member || PyDict_SetItem(dict, key, member) < 0)
			Py_CLEAR(dict);
		Py_XDECREF(key);
		Py_XDECREF(member);
	}
	return dict;
}

static PyObject *read_list(const struct trnsci_value *list)
{
	PyObject *made = PyList_New((Py_ssize_t)trnsci_value_count(list));

	for (size_t i = 0; made && i < trnsci_value_count(list); i++) {
		PyObject *element = value_to_python(trnsci_value_at(list, i));

		if (element)
			PyList_SET_ITEM(made, (Py_ssize_t)i, element);
		else
			Py_CLEAR(made);
	}
	return made;
}

static PyObject *read_number(const struct trnsci_value *value)
{
	uint64_t u64 = 0;
	int64_t i64 = 0;
	double f64 = 0;
	bool truth = false;

	switch (trnsci_value_kind(value)) {
	case TRNSCI_BOOL:
		trnsci_value_to_bool(value, &truth);
		return PyBool_FromLong(truth);
	case TRNSCI_UINT:
		trnsci_value_to_u64(value, &u64);
		return PyLong_FromUnsignedLongLong(u64);
	case TRNSCI_INT:
		trnsci_value_to_i64(value, &i64);
		return PyLong_FromLongLong(i64);
	case TRNSCI_REAL:
		trnsci_value_to_f64(value, &f64);
		return PyFloat_FromDouble(f64);
	default:
		Py_RETURN_NONE;
	}
}

/* Replies are at most some levels deep: the library refuses deeper ones. */
PyObject *value_to_python(const struct trnsci_value *value)
{
	struct trnsci_array array;
	const void *bytes;
	size_t size;

	switch (trnsci_value_kind(value)) {
	case TRNSCI_TEXT:
		bytes = trnsci_value_to_bytes(value, &size);
		return PyUnicode_DecodeUTF8(bytes, (Py_ssize_t)size, "replace");
	case TRNSCI_BYTES:
		bytes = trnsci_value_to_bytes(value, &size);
		return PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
	case TRNSCI_LIST:
		return read_list(value);
	case TRNSCI_MAP:
		if (trnsci_value_get(value, "data") && trnsci_value_count(value) == 3 && trnsci_value_to_array(value, &array) == 0)
			return read_array(&array);
		return read_map(value);
	default:
		return read_number(value);
	}
}
