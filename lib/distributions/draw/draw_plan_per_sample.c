/* SPDX-License-Identifier: Apache-2.0 */
/* The plans of draws whose parameters are read for each sample: which kernel, from which inputs. */
#include "distributions/draw/draw_plan.h"

#include <assert.h>

/* The kernels of a distribution for 64-bit, 32-bit, and 16-bit or 8-bit samples. Offsets into struct dist_kernel. */
#define KERNEL(name) offsetof(struct dist_kernel, name)
#define BOTH(name)   KERNEL(name##_per_sample_f64), KERNEL(name##_per_sample_f32)

static const struct {
	size_t wide, narrow;
	unsigned n_inputs;
	enum draw_input inputs[DRAW_INPUTS];
} rows[DIST_COUNT] = {
	[DIST_UNIFORM] = {BOTH(uniform), 1, {INPUT_WORDS}},
	[DIST_NORMAL] = {BOTH(normal), 1, {INPUT_NORMALS}},
	[DIST_EXPONENTIAL] = {BOTH(exponential), 1, {INPUT_WORDS}},
	[DIST_LAPLACE] = {BOTH(laplace), 1, {INPUT_WORDS}},
	[DIST_LOGNORMAL] = {BOTH(lognormal), 1, {INPUT_NORMALS}},
	[DIST_GUMBEL] = {BOTH(gumbel), 1, {INPUT_WORDS}},
	[DIST_WEIBULL] = {BOTH(weibull), 1, {INPUT_WORDS}},
	[DIST_CAUCHY] = {BOTH(cauchy), 1, {INPUT_WORDS}},
	[DIST_STUDENT_T] = {BOTH(student_t), 2, {INPUT_WORDS, INPUT_WORDS}},
	[DIST_TRUNCATED_NORMAL] = {BOTH(truncated), 1, {INPUT_WORDS}},
	[DIST_GAMMA] = {BOTH(gamma), 3, {INPUT_NORMALS, INPUT_WORDS, INPUT_WORDS}},
	[DIST_CHI_SQUARED] = {BOTH(chi_squared), 3, {INPUT_NORMALS, INPUT_WORDS, INPUT_WORDS}},
	[DIST_BETA] = {BOTH(beta),
		       6,
		       {INPUT_NORMALS, INPUT_WORDS, INPUT_WORDS, INPUT_NORMALS, INPUT_WORDS, INPUT_WORDS}},
	[DIST_POISSON] = {KERNEL(poisson_per_sample_i64), 0, 2, {INPUT_WORDS, INPUT_WORDS}},
	[DIST_BINOMIAL] = {KERNEL(binomial_per_sample_i64), 0, 2, {INPUT_WORDS, INPUT_WORDS}},
	[DIST_GEOMETRIC] = {KERNEL(geometric_per_sample_i64), 0, 1, {INPUT_WORDS}},
	[DIST_BERNOULLI] = {0, KERNEL(bernoulli_per_sample_i32), 1, {INPUT_WORDS}},
	[DIST_RAYLEIGH] = {BOTH(rayleigh), 1, {INPUT_WORDS}},
	[DIST_LOGISTIC] = {BOTH(logistic), 1, {INPUT_WORDS}},
	[DIST_PARETO] = {BOTH(pareto), 1, {INPUT_WORDS}},
	[DIST_POWER] = {BOTH(power), 1, {INPUT_WORDS}},
	[DIST_TRIANGULAR] = {BOTH(triangular), 1, {INPUT_WORDS}},
	[DIST_VONMISES] = {BOTH(vonmises), 2, {INPUT_WORDS, INPUT_WORDS}},
	[DIST_WALD] = {BOTH(wald), 2, {INPUT_NORMALS, INPUT_WORDS}},
	[DIST_ZIPF] = {KERNEL(zipf_per_sample_i64), 0, 2, {INPUT_WORDS, INPUT_WORDS}},
	[DIST_LOGSERIES] = {KERNEL(logseries_per_sample_i64), 0, 2, {INPUT_WORDS, INPUT_WORDS}},
	[DIST_HYPERGEOMETRIC] = {KERNEL(hypergeometric_per_sample_i64), 0, 2, {INPUT_WORDS, INPUT_WORDS}},
	[DIST_RANDINT] = {KERNEL(randint_per_sample_i64), KERNEL(randint_per_sample_i32), 1, {INPUT_WORDS}},
};

/* Normals whose radius has 64 bits: one word of float64, two of narrower samples. */
static dist_function *normal64_kernel(const struct dist_kernel *kernels, enum dtype dtype, struct draw_plan *plan)
{
	plan->n_inputs = dtype == DTYPE_F64 ? 1 : 2;
	plan->inputs[0] = plan->inputs[1] = INPUT_WORDS;
	return dtype == DTYPE_F64    ? kernels->normal64_per_sample_f64
	       : dtype == DTYPE_F32  ? kernels->normal64_per_sample_f32
	       : dtype == DTYPE_BF16 ? kernels->normal64_per_sample_bf16
				     : kernels->normal64_per_sample_f16;
}

/* Kernels that the width of a sample alone does not decide. */
static dist_function *special_kernel(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *plan)
{
	const bool wide = draw->dtype == DTYPE_F64, bf16 = draw->dtype == DTYPE_BF16, half = bf16 || draw->dtype == DTYPE_F16;

	if (draw->dtype == DTYPE_I8)
		return kernels->bernoulli_per_sample_i8;
	if (draw->distribution == DIST_NORMAL && draw->parameters[2].natural == NORMAL_BOXMULLER64)
		return normal64_kernel(kernels, draw->dtype, plan);
	if (draw->distribution == DIST_NORMAL && half)
		return bf16 ? kernels->normal_per_sample_bf16 : kernels->normal_per_sample_f16;
	if (draw->distribution == DIST_UNIFORM && half)
		return bf16 ? kernels->uniform_per_sample_bf16 : kernels->uniform_per_sample_f16;
	if (draw->distribution != DIST_TRUNCATED_NORMAL)
		return NULL;
	/* The bounds are numbers, and so are the constants that come of them. */
	struct draw bounds = *draw;

	bounds.parameters[0].real = 0;
	bounds.parameters[1].real = 1;
	draw_plan_make(kernels, &bounds, plan);
	plan->per_sample = true;
	if (plan->kernel == kernels->truncated_far_f64 || plan->kernel == kernels->truncated_far_f32)
		return wide ? kernels->truncated_far_per_sample_f64 : kernels->truncated_far_per_sample_f32;
	if (plan->kernel == kernels->truncated_narrow_f64 || plan->kernel == kernels->truncated_narrow_f32)
		return wide ? kernels->truncated_narrow_per_sample_f64 : kernels->truncated_narrow_per_sample_f32;
	return NULL;
}

/* Kernels are found by their offset in the row of the CPU's variant. Dtypes below 32 bits are special cases. */
void draw_plan_per_sample(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *ret_plan)
{
	const bool wide = dtype_size(draw->dtype) == sizeof(double);
	const size_t offset = wide ? rows[draw->distribution].wide : rows[draw->distribution].narrow;
	dist_function *special;

	*ret_plan = (struct draw_plan){.per_sample = true, .n_inputs = rows[draw->distribution].n_inputs};
	for (unsigned j = 0; j < ret_plan->n_inputs; j++)
		ret_plan->inputs[j] = rows[draw->distribution].inputs[j];
	special = special_kernel(kernels, draw, ret_plan);
	assert(special || offset);
	ret_plan->kernel = special ? special : *(dist_function *const *)((const char *)kernels + offset);
}
