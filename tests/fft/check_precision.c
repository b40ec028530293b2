/* SPDX-License-Identifier: Apache-2.0 */
/* Every precision mode's error beside its bounds, on every variant: random, impulse, sinusoid and badly scaled inputs,
 * held against the defining sum in long double. The table is printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <math.h>

#include "base/cpu.h"
#include "base/error.h"
#include "fft/precision/precision.h"
#include "gemm/kernel.h"
#include "harness/sanitized.h"

enum { N_RANDOM = 64, MAX_N = PRECISION_MAX_GEMM };

enum input { IMPULSE, SINUSOID, BETWEEN_BINS, CONSTANT, ALTERNATING, SPIKE, BADLY_SCALED, TINY, HUGE_ONES, INPUTS };

static const char *const input_names[INPUTS] = {
	"impulse",        "sinusoid",      "between bins", "constant", "alternating",
	"spike in noise", "1e-30 to 1e30", "tiny",         "huge",
};

static const unsigned lengths[] = {64, 128, 256, 1, 2, 3, 5, 8, 30, 31, 100, 127, 200, 255};
enum { N_LENGTHS = sizeof lengths / sizeof *lengths };

static uint64_t state;

static double uniform(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(state >> 11) * 0x1p-53 + 0x1p-54;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());
}

static float element(enum input input, unsigned n, unsigned j, unsigned which, unsigned part)
{
	const double turn = 2 * M_PI * j / n, sign = part ? -0.7 : 1;

	switch (input) {
	case IMPULSE:
		return (float)(j == (which * 7 + 1) % n ? 1.7 * sign : 0);
	case SINUSOID:
		return (float)(part ? sin(turn * (which * 5 + 1)) : cos(turn * (which * 5 + 1)));
	case BETWEEN_BINS:
		return (float)(part ? 0 : sin(turn * (which + 0.37)));
	case CONSTANT:
		return (float)(sign * (1 + 0.003 * which));
	case ALTERNATING:
		return (float)(j % 2 ? -1.003 : 1.003);
	case SPIKE:
		return (float)(normal() * pow(10, -1.0 - 2 * which) + (j == n / 3) * 1.00390624);
	case BADLY_SCALED:
		return (float)(normal() * pow(10, 60 * uniform() - 30));
	case TINY:
		return (float)(normal() * 1e-37);
	default:
		return (float)(normal() * 1e36 / n);
	}
}

/* Inputs and their transforms of one length: N_RANDOM random ones, then `each` of every other kind. */
struct bank {
	unsigned n, each, count;
	double *in;
	long double *out; /* forward */
};

static void transform(unsigned n, const double *in, long double (*roots)[2], long double *out)
{
	for (unsigned k = 0; k < n; k++) {
		long double re = 0, im = 0;

		for (unsigned j = 0; j < n; j++) {
			const long double *root = roots[(uint64_t)j * k % n];

			re += in[2 * j] * root[0] - in[2 * j + 1] * root[1];
			im += in[2 * j] * root[1] + in[2 * j + 1] * root[0];
		}
		out[2 * k] = re;
		out[2 * k + 1] = im;
	}
}

static struct bank bank_new(unsigned n)
{
	struct bank bank = {.n = n, .each = 4};
	long double roots[MAX_N][2];

	bank.count = N_RANDOM + INPUTS * bank.each;
	bank.in = malloc(bank.count * 2 * n * sizeof *bank.in);
	bank.out = malloc(bank.count * 2 * n * sizeof *bank.out);
	assert_non_null(bank.in);
	assert_non_null(bank.out);
	for (unsigned j = 0; j < n; j++) {
		roots[j][0] = cosl(2 * acosl(-1) * j / n);
		roots[j][1] = -sinl(2 * acosl(-1) * j / n);
	}
	state = 20261120 + n;
	for (unsigned t = 0; t < bank.count; t++) {
		double *in = bank.in + t * 2 * n;

		for (unsigned i = 0; i < 2 * n; i++)
			in[i] = t < N_RANDOM ? (float)normal()
					     : element((t - N_RANDOM) / bank.each, n, i / 2, t % bank.each, i % 2);
		transform(n, in, roots, bank.out + t * 2 * n);
	}
	return bank;
}

static void bank_free(struct bank *bank)
{
	free(bank->in);
	free(bank->out);
}

static struct fft_plan *plan_new(unsigned n, enum precision mode, uint32_t features)
{
	struct fft_plan *plan;

	assert_int_equal(precision_plan_create(mode, n, features, &plan), 0);
	while (fft_plan_step(plan) > 0)
		;
	return plan;
}

static bool is_wide(enum precision mode)
{
	return mode == PRECISION_KAHAN || precision_is_wide(mode);
}

