/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling Gaussian random fields: white normals become a spectrum, which is weighted and transformed back.
 *
 *     out <- normals    half <- transform of out    half <- half by root of lambda    out <- transform back of half    out + mean
 *
 * A grid that is not periodic is a larger one, a temporary in the place of out, whose corner is kept. Normal k of the stream is the
 * white noise at point k of the grid, in row-major order. */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "distributions/fields/field_work.h"
#include "distributions/fields/fractional.h"
#include "distributions/fields/spherical.h"
#include "engine/compile/signal.h"
#include "engine/compile/transform_request.h"

enum { COVARIANCE_GAUSSIAN, COVARIANCE_EXPONENTIAL, COVARIANCE_MATERN, COVARIANCE_SPHERICAL };
enum { RESULT_FIELD, RESULT_SPECTRUM };

/* ---- parameters ---- */

/* Returns the shape: that of `shape`, or of the tile, which gives its dtype where none was stated. */
static struct shape read_shape(struct compiler *c, const struct buffer *out)
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

/* Returns what images add to covariances of the shape's points. */
static double image_error(const struct field *field, const struct shape *shape)
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

/* Returns how far below 0 values of a spectrum count as 0, relative to the largest one; and what images may add. */
static double tolerance_of(const struct field *field)
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
	field_embed(field, tolerance_of(field));
	has_images = image_error(field, shape) > tolerance_of(field);
	if (has_images ? is_known || !c->args.at[FIELD_APPROXIMATE].boolean : is_known && count_points(&truncated) < count_points(field))
		*field = truncated;
	for (unsigned a = 0; a < shape->ndim; a++)
		if (field->axes[a].n > FFT_MAX_LENGTH)
			compile_param_error(c, FIELD_SHAPE, ERROR_OUT_OF_RANGE,
					    "axis %u would be cut from %" PRIu64 " points, allowed are up to 2^30", a, field->axes[a].n);
	prepare(c, field);
}

/* States the grid, what its images add, and what was dropped of its spectrum. placement: of the normals, for a check; -1: there is none. */
static void put_embedding(struct compiler *c, const struct shape *shape, const struct field *field, int placement)
{
	struct value list = value_array();
	int failed = 0;

	if (c->args.at[FIELD_PERIODIC].boolean)
		return;
	for (unsigned a = 0; a < field->ndim; a++)
		failed |= value_push(c->plan->bump, &list, value_uint(field->axes[a].n));
	if (failed)
		compile_no_memory(c);
	compile_put(c, "embedding", list);
	compile_put(c, "image_error", value_real(field->truncated ? 0 : image_error(field, shape)));
	if (placement >= 0)
		compile_add_field(c, FIELD_RESULTS, placement);
	compile_put(c, "dropped", value_real(0));
}

/* Reads and checks all parameters. NULL: an error stands. */
static const struct field *read_field(struct compiler *c, const struct shape *shape)
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

/* ---- steps ---- */

/* Returns the draw of n numbers as the request could have made it itself. first: the first of the parameters that state its stream, which
 * have the order of these. */
static struct value draw_map(struct compiler *c, unsigned first, uint64_t n, enum dtype dtype)
{
	struct bump *bump = c->plan->bump;
	struct value map = value_map();
	int failed = 0;

	for (unsigned i = first; i <= first + (FIELD_POSITION - FIELD_GENERATOR); i++)
		if (c->args.at[i].given)
			failed |= value_add(bump, &map, c->args.operation->params[i].name, *c->args.at[i].value);
	failed |= value_add(bump, &map, "n", value_uint(n));
	failed |= value_add(bump, &map, "dtype", value_string(dtype_name(dtype)));
	if (failed)
		compile_no_memory(c);
	return map;
}

