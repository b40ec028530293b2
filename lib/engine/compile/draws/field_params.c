/* SPDX-License-Identifier: Apache-2.0 */
/* A shape is checked first, then the spectrum or the covariance, then what the numbers together do wrong; a grid that is not periodic is
 * found last. */
#include "engine/compile/draws/field_params.h"

#include <inttypes.h>
#include <math.h>

#include "distributions/fields/spherical.h"

enum { COVARIANCE_GAUSSIAN, COVARIANCE_EXPONENTIAL, COVARIANCE_MATERN, COVARIANCE_SPHERICAL };

struct shape field_read_shape(struct compiler *c, const struct buffer *out)
{
	const struct arg *at = c->args.at, *dims = &at[FIELD_SHAPE];
	struct shape shape = {.dtype = bind_dtype(&c->args, FIELD_DTYPE), .ndim = dims->shape.count};

	if (out && !at[FIELD_DTYPE].given)
		shape.dtype = out->shape.dtype;
	if (shape.dtype != DTYPE_F32 && shape.dtype != DTYPE_F64)
		compile_param_error(c, FIELD_OUT, ERROR_BAD_SHAPE, "the tile is of dtype %s, allowed is f32|f64", dtype_name(shape.dtype));
	if (dims->given)
		memcpy(shape.dims, dims->shape.at, sizeof shape.dims);
	else if (out)
		shape = (struct shape){.dtype = shape.dtype, .ndim = out->shape.ndim};
	else
		compile_param_error(c, FIELD_SHAPE, ERROR_MISSING_PARAMETER, "missing: give shape or the tile out");
	if (!dims->given && out)
		memcpy(shape.dims, out->shape.dims, sizeof shape.dims);
	for (unsigned a = 0; a < shape.ndim; a++)
		if (shape.dims[a] < 2 || shape.dims[a] > FFT_MAX_LENGTH)
			compile_param_error(c, dims->given ? FIELD_SHAPE : FIELD_OUT, ERROR_OUT_OF_RANGE,
					    "axis %u has %" PRIu64 " points, allowed are 2 to 2^30", a, shape.dims[a]);
	if (shape.ndim == 0)
		compile_param_error(c, FIELD_SHAPE, ERROR_BAD_SHAPE, "no axes, allowed are 1 to %d", SHAPE_MAX_DIMS);
	if (!shape_finish(&shape))
		compile_param_error(c, FIELD_SHAPE, ERROR_OUT_OF_RANGE, "more than 2^62 bytes, allowed are fewer");
	return shape;
}

/* Returns how many numbers a parameter has: one, those of an array, or of bytes that are float64. 0: it is none of these. */
static size_t count_numbers(const struct value *value)
{
	double number;

	if (value->kind == VALUE_ARRAY)
		return value->array.count;
	if (value->kind == VALUE_BYTES)
		return value->bytes.size % sizeof number ? 0 : value->bytes.size / sizeof number;
	return value_to_f64(value, &number);
}

static void read_numbers(struct compiler *c, unsigned param, size_t n, double *ret)
{
	const struct value *value = c->args.at[param].value;

	if (c->error)
		return;
	if (value->kind == VALUE_BYTES)
		memcpy(ret, value->bytes.at, n * sizeof *ret);
	for (size_t i = 0; i < n && value->kind != VALUE_BYTES; i++)
		if (!value_to_f64(value->kind == VALUE_ARRAY ? &value->array.at[i] : value, &ret[i]))
			compile_param_error(c, param, ERROR_WRONG_TYPE, "element %zu is not a number", i);
}

/* Reads a number for all axes, or one for each. */
static void read_by_axis(struct compiler *c, unsigned param, unsigned ndim, double *ret)
{
	const size_t n = count_numbers(c->args.at[param].value);

	if (n != 1 && n != ndim)
		compile_param_error(c, param, ERROR_WRONG_TYPE, "allowed: a number > 0, or an array of %u, one for each axis", ndim);
	read_numbers(c, param, n, ret);
	for (unsigned a = 0; a < ndim && !c->error; a++) {
		if (n == 1)
			ret[a] = ret[0];
		if (!(ret[a] >= FIELD_LEAST && ret[a] <= FIELD_MOST))
			compile_param_error(c, param, ERROR_OUT_OF_RANGE, "got %.15g, allowed is %g to %g", ret[a], FIELD_LEAST, FIELD_MOST);
	}
}

