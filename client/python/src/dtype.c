/* SPDX-License-Identifier: Apache-2.0 */
/* The engine's dtypes and numpy's types. */
#define EXTENSION_IMPORTS_NUMPY
#include "extension.h"

#include <string.h>

static const struct {
	enum trnsci_dtype dtype;
	int type;
} rows[] = {
	{TRNSCI_F32, NPY_FLOAT},   {TRNSCI_F64, NPY_DOUBLE}, {TRNSCI_C64, NPY_CFLOAT}, {TRNSCI_C128, NPY_CDOUBLE},
	{TRNSCI_I8, NPY_INT8},	   {TRNSCI_I32, NPY_INT32},  {TRNSCI_I64, NPY_INT64},  {TRNSCI_U32, NPY_UINT32},
	{TRNSCI_U64, NPY_UINT64},  {TRNSCI_F16, NPY_HALF},
};

int numpy_import(void)
{
	import_array1(-1);
	return 0;
}

int numpy_type_of(enum trnsci_dtype dtype)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].dtype == dtype)
			return rows[i].type;
	return -1;
}

/* Two of numpy's types may be one type of C, as long and long long are. */
enum trnsci_dtype dtype_of_numpy(int type)
{
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].type == type)
			return rows[i].dtype;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (PyArray_EquivTypenums(rows[i].type, type))
			return rows[i].dtype;
	return TRNSCI_DTYPE_NONE;
}

bool array_describe(PyArrayObject *array, struct trnsci_array *ret_array)
{
	uint64_t shape[TRNSCI_MAX_DIMS];
	const int ndim = PyArray_NDIM(array);
	const enum trnsci_dtype dtype = dtype_of_numpy(PyArray_TYPE(array));

	if (ndim < 1 || ndim > TRNSCI_MAX_DIMS || !dtype)
		return false;
	for (int i = 0; i < ndim; i++)
		shape[i] = (uint64_t)PyArray_DIM(array, i);
	*ret_array = trnsci_array_of(dtype, (size_t)ndim, shape, PyArray_DATA(array));
	return true;
}

const char *dtype_name(enum trnsci_dtype dtype)
{
	return dtype == TRNSCI_I8 ? "int8" : dtype == TRNSCI_F16 ? "float16" : trnsci_dtype_name(dtype);
}

/* To numpy "i8" is an int64 and "f16" a long double. */
static enum trnsci_dtype parse_engine_name(const char *name)
{
	const enum trnsci_dtype dtype = trnsci_dtype_parse(strcmp(name, "bfloat16") == 0 ? "bf16" : name);

	return dtype == TRNSCI_I8 || dtype == TRNSCI_F16 ? TRNSCI_DTYPE_NONE : dtype;
}

static enum trnsci_dtype parse_numpy_name(PyObject *argument)
{
	enum trnsci_dtype dtype = TRNSCI_DTYPE_NONE;
	PyArray_Descr *descr = NULL;

	if (!PyArray_DescrConverter(argument, &descr))
		return TRNSCI_DTYPE_NONE;
	if (PyArray_ISNBO(descr->byteorder))
		dtype = dtype_of_numpy(descr->type_num);
	if (!dtype)
		PyErr_Format(PyExc_TypeError,
			     "dtype: got %R, allowed are int8, i32, i64, u32, u64, float16, bf16, f32, f64, c64, c128, and "
			     "numpy's names of these",
			     (PyObject *)descr);
	Py_DECREF(descr);
	return dtype;
}

/* None of the engine's names that are left is one of numpy's. */
enum trnsci_dtype dtype_of_argument(PyObject *argument)
{
	Py_ssize_t size = 0;
	const char *name = PyUnicode_Check(argument) ? PyUnicode_AsUTF8AndSize(argument, &size) : NULL;
	const enum trnsci_dtype dtype = name && strlen(name) == (size_t)size ? parse_engine_name(name) : TRNSCI_DTYPE_NONE;

	return dtype || PyErr_Occurred() ? dtype : parse_numpy_name(argument);
}
