/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of the distributions: arrays of words or normals to samples, many at a time, each written once over
 * base/simd.h.
 *
 * A kernel makes one attempt for each of n samples from inputs that the driver (sampler.h) has filled. A distribution
 * without rejection needs no second one. All variants give the same bytes. */
#ifndef TRNSCI_DIST_DIST_KERNEL_H
#define TRNSCI_DIST_DIST_KERNEL_H

#include <stddef.h>
#include <stdint.h>

enum {
	DIST_PAD = 32,
	/* The most samples at once, of 32 bits and one input; and of others. */
	DIST_BLOCK = 2048,
	DIST_BLOCK_REJECTING = 512,
	/* More places than samples in a list of rejected ones. */
	DIST_REJECTED_PAD = 16,
	DIST_DIGITS = 4, /* 128 binary digits of a probability */
};

/* What a kernel needs to know of the parameters, made once a call; which member, says the kernel's comment. */
struct dist_constants {
	double scale, shift; /* a sample x becomes x scale + shift */
	union {
		double power;                /* weibull: 1 / shape */
		double degrees;              /* student_t */
		double mean_trials;          /* geometric: -1 / ln(1 - p) */
		struct truncated_constants { /* truncated_normal, in units of std */
			double low, high;    /* bounds of the result before sign */
			double below, above; /* normal distribution below low, above high */
			double width;        /* and between them; narrow: of the interval; far: 1 - ratio */
			double sign;         /* -1: the interval was mirrored */
			double ratio;        /* far: tail above high over tail above low */
		} truncated;
		struct gamma_constants { /* Marsaglia and Tsang's d and c, 1 / shape where shape < 1 else 0 */
			double d, c, boost;
		} gamma[2];                         /* beta: of both */
		struct {                            /* poisson, binomial: Hoermann's transformed rejection */
			double a, b, centre, quick; /* k = floor((2a / us + b) U + centre), at once where V <= quick */
			double accept;              /* what V / (a / us^2 + b) is multiplied by */
			double mean, rest_mean;     /* of k and of trials - k */
			double trials;              /* poisson: none */
			double log_top;             /* binomial: corrections at the mode */
		} counts;
		struct {
			int64_t low;
			uint64_t range;        /* 0: 2^64 */
			uint64_t reject_below; /* 2^bits mod range */
		} randint;
		struct { /* bernoulli: the binary digits of p, 32 at a time */
			uint32_t digits[DIST_DIGITS];
			uint32_t certain; /* p = 1 */
		} bernoulli;
		struct {
			double most; /* the greatest value below high */
		} uniform16;
	};
	const void *table; /* of discrete distributions: dist_table.h */
};

/* inputs[j]: what word(k, d), d = attempt n_inputs + j, of each sample k became. n is a multiple of DIST_PAD, at most
 * DIST_BLOCK, or less; out has room for n samples. The numbers of the samples that are rejected go to ret_rejected,
 * their count is returned, and DIST_REJECTED_PAD places behind them may be overwritten; what out has for these is a
 * possible value all the same. */
typedef size_t dist_function(const struct dist_constants *constants, const void *const inputs[], unsigned attempt,
			     size_t n, void *ret_out, uint16_t *ret_rejected);

/* X(kernel): one for each width of the words, 32 bits (f32, i32, i8, f16, bf16) or 64 (f64, i64). */
#define DIST_KERNELS(X)                                                                                                \
	X(exponential_f32)                                                                                             \
	X(exponential_f64)                                                                                             \
	X(laplace_f32)                                                                                                 \
	X(laplace_f64)                                                                                                 \
	X(lognormal_f32) X(lognormal_f64) X(gumbel_f32) X(gumbel_f64) X(weibull_f32) X(weibull_f64) X(cauchy_f32)      \
		X(cauchy_f64) X(student_t_f32) X(student_t_f64) X(geometric_i64) X(truncated_f32) X(truncated_f64)     \
			X(truncated_narrow_f32) X(truncated_narrow_f64) X(truncated_far_f32) X(truncated_far_f64) X(   \
				radius64_f32) X(radius64_f64) X(gamma_f32) X(gamma_f64) X(gamma_boosted_f32)           \
				X(gamma_boosted_f64) X(beta_f32) X(beta_f64) X(beta_boosted_f32) X(beta_boosted_f64)   \
					X(gamma_log_f32) X(gamma_log_f64) X(poisson_i64) X(binomial_i64)               \
						X(discrete_i64) X(alias_i64) X(randint_i32) X(randint_i64)             \
							X(bernoulli_i8) X(bernoulli_i32) X(rademacher_i8)              \
								X(rademacher_i32) X(rademacher_f32) X(rademacher_f64)  \
									X(uniform_bf16) X(uniform_f16) X(normal_bf16)  \
										X(normal_f16) X(normal64_bf16)         \
											X(normal64_f16)

struct dist_kernel {
	const char *name;
	uint32_t needs;
#define X(kernel) dist_function *kernel;
	DIST_KERNELS(X)
#undef X
};

extern const struct dist_kernel dist_scalar, dist_avx2, dist_avx512, dist_neon;

/* All variants built in, best first, scalar last; and the first that the features allow. */
const struct dist_kernel *const *dist_kernels(size_t *ret_count);
const struct dist_kernel *dist_select(uint32_t features);

#endif