static void read_axes(struct compiler *c, const struct shape *shape, struct field *field)
{
	double spacing[FIELD_DIMS], length[FIELD_DIMS];

	field->ndim = shape->ndim;
	for (unsigned a = 0; a < shape->ndim; a++)
		spacing[a] = length[a] = 1;
	if (c->args.at[FIELD_SPACING].given)
		read_by_axis(c, FIELD_SPACING, shape->ndim, spacing);
	if (c->args.at[FIELD_LENGTH].given)
		read_by_axis(c, FIELD_LENGTH, shape->ndim, length);
	for (unsigned a = 0; a < shape->ndim; a++) {
		field->axes[a] = (struct field_axis){shape->dims[a], spacing[a], length[a]};
		if (!(length[a] / spacing[a] <= FIELD_LONGEST))
			compile_param_error(c, FIELD_LENGTH, ERROR_OUT_OF_RANGE, "axis %u: got %.15g, allowed is up to 2^40 spacings", a,
					    length[a]);
	}
}

/* A table of zeros stays one. */
static void divide_by_largest(double *table, size_t n)
{
	double most = 0;

	for (size_t i = 0; i < n; i++)
		most = table[2 * i + 1] > most ? table[2 * i + 1] : most;
	for (size_t i = 0; i < n && most > 0; i++)
		table[2 * i + 1] /= most;
}

/* Reads the table of wave numbers and densities into the plan's bump. */
static void read_table(struct compiler *c, struct field *field)
{
	const size_t n = count_numbers(c->args.at[FIELD_SPECTRUM_TABLE].value);
	size_t wrong;
	double *table;

	if (n < 4 || n % 2 || n / 2 > FIELD_TABLE)
		compile_param_error(c, FIELD_SPECTRUM_TABLE, ERROR_WRONG_TYPE,
				    "allowed: an array of k and P(k) in turn, 2 to %d pairs, or their bytes as float64", FIELD_TABLE);
	table = c->error ? NULL : bump_alloc(c->plan->bump, n * sizeof *table);
	if (!table) {
		compile_no_memory(c);
		return;
	}
	read_numbers(c, FIELD_SPECTRUM_TABLE, n, table);
	if (c->error)
		return;
	wrong = field_check_table(table, n / 2);
	if (wrong < n)
		compile_param_error(c, FIELD_SPECTRUM_TABLE, ERROR_OUT_OF_RANGE, "pair %zu: %s is %.15g, allowed are %s", wrong / 2,
				    wrong % 2 ? "P" : "k", table[wrong], wrong % 2 ? "0 and up" : "numbers from 0 up that increase");
	if (field->scales)
		divide_by_largest(table, n / 2);
	field->table = table;
	field->n_table = n / 2;
}

/* Returns the parameter that describes the spectrum: one of three. */
static unsigned find_model(struct compiler *c)
{
	static const unsigned models[] = {FIELD_EXPONENT_OF, FIELD_SPECTRUM_TABLE, FIELD_COVARIANCE};
	unsigned found = FIELD_EXPONENT_OF, count = 0;

	for (unsigned i = 0; i < 3; i++)
		if (c->args.at[models[i]].given) {
			found = models[i];
			count++;
		}
	if (count != 1)
		compile_error(c, count ? ERROR_OUT_OF_RANGE : ERROR_MISSING_PARAMETER, "%s: give one of exponent, spectrum and covariance",
			      count ? "more than one spectrum is given" : "the spectrum is missing");
	return found;
}

