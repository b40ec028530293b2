/* SPDX-License-Identifier: Apache-2.0 */
/* How a row of distributions.c is called: from numbers, or from arrays that broadcast against each other and `size`. */
#include "method.h"

#include <math.h>
#include <stdlib.h>

/* numpy's own conversion decides what is a number, and words the errors. */
static PyArrayObject *to_array(PyObject *value, enum constraint constraint)
{
	return args_array(value, constraint == COUNT ? NPY_INT64 : NPY_DOUBLE,
			  NPY_ARRAY_ALIGNED | NPY_ARRAY_ENSUREARRAY);
}

static int read_count(PyObject *value, double *ret)
{
	if (PyLong_CheckExact(value)) {
		*ret = (double)PyLong_AsLong(value);
		return *ret == -1 && PyErr_Occurred() ? -1 : 0;
	}
	PyArrayObject *array = to_array(value, COUNT);
	const int ndim = array ? PyArray_NDIM(array) : 0;

	Py_XDECREF(array);
	if (!array || ndim > 0)
		return array ? 1 : -1;
	if (PyUnicode_Check(value) || PyBytes_Check(value)) {
		PyErr_SetString(PyExc_TypeError, "an integer is required");
		return -1;
	}
	PyObject *integer = PyNumber_Long(value);

	*ret = integer ? (double)PyLong_AsLong(integer) : -1;
	Py_XDECREF(integer);
	return *ret == -1 && PyErr_Occurred() ? -1 : 0;
}

int param_read(PyObject *value, enum constraint constraint, double *ret)
{
	if (constraint == COUNT)
		return read_count(value, ret);
	if (PyFloat_CheckExact(value)) {
		*ret = PyFloat_AS_DOUBLE(value);
		return 0;
	}
	if (!PyLong_CheckExact(value)) {
		PyArrayObject *array = to_array(value, constraint);

		if (!array)
			return -1;
		const int ndim = PyArray_NDIM(array);

		Py_DECREF(array);
		if (ndim > 0)
			return 1;
	}
	*ret = PyFloat_AsDouble(value);
	return *ret == -1 && PyErr_Occurred() ? -1 : 0;
}

static int check_together(const struct method *method, const double *params, bool of_array)
{
	return method->check ? method->check(params, of_array) : 0;
}

/* A constant takes its words too: a generator's position after a draw does not depend on the parameters' values. */
static PyObject *one_sample(struct generator_object *g, const struct method *method, const struct plan *plan)
{
	union {
		double real;
		int64_t integer;
	} sample;
	uint64_t base;

	if (generator_reserve(g, 1, plan->recipe.words, &base) < 0 ||
	    (plan->finish != CONSTANT && generator_draw(g, &plan->recipe, base, 0, 1, &sample) < 0))
		return NULL;
	finish_samples(plan, &sample.real, 1);
	return method->counts ? PyLong_FromLongLong(sample.integer) : PyFloat_FromDouble(sample.real);
}

/* Returns how many samples the piece that begins at sample `at` of n has. */
static npy_intp piece_length(npy_intp at, npy_intp n)
{
	return n - at < DRAW_PIECE ? n - at : DRAW_PIECE;
}

static int finish_many(const struct plan *plan, double *samples, npy_intp n)
{
	int r = 0;

	for (npy_intp at = 0; at < n && r == 0; at += DRAW_PIECE) {
		finish_samples(plan, samples + at, (size_t)piece_length(at, n));
		r = PyErr_CheckSignals();
	}
	return r;
}

static PyObject *many_samples(struct generator_object *g, const struct method *method, struct plan *plan,
			      PyObject *size)
{
	npy_intp shape[NPY_MAXDIMS];
	struct part part;
	PyObject *array;
	uint64_t base;
	int ndim;

	if (args_shape(size, &ndim, shape) < 0 || part_of(g, ndim, shape, &part) < 0 ||
	    generator_reserve(g, part.whole, plan->recipe.words, &base) < 0)
		return NULL;
	if (part.n > 1024)
		plan_fuse(method, plan);
	array = generator_array(g, &plan->recipe, base, &part, method->counts ? NPY_INT64 : NPY_DOUBLE);
	if (array && plan->finish != AS_IS && finish_many(plan, PyArray_DATA((PyArrayObject *)array), part.n) < 0)
		Py_CLEAR(array);
	return array;
}

