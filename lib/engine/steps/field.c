/* SPDX-License-Identifier: Apache-2.0 */
/* Gaussian random fields: weighting of spectra, covariances, sums. lib/distributions/fields cuts them. */
#include "distributions/fields/field_work.h"
#include "distributions/fields/fractional.h"
#include "distributions/fields/spherical.h"
#include "engine/steps/step.h"

static const struct staged_work *cut_field(const struct bindings *bound, struct bump *bump, const struct step *step)
{
	struct field_work *cut = bump_alloc(bump, sizeof *cut);

	if (!cut)
		return NULL;
	if (step->field.box)
		field_values_cut(step->field.field, step->field.box, bound->engine->features, cut);
	else
		field_work_cut(step->field.field, bound->engine->features, cut);
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

static const struct staged_work *cut_spherical(struct bump *bump, const struct step *step)
{
	struct spherical_work *cut = bump_alloc(bump, sizeof *cut);

	if (!cut)
		return NULL;
	spherical_cut(step->field.field, cut);
	return &cut->work;
}

static const struct staged_work *cut(const struct bindings *bound, struct bump *bump, const struct step *step)
{
	if (step->field.fractional)
		return cut_task(bound, bump, step);
	return step->field.field->model == FIELD_SPHERICAL ? cut_spherical(bump, step) : cut_field(bound, bump, step);
}

const struct step_ops step_field = {.cost_row = COST_FIELD, .cut = cut};