/* Draws standard numbers of a distribution into out. Returns the draw's placement. */
static int add_draw(struct compiler *c, const char *distribution, unsigned first, unsigned u64, struct buffer *out)
{
	struct value map = draw_map(c, first, out->shape.n, out->shape.dtype);
	struct outer_operation outer;
	struct draw draw = {0};
	struct step *step;
	int placement;

	compile_enter_draw(c, operation_find(distribution, strlen(distribution)), &map, u64, c->reply, &outer);
	placement = compile_samples(c, &draw);
	compile_leave_draw(c, &outer);
	step = compile_add_step(c, STEP_DRAW, NULL, out);
	step->placement = placement;
	step->draw.draw = draw;
	return placement;
}

static int add_normals(struct compiler *c, struct buffer *out)
{
	return add_draw(c, "normal", FIELD_GENERATOR, FIELD_U64, out);
}

static void add_transform(struct compiler *c, bool inverse, struct buffer *in, struct buffer *out)
{
	const struct shape *shape = inverse ? &out->shape : &in->shape;
	struct request_fft f = {.n_axes = shape->ndim,
				.inverse = inverse,
				.kind = PLAN_REAL,
				.norm = NORM_BACKWARD,
				.precision = dtype_is_wide(shape->dtype) ? PRECISION_DOUBLE : PRECISION_FAST};

	for (unsigned a = 0; a < shape->ndim; a++) {
		/* The last of the list comes first, but for a real one. Over ranks the axis that was transformed last comes first, too. */
		const unsigned axis = inverse && a + 1 < shape->ndim ? shape->ndim - 2 - a : a;

		f.axes[a] = axis;
		f.lengths[a] = shape->dims[axis];
	}
	transform_axes(c, &f, 0, f.n_axes, in, out)->overwrites_in = inverse && shape->ndim > 1;
}

/* Adds a temporary of these sizes. */
static struct buffer *add_temp(struct compiler *c, const struct shape *sizes, enum dtype dtype)
{
	struct shape shape = *sizes;

	shape.dtype = dtype;
	if (!shape_finish(&shape))
		compile_error(c, ERROR_LIMIT, "a temporary of more than 2^62 bytes, allowed are fewer");
	return compile_add_temp(c, &shape);
}

/* Keeps the text of an error that only a run can find. */
static const char *keep_text(struct compiler *c, const char *text)
{
	const char *kept = c->error ? NULL : bump_copy(c->plan->bump, text, strlen(text));

	if (!kept)
		compile_no_memory(c);
	return kept;
}

/* Adds a task over n elements. second: the transform of the covariance, for FRACTIONAL_WEIGH. */
static void add_task(struct compiler *c, enum fractional_task task, uint64_t n, bool wide, struct buffer *in, struct buffer *second,
		     struct buffer *out)
{
	const double std = c->args.at[FIELD_STD].given ? c->args.at[FIELD_STD].f64 : 1;
	const struct fractional fractional = {.task = task, .n = n, .hurst = c->args.at[FRACTIONAL_HURST].f64, .std = std, .wide = wide};
	const struct fractional *kept = signal_keep(c, &fractional, sizeof fractional);
	struct step *step = compile_add_step(c, STEP_FIELD, in, out);

	step->in[1] = second;
	step->field.fractional = kept;
}

/* Adds the mean to all points, the last step. */
static void add_mean(struct compiler *c, struct buffer *out)
{
	const double mean = c->args.at[FIELD_MEAN].f64;
	struct step *step;

	if (mean == 0)
		return;
	step = compile_add_step(c, STEP_ALGEBRA, out, out);
	step->algebra = (struct algebra_step){.operation = ALGEBRA_scale, .numbers = {.by = 1, .plus = mean}};
}

/* Adds the covariance of a grid and its transform, both in float64, and returns that. */
static struct buffer *add_covariance(struct compiler *c, const struct field *field, const struct shape *grid, const struct shape *half)
{
	struct shape points = *grid, bins = *half;
	struct buffer *covariance, *spectrum;
	struct step *step;

