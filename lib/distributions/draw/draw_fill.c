/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses how the samples of a draw are made: the way of whole groups comes first since short draws feel each question, and
 * normals with arrays must not take it; then that of the distribution's row. */
#include "distributions/draw/draw_fill.h"

#include "distributions/draw/draw_compound.h"
#include "distributions/draw/draw_direct.h"
#include "distributions/draw/draw_multinomial.h"
#include "distributions/draw/draw_permutation.h"
#include "distributions/draw/draw_plan.h"
#include "distributions/draw/draw_rejection.h"
#include "distributions/draw/draw_vectors.h"
#include "distributions/layouts/layout_kernel.h"

typedef void filler(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n, void *out);

static void fill_by_kernel(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	struct draw_plan plan;

	draw_plan_make(kernels->distributions, draw, &plan);
	draw_rejection_fill(kernels, draw, &plan, begin, n, out);
}

void draw_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	static filler *const ways[] = {
		[WAY_KERNEL] = fill_by_kernel,
		[WAY_STAGES] = draw_compound_fill,
		[WAY_SHARES] = draw_vectors_fill,
		[WAY_SPHERE] = draw_vectors_fill,
		[WAY_OUTCOMES] = draw_multinomial_fill,
		[WAY_PERMUTATION] = draw_permutation_fill,
	};

	if (draw->layout)
		layout_fill(kernels->layouts, draw, begin, n, out);
	else if (!draw->arrays && draw_direct_apply(draw))
		draw_direct_fill(kernels, draw, begin, n, out);
	else
		ways[dist_row(draw->distribution)->way](kernels, draw, begin, n, out);
}
