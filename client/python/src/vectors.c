/* SPDX-License-Identifier: Apache-2.0 */
/* Draws of more than numbers: bytes, orders of items, weighted indices, shares of 1. */
#include "extension.h"

#include <math.h>
#include <string.h>

static const char BITS[] = "bits", PERMUTATION[] = "permutation", CATEGORICAL[] = "categorical",
		  DIRICHLET[] = "dirichlet", MULTINOMIAL[] = "multinomial";

/* Draws whole words, and cuts the last one. */
static PyObject *call_bytes(PyObject *self, PyObject *length)
{
	const struct recipe recipe = {.distribution = BITS, .dtype = TRNSCI_U32, .words = 1};
	struct generator_object *g = (struct generator_object *)self;
	const Py_ssize_t n = PyNumber_AsSsize_t(length, PyExc_OverflowError);
	uint64_t base;
	PyObject *bytes;

	if (n == -1 && PyErr_Occurred())
		return NULL;
	if (n < 0) {
		PyErr_SetString(PyExc_ValueError, "length < 0");
		return NULL;
	}
	const size_t words = ((size_t)n + 3) / 4;

	if (generator_check(g) < 0 || generator_reserve(g, words, 1, &base) < 0)
		return NULL;
	bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(4 * words));
	if (bytes && generator_draw(g, &recipe, base, 0, words, PyBytes_AS_STRING(bytes)) < 0)
		Py_CLEAR(bytes);
	if (bytes)
		_PyBytes_Resize(&bytes, n);
	return bytes;
}

/* ---- Orders ---- */

/* The engine's permutations of `items` begin at multiples of that: takes words from the next of these on. */
static int reserve_order(struct generator_object *g, uint64_t items, uint64_t n, uint64_t *ret_first)
{
	unsigned __int128 first = (g->position / 2 + items - 1) / items * (unsigned __int128)items;
	uint64_t skipped;

	first += first % 2 ? items : 0;
	if (!g->ended && first < (uint64_t)1 << 63 &&
	    generator_reserve(g, 2 * (uint64_t)first - g->position, 1, &skipped) < 0)
		return -1;
	if (first >= (uint64_t)1 << 63)
		g->ended = true;
	*ret_first = (uint64_t)first;
	return generator_reserve(g, n, 2, &skipped);
}

static int draw_order(struct generator_object *g, uint64_t first, uint64_t items, uint64_t begin, size_t n, void *out)
{
	struct recipe recipe = {.distribution = PERMUTATION, .dtype = TRNSCI_I64, .words = 2, .n_params = 1};

	recipe.params[0] = trnsci_param_u64("items", items);
	return generator_fill(g, &recipe, 2 * first, begin, n, out);
}

/* _order(items, whole, begin, n): elements [begin, begin + n) of the first `whole` of a random order of 0 .. items - 1. */
static PyObject *call_order(PyObject *self, PyObject *const *args, Py_ssize_t n_args)
{
	struct generator_object *g = (struct generator_object *)self;
	uint64_t items, whole, begin, n, first, *const places[] = {&items, &whole, &begin, &n};
	npy_intp shape;
	PyObject *array;

	if (n_args != 4) {
		PyErr_SetString(PyExc_TypeError, "_order() takes 4 arguments");
		return NULL;
	}
	for (int i = 0; i < 4; i++)
		if (args_u64(args[i], "integer", places[i]) < 0)
			return NULL;
	if (generator_check(g) < 0)
		return NULL;
	shape = (npy_intp)n;
	array = PyArray_SimpleNew(1, &shape, NPY_INT64);
	if (!array || items == 0 || whole == 0)
		return array;
	if (reserve_order(g, items, whole, &first) < 0 ||
	    (n && draw_order(g, first, items, begin, n, PyArray_DATA((PyArrayObject *)array)) < 0))
		Py_CLEAR(array);
	return array;
}

/* ---- Distributions with a list ---- */

