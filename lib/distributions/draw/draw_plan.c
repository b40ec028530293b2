/* SPDX-License-Identifier: Apache-2.0 */
#include "distributions/draw/draw_plan.h"

#include <assert.h>
#include <string.h>

/* Kernels that have only parameters of each sample serve draws of numbers, too. */
void draw_plan_make(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *ret_plan)
{
	const struct dist_row *row = dist_row(draw->distribution);
	const bool per_sample = draw->arrays || !row->numbers.reads;
	const struct dist_attempt *attempt = per_sample ? &row->samples : &row->numbers;

	*ret_plan = (struct draw_plan){.kernels = kernels,
				       .kernel = dist_kernel_at(kernels, attempt->kernel, draw->dtype),
				       .reads = attempt->reads,
				       .per_sample = per_sample,
				       .constants.scale = 1};
	if (attempt->plan)
		attempt->plan(draw, ret_plan);
	assert(ret_plan->kernel && ret_plan->reads);
	ret_plan->n_inputs = (unsigned)strlen(ret_plan->reads);
	ret_plan->affine = ret_plan->affine && (ret_plan->constants.scale != 1 || ret_plan->constants.shift != 0);
}