	points.dtype = DTYPE_F64;
	bins.dtype = DTYPE_C128;
	if (!shape_finish(&points) || !shape_finish(&bins))
		compile_param_error(c, FIELD_SHAPE, ERROR_OUT_OF_RANGE, "a grid of more than 2^62 bytes, allowed are fewer");
	covariance = compile_add_temp(c, &points);
	spectrum = compile_add_temp(c, &bins);
	step = compile_add_step(c, STEP_FIELD, NULL, covariance);
	step->field.field = field;
	add_transform(c, false, covariance, spectrum);
	return spectrum;
}

static void add_weighting(struct compiler *c, const struct field *field, struct buffer *half)
{
	struct step *step = compile_add_step(c, STEP_FIELD, half, half);

	char text[256];

	snprintf(text, sizeof text, "%s: spectrum: it is 0 at all wave numbers of the grid, allowed is at least one above 0", c->args.context);
	step->field.field = field;
	step->failure = keep_text(c, text);
}

/* Adds the check that a transform has no values too far below 0, before anything is drawn. Returns the number of its step. */
static size_t add_check(struct compiler *c, const struct field *field, struct buffer *spectrum)
{
	const uint64_t last = field->axes[field->ndim - 1].n;
	const struct fractional check = {.task = FRACTIONAL_CHECK,
					 .n = spectrum->shape.n,
					 .columns = last / 2 + 1,
					 .has_last = last % 2 == 0,
					 .least = -tolerance_of(field)};
	const struct fractional *kept = signal_keep(c, &check, sizeof check);
	const struct shape found = {.ndim = 1, .dims = {sizeof(struct fractional_checked) / sizeof(double)}};
	struct step *step = compile_add_step(c, STEP_CHECK, spectrum, add_temp(c, &found, DTYPE_F64));
	char text[256];

	snprintf(text, sizeof text,
		 "%s: length: with a grid of %d times the minimal embedding the spectrum has values below %g of the largest, allowed are none; "
		 "give shorter lengths, or approximate",
		 c->args.context, FIELD_EMBEDDING, -tolerance_of(field));
	step->field.fractional = kept;
	step->failure = keep_text(c, text);
	return c->plan->n_steps - 1;
}

/* Returns the placement of the normals where a check replies beside it, else -1. */
static int add_steps(struct compiler *c, const struct field *field, struct buffer *out)
{
	struct shape shape = out->shape;
	struct buffer *half, *grid = out, *spectrum = NULL;
	size_t check = 0;
	int placement;

	for (unsigned a = 0; a < field->ndim; a++)
		shape.dims[a] = field->axes[a].n;
	if (!shape_finish(&shape))
		compile_param_error(c, FIELD_SHAPE, ERROR_OUT_OF_RANGE, "a grid of more than 2^62 bytes, allowed are fewer");
	if (!shape_equal(&shape, &out->shape))
		grid = compile_add_temp(c, &shape);
	shape.dtype = signal_dtype(field->wide, true);
	shape.dims[shape.ndim - 1] = shape.dims[shape.ndim - 1] / 2 + 1;
	if (!shape_finish(&shape))
		compile_param_error(c, FIELD_SHAPE, ERROR_OUT_OF_RANGE, "more than 2^62 bytes, allowed are fewer");
	half = compile_add_temp(c, &shape);
	if (field_is_transformed(field))
		spectrum = add_covariance(c, field, &grid->shape, &shape);
	if (field->truncated)
		check = add_check(c, field, spectrum);
	placement = add_normals(c, grid);
	if (field->truncated && !c->error)
		c->plan->steps[check].placement = placement;
	add_transform(c, false, grid, half);
	if (field_is_transformed(field))
		add_task(c, FRACTIONAL_WEIGH, shape.n, field->wide, half, spectrum, half);
	else
		add_weighting(c, field, half);
	add_transform(c, true, half, grid);
	if (grid != out)
		compile_add_step(c, STEP_RESIZE, grid, out);
	add_mean(c, out);
	return field->truncated ? placement : -1;
}

