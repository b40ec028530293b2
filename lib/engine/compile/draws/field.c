/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling Gaussian random fields: white normals become a spectrum, which is weighted and transformed back.
 *
 *     out <- normals    half <- transform of out    half <- half by root of lambda    out <- transform back of half    out + mean
 *
 * A grid that is not periodic is a larger one, a temporary in the place of out, whose corner is kept. Normal k of the stream is the
 * white noise at point k of the grid, in row-major order. */
#include <math.h>
#include <stdio.h>

#include "engine/compile/draws/field_params.h"
#include "engine/compile/draws/field_steps.h"
#include "engine/compile/signal.h"

enum { RESULT_FIELD, RESULT_SPECTRUM };

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
	compile_put(c, "image_error", value_real(field->truncated ? 0 : field_image_error(field, shape)));
	if (placement >= 0)
		compile_add_field(c, FIELD_RESULTS, placement);
	compile_put(c, "dropped", value_real(0));
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
	step->field = (struct field_step){.field = field, .task = FIELD_COVARIANCES};
	field_add_transform(c, false, covariance, spectrum);
	return spectrum;
}

/* Adds what the roots of values are multiplied by, before anything is drawn. A prepared call computes it once. NULL: it is known. */
static struct buffer *add_root(struct compiler *c, const struct field *field)
{
	const struct shape one = {.ndim = 1, .dims = {1}};
	struct buffer *root = field->scales ? field_add_temp(c, &one, DTYPE_F64) : NULL;
	struct step *step;
	char text[256];

	if (!root)
		return NULL;
	snprintf(text, sizeof text, "%s: spectrum: it is 0 at all wave numbers of the grid, allowed is at least one above 0", c->args.context);
	step = compile_add_step(c, STEP_FIELD, NULL, root);
	step->field = (struct field_step){.field = field, .task = FIELD_FIND_ROOT};
	step->failure = field_keep_text(c, text);
	return root;
}

static void add_weighting(struct compiler *c, const struct field *field, struct buffer *root, struct buffer *half)
{
	struct step *step = compile_add_step(c, STEP_FIELD, half, half);

	step->in[1] = root;
	step->field = (struct field_step){.field = field, .task = FIELD_MULTIPLY};
}

/* Adds the check that a transform has no values too far below 0, before anything is drawn. Returns the number of its step. */
static size_t add_check(struct compiler *c, const struct field *field, struct buffer *spectrum)
{
	const uint64_t last = field->axes[field->ndim - 1].n;
	const struct fractional check = {.task = FRACTIONAL_CHECK,
					 .n = spectrum->shape.n,
					 .columns = last / 2 + 1,
					 .has_last = last % 2 == 0,
					 .least = -field_tolerance(field)};
	const struct fractional *kept = signal_keep(c, &check, sizeof check);
	const struct shape found = {.ndim = 1, .dims = {sizeof(struct fractional_checked) / sizeof(double)}};
	struct step *step = compile_add_step(c, STEP_CHECK, spectrum, field_add_temp(c, &found, DTYPE_F64));
	char text[256];

	snprintf(text, sizeof text,
		 "%s: length: with a grid of %d times the minimal embedding the spectrum has values below %g of the largest, allowed are none; "
		 "give shorter lengths, or approximate",
		 c->args.context, FIELD_EMBEDDING, -field_tolerance(field));
	step->field.fractional = kept;
	step->failure = field_keep_text(c, text);
	return c->plan->n_steps - 1;
}

/* Returns the placement of the normals where a check replies beside it, else -1. */
static int add_steps(struct compiler *c, const struct field *field, struct buffer *out)
{
	struct shape shape = out->shape;
	struct buffer *half, *root, *grid = out, *spectrum = NULL;
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
	root = add_root(c, field);
	placement = field_add_normals(c, grid);
	if (field->truncated && !c->error)
		c->plan->steps[check].placement = placement;
	field_add_transform(c, false, grid, half);
	if (field_is_transformed(field))
		field_add_task(c, FRACTIONAL_WEIGH, shape.n, field->wide, half, spectrum, half);
	else
		add_weighting(c, field, root, half);
	field_add_transform(c, true, half, grid);
	if (grid != out)
		compile_add_step(c, STEP_RESIZE, grid, out);
	field_add_mean(c, out);
	return field->truncated ? placement : -1;
}

/* ---- the spectrum alone ---- */

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
	field_read_box(c, field, box);
	shape = shape_of_box(c, field, box);
	if (c->error)
		return;
	out = compile_output_to(c, FIELD_OUT, given, &shape);
	step = compile_add_step(c, STEP_FIELD, NULL, out);
	step->field = (struct field_step){.field = field, .task = FIELD_VALUES, .box = box};
	compile_put(c, "root", value_real(field->scales || field_is_transformed(field) ? field->std : sqrt(field->factor)));
	compile_put(c, "transformed", value_bool(field_is_transformed(field)));
	if (field->truncated)
		compile_put(c, "least", value_real(-field_tolerance(field)));
	compile_put(c, "relative", value_bool(field->scales));
	compile_put(c, "unit", value_real(ldexp(1, -field_sum_bits(field))));
	compile_reply(c, FIELD_OUT, out);
}

/* ---- fields ---- */

void compile_field(struct compiler *c)
{
	const bool is_spectrum = c->args.at[FIELD_RESULT].choice == RESULT_SPECTRUM;
	struct buffer *given = compile_given_output(c, FIELD_OUT), *out;
	const struct shape shape = field_read_shape(c, is_spectrum ? NULL : given);
	const struct field *field = field_read(c, &shape);

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