static void run(const struct fft_plan *plan, const void *in, void *out, unsigned n, unsigned batch, bool inverse)
{
	struct fft_call call = {.in = in,
				.out = out,
				.in_stride = 1,
				.out_stride = 1,
				.in_distance = n,
				.out_distance = n,
				.batch = batch,
				.inverse = inverse,
				.scale = 1};
	void *scratch = aligned_alloc(64, (fft_scratch_bytes(plan) + 127) & ~(size_t)63);

	call.work = aligned_alloc(64, (fft_work_bytes(plan, batch) + 127) & ~(size_t)63);
	assert_true(fft_scratch_bytes(plan) <= 512 << 10);
	fft_run(plan, &call, scratch);
	free(call.work);
	free(scratch);
}

/* All transforms of a bank in one batch, as doubles. Inverse: conjugated in and out, so that it is the same sum. */
static void run_bank(const struct bank *bank, enum precision mode, uint32_t features, bool inverse, double *out)
{
	struct fft_plan *plan = plan_new(bank->n, mode, features);
	const size_t reals = (size_t)bank->count * 2 * bank->n;
	double *wide = malloc(reals * sizeof *wide);
	float *narrow = malloc(reals * sizeof *narrow);

	for (size_t i = 0; i < reals; i++) {
		wide[i] = inverse && i % 2 ? -bank->in[i] : bank->in[i];
		narrow[i] = (float)wide[i];
	}
	if (is_wide(mode))
		run(plan, wide, wide, bank->n, bank->count, inverse);
	else
		run(plan, narrow, narrow, bank->n, bank->count, inverse);
	for (size_t i = 0; i < reals; i++) {
		out[i] = is_wide(mode) ? wide[i] : narrow[i];
		if (mode == PRECISION_KAHAN)
			out[i] = (float)out[i];
		if (inverse && i % 2)
			out[i] = -out[i];
	}
	free(wide);
	free(narrow);
	fft_plan_free(plan);
}

/* Relative L2 error over `count` transforms from `first`. */
static double error_of(const struct bank *bank, const double *out, unsigned first, unsigned count)
{
	long double sum = 0, whole = 0;

	for (size_t i = (size_t)first * 2 * bank->n; i < (size_t)(first + count) * 2 * bank->n; i++) {
		sum += (out[i] - bank->out[i]) * (out[i] - bank->out[i]);
		whole += bank->out[i] * bank->out[i];
	}
	return sum == 0 ? 0 : (double)sqrtl(sum / whole);
}

struct worst {
	double random, any;
	unsigned random_n, n;
	const char *input;
};

static void hold_bank(const struct bank *bank, enum precision mode, const char *name, uint32_t features, bool inverse,
		      struct worst *worst)
{
	double *out = malloc(sizeof *out * bank->count * 2 * bank->n);
	const double random_bound = precision_bound_random(mode), bound = precision_bound(mode, bank->n);
	double error;

	run_bank(bank, mode, features, inverse, out);
	error = error_of(bank, out, 0, N_RANDOM);
	if (bank->n >= 64 && !(error <= random_bound))
		fail_msg("%s on %s, random, n = %u: error %.3g, allowed is %.3g", precision_name(mode), name, bank->n,
			 error, random_bound);
	if (bank->n >= 64 && error > worst->random)
		worst->random = error, worst->random_n = bank->n;
	for (unsigned t = 0; t < bank->count; t++) {
		const char *input = t < N_RANDOM ? "random" : input_names[(t - N_RANDOM) / bank->each];

		error = error_of(bank, out, t, 1);
		if (!(error <= bound))
			fail_msg("%s on %s, %s (%u), n = %u: error %.3g, allowed is %.3g", precision_name(mode), name,
				 input, t, bank->n, error, bound);
		if (error > worst->any)
			worst->any = error, worst->n = bank->n, worst->input = input;
	}
	free(out);
}

static void test_bounds(void **unused)
{
	struct worst worst[PRECISIONS] = {0};
	size_t n_kernels;
	const struct gemm_kernel *const *kernels = gemm_kernels(&n_kernels);

	(void)unused;
	for (unsigned l = 0; l < N_LENGTHS; l++) {
		if (SANITIZED && lengths[l] > 128)
			continue; /* the sum in long double grows by n^2: left to the other builds */
		struct bank bank = bank_new(lengths[l]);

		for (size_t v = 0; v < n_kernels; v++) {
			if (kernels[v]->needs & ~cpu_detect()) {
				if (l == 0)
					printf("# %s: not run, this CPU lacks it\n", kernels[v]->name);
				continue;
			}
			/* Plain C gives the bytes of the others, which another test shows: short ones here. */
			if (kernels[v]->needs == 0 && lengths[l] > 64 && !getenv("TRNSCI_FULL"))
				continue;
			for (enum precision mode = 0; mode < PRECISIONS; mode++)
				hold_bank(&bank, mode, kernels[v]->name, kernels[v]->needs, l % 2, &worst[mode]);
		}
		bank_free(&bank);
	}
	for (enum precision mode = 0; mode < PRECISIONS; mode++)
		printf("# %-12s random %.2g (n = %u; allowed %.2g), worst %.2g (%s, n = %u; guaranteed %.2g)\n",
		       precision_name(mode), worst[mode].random, worst[mode].random_n, precision_bound_random(mode),
		       worst[mode].any, worst[mode].input, worst[mode].n, precision_bound(mode, 1));
}