/* Numbers are checked in numpy's order, each alone and then together, so that the first error is numpy's. */
PyObject *method_call(const struct method *method, METHOD_ARGS)
{
	struct generator_object *g = (struct generator_object *)self;
	PyObject *values[MAX_PARAMS + 1], *size;
	double params[MAX_PARAMS];
	struct plan plan;
	bool array = false;

	if (args_sort(method->name, method->names, method->n_names, method->n_required, args, n_args, kwnames, values) < 0 ||
	    generator_check(g) < 0)
		return NULL;
	for (int i = 0; i < method->n_params; i++) {
		params[i] = method->params[i].otherwise;
		const int r = values[i] ? param_read(values[i], method->params[i].constraint, &params[i]) : 0;

		if (r < 0)
			return NULL;
		array = array || r;
	}
	size = values[method->n_params] ? values[method->n_params] : Py_None;
	if (array)
		return method_broadcast(method, g, values, size, NULL);
	for (int i = 0; i < method->n_params; i++)
		if (constraint_check(params[i], &method->params[i], false) < 0)
			return NULL;
	if (check_together(method, params, false) < 0)
		return NULL;
	method->plan(method, params, &plan);
	return size == Py_None ? one_sample(g, method, &plan) : many_samples(g, method, &plan, size);
}

/* ---- Parameters that are arrays ---- */

/* What walks over them. The first operand is the shape alone: an array of no memory. */
struct walk {
	const struct method *method;
	PyArrayObject *arrays[MAX_PARAMS]; /* float64 */
	PyArrayMultiIterObject *iterator;
	int first; /* operand of the first parameter */
};

static void walk_end(struct walk *walk)
{
	for (int i = 0; i < MAX_PARAMS; i++)
		Py_XDECREF(walk->arrays[i]);
	Py_XDECREF(walk->iterator);
}

static int check_values(PyArrayObject *array, const struct parameter *param)
{
	PyArrayIterObject *at = (PyArrayIterObject *)PyArray_IterNew((PyObject *)array);
	int r = at ? 0 : -1;

	while (r == 0 && PyArray_ITER_NOTDONE(at)) {
		r = constraint_check(*(double *)PyArray_ITER_DATA(at), param, PyArray_NDIM(array) > 0);
		PyArray_ITER_NEXT(at);
	}
	Py_XDECREF(at);
	return r;
}

/* Makes an array of float64 with one dimension at least: numpy's iterators cannot be placed over one that has none. */
static PyArrayObject *take_array(PyObject *value, enum constraint constraint)
{
	PyArrayObject *array = to_array(value, constraint), *flat;

	if (array && constraint == COUNT) {
		flat = (PyArrayObject *)PyArray_Cast(array, NPY_DOUBLE);
		Py_DECREF(array);
		array = flat;
	}
	if (!array || PyArray_NDIM(array) > 0)
		return array;
	flat = (PyArrayObject *)PyArray_Ravel(array, NPY_CORDER);
	Py_DECREF(array);
	return flat;
}

static int take_parameter(struct walk *walk, PyObject *given, int i)
{
	PyObject *value = given ? Py_NewRef(given) : PyFloat_FromDouble(walk->method->params[i].otherwise);

	if (value)
		walk->arrays[i] = take_array(value, walk->method->params[i].constraint);
	Py_XDECREF(value);
	return walk->arrays[i] ? 0 : -1;
}

/* Arrays come last, since Python code that runs for the others may change them. */
static int take_arrays(struct walk *walk, PyObject *const *values)
{
	const struct method *method = walk->method;

	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < method->n_params; i++)
			if ((values[i] && PyArray_Check(values[i])) == pass && take_parameter(walk, values[i], i) < 0)
				return -1;
	for (int i = 0; i < method->n_params; i++)
		if (check_values(walk->arrays[i], &method->params[i]) < 0)
			return -1;
	return 0;
}

static PyObject *shape_only(int ndim, npy_intp *shape)
{
	static double nothing;
	npy_intp strides[NPY_MAXDIMS] = {0};

	return PyArray_New(&PyArray_Type, ndim, shape, NPY_DOUBLE, strides, &nothing, 0, 0, NULL);
}

static PyObject *shape_tuple(int ndim, const npy_intp *shape)
{
	PyObject *tuple = PyTuple_New(ndim);

	for (int i = 0; tuple && i < ndim; i++)
		PyTuple_SET_ITEM(tuple, i, PyLong_FromSsize_t(shape[i]));
	return tuple;
}

/* Checks that the parameters' common shape is the one that was asked for, and raises numpy's error otherwise. */
static int check_size(const struct walk *walk, int ndim, const npy_intp *shape)
{
	const PyArrayMultiIterObject *it = walk->iterator;
	PyObject *size, *inputs;

	if (it->nd == ndim && PyArray_CompareLists((npy_intp *)it->dimensions, (npy_intp *)shape, ndim))
		return 0;
	size = shape_tuple(ndim, shape);
	inputs = shape_tuple(it->nd, it->dimensions);
	if (size && inputs)
		PyErr_Format(PyExc_ValueError,
			     "Output size %R is not compatible with broadcast dimensions of inputs %R.", size, inputs);
	Py_XDECREF(size);
	Py_XDECREF(inputs);
	return -1;
}

