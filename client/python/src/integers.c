/* SPDX-License-Identifier: Apache-2.0 */
/* integers(): bounds as numpy checks them, of every integer dtype. */
#include "extension.h"

#include <string.h>

static const char RANDINT[] = "randint";

typedef __int128 wide_int; /* holds every bound of every dtype, and one more */

/* A dtype that integers() gives, and the engine's that it is drawn in. */
struct integer_type {
	int number;
	const char *name;
	bool is_signed;
	int bits; /* 1: bool */
};

static const struct integer_type types[] = {
	{NPY_INT64, "int64", true, 64}, {NPY_UINT64, "uint64", false, 64}, {NPY_INT32, "int32", true, 32},
	{NPY_UINT32, "uint32", false, 32}, {NPY_INT16, "int16", true, 16}, {NPY_UINT16, "uint16", false, 16},
	{NPY_INT8, "int8", true, 8}, {NPY_UINT8, "uint8", false, 8}, {NPY_BOOL, "bool", false, 1},
	{NPY_LONGLONG, "int64", true, 64}, {NPY_ULONGLONG, "uint64", false, 64},
};

/* A range of integers, with both bounds. */
struct bounds {
	const struct integer_type *type;
	wide_int low, high;
};

static wide_int least_of(const struct integer_type *type)
{
	return type->is_signed ? -((wide_int)1 << (type->bits - 1)) : 0;
}

static wide_int last_of(const struct integer_type *type)
{
	return ((wide_int)1 << (type->bits - type->is_signed)) - 1;
}

static const struct integer_type *find_type(int number)
{
	for (size_t i = 0; i < sizeof types / sizeof *types; i++)
		if (types[i].number == number)
			return &types[i];
	return NULL;
}

/* Beyond 2^64 every integer is out of bounds alike. */
static int read_integer(PyObject *value, wide_int *ret)
{
	int overflow;
	const long long small = PyLong_AsLongLongAndOverflow(value, &overflow);
	PyObject *one, *less;

	if (!overflow) {
		*ret = small;
		return small == -1 && PyErr_Occurred() ? -1 : 0;
	}
	*ret = (wide_int)overflow << 100;
	if (overflow < 0)
		return 0;
	one = PyLong_FromLong(1);
	less = one ? PyNumber_Subtract(value, one) : NULL;
	Py_XDECREF(one);
	if (!less)
		return -1;
	const unsigned long long number = PyLong_AsUnsignedLongLong(less);

	Py_DECREF(less);
	if (PyErr_Occurred())
		PyErr_Clear();
	else
		*ret = (wide_int)number + 1;
	return 0;
}

static int check_bounds(const struct bounds *bounds, bool endpoint)
{
	if (bounds->low < least_of(bounds->type))
		PyErr_Format(PyExc_ValueError, "low is out of bounds for %s", bounds->type->name);
	else if (bounds->high > last_of(bounds->type))
		PyErr_Format(PyExc_ValueError, "high is out of bounds for %s", bounds->type->name);
	else if (bounds->low > bounds->high && bounds->low == 0)
		PyErr_SetString(PyExc_ValueError, endpoint ? "high < 0" : "high <= 0");
	else if (bounds->low > bounds->high)
		PyErr_SetString(PyExc_ValueError, endpoint ? "low > high" : "low >= high");
	return PyErr_Occurred() ? -1 : 0;
}

/* Dtypes of 16 bits and fewer are drawn as int32. */
static void make_recipe(const struct bounds *bounds, struct recipe *ret_recipe)
{
	const struct integer_type *type = bounds->type;
	const wide_int end = bounds->high + 1;

	*ret_recipe = (struct recipe){.distribution = RANDINT, .words = type->bits == 64 ? 2 : 1, .n_params = 2};
	if (type->bits == 64)
		ret_recipe->dtype = type->is_signed ? TRNSCI_I64 : TRNSCI_U64;
	else
		ret_recipe->dtype = type->bits == 32 && !type->is_signed ? TRNSCI_U32 : TRNSCI_I32;
	ret_recipe->params[0] =
		bounds->low < 0 ? trnsci_param_i64("low", (int64_t)bounds->low) : trnsci_param_u64("low", (uint64_t)bounds->low);
	if (end > (wide_int)UINT64_MAX)
		ret_recipe->params[1] = trnsci_param_text("high", "18446744073709551616");
	else
		ret_recipe->params[1] = end < 0 ? trnsci_param_i64("high", (int64_t)end) : trnsci_param_u64("high", (uint64_t)end);
}

