/* SPDX-License-Identifier: Apache-2.0 */
/* Two stages, block by block: the samples of the first are parameters of the second.
 *
 *     negative_binomial      Poisson with mean gamma(n, (1 - p) / p)
 *     noncentral_chisquare   df > 1: chi2(df - 1) + (normal + sqrt(nonc))^2; else chi2(df + 2 Poisson(nonc / 2))
 *     noncentral_f           (chi2(dfnum + 2 Poisson(nonc / 2)) / dfnum) / (chi2(dfden) / dfden)
 *     f                      the second stage of that, with nonc = 0
 *
 * Half the degrees of freedom is the shape of a chi-squared number's gamma. */
#include "distributions/draw/draw_compound.h"

#include <string.h>

#include "base/checked.h"
#include "distributions/draw/draw_rejection.h"
#include "distributions/rows/dist_row.h"

/* A block's parameters as float64, on the stack. */
struct block {
	struct draw_parameters own;        /* the draw's */
	struct draw_parameters stage;      /* those of the stage that runs */
	double made[DIST_BLOCK_REJECTING]; /* by the first stage */
};

/* Returns parameter j of the samples of a block. Its 64-bit places hold doubles. */
static double *row(struct draw_parameters *parameters, unsigned j)
{
	return (double *)(void *)parameters->values[j];
}

/* Runs a stage for the samples [begin, begin + n), which lie in `padded` samples from the start of begin's group on. The second
 * one reads draws that no attempt of the first can reach (DRAW_SECOND_STAGE). Returns whether it was needed. */
static bool run_stage(const struct draw_kernels *kernels, const struct draw *draw, const struct dist_stage *stage, bool is_first,
		      uint64_t begin, size_t n, size_t padded, struct block *b, void *out)
{
	struct draw_plan plan = {.kernel = dist_kernel_at(kernels->distributions, stage->kernel, draw->dtype),
				 .reads = stage->reads,
				 .n_inputs = (unsigned)strlen(stage->reads),
				 .first_draw = is_first ? 0 : DRAW_SECOND_STAGE,
				 .per_sample = true,
				 .as_float64 = is_first};
	struct stage_args args = {.kernels = kernels->distributions, .n = padded, .made = b->made, .constants = &plan.constants};

	for (unsigned j = 0; j < DIST_PARAMETERS; j++) {
		args.own[j] = row(&b->own, j);
		args.ret[j] = row(&b->stage, j);
	}
	if (!stage->parameters(&args))
		return false;
	draw_rejection_stage(kernels, draw, &plan, begin, n, &b->stage, out);
	return true;
}

/* Writes samples [begin, begin + n), which lie in `padded` samples from the start of begin's group on. */
static void fill_block(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n,
		       struct block *b, void *out)
{
	const size_t per_group = DRAW_GROUP_BYTES / (draw_words_per_sample(draw->dtype) * sizeof(uint32_t));
	const size_t skip = (size_t)(begin % per_group);
	const size_t padded = (skip + n + DIST_PAD - 1) / DIST_PAD * DIST_PAD;
	const struct dist_row *distribution = dist_row(draw->distribution);

	if (draw->arrays && !draw_parameters_load(kernels, draw, begin, skip, n, padded, &b->own)) {
		memset(out, 0, n * dtype_size(draw->dtype)); /* the request fails */
		return;
	}
	if (distribution->first.reads &&
	    run_stage(kernels, draw, &distribution->first, true, begin, n, padded, b, b->made + skip)) {
		for (size_t i = 0; i < skip; i++)
			b->made[i] = b->made[skip];
		for (size_t i = skip + n; i < padded; i++)
			b->made[i] = b->made[skip];
	}
	run_stage(kernels, draw, &distribution->second, false, begin, n, padded, b, out);
}

void draw_compound_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	const size_t size = dtype_size(draw->dtype), most = DIST_BLOCK_REJECTING - DIST_PAD;
	struct block b;

	memset(&b.stage, 0, sizeof b.stage);
	draw_parameters_init(draw, DIST_BLOCK_REJECTING, &b.own);
	for (size_t done; n > 0; out = (char *)out + done * size, begin += done, n -= done) {
		done = size_min(n, most);
		fill_block(kernels, draw, begin, done, &b, out);
	}
}
