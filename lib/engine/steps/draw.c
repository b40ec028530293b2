/* SPDX-License-Identifier: Apache-2.0 */
/* Draws: random numbers of a distribution, from where they lie in a stream. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cpu.h"
#include "distributions/draw/draw_arrays.h"
#include "distributions/draw/draw_fill.h"
#include "distributions/rows/dist_row.h"
#include "engine/operations/operations.h"
#include "engine/operations/params.h"
#include "engine/steps/step.h"

/* Returns integer i of an array as float64. */
static double number_at(enum dtype dtype, const void *numbers, size_t i)
{
	switch (dtype) {
	case DTYPE_I8:
		return ((const int8_t *)numbers)[i];
	case DTYPE_I32:
		return ((const int32_t *)numbers)[i];
	case DTYPE_U32:
		return ((const uint32_t *)numbers)[i];
	case DTYPE_U64:
		return (double)((const uint64_t *)numbers)[i];
	default:
		return (double)((const int64_t *)numbers)[i];
	}
}

/* Integers become reals, rounded to float64 and then to the width of out. */
static void draw_converted(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n,
			   bool wide, void *out)
{
	int64_t numbers[512];

	for (size_t at = 0, count; at < n; at += count) {
		count = n - at < 512 ? n - at : 512;
		draw_fill(kernels, draw, begin + at, count, numbers);
		for (size_t i = 0; i < count; i++)
			if (wide)
				((double *)out)[at + i] = number_at(draw->dtype, numbers, i);
			else
				((float *)out)[at + i] = (float)number_at(draw->dtype, numbers, i);
	}
}

/* A complex element is two samples. at: component of the stream that the first element is. */
static void fill_samples(const struct draw_kernels *kernels, const struct draw *draw, enum dtype dtype, uint64_t at,
			 uint64_t begin, size_t n, void *out)
{
	const size_t numbers = dtype != draw->dtype && dtype_is_complex(dtype) ? 2 : 1;
	const uint64_t first = at + numbers * begin;

	if (dtype == draw->dtype || draw->dtype == DTYPE_F32 || draw->dtype == DTYPE_F64)
		draw_fill(kernels, draw, first, numbers * n, out);
	else
		draw_converted(kernels, draw, first, numbers * n, dtype_is_wide(dtype), out);
}

static void fill_draw(const struct bindings *bound, const struct step *step, uint64_t begin, size_t n,
		      const void *const in[2], void *out)
{
	const struct position *position = &bound->positions[step->placement];

	(void)in;
	fill_samples(&bound->engine->kernels, &position->draw, step->out->shape.dtype, position->begin, begin, n, out);
}

/* Rounded up from measurements on one core at 3.7 GHz; they decide only where work is done, never what it gives. */
static uint64_t element_ps(const struct engine *engine, const struct step *step)
{
	static const uint16_t unmeasured[] = {8500, 8900, 13000};
	const uint16_t *const known = dist_row(step->draw.draw.distribution)->word_ps;
	const unsigned level = engine->features & CPU_AVX512 ? 0 : engine->features & CPU_AVX2 ? 1 : 2;
	const size_t bytes = dtype_size(step->out->shape.dtype);
	const uint64_t words = bytes < 4 ? 1 : bytes / 4; /* a small sample takes one, too */

	return step->draw.draw.layout ? 10000 : (known[level] ? known : unmeasured)[level] * words;
}

/* step_ops.place: notes the component of the stream that the step's first element is. */
static int place_draw(struct bindings *bound, const struct step *step, const struct placement *placement)
{
	struct position *position = &bound->positions[step->placement];

	position_set_draw(position, &step->draw.draw);
	if (step->draw.draw.layout) {
		position->call = *step->draw.draw.layout;
		position->call.position = position->at.position;
		position->draw.layout = &position->call;
	}
	position->begin = (position->at.offset + placement->begin) * placement->components;
	return 0;
}

/* Costs are learned by distribution and width. */
static unsigned find_cost_row(const struct step *step)
{
	return step->draw.draw.layout ? COST_REPLAY - COST_DRAW : 2 * step->draw.draw.distribution + (dtype_size(step->out->shape.dtype) > 4);
}

/* The draw with the arrays' memory, which temporaries have only now. */
static void fill_per_sample(const struct bindings *bound, const struct step *step, uint64_t begin, size_t n,
		      const void *const in[2], void *out)
{
	const struct position *position = &bound->positions[step->placement];
	struct draw_arrays arrays = {.origin = position->origin, .fault = position->fault};
	struct draw draw = position->draw;

	(void)in;
	for (unsigned k = 0; k < step->draw.arrays->n; k++) {
		const unsigned parameter = step->draw.arrays->parameters[k];

		arrays.of[parameter].at = bound_base(bound, step->in[k]);
		arrays.of[parameter].n = step->in[k]->shape.n;
		arrays.of[parameter].dtype = step->in[k]->shape.dtype;
	}
	draw.arrays = &arrays;
	fill_samples(&bound->engine->kernels, &draw, step->out->shape.dtype, position->begin, begin, n, out);
}

static uint64_t per_sample_element_ps(const struct engine *engine, const struct step *step)
{
	return element_ps(engine, step) + 2000 * dtype_size(step->out->shape.dtype) / 4;
}

/* The same for a draw with arrays, whose run gets a place for the first fault that a thread finds. */
static int place_per_sample(struct bindings *bound, const struct step *step, const struct placement *placement)
{
	struct position *position = &bound->positions[step->placement];

	position->fault = bump_alloc(bound->bump, sizeof *position->fault);
	if (!position->fault)
		return -ERROR_NO_MEMORY;
	draw_array_fault_init(position->fault);
	return place_draw(bound, step, placement);
}

/* Names the element, or the sample where the parameter at fault is a number that does not go with an element. */
static int check_per_sample(const struct bindings *bound, const struct step *step, const char **ret_failure)
{
	const struct step_arrays *arrays = step->draw.arrays;
	const struct draw_array_fault *fault = bound->positions[step->placement].fault;
	uint64_t at = fault->sample;
	const char *what = "sample";
	char text[320];

	if (!fault->is_set)
		return 0;
	for (unsigned k = 0; k < arrays->n; k++)
		if (arrays->parameters[k] == fault->fault.parameter) {
			at %= step->in[k]->shape.n;
			what = "element";
		}
	snprintf(text, sizeof text, "%s: %s: %s %" PRIu64 ": %s", arrays->context,
		 arrays->operation->params[DRAW_COMMON + fault->fault.parameter].name, what, at, fault->fault.text);
	*ret_failure = bump_copy(bound->bump, text, strlen(text));
	return -(int)fault->fault.code;
}

const struct step_ops step_draw_per_sample = {.fill = fill_per_sample,
					.element_ps = per_sample_element_ps,
					.place = place_per_sample,
					.check = check_per_sample,
					.cost_row = COST_DRAW,
					.find_cost_row = find_cost_row,
					.reads_whole = true};

const struct step_ops step_draw = {
	.fill = fill_draw,
	.element_ps = element_ps,
	.place = place_draw,
	.cost_row = COST_DRAW,
	.find_cost_row = find_cost_row,
};