static PyArrayObject *take_list(PyObject *list)
{
	PyObject *frozen = args_freeze(list);
	PyObject *array = frozen ? PyArray_FROMANY(frozen, NPY_DOUBLE, 1, 1, NPY_ARRAY_CARRAY_RO) : NULL;

	Py_XDECREF(frozen);
	return (PyArrayObject *)array;
}

static int check_alpha(PyArrayObject *alpha)
{
	const double *values = PyArray_DATA(alpha);

	for (npy_intp i = 0; i < PyArray_SIZE(alpha); i++)
		if (values[i] <= 0) {
			PyErr_SetString(PyExc_ValueError, "alpha <= 0");
			return -1;
		}
	return 0;
}

static bool is_finite(PyArrayObject *alpha)
{
	const double *values = PyArray_DATA(alpha);
	bool finite = true;

	for (npy_intp i = 0; i < PyArray_SIZE(alpha); i++)
		finite = finite && isfinite(values[i]);
	return finite;
}

/* Samples of alphas that are not all finite, as numpy's sum of gamma numbers has them: a sum that is infinite makes shares of
 * 0, and NaN of what is infinite itself; a sum of NaN makes NaN of all. */
static void dirichlet_edge(PyArrayObject *alpha, PyArrayObject *samples)
{
	const double *values = PyArray_DATA(alpha);
	const npy_intp k = PyArray_SIZE(alpha);
	double *to = PyArray_DATA(samples), sum = 0;

	for (npy_intp i = 0; i < k; i++)
		sum += isfinite(values[i]) ? 0 : values[i];
	for (npy_intp i = 0; i < PyArray_SIZE(samples); i++)
		to[i] = isfinite(values[i % k]) && isinf(sum) ? 0 : NAN;
}

/* Draws samples of k components, or (-1) numbers: the recipe's elements are numbers of 64 bits, of that numpy type. Without a
 * recipe, takes the words of such a draw; the samples are the caller's to fill. */
static PyObject *draw_components(struct generator_object *g, const struct recipe *recipe, npy_intp k, int ndim,
				 npy_intp *shape, int type)
{
	const npy_intp each = k < 0 ? 1 : k;
	struct part part;
	PyObject *array;
	uint64_t base;

	if (part_of(g, ndim, shape, &part) < 0 || generator_reserve(g, part.whole * (uint64_t)each, 2, &base) < 0)
		return NULL;
	if (k >= 0)
		part.shape[part.ndim++] = k;
	array = PyArray_SimpleNew(part.ndim, part.shape, type);
	if (array && recipe && part.n && k &&
	    generator_fill(g, recipe, base, part.begin, (size_t)(part.n * each), PyArray_DATA((PyArrayObject *)array)) < 0)
		Py_CLEAR(array);
	return array;
}

/* _categorical(weights, size): indices into the weights. */
static PyObject *call_categorical(PyObject *self, PyObject *args)
{
	struct generator_object *g = (struct generator_object *)self;
	struct recipe recipe = {.distribution = CATEGORICAL, .dtype = TRNSCI_I64, .words = 2, .n_params = 1};
	npy_intp shape[NPY_MAXDIMS];
	PyObject *list, *size, *array;
	PyArrayObject *weights;
	int ndim;

	if (!PyArg_ParseTuple(args, "OO", &list, &size) || generator_check(g) < 0 || args_shape(size, &ndim, shape) < 0 ||
	    !(weights = take_list(list)))
		return NULL;
	recipe.params[0] = trnsci_param_f64s("weights", PyArray_DATA(weights), (size_t)PyArray_SIZE(weights));
	array = draw_components(g, &recipe, -1, ndim, shape, NPY_INT64);
	Py_DECREF(weights);
	return array;
}

static int shape_of_samples(PyObject *size, int *ret_ndim, npy_intp *ret_shape)
{
	*ret_ndim = 0;
	if (size && size != Py_None && args_shape(size, ret_ndim, ret_shape) < 0)
		return -1;
	if (*ret_ndim < NPY_MAXDIMS - 1)
		return 0;
	PyErr_SetString(PyExc_ValueError, "size: too many dimensions");
	return -1;
}