/* ---- the spectrum alone ---- */

/* Reads the wave numbers that are asked for. */
static void read_plane(struct compiler *c, const struct field *field, struct field_box *box)
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

/* Returns the values' shape. */
static struct shape shape_of_box(struct compiler *c, const struct field *field, const struct field_box *box)
{
	struct shape shape = {.dtype = DTYPE_F64, .ndim = field->ndim};

	memcpy(shape.dims, box->n, field->ndim * sizeof *box->n);
	if (!shape_finish(&shape))
		compile_param_error(c, FIELD_SHAPE, ERROR_OUT_OF_RANGE, "a spectrum of more than 2^62 bytes, allowed are fewer");
	return shape;
}

static void compile_spectrum(struct compiler *c, const struct field *field, struct buffer *given)
{
	struct field_box *box = c->error ? NULL : bump_alloc(c->plan->bump, sizeof *box);
	struct shape shape;
	struct buffer *out;
	struct step *step;

	if (!box) {
		compile_no_memory(c);
		return;
	}
	read_plane(c, field, box);
	shape = shape_of_box(c, field, box);
	if (c->error)
		return;
	out = compile_output_to(c, FIELD_OUT, given, &shape);
	step = compile_add_step(c, STEP_FIELD, NULL, out);
	step->field = (struct field_step){.field = field, .box = box};
	compile_put(c, "root", value_real(field->scales || field_is_transformed(field) ? field->std : sqrt(field->factor)));
	compile_put(c, "transformed", value_bool(field_is_transformed(field)));
	if (field->truncated)
		compile_put(c, "least", value_real(-tolerance_of(field)));
	compile_put(c, "relative", value_bool(field->scales));
	compile_put(c, "unit", value_real(ldexp(1, -field_sum_bits(field))));
	compile_reply(c, FIELD_OUT, out);
}

/* ---- fields ---- */

void compile_field(struct compiler *c)
{
	const bool is_spectrum = c->args.at[FIELD_RESULT].choice == RESULT_SPECTRUM;
	struct buffer *given = compile_given_output(c, FIELD_OUT), *out;
	const struct shape shape = read_shape(c, is_spectrum ? NULL : given);
	const struct field *field = read_field(c, &shape);

	if (c->error)
		return;
	if (!is_spectrum && c->args.at[FIELD_PLANE].given)
		compile_param_error(c, FIELD_PLANE, ERROR_OUT_OF_RANGE, "given without result spectrum, allowed with it");
	if (is_spectrum) {
		put_embedding(c, &shape, field, -1);
		compile_spectrum(c, field, given);
		return;
	}
	out = compile_output_to(c, FIELD_OUT, given, &shape);
	put_embedding(c, &shape, field, add_steps(c, field, out));
	compile_reply(c, FIELD_OUT, out);
}

/* ---- fractional noise ---- */

/* The covariance and its transform are the same in every run, so a prepared call computes them once. */
static void add_fractional_steps(struct compiler *c, bool sums, struct buffer *out)
{
	const bool wide = dtype_is_wide(out->shape.dtype);
	const uint64_t n = 2 * field_next_smooth(out->shape.n);
	const struct shape all = {.ndim = 1, .dims = {n}}, bins = {.ndim = 1, .dims = {n / 2 + 1}};
	struct buffer *covariance = add_temp(c, &all, DTYPE_F64), *spectrum = add_temp(c, &bins, DTYPE_C128);
	struct buffer *ring = add_temp(c, &all, out->shape.dtype), *half = add_temp(c, &bins, signal_dtype(wide, true));

	add_task(c, FRACTIONAL_COVARIANCE, n, wide, NULL, NULL, covariance);
	add_transform(c, false, covariance, spectrum);
	add_normals(c, ring);
	add_transform(c, false, ring, half);
	add_task(c, FRACTIONAL_WEIGH, n / 2 + 1, wide, half, spectrum, half);
	add_transform(c, true, half, ring);
	compile_add_step(c, STEP_RESIZE, ring, out);
	if (sums)
		add_task(c, FRACTIONAL_SUM, out->shape.n, wide, out, NULL, out);
	add_mean(c, out);
}