static PyObject *one_integer(struct generator_object *g, const struct bounds *bounds, PyObject *dtype)
{
	const struct integer_type *type = bounds->type;
	struct recipe recipe;
	uint64_t base;
	union {
		int64_t i64;
		int32_t i32;
		uint8_t u8;
		int16_t i16;
	} sample = {0};

	make_recipe(bounds, &recipe);
	if (generator_reserve(g, 1, recipe.words, &base) < 0 || generator_draw(g, &recipe, base, 0, 1, &sample) < 0)
		return NULL;
	if (type->bits == 16)
		sample.i16 = (int16_t)sample.i32;
	else if (type->bits < 16)
		sample.u8 = (uint8_t)sample.i32;
	if (dtype == (PyObject *)&PyLong_Type)
		return PyLong_FromLongLong(sample.i64);
	if (dtype == (PyObject *)&PyBool_Type)
		return PyBool_FromLong(sample.u8);
	PyArray_Descr *descr = PyArray_DescrFromType(type->number);
	PyObject *scalar = PyArray_Scalar(&sample, descr, NULL);

	Py_DECREF(descr);
	return scalar;
}

/* Integers of fewer than 32 bits are drawn as i32 and cast: the engine has none that are smaller. */
static PyObject *many_integers(struct generator_object *g, const struct bounds *bounds, int ndim, const npy_intp *shape)
{
	struct recipe recipe;
	struct part part;
	PyObject *wide, *narrow;
	uint64_t base;

	make_recipe(bounds, &recipe);
	if (part_of(g, ndim, shape, &part) < 0 || generator_reserve(g, part.whole, recipe.words, &base) < 0)
		return NULL;
	if (bounds->type->bits >= 32)
		return generator_array(g, &recipe, base, &part, bounds->type->number);
	wide = generator_array(g, &recipe, base, &part, NPY_INT32);
	narrow = wide ? PyArray_CastToType((PyArrayObject *)wide, PyArray_DescrFromType(bounds->type->number), 0) : NULL;
	Py_XDECREF(wide);
	return narrow;
}

/* The common case: both bounds are plain ints. An empty array is returned before the bounds are checked. */
static PyObject *of_numbers(struct generator_object *g, struct bounds *bounds, PyObject *size, PyObject *dtype,
			    bool endpoint)
{
	npy_intp shape[NPY_MAXDIMS];
	int ndim = 0;

	if (size != Py_None) {
		if (args_shape(size, &ndim, shape) < 0)
			return NULL;
		if (PyArray_MultiplyList(shape, ndim) == 0)
			return PyArray_SimpleNew(ndim, shape, bounds->type->number);
	}
	if (check_bounds(bounds, endpoint) < 0)
		return NULL;
	return size == Py_None ? one_integer(g, bounds, dtype) : many_integers(g, bounds, ndim, shape);
}

/* Reads the dtype; int64 without one. NULL: an exception is set, numpy's. */
static const struct integer_type *read_type(PyObject *dtype)
{
	PyArray_Descr *descr = NULL;
	const struct integer_type *type;

	if (!dtype || dtype == (PyObject *)&PyInt64ArrType_Type)
		return &types[0];
	if (!PyArray_DescrConverter(dtype, &descr))
		return NULL;
	type = find_type(descr->type_num);
	if (type && !PyArray_ISNBO(descr->byteorder)) {
		PyErr_SetString(PyExc_ValueError, "Providing a dtype with a non-native byteorder is not supported. If "
						  "you require platform-independent byteorder, call byteswap when "
						  "required.");
		type = NULL;
	} else if (!type) {
		PyErr_Format(PyExc_TypeError, "Unsupported dtype %R for integers", descr);
	}
	Py_DECREF(descr);
	return type;
}