static int walk_begin(struct walk *walk, PyObject *const *values, PyObject *size, PyObject *out)
{
	npy_intp shape[NPY_MAXDIMS];
	PyObject *operands[MAX_PARAMS + 1], *frame = NULL;
	int n = 0, ndim = 0;

	if ((!out && size != Py_None && args_shape(size, &ndim, shape) < 0) || take_arrays(walk, values) < 0)
		return -1;
	if (out)
		frame = shape_only(PyArray_NDIM((PyArrayObject *)out), PyArray_DIMS((PyArrayObject *)out));
	else if (size != Py_None)
		frame = shape_only(ndim, shape);
	if (PyErr_Occurred())
		return -1;
	if (frame)
		operands[n++] = frame;
	walk->first = n;
	for (int i = 0; i < walk->method->n_params; i++)
		operands[n++] = (PyObject *)walk->arrays[i];
	walk->iterator = (PyArrayMultiIterObject *)PyArray_MultiIterFromObjects(operands, n, 0);
	const int r = !walk->iterator ? -1
		      : frame ? check_size(walk, PyArray_NDIM((PyArrayObject *)frame), PyArray_DIMS((PyArrayObject *)frame))
			      : 0;

	Py_XDECREF(frame);
	return r;
}

/* Plans the element that the walk stands at, and goes on. */
static int plan_next(struct walk *walk, struct plan *ret_plan)
{
	double params[MAX_PARAMS];

	for (int i = 0; i < walk->method->n_params; i++)
		params[i] = *(const double *)PyArray_MultiIter_DATA(walk->iterator, walk->first + i);
	if (check_together(walk->method, params, true) < 0)
		return -1;
	walk->method->plan(walk->method, params, ret_plan);
	PyArray_MultiIter_NEXT(walk->iterator);
	return 0;
}

/* One draw of standard samples serves all parameters. */
static int draw_together(struct walk *walk, struct generator_object *g, uint64_t base, const struct part *part,
			 double *samples)
{
	const double neutral[MAX_PARAMS] = {0, 1, 0};
	struct plan plan;

	walk->method->plan(walk->method, neutral, &plan);
	if (generator_draw(g, &plan.recipe, base, part->begin, (size_t)part->n, samples) < 0)
		return -1;
	for (npy_intp i = 0; i < part->n; i++) {
		if (plan_next(walk, &plan) < 0 || (i % DRAW_PIECE == 0 && PyErr_CheckSignals() < 0))
			return -1;
		finish_samples(&plan, samples + i, 1);
	}
	return 0;
}

/* Parameters of a piece as the engine takes arrays of them: sample k of the whole draw has element k, modulo n. What it cannot draw so (a
 * degenerate case, another distribution) stands in `odd` and has another's parameters for a moment. */
struct columns {
	struct plan model; /* of the first element of all pieces that the engine draws */
	npy_intp room;     /* elements of the longest piece */
	uint64_t *values[RECIPE_PARAMS];
	struct plan *odd;
	npy_intp *odd_places;
	npy_intp n_odd;
};

static void columns_free(struct columns *columns)
{
	for (int i = 0; i < RECIPE_PARAMS; i++)
		free(columns->values[i]);
	free(columns->odd);
	free(columns->odd_places);
}

static int keep_odd(struct columns *columns, const struct plan *plan, npy_intp place)
{
	const npy_intp n = columns->n_odd;

	if ((n & (n - 1)) == 0) { /* the room doubles at powers of two */
		const size_t room = n ? 2 * (size_t)n : 1;
		void *odd = realloc(columns->odd, room * sizeof *columns->odd);

		if (odd)
			columns->odd = odd;
		void *places = odd ? realloc(columns->odd_places, room * sizeof *columns->odd_places) : NULL;

		if (!places) {
			PyErr_NoMemory();
			return -1;
		}
		columns->odd_places = places;
	}
	columns->odd[n] = *plan;
	columns->odd_places[n] = place;
	columns->n_odd++;
	return 0;
}

/* Sets all elements to the model's parameters. */
static void columns_reset(struct columns *columns)
{
	const struct recipe *model = &columns->model.recipe;

	columns->n_odd = 0;
	for (unsigned i = 0; i < model->n_params; i++)
		for (npy_intp other = 0; other < columns->room; other++)
			columns->values[i][other] = model->params[i].value.u64;
}

