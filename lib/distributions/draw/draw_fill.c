/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses how the samples of a draw are made. The order matters: normals with arrays must not take the way of whole groups, which
 * comes first since short draws feel each question, and a compound draw may have arrays. */
#include "distributions/draw/draw_fill.h"

#include "distributions/draw/draw_compound.h"
#include "distributions/draw/draw_direct.h"
#include "distributions/draw/draw_permutation.h"
#include "distributions/draw/draw_plan.h"
#include "distributions/draw/draw_rejection.h"
#include "distributions/draw/draw_vectors.h"

void draw_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	struct draw_plan plan;

	if (!draw->arrays && draw_direct_apply(draw)) {
		draw_direct_fill(kernels, draw, begin, n, out);
	} else if (draw_compound_applies(draw)) {
		draw_compound_fill(kernels, draw, begin, n, out);
	} else if (draw->arrays || dist_is_per_sample(draw->distribution)) {
		draw_plan_per_sample(kernels->distributions, draw, &plan);
		draw_rejection_fill(kernels, draw, &plan, begin, n, out);
	} else if (dist_is_vector(draw->distribution)) {
		draw_vectors_fill(kernels, draw, begin, n, out);
	} else if (draw->distribution == DIST_PERMUTATION) {
		draw_permutation_fill(kernels, draw, begin, n, out);
	} else {
		draw_plan_make(kernels->distributions, draw, &plan);
		draw_rejection_fill(kernels, draw, &plan, begin, n, out);
	}
}