/* One mode and length: the input of all variants, and the bytes of transform 0 on the first. */
struct bytes {
	enum precision mode;
	unsigned n;
	size_t size; /* of an element */
	char *in, *out, *one, *first;
};

enum { BYTES_BATCH = 53, BYTES_STRIDE = 3 };

static struct bytes bytes_new(enum precision mode, unsigned n)
{
	const size_t size = precision_is_wide(mode) ? 16 : 8, all = (size_t)BYTES_BATCH * n * BYTES_STRIDE;
	struct bytes b = {mode, n, size, malloc(all * size), malloc(all * size), malloc(n * size), NULL};

	state = n + mode;
	for (size_t i = 0; i < all * 2; i++)
		if (precision_is_wide(mode))
			((double *)(void *)b.in)[i] = normal();
		else
			((float *)(void *)b.in)[i] = (float)normal();
	return b;
}

static void bytes_free(struct bytes *b)
{
	free(b->first);
	free(b->one);
	free(b->out);
	free(b->in);
}

/* Transform t alone, against its place in the batch. */
static void expect_alone(const struct bytes *b, const struct gemm_kernel *kernel, const struct fft_plan *plan,
			 const struct fft_call *call, unsigned t, void *scratch)
{
	struct fft_call alone = *call;

	alone.in = b->in + t * b->size;
	alone.out = b->one;
	alone.out_stride = alone.batch = 1;
	fft_run(plan, &alone, scratch);
	for (unsigned k = 0; k < b->n; k++)
		if (memcmp(b->one + k * b->size, b->out + ((size_t)t * b->n + k) * BYTES_STRIDE * b->size, b->size))
			fail_msg("%s on %s, n = %u: transform %u alone differs at %u", precision_name(b->mode),
				 kernel->name, b->n, t, k);
}

/* Tiles add up in an order of their own, except where sums are exact. The residual's float32 product is fused or not,
 * by the instruction set. */
static void expect_first(struct bytes *b, const struct gemm_kernel *kernel)
{
	if (kernel->tiled && b->mode != PRECISION_OZAKI_HQ && b->mode != PRECISION_OZAKI_FP64)
		return;
	if (!b->first)
		b->first = memcpy(malloc(b->n * b->size), b->one, b->n * b->size);
	else if ((b->mode != PRECISION_BF16_REFINED || kernel->needs) && memcmp(b->first, b->one, b->n * b->size))
		fail_msg("%s on %s, n = %u: other bytes than on the first variant", precision_name(b->mode),
			 kernel->name, b->n);
}

static void check_bytes(struct bytes *b, const struct gemm_kernel *kernel)
{
	struct fft_plan *plan = plan_new(b->n, b->mode, kernel->needs);
	void *scratch = aligned_alloc(64, (fft_scratch_bytes(plan) + 63) & ~(size_t)63);
	const struct fft_call call = {
		.in = b->in,
		.out = b->out,
		.in_stride = BYTES_BATCH,
		.in_distance = 1,
		.out_stride = BYTES_STRIDE,
		.out_distance = (size_t)BYTES_STRIDE * b->n,
		.batch = b->n == 256 && !kernel->needs ? 3 : BYTES_BATCH,
		.inverse = true,
		.scale = 0.37,
		.work = aligned_alloc(64, (fft_work_bytes(plan, BYTES_BATCH) + 127) & ~(size_t)63),
	};

	fft_run(plan, &call, scratch);
	for (unsigned t = 0; t < call.batch; t += 2) {
		expect_alone(b, kernel, plan, &call, t, scratch);
		if (t == 0)
			expect_first(b, kernel);
	}
	free(call.work);
	free(scratch);
	fft_plan_free(plan);
}