static int columns_start(struct columns *columns, const struct recipe *model)
{
	const npy_intp n_odd = columns->n_odd;

	for (unsigned i = 0; i < model->n_params; i++)
		if (!(columns->values[i] = malloc((size_t)columns->room * sizeof(uint64_t)))) {
			PyErr_NoMemory();
			return -1;
		}
	columns->model.recipe = *model;
	columns_reset(columns);
	columns->n_odd = n_odd;
	return 0;
}

static int columns_take(struct columns *columns, const struct plan *plan, const struct part *part, npy_intp place)
{
	const uint64_t element = (part->begin + (uint64_t)place) % (uint64_t)part->n;
	const struct recipe *model = &columns->model.recipe;
	const bool plain = plan->finish == AS_IS;

	if (plain && !model->distribution && columns_start(columns, &plan->recipe) < 0)
		return -1;
	const bool odd = !plain || plan->recipe.distribution != model->distribution;

	for (unsigned i = 0; i < model->n_params && !odd; i++)
		columns->values[i][element] = plan->recipe.params[i].value.u64;
	return odd ? keep_odd(columns, plan, place) : 0;
}

/* A parameter of a draw is an array of as many elements as the draw has samples. */
static int draw_columns(const struct columns *columns, struct generator_object *g, uint64_t base,
			const struct part *part, void *samples)
{
	const uint64_t n = (uint64_t)part->n;
	struct recipe recipe = columns->model.recipe;
	struct trnsci_array arrays[RECIPE_PARAMS];

	if (!recipe.distribution)
		return 0;
	for (unsigned i = 0; i < recipe.n_params; i++) {
		const bool counts = recipe.params[i].kind == TRNSCI_PARAM_U64;

		arrays[i] = trnsci_array_vector(counts ? TRNSCI_U64 : TRNSCI_F64, n, columns->values[i]);
		recipe.params[i] = trnsci_param_array(recipe.params[i].name, &arrays[i]);
	}
	return generator_fill(g, &recipe, base, part->begin, (size_t)n, samples);
}

/* Sample k of the whole draw has the parameters of its own place. */
static int draw_piece(struct walk *walk, struct columns *columns, struct generator_object *g, uint64_t base,
		      const struct part *part, char *samples)
{
	struct plan plan;
	int r = 0;

	columns_reset(columns);
	for (npy_intp i = 0; i < part->n && r == 0; i++) {
		r = plan_next(walk, &plan);
		if (r == 0)
			r = columns_take(columns, &plan, part, i);
	}
	if (r == 0)
		r = draw_columns(columns, g, base, part, samples);
	for (npy_intp i = 0; i < columns->n_odd && r == 0; i++) {
		const npy_intp place = columns->odd_places[i];

		if (columns->odd[i].finish != CONSTANT)
			r = generator_draw(g, &columns->odd[i].recipe, base, part->begin + (uint64_t)place, 1,
					   samples + 8 * place);
		if (columns->odd[i].finish != AS_IS)
			finish_samples(&columns->odd[i], (double *)(void *)samples + place, 1);
	}
	return r < 0 ? r : PyErr_CheckSignals();
}

static int draw_each(struct walk *walk, struct generator_object *g, uint64_t base, const struct part *part,
		     char *samples)
{
	struct columns columns = {.room = piece_length(0, part->n)};
	int r = 0;

	for (npy_intp at = 0; at < part->n && r == 0; at += DRAW_PIECE) {
		const struct part piece = {.begin = part->begin + (uint64_t)at, .n = piece_length(at, part->n)};

		r = draw_piece(walk, &columns, g, base, &piece, samples + 8 * at);
	}
	columns_free(&columns);
	return r;
}

PyObject *method_broadcast(const struct method *method, struct generator_object *g, PyObject *const *params,
			   PyObject *size, PyObject *out)
{
	struct walk walk = {.method = method};
	PyObject *array = NULL;
	struct part part;
	uint64_t base;
	int r = walk_begin(&walk, params, size, out);

	if (r == 0)
		r = part_of(g, walk.iterator->nd, walk.iterator->dimensions, &part);
	if (r == 0)
		r = generator_reserve(g, part.whole, 2, &base);
	if (r == 0) {
		array = out ? Py_NewRef(out)
			    : PyArray_SimpleNew(part.ndim, part.shape, method->counts ? NPY_INT64 : NPY_DOUBLE);
		r = array ? 0 : -1;
	}
	/* numpy's macro divides by the sizes, also where one is 0. */
	if (r == 0 && part.n > 0) {
		PyArray_MultiIter_GOTO1D(walk.iterator, (npy_intp)part.begin);
		r = method->one_recipe ? draw_together(&walk, g, base, &part, PyArray_DATA((PyArrayObject *)array))
				       : draw_each(&walk, g, base, &part, PyArray_DATA((PyArrayObject *)array));
	}
	if (r < 0)
		Py_CLEAR(array);
	walk_end(&walk);
	return array;
}
