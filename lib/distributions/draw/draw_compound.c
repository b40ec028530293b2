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

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "distributions/draw/draw_rejection.h"
#include "distributions/rows/dist_check.h"
#include "math/special.h"

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

bool draw_compound_applies(const struct draw *draw)
{
	switch (draw->distribution) {
	case DIST_NEGATIVE_BINOMIAL:
	case DIST_F:
	case DIST_NONCENTRAL_CHISQUARE:
	case DIST_NONCENTRAL_F:
		return true;
	default:
		return false;
	}
}

/* Plans a stage. The second one reads draws that no attempt of the first can reach (DRAW_SECOND_STAGE). */
static struct draw_plan plan_of(dist_function *kernel, bool first, unsigned n_inputs)
{
	static const enum draw_input inputs[DRAW_INPUTS] = {INPUT_NORMALS, INPUT_WORDS, INPUT_WORDS,
							    INPUT_NORMALS, INPUT_WORDS, INPUT_WORDS};
	struct draw_plan plan = {.kernel = kernel,
				 .n_inputs = n_inputs,
				 .first_draw = first ? 0 : DRAW_SECOND_STAGE,
				 .per_sample = true,
				 .as_float64 = first};

	/* Poisson numbers are made of two words. */
	for (unsigned j = 0; j < n_inputs; j++)
		plan.inputs[j] = n_inputs == 2 ? INPUT_WORDS : inputs[j];
	return plan;
}

/* The first stage's parameters, and its plan; kernel NULL: there is none. */
static struct draw_plan plan_first(const struct dist_kernel *kernels, const struct draw *draw, size_t n, struct block *b)
{
	const bool wide = dtype_size(draw->dtype) == sizeof(double);
	double *const shape = row(&b->stage, 0), *const scale = row(&b->stage, 1);
	const double *const first = row(&b->own, 0), *const p = row(&b->own, 1);
	const double *const nonc = row(&b->own, draw->distribution == DIST_NONCENTRAL_F ? 2 : 1);

	switch (draw->distribution) {
	case DIST_NEGATIVE_BINOMIAL:
		for (size_t i = 0; i < n; i++) {
			shape[i] = first[i];
			scale[i] = (1 - p[i]) / p[i];
		}
		return plan_of(wide ? kernels->gamma_stage_f64 : kernels->gamma_stage_f32, true, 3);
	case DIST_F:
		return plan_of(NULL, true, 0);
	case DIST_NONCENTRAL_CHISQUARE: {
		bool any = false;

		/* Above one degree of freedom a normal carries the noncentrality. */
		for (size_t i = 0; i < n; i++) {
			shape[i] = first[i] > 1 ? 0 : nonc[i] / 2;
			b->made[i] = 0;
			any = any || first[i] <= 1;
		}
		if (!any)
			return plan_of(NULL, true, 0);
		return plan_of(wide ? kernels->poisson_stage_f64 : kernels->poisson_stage_f32, true, 2);
	}
	default:
		for (size_t i = 0; i < n; i++)
			shape[i] = nonc[i] / 2;
		return plan_of(wide ? kernels->poisson_stage_f64 : kernels->poisson_stage_f32, true, 2);
	}
}

/* The second stage's parameters, of what the first has made, and its plan. */
static struct draw_plan plan_second(const struct dist_kernel *kernels, const struct draw *draw, size_t n, struct block *b)
{
	const bool wide = dtype_size(draw->dtype) == sizeof(double), counted = draw->distribution == DIST_NONCENTRAL_F;
	double *const one = row(&b->stage, 0), *const two = row(&b->stage, 1), *const three = row(&b->stage, 2);
	double *const four = row(&b->stage, 3);
	struct draw_plan plan;
	const double *const first = row(&b->own, 0), *const second = row(&b->own, 1);

	switch (draw->distribution) {
	case DIST_NEGATIVE_BINOMIAL:
		/* Beyond it lies a mean with probability below 2^-66 (dist_check.h). */
		for (size_t i = 0; i < n; i++)
			one[i] = b->made[i] < NEGATIVE_BINOMIAL_END ? b->made[i] : NEGATIVE_BINOMIAL_END;
		return plan_of(kernels->poisson_per_sample_i64, false, 2);
	case DIST_NONCENTRAL_CHISQUARE:
		for (size_t i = 0; i < n; i++) {
			one[i] = first[i] > 1 ? (first[i] - 1) / 2 : first[i] / 2 + b->made[i];
			two[i] = first[i] > 1 ? sqrt(second[i]) : -1;
		}
		return plan_of(wide ? kernels->noncentral_per_sample_f64 : kernels->noncentral_per_sample_f32, false, 4);
	default:
		for (size_t i = 0; i < n; i++) {
			one[i] = first[i] + (counted ? 2 * b->made[i] : 0);
			two[i] = second[i];
			three[i] = second[i] / first[i];
		}
		plan = plan_of(wide ? kernels->ratio_per_sample_f64 : kernels->ratio_per_sample_f32, false, 6);
		plan.constants.ratio_apart = !kernels->all_between(three, n, 0x1p-400, 0x1p400);
		for (size_t i = 0; plan.constants.ratio_apart && i < n; i++)
			three[i] = special_quotient(second[i], first[i], &four[i]);
		return plan;
	}
}

/* Writes samples [begin, begin + n), which lie in `padded` samples from the start of begin's group on. */
static void fill_block(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n,
		       struct block *b, void *out)
{
	const size_t per_group = DRAW_GROUP_BYTES / (draw_words_per_sample(draw->dtype) * sizeof(uint32_t));
	const size_t skip = (size_t)(begin % per_group);
	const size_t padded = (skip + n + DIST_PAD - 1) / DIST_PAD * DIST_PAD;
	struct draw_plan plan;

	if (draw->arrays && !draw_parameters_load(kernels, draw, begin, skip, n, padded, &b->own)) {
		memset(out, 0, n * dtype_size(draw->dtype)); /* the request fails */
		return;
	}
	plan = plan_first(kernels->distributions, draw, padded, b);
	if (plan.kernel) {
		draw_rejection_stage(kernels, draw, &plan, begin, n, &b->stage, b->made + skip);
		for (size_t i = 0; i < skip; i++)
			b->made[i] = b->made[skip];
		for (size_t i = skip + n; i < padded; i++)
			b->made[i] = b->made[skip];
	}
	plan = plan_second(kernels->distributions, draw, padded, b);
	draw_rejection_stage(kernels, draw, &plan, begin, n, &b->stage, out);
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