/* Checks that a parameter is given where the model has it, and only there. */
static void check_given(struct compiler *c, unsigned param, bool has, const char *model)
{
	if (has && !c->args.at[param].given)
		compile_param_error(c, param, ERROR_MISSING_PARAMETER, "missing: %s needs it", model);
	if (!has && c->args.at[param].given)
		compile_param_error(c, param, ERROR_OUT_OF_RANGE, "given beside %s, allowed is none", model);
}

static void read_covariance(struct compiler *c, struct field *field)
{
	const unsigned choice = c->args.at[FIELD_COVARIANCE].choice;

	static const char *const names[] = {"gaussian", "exponential", "matern", "spherical"};
	static const enum field_model models[] = {FIELD_GAUSSIAN, FIELD_MATERN, FIELD_MATERN, FIELD_SPHERICAL};

	check_given(c, FIELD_LENGTH, true, "covariance");
	check_given(c, FIELD_NU, choice == COVARIANCE_MATERN, names[choice]);
	field->model = models[choice];
	field->nu = choice == COVARIANCE_MATERN ? c->args.at[FIELD_NU].f64 : 0.5;
}

static void read_model(struct compiler *c, struct field *field)
{
	const unsigned model = find_model(c);

	if (model == FIELD_COVARIANCE) {
		read_covariance(c, field);
		return;
	}
	if (!c->args.at[FIELD_PERIODIC].boolean)
		compile_param_error(c, FIELD_PERIODIC, ERROR_OUT_OF_RANGE, "got false, allowed with covariance");
	check_given(c, FIELD_LENGTH, false, model == FIELD_EXPONENT_OF ? "exponent" : "spectrum");
	check_given(c, FIELD_NU, false, model == FIELD_EXPONENT_OF ? "exponent" : "spectrum");
	field->model = model == FIELD_EXPONENT_OF ? FIELD_EXPONENT : FIELD_SPECTRUM;
	field->scales = model == FIELD_EXPONENT_OF || c->args.at[FIELD_STD].given;
	field->exponent = c->args.at[FIELD_EXPONENT_OF].f64;
	if (model == FIELD_SPECTRUM_TABLE)
		read_table(c, field);
}

/* Beyond these a sum over images would be long, or none of a covariance. */
static void check_spherical(struct compiler *c, const struct field *field)
{
	if (field->model != FIELD_SPHERICAL)
		return;
	if (field->ndim > SPHERICAL_DIMS)
		compile_param_error(c, FIELD_COVARIANCE, ERROR_OUT_OF_RANGE, "got spherical with %u axes, allowed are up to %d", field->ndim,
				    SPHERICAL_DIMS);
	for (unsigned a = 0; a < field->ndim; a++)
		if (field->axes[a].length > SPHERICAL_IMAGES * (double)field->axes[a].n * field->axes[a].spacing)
			compile_param_error(c, FIELD_LENGTH, ERROR_OUT_OF_RANGE,
					    "axis %u: got %.15g, allowed with spherical is up to %d extents of the grid", a,
					    field->axes[a].length, SPHERICAL_IMAGES);
}

double field_image_error(const struct field *field, const struct shape *shape)
{
	return field->model == FIELD_SPHERICAL ? spherical_image_bound(field, shape->dims) : field_image_bound(field, shape->dims);
}

/* Prepares the field, and reports what its numbers together do wrong. */
static void prepare(struct compiler *c, struct field *field)
{
	const enum field_fault fault = c->error ? FIELD_RIGHT : field_prepare(field);

	if (fault == FIELD_SPANS)
		compile_param_error(c, FIELD_EXPONENT_OF, ERROR_OUT_OF_RANGE,
				    "got %.15g, the densities span more than 2^800 between k = %.3g and %.3g, allowed is less",
				    field->exponent, field_least_k(field), field_most_k(field));
	if (fault == FIELD_MISSES)
		compile_param_error(c, FIELD_SPECTRUM_TABLE, ERROR_OUT_OF_RANGE,
				    "k from %.3g to %.3g, the grid has wave numbers from %.3g to %.3g, allowed are tables that have some of them",
				    field->table[0], field->table[2 * field->n_table - 2], field_least_k(field), field_most_k(field));
	if (fault == FIELD_OVERFLOWS)
		compile_param_error(c, field->model == FIELD_SPECTRUM && !field->scales ? FIELD_SPECTRUM_TABLE : FIELD_STD,
				    ERROR_OUT_OF_RANGE, "the transforms of so large a field overflow %s, allowed are smaller ones",
				    field->wide ? "float64" : "float32");
}

