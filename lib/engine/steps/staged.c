/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices and work on signals: lib/gemm and lib/fft/signals cut them. */
#include "engine/steps/step.h"

static const struct staged_work *cut_product(const struct bindings *bound, struct bump *bump, const struct step *step)
{
	struct gemm_cut *cut = bump_alloc(bump, sizeof *cut);

	if (!cut)
		return NULL;
	gemm_cut(step->gemm.precision, bound->engine->features, &step->gemm.call, cut);
	return &cut->work;
}

static const struct staged_work *cut_signal(const struct bindings *bound, struct bump *bump, const struct step *step)
{
	const struct fft_plan *plan = step->n_transforms ? plans_plan(bound_transform(bound, step, 0)) : NULL;
	struct signal_work *cut = bump_alloc(bump, sizeof *cut);
	uint64_t bytes = step->out->shape.bytes;

	if (!cut)
		return NULL;
	for (unsigned i = 0; i < STEP_INPUTS; i++)
		bytes += step->in[i] ? step->in[i]->shape.bytes : 0;
	signal_cut(step->signal.kind, step->signal.call, plan, bytes, cut);
	return &cut->work;
}

const struct step_ops step_gemm = {.cost_row = COST_GEMM, .cut = cut_product};
const struct step_ops step_signal = {.cost_row = COST_SIGNAL, .cut = cut_signal};