/* Bounds that are no plain integers are read in Python: integers(low, high, size, dtype, endpoint). */
static PyObject *of_others(PyObject *self, PyObject *const *values, const struct integer_type *type, bool endpoint)
{
	return PyObject_CallMethod(self, "_integers_of", "OOOsOi", values[0], values[1] ? values[1] : Py_None,
				   values[2] ? values[2] : Py_None, type->name, values[3] ? values[3] : Py_None,
				   (int)endpoint);
}

static PyObject *call_integers(METHOD_ARGS)
{
	static const char *const names[] = {"low", "high", "size", "dtype", "endpoint"};
	struct generator_object *g = (struct generator_object *)self;
	struct bounds bounds = {.low = 0};
	PyObject *values[5];

	if (args_sort("integers", names, 5, 1, args, n_args, kwnames, values) < 0 || generator_check(g) < 0)
		return NULL;
	const int endpoint = values[4] ? PyObject_IsTrue(values[4]) : 0;
	PyObject *high = values[1] && values[1] != Py_None ? values[1] : values[0];

	if (endpoint < 0 || !(bounds.type = read_type(values[3])))
		return NULL;
	if (!PyLong_CheckExact(values[0]) || !PyLong_CheckExact(high))
		return of_others(self, values, bounds.type, endpoint);
	if (read_integer(high, &bounds.high) < 0 ||
	    (high != values[0] && read_integer(values[0], &bounds.low) < 0))
		return NULL;
	/* One object may be both bounds. */
	if (values[1] && values[1] != Py_None && values[1] == values[0])
		bounds.low = bounds.high;
	bounds.high -= !endpoint;
	return of_numbers(g, &bounds, values[2] ? values[2] : Py_None, values[3], endpoint);
}

/* Arrays of bounds of one 64-bit dtype, and the samples [begin, begin + n) of a draw that they belong to. */
struct bound_arrays {
	const struct integer_type *type;
	const int64_t *lows, *lasts;
	npy_intp n;
	uint64_t base, begin;
	int64_t *out;
};

static int64_t last_bits(const struct integer_type *type)
{
	return type->is_signed ? INT64_MAX : -1;
}

/* Draws samples up to the dtype's last number: the bound behind that has no place in an array. */
static int draw_to_the_last(struct generator_object *g, const struct bound_arrays *arrays)
{
	struct recipe recipe;

	for (npy_intp i = 0; i < arrays->n; i++) {
		const int64_t low = arrays->lows[i];
		const struct bounds bounds = {arrays->type, arrays->type->is_signed ? low : (wide_int)(uint64_t)low,
					      last_of(arrays->type)};

		if (arrays->lasts[i] != last_bits(arrays->type))
			continue;
		make_recipe(&bounds, &recipe);
		if (generator_draw(g, &recipe, arrays->base, arrays->begin + (uint64_t)i, 1, arrays->out + i) < 0)
			return -1;
	}
	return 0;
}

/* Draws the others; those have [0, 1) meanwhile. Sample k of the whole draw has element k, modulo n. `room`: 2 n numbers. */
static int draw_between(struct generator_object *g, const struct bound_arrays *arrays, int64_t *room)
{
	const enum trnsci_dtype dtype = arrays->type->is_signed ? TRNSCI_I64 : TRNSCI_U64;
	const uint64_t n = (uint64_t)arrays->n;
	struct recipe recipe = {.distribution = RANDINT, .dtype = dtype, .words = 2, .n_params = 2};
	const struct trnsci_array lows = trnsci_array_vector(dtype, n, room), highs = trnsci_array_vector(dtype, n, room + n);

	for (npy_intp i = 0; i < arrays->n; i++) {
		const bool last = arrays->lasts[i] == last_bits(arrays->type);
		const uint64_t element = (arrays->begin + (uint64_t)i) % n;

		room[element] = last ? 0 : arrays->lows[i];
		room[n + element] = last ? 1 : arrays->lasts[i] + 1;
	}
	recipe.params[0] = trnsci_param_array("low", &lows);
	recipe.params[1] = trnsci_param_array("high", &highs);
	return generator_fill(g, &recipe, arrays->base, arrays->begin, n, arrays->out);
}