/* _multinomial(n, shares, size): the shares are checked. */
static PyObject *call_multinomial(PyObject *self, PyObject *args)
{
	struct generator_object *g = (struct generator_object *)self;
	struct recipe recipe = {.distribution = MULTINOMIAL, .dtype = TRNSCI_I64, .words = 2, .n_params = 2};
	npy_intp shape[NPY_MAXDIMS];
	PyObject *list, *size, *array = NULL;
	PyArrayObject *shares;
	uint64_t n;
	int ndim;

	if (!PyArg_ParseTuple(args, "O&OO", args_convert_u64, &n, &list, &size) || generator_check(g) < 0 ||
	    shape_of_samples(size, &ndim, shape) < 0 || !(shares = take_list(list)))
		return NULL;
	const npy_intp k = PyArray_SIZE(shares);

	recipe.params[0] = trnsci_param_u64("trials", n);
	recipe.params[1] = trnsci_param_f64s("shares", PyArray_DATA(shares), (size_t)k);
	array = draw_components(g, &recipe, k, ndim, shape, NPY_INT64);
	Py_DECREF(shares);
	return array;
}

static PyObject *call_dirichlet(METHOD_ARGS)
{
	static const char *const names[] = {"alpha", "size"};
	struct generator_object *g = (struct generator_object *)self;
	struct recipe recipe = {.distribution = DIRICHLET, .dtype = TRNSCI_F64, .words = 2, .n_params = 1};
	npy_intp shape[NPY_MAXDIMS];
	PyObject *values[2], *array = NULL;
	PyArrayObject *alpha;
	int ndim;

	if (args_sort("dirichlet", names, 2, 1, args, n_args, kwnames, values) < 0 || generator_check(g) < 0 ||
	    shape_of_samples(values[1], &ndim, shape) < 0 || !(alpha = take_list(values[0])))
		return NULL;
	const npy_intp k = PyArray_SIZE(alpha);

	recipe.params[0] = trnsci_param_f64s("alpha", PyArray_DATA(alpha), (size_t)k);
	if (check_alpha(alpha) == 0)
		array = draw_components(g, is_finite(alpha) ? &recipe : NULL, k, ndim, shape, NPY_DOUBLE);
	if (array && !is_finite(alpha))
		dirichlet_edge(alpha, (PyArrayObject *)array);
	Py_DECREF(alpha);
	return array;
}

PyDoc_STRVAR(bytes_doc,
	     "bytes($self, length)\n"
	     "--\n\n"
	     "Return random bytes: words of the stream, little endian.\n\n"
	     "Parameters\n"
	     "----------\n"
	     "length : int\n"
	     "    How many.\n\n"
	     "Examples\n"
	     "--------\n"
	     ">>> import trnsci\n"
	     ">>> len(trnsci.Generator(1).bytes(5))\n"
	     "5\n");

PyDoc_STRVAR(dirichlet_doc,
	     "dirichlet($self, alpha, size=None)\n"
	     "--\n\n"
	     "Draw shares of 1.\n\n"
	     "Parameters\n"
	     "----------\n"
	     "alpha : 1-D array_like of floats\n"
	     "    Parameter of each share, above 0.\n"
	     "size : int or tuple of ints, optional\n"
	     "    Shape of the result, without the axis of the shares.\n\n"
	     "Examples\n"
	     "--------\n"
	     ">>> import trnsci\n"
	     ">>> trnsci.Generator(1).dirichlet([1.0, 2.0, 3.0], 4).shape\n"
	     "(4, 3)\n");

PyMethodDef vector_methods[] = {
	{"bytes", call_bytes, METH_O, bytes_doc},
	{"dirichlet", (PyCFunction)(void (*)(void))call_dirichlet, METH_FASTCALL | METH_KEYWORDS, dirichlet_doc},
	{"_order", (PyCFunction)(void (*)(void))call_order, METH_FASTCALL, NULL},
	{"_multinomial", call_multinomial, METH_VARARGS, NULL},
	{"_categorical", call_categorical, METH_VARARGS, NULL},
	{NULL, NULL, 0, NULL},
};
