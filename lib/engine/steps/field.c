/* SPDX-License-Identifier: Apache-2.0 */
/* Weighting of the spectra of Gaussian random fields: lib/distributions/fields cuts it. */
#include "distributions/fields/field_work.h"
#include "engine/steps/step.h"

static const struct staged_work *cut_field(const struct bindings *bound, struct bump *bump, const struct step *step)
{
	struct field_work *cut = bump_alloc(bump, sizeof *cut);

	if (!cut)
		return NULL;
	field_work_cut(step->field, bound->engine->features, cut);
	return &cut->work;
}

const struct step_ops step_field = {.cost_row = COST_FIELD, .cut = cut_field};