/* Sums grow with the root of n at least, and by n at most; the transforms by n. */
static void compile_fractional(struct compiler *c, bool sums)
{
	struct buffer *given = compile_given_output(c, FIELD_OUT), *out;
	const struct shape shape = read_shape(c, given);
	const double std = c->args.at[FIELD_STD].given ? c->args.at[FIELD_STD].f64 : 1;
	char has[SHAPE_TEXT];

	if (shape.ndim != 1 || shape.dims[0] > FFT_MAX_LENGTH / 2)
		compile_param_error(c, FIELD_SHAPE, ERROR_BAD_SHAPE, "it is %s, allowed is one axis of 2 to 2^29 points", shape_text(&shape, has));
	if (!(std * 60 * (double)shape.n < (dtype_is_wide(shape.dtype) ? DBL_MAX : FLT_MAX)))
		compile_param_error(c, FIELD_STD, ERROR_OUT_OF_RANGE, "got %.15g, which overflows %s, allowed is less", std,
				    dtype_name(shape.dtype));
	if (c->error)
		return;
	out = compile_output_to(c, FIELD_OUT, given, &shape);
	add_fractional_steps(c, sums, out);
	compile_reply(c, FIELD_OUT, out);
}

void compile_fgn(struct compiler *c)
{
	compile_fractional(c, false);
}

void compile_fbm(struct compiler *c)
{
	compile_fractional(c, true);
}

/* ---- surrogates ---- */

static void add_phases(struct compiler *c, const struct shape *signals, struct buffer *turns, struct buffer *half)
{
	const uint64_t n = signals->dims[signals->ndim - 1];
	const struct fractional phases = {.task = FRACTIONAL_PHASES,
					  .n = half->shape.n,
					  .wide = dtype_is_wide(signals->dtype),
					  .columns = n / 2 + 1,
					  .has_last = n % 2 == 0};
	const struct fractional *kept = signal_keep(c, &phases, sizeof phases);
	struct step *step = compile_add_step(c, STEP_FIELD, half, half);

	step->in[1] = turns;
	step->field.fractional = kept;
}

void compile_surrogate(struct compiler *c)
{
	struct buffer *in = compile_floating_input(c, SURROGATE_IN), *out, *half, *turns;
	const bool wide = dtype_is_wide(in->shape.dtype);
	struct shape shape = in->shape;
	uint64_t n;
	int plan;

	if (dtype_is_complex(shape.dtype))
		compile_param_error(c, SURROGATE_IN, ERROR_BAD_SHAPE, "its dtype is %s, allowed are f32 and f64", dtype_name(shape.dtype));
	if (shape.ndim == 0 || shape.dims[shape.ndim - 1] < 2 || shape.dims[shape.ndim - 1] > FFT_MAX_LENGTH)
		compile_param_error(c, SURROGATE_IN, ERROR_BAD_SHAPE, "allowed are signals of 2 to 2^30 samples");
	if (c->error)
		return;
	n = shape.dims[shape.ndim - 1];
	out = compile_output(c, SURROGATE_OUT, &in->shape);
	plan = signal_plan(c, n, wide, true);
	shape.dims[shape.ndim - 1] = n / 2 + 1;
	half = add_temp(c, &shape, signal_dtype(wide, true));
	turns = add_temp(c, &shape, DTYPE_F64);
	signal_transform(c, plan, n, false, 1, in, half);
	add_draw(c, "uniform", SURROGATE_GENERATOR, SURROGATE_U64, turns);
	add_phases(c, &in->shape, turns, half);
	signal_transform(c, signal_plan(c, n, wide, true), n, true, 1 / (double)n, half, out);
	compile_reply(c, SURROGATE_OUT, out);
}