static double count_points(const struct field *field)
{
	double points = 1;

	for (unsigned a = 0; a < field->ndim; a++)
		points *= (double)field->axes[a].n;
	return points;
}

double field_tolerance(const struct field *field)
{
	return field->wide ? 1e-12 : 1e-6;
}

/* Replaces the grid by one of which the shape's points are a corner without images: the smaller of those that are known to have a spectrum
 * without negative values. Where none is, the largest one is tried, or images are allowed. */
static void embed(struct compiler *c, const struct shape *shape, struct field *field)
{
	struct field truncated = *field;
	const bool is_known = !c->error && field_truncate(&truncated);
	bool has_images;

	if (c->error)
		return;
	field_embed(field, field_tolerance(field));
	has_images = field_image_error(field, shape) > field_tolerance(field);
	if (has_images ? is_known || !c->args.at[FIELD_APPROXIMATE].boolean : is_known && count_points(&truncated) < count_points(field))
		*field = truncated;
	for (unsigned a = 0; a < shape->ndim; a++)
		if (field->axes[a].n > FFT_MAX_LENGTH)
			compile_param_error(c, FIELD_SHAPE, ERROR_OUT_OF_RANGE,
					    "axis %u would be cut from %" PRIu64 " points, allowed are up to 2^30", a, field->axes[a].n);
	prepare(c, field);
}

const struct field *field_read(struct compiler *c, const struct shape *shape)
{
	struct field *field = c->error ? NULL : bump_alloc(c->plan->bump, sizeof *field);

	if (!field) {
		compile_no_memory(c);
		return NULL;
	}
	*field = (struct field){.std = c->args.at[FIELD_STD].given ? c->args.at[FIELD_STD].f64 : 1, .wide = dtype_is_wide(shape->dtype)};
	read_model(c, field);
	read_axes(c, shape, field);
	check_spherical(c, field);
	prepare(c, field);
	if (!c->args.at[FIELD_PERIODIC].boolean)
		embed(c, shape, field);
	else if (c->args.at[FIELD_APPROXIMATE].given)
		compile_param_error(c, FIELD_APPROXIMATE, ERROR_OUT_OF_RANGE, "given with periodic, allowed without it");
	return c->error ? NULL : field;
}

void field_read_box(struct compiler *c, const struct field *field, struct field_box *box)
{
	double at[2] = {0, 0};
	unsigned axis;

	*box = (struct field_box){.first = {0}};
	for (unsigned a = 0; a < field->ndim; a++)
		box->n[a] = field->axes[a].n / 2 + 1;
	if (!c->args.at[FIELD_PLANE].given)
		return;
	if (count_numbers(c->args.at[FIELD_PLANE].value) != 2)
		compile_param_error(c, FIELD_PLANE, ERROR_WRONG_TYPE, "allowed: an array of an axis and an index");
	read_numbers(c, FIELD_PLANE, 2, at);
	if (!c->error && !(at[0] >= 0 && at[0] < field->ndim - 1 && at[0] == floor(at[0])))
		compile_param_error(c, FIELD_PLANE, ERROR_OUT_OF_RANGE, "axis %.15g, allowed are those but the last of %u", at[0], field->ndim);
	axis = c->error ? 0 : (unsigned)at[0];
	if (!c->error && !(at[1] >= 0 && at[1] < (double)box->n[axis] && at[1] == floor(at[1])))
		compile_param_error(c, FIELD_PLANE, ERROR_OUT_OF_RANGE, "index %.15g, allowed are 0 to %" PRIu64, at[1], box->n[axis] - 1);
	if (c->error)
		return;
	box->first[axis] = (uint64_t)at[1];
	box->n[axis] = 1;
}
