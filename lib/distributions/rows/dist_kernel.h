/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that turn arrays of words or normals into arrays of samples, the same bytes in every variant.
 *
 *     inputs[0]   word  word  word  ...  (draw number attempt * n_inputs + 0 of each sample)
 *     inputs[1]   word  word  word  ...  (+ 1)
 *     inputs[6]   p     p     p     ...  (parameter 0 of each sample, kernels with _per_sample only)
 *          |                                        uniforms and elementary functions on whole vectors
 *          v
 *     out         x     x     x     ...             rejected: [1, 7]: samples 1 and 7 need another attempt
 *
 * A kernel makes one attempt for each of n samples, from inputs that its caller has filled (draw/draw_rejection.h), and
 * lists the samples that it rejects. The kernels of one family stand in one *_body.h. */
#ifndef TRNSCI_DISTRIBUTIONS_DIST_KERNEL_H
#define TRNSCI_DISTRIBUTIONS_DIST_KERNEL_H

#include <stdbool.h>

#include "distributions/rows/dist_constants.h"

/* X(kernel). The last part names the words' width: 32 bits (f32, i32, i8, f16, bf16) or 64 (f64, i64). */
/* clang-format off */
#define DIST_KERNELS(X) \
	X(exponential_f32) X(exponential_f64) X(laplace_f32) X(laplace_f64) X(lognormal_f32) X(lognormal_f64) \
	X(gumbel_f32) X(gumbel_f64) X(weibull_f32) X(weibull_f64) X(cauchy_f32) X(cauchy_f64) \
	X(student_t_f32) X(student_t_f64) X(geometric_i64) \
	X(truncated_f32) X(truncated_f64) X(truncated_narrow_f32) X(truncated_narrow_f64) \
	X(truncated_far_f32) X(truncated_far_f64) X(radius64_f32) X(radius64_f64) \
	X(gamma_f32) X(gamma_f64) X(gamma_boosted_f32) X(gamma_boosted_f64) \
	X(beta_f32) X(beta_f64) X(beta_boosted_f32) X(beta_boosted_f64) X(gamma_log_f32) X(gamma_log_f64) \
	X(poisson_i64) X(binomial_i64) X(discrete_i64) X(alias_i64) X(randint_i32) X(randint_i64) \
	X(bernoulli_i8) X(bernoulli_i32) X(rademacher_i8) X(rademacher_i32) X(rademacher_f32) X(rademacher_f64) \
	X(uniform_bf16) X(uniform_f16) X(normal_bf16) X(normal_f16) X(normal64_bf16) X(normal64_f16) \
	X(uniform_per_sample_f32) X(uniform_per_sample_f64) X(normal_per_sample_f32) X(normal_per_sample_f64) \
	X(uniform_per_sample_bf16) X(uniform_per_sample_f16) X(normal_per_sample_bf16) X(normal_per_sample_f16) \
	X(normal64_per_sample_f32) X(normal64_per_sample_f64) X(normal64_per_sample_bf16) X(normal64_per_sample_f16) \
	X(exponential_per_sample_f32) X(exponential_per_sample_f64) X(laplace_per_sample_f32) X(laplace_per_sample_f64) \
	X(lognormal_per_sample_f32) X(lognormal_per_sample_f64) X(gumbel_per_sample_f32) X(gumbel_per_sample_f64) \
	X(weibull_per_sample_f32) X(weibull_per_sample_f64) X(cauchy_per_sample_f32) X(cauchy_per_sample_f64) \
	X(student_t_per_sample_f32) X(student_t_per_sample_f64) X(truncated_per_sample_f32) X(truncated_per_sample_f64) \
	X(truncated_narrow_per_sample_f32) X(truncated_narrow_per_sample_f64) X(truncated_far_per_sample_f32) X(truncated_far_per_sample_f64) \
	X(gamma_per_sample_f32) X(gamma_per_sample_f64) X(chi_squared_per_sample_f32) X(chi_squared_per_sample_f64) \
	X(beta_per_sample_f32) X(beta_per_sample_f64) X(poisson_per_sample_i64) X(binomial_per_sample_i64) X(geometric_per_sample_i64) \
	X(bernoulli_per_sample_i8) X(bernoulli_per_sample_i32) X(randint_per_sample_i32) X(randint_per_sample_i64) \
	X(gamma_stage_f32) X(gamma_stage_f64) X(poisson_stage_f32) X(poisson_stage_f64) \
	X(noncentral_per_sample_f32) X(noncentral_per_sample_f64) X(ratio_per_sample_f32) X(ratio_per_sample_f64) X(rayleigh_per_sample_f32) X(rayleigh_per_sample_f64) \
	X(logistic_per_sample_f32) X(logistic_per_sample_f64) X(pareto_per_sample_f32) X(pareto_per_sample_f64) \
	X(power_per_sample_f32) X(power_per_sample_f64) X(triangular_per_sample_f32) X(triangular_per_sample_f64) \
	X(wald_per_sample_f32) X(wald_per_sample_f64) X(vonmises_per_sample_f32) X(vonmises_per_sample_f64) \
	X(zipf_per_sample_i64) X(logseries_per_sample_i64) X(hypergeometric_per_sample_i64)
/* clang-format on */

struct dist_kernel {
	const char *name;
	uint32_t needs; /* CPU_ features */
#define X(kernel) dist_function *kernel;
	DIST_KERNELS(X)
#undef X
	/* Return whether all of n numbers, a multiple of DIST_PAD, lie between the bounds, or each of `low` is below
	 * that of `high` by a finite number. NaN never does. */
	bool (*all_between)(const double *x, size_t n, double above, double below);
	bool (*all_ordered)(const double *low, const double *high, size_t n);
};

extern const struct dist_kernel dist_scalar, dist_avx2, dist_avx512, dist_neon;

/* Returns all variants of this build, the fastest first, scalar last. */
const struct dist_kernel *const *dist_kernels(size_t *ret_count);

/* Returns the fastest variant that needs nothing beyond these CPU_ features. */
const struct dist_kernel *dist_select(uint32_t features);

#endif