/* The bytes of a transform: alone, and anywhere in a batch with strides; on every variant the same. */
static void test_bytes(void **unused)
{
	static const unsigned some[] = {1, 7, 33, 64, 256};
	size_t n_kernels;
	const struct gemm_kernel *const *kernels = gemm_kernels(&n_kernels);

	(void)unused;
	for (unsigned l = 0; l < sizeof some / sizeof *some; l++)
		for (enum precision mode = PRECISION_BF16; mode < PRECISIONS; mode++) {
			struct bytes b = bytes_new(mode, some[l]);

			for (size_t v = 0; v < n_kernels; v++)
				if (!(kernels[v]->needs & ~cpu_detect()))
					check_bytes(&b, kernels[v]);
			bytes_free(&b);
		}
}

static void test_not_finite(void **unused)
{
	enum { N = 64, BATCH = 9 };
	float in[BATCH * N * 2], clean[BATCH * N * 2], out[BATCH * N * 2];
	double wide[BATCH * N * 2];

	(void)unused;
	for (unsigned i = 0; i < BATCH * N * 2; i++)
		in[i] = (float)normal();
	for (enum precision mode = PRECISION_BF16; mode < PRECISIONS; mode++)
		for (unsigned pass = 0; pass < 2; pass++) {
			struct fft_plan *plan = plan_new(N, mode, cpu_detect());

			for (unsigned i = 0; i < BATCH * N * 2; i++)
				wide[i] = in[i];
			if (pass) {
				wide[1 * N * 2 + 5] = NAN;
				wide[4 * N * 2 + 8] = INFINITY;
				wide[7 * N * 2] = -INFINITY;
			}
			for (unsigned i = 0; i < BATCH * N * 2; i++)
				out[i] = (float)wide[i];
			if (precision_is_wide(mode))
				run(plan, wide, wide, N, BATCH, false);
			else
				run(plan, out, out, N, BATCH, false);
			for (unsigned i = 0; i < BATCH * N * 2; i++) {
				const float got = precision_is_wide(mode) ? (float)wide[i] : out[i];
				const unsigned t = i / (2 * N);

				if (!pass)
					clean[i] = got;
				else if (t == 1 || t == 4 || t == 7 ? isfinite(got) : got != clean[i])
					fail_msg("%s: transform %u, element %u is %g, without NaN elsewhere %g",
						 precision_name(mode), t, i / 2 % N, got, clean[i]);
			}
			fft_plan_free(plan);
		}
}

static void test_choice(void **unused)
{
	static const struct {
		double target, rounding;
		uint64_t n;
		unsigned transforms;
		int expected; /* -1: none */
	} cases[] = {
		{1e-2, 0, 64, 1, PRECISION_FAST},
		{1e-6, 0, 1 << 20, 1, PRECISION_FAST},
		{9.9e-7, 0, 64, 1, PRECISION_KAHAN},
		{1e-7, 0, 64, 1, PRECISION_KAHAN},
		{9.9e-8, 0, 64, 1, PRECISION_DOUBLE},
		{1e-14, 0, 1000, 1, PRECISION_DOUBLE},
		{9.9e-15, 0, 256, 1, PRECISION_OZAKI_FP64},
		{8.4e-15, 0, 256, 1, PRECISION_OZAKI_FP64},
		{9.9e-15, 0, 257, 1, -1},
		{8.3e-15, 0, 64, 1, -1},
		{1e-6, 0, 64, 2, PRECISION_KAHAN},
		{1e-6, 0x1p-24, 64, 1, PRECISION_KAHAN},
		{2e-14, 0, 300, 2, PRECISION_DOUBLE},
	};
	char names[256] = "";

	(void)unused;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		enum precision got = PRECISIONS;
		const int rc =
			precision_for_target(cases[i].target, cases[i].n, cases[i].transforms, cases[i].rounding, &got);

		if ((rc < 0) != (cases[i].expected < 0) || (rc == 0 && (int)got != cases[i].expected))
			fail_msg("case %zu: expected %d, got %d (%d)", i, cases[i].expected, (int)got, rc);
	}
	for (enum precision p = 0; p < PRECISIONS; p++) {
		const enum precision serving = precision_serving(p, 257);

		strcat(strcat(names, p ? "|" : ""), precision_name(p));
		assert_false(precision_is_gemm(serving));
		assert_int_equal(precision_serving(p, 256), p);
		assert_true(precision_bound(serving, 257) <= precision_bound(p, 256) || p == PRECISION_OZAKI_FP64);
	}
	assert_string_equal(names, PRECISION_CHOICES);
	/* One table, and the plans' own. */
	assert_true(precision_bound(PRECISION_FAST, 300) == fft_error_bound(300, FFT_F32));
	assert_true(precision_bound(PRECISION_DOUBLE, 300) == fft_error_bound(300, FFT_F64));
	/* The first stage's error goes through the second as well. */
	assert_true(precision_bound_in_row(PRECISION_BF16, 2, 0) > 2 * precision_bound(PRECISION_BF16, 64));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_not_finite),
		cmocka_unit_test(test_choice),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