/* Draws piece by piece. */
static int draw_all(struct generator_object *g, const struct bound_arrays *arrays)
{
	int64_t *room = PyMem_Malloc(2 * DRAW_PIECE * sizeof *room);
	int r = 0;

	if (!room) {
		PyErr_NoMemory();
		return -1;
	}
	for (npy_intp at = 0; at < arrays->n && r == 0; at += DRAW_PIECE) {
		const npy_intp rest = arrays->n - at;
		const struct bound_arrays piece = {arrays->type, arrays->lows + at, arrays->lasts + at,
						   rest < DRAW_PIECE ? rest : DRAW_PIECE, arrays->base,
						   arrays->begin + (uint64_t)at, arrays->out + at};

		r = draw_between(g, &piece, room);
		if (r == 0)
			r = draw_to_the_last(g, &piece);
		if (r == 0)
			r = PyErr_CheckSignals();
	}
	PyMem_Free(room);
	return r;
}

static bool fits(PyArrayObject *array, PyArrayObject *out)
{
	return PyArray_ISCARRAY_RO(array) && PyArray_TYPE(array) == PyArray_TYPE(out) &&
	       PyArray_SIZE(array) == PyArray_SIZE(out);
}

/* _integers_into(lows, lasts, out, begin, whole): arrays of 64-bit integers of one shape, checked. */
static PyObject *integers_into(PyObject *self, PyObject *args)
{
	struct generator_object *g = (struct generator_object *)self;
	PyArrayObject *lows, *lasts, *out;
	uint64_t begin, whole, base;

	if (!PyArg_ParseTuple(args, "O!O!O!O&O&", &PyArray_Type, &lows, &PyArray_Type, &lasts, &PyArray_Type, &out,
			      args_convert_u64, &begin, args_convert_u64, &whole))
		return NULL;
	const struct integer_type *type = find_type(PyArray_TYPE(out));

	if (!type || type->bits != 64 || !PyArray_ISCARRAY(out) || !fits(lows, out) || !fits(lasts, out)) {
		PyErr_SetString(PyExc_TypeError, "_integers_into: allowed are arrays of one shape and one 64-bit dtype");
		return NULL;
	}
	if (generator_check(g) < 0 || generator_reserve(g, whole, 2, &base) < 0)
		return NULL;
	const struct bound_arrays arrays = {type, PyArray_DATA(lows), PyArray_DATA(lasts), PyArray_SIZE(out), base,
				      begin, PyArray_DATA(out)};

	return draw_all(g, &arrays) < 0 ? NULL : Py_NewRef(Py_None);
}

PyDoc_STRVAR(integers_doc,
	     "integers($self, low, high=None, size=None, dtype='int64', endpoint=False)\n"
	     "--\n\n"
	     "Draw integers of [low, high), each as likely.\n\n"
	     "Parameters\n"
	     "----------\n"
	     "low, high : int or array_like of ints\n"
	     "    Bounds; without `high`, of [0, low).\n"
	     "size : int or tuple of ints, optional\n"
	     "    Shape of the result; default: one number, or that of the parameters.\n"
	     "dtype : dtype, optional\n"
	     "    An integer dtype or bool; default: int64.\n"
	     "endpoint : bool, optional\n"
	     "    Whether `high` belongs to the range.\n\n"
	     "Examples\n"
	     "--------\n"
	     ">>> import trnsci\n"
	     ">>> trnsci.Generator(1).integers(1, 7, 5)\n"
	     "array([1, 6, 1, 6, 3])\n");

PyMethodDef integer_methods[] = {
	{"integers", (PyCFunction)(void (*)(void))call_integers, METH_FASTCALL | METH_KEYWORDS, integers_doc},
	{"_integers_into", integers_into, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
