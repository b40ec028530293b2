/* SPDX-License-Identifier: Apache-2.0 */
/* Coloured noise: lib/colored cuts it. */
#include <string.h>

#include "engine/steps/step.h"

static const struct staged_work *cut_noise(const struct bindings *bound, struct bump *bump, const struct step *step)
{
	const struct shape *shape = &step->out->shape;
	struct colored_work *cut = bump_alloc(bump, sizeof *cut);

	if (cut)
		colored_cut(step->colored.filter, shape->dtype, shape->n, plans_plan(bound_transform(bound, step, 0)),
			    pool_scratch_bytes(bound->engine->pool), cut);
	return cut ? &cut->work : NULL;
}

/* step_ops.place: the normals are those of the position's stream. */
static int place_noise(struct bindings *bound, const struct step *step, const struct placement *placement)
{
	static const union dist_value standard[DIST_PARAMETERS] = {{.real = 0}, {.real = 1}, {.natural = NORMAL_BOXMULLER}};
	struct position *position = &bound->positions[step->placement];
	struct draw draw = {.distribution = DIST_NORMAL, .dtype = step->out->shape.dtype};

	memcpy(draw.parameters, standard, sizeof standard);
	position_set_draw(position, &draw);
	position->begin = position->at.offset + placement->begin;
	position->colored = (struct colored_draws){&bound->engine->kernels, &position->draw, position->begin, step->out->shape.n};
	return 0;
}

/* Writes to the reply what the filter's design has found. */
static void begin_stage(struct step_run *run)
{
	const struct colored_filter *filter = run->step->colored.filter;
	struct value_member *results = run->bound->positions[run->step->placement].results;

	if (run->stage > 0)
		return;
	results[0].value = value_real(filter->std);
	results[1].value = filter->deviation >= 0 ? value_real(filter->deviation) : value_nil();
}

const struct step_ops step_colored = {.cost_row = COST_COLORED,
				      .cut = cut_noise,
				      .begin_stage = begin_stage,
				      .place = place_noise,
				      .reruns = true,
				      .replies = true};
