/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian random fields: weighting of spectra, covariances, sums. lib/distributions/fields cuts them. */
#include <math.h>

#include "distributions/fields/field_work.h"
#include "distributions/fields/fractional.h"
#include "engine/steps/step.h"

static const struct staged_work *cut_field(const struct bindings *bound, struct bump *bump, const struct step *step)
{
	struct field_work *cut = bump_alloc(bump, sizeof *cut);

	if (!cut)
		return NULL;
	field_work_cut(step->field.field, step->field.task, step->field.box, bound->engine->features, cut);
	return &cut->work;
}

static const struct staged_work *cut_task(const struct bindings *bound, struct bump *bump, const struct step *step)
{
	struct fractional_work *cut = bump_alloc(bump, sizeof *cut);

	if (!cut)
		return NULL;
	fractional_cut(step->field.fractional, bound->engine->features, cut);
	return &cut->work;
}

static const struct staged_work *cut(const struct bindings *bound, struct bump *bump, const struct step *step)
{
	if (step->field.fractional)
		return cut_task(bound, bump, step);
	return cut_field(bound, bump, step);
}

/* Writes to the reply by how much the variance is larger, relative to what was asked, since negative values of the spectrum count as 0. */
static void begin_check(struct step_run *run)
{
	const struct fractional_checked *checked = (const struct fractional_checked *)bound_base(run->bound, run->step->out);

	if (run->stage == run->step->staged->stages)
		run->bound->positions[run->step->placement].results[0].value = value_real(fabs(checked->negative) / checked->sum);
}

const struct step_ops step_field = {.cost_row = COST_FIELD, .cut = cut};
const struct step_ops step_check = {.cost_row = COST_FIELD, .cut = cut_task, .begin_stage = begin_check, .replies = true};
