/* SPDX-License-Identifier: Apache-2.0 */
/* The largest relative L2 errors of complex transforms in float32 and float64, beside FFTW in long double. The long run is
 * what tests/statistics/RESULTS.md states: every length to 2048, and beyond it powers of 2, 3, 5 and 7, mixed ones, primes, and
 * lengths that were found to be worse than others, to 2^22; on every variant that this CPU has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <fftw3.h>
#include <math.h>

#include "base/cpu.h"
#include "fft/fft.h"

enum { EVERY = 2048, SHORT_EVERY = 64, LONG = 1 << 16, VERY_LONG = 1 << 20 };
enum signal { NORMAL, SINUSOID, SCALED, SIGNALS };

static const char *const signals[SIGNALS] = {"normal", "sinusoid between bins", "1e-15 to 1e15"};

static const uint32_t lengths[] = {
	/* smooth */
	4096, 8192, 16384, 32768, 65536, 131072, 262144, 524288, 1048576, 2097152, 4194304, 2187, 6561, 19683, 59049,
	177147, 531441, 1594323, 3125, 15625, 78125, 390625, 1953125, 2401, 16807, 117649, 823543, 28561, 161051, 1771561,
	1000000, 360360, 720720, 3000000, 4084080, 44100, 48000, 96000, 1920000,
	/* by convolution: primes on either side of powers of two, twice and three times a prime, and others */
	2053, 4093, 4099, 8191, 8209, 16381, 16411, 32749, 32771, 65521, 65537, 131071, 131101, 262139, 262147, 294353,
	524287, 524309, 1000003, 1048573, 1048583, 2097143, 2097169, 4194301, 4106, 16382, 99990, 294001, 588706, 883059,
	2000006, 3000009, 3145739,
};
static const uint32_t short_lengths[] = {997, 2053, 4096, 32771, 59049, 65537};

struct worst {
	double error;
	size_t n;
	const char *signal, *level;
};

static uint64_t state;

static double uniform(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(state >> 11) * 0x1p-53 + 0x1p-54;
}

static double element(unsigned signal, size_t n, size_t j, unsigned part)
{
	const double turn = 2 * M_PI * fmod(((double)(n / 3) + 0.37) * (double)j / (double)n, 1);
	const double normal = sqrt(-2 * log(uniform())) * cos(2 * M_PI * uniform());

	if (signal == SINUSOID)
		return part ? sin(turn) : cos(turn);
	return signal == NORMAL ? normal : normal * pow(10, 30 * uniform() - 15);
}

/* One signal of one length: exact in float32, and its transform. */
struct bank {
	size_t n;
	double *in;
	fftwl_complex *out;
};

static struct bank bank_new(size_t n, unsigned signal)
{
	struct bank bank = {n, malloc(2 * n * sizeof(double)), fftwl_malloc(n * sizeof(fftwl_complex))};
	fftwl_plan plan;

	assert_non_null(bank.in);
	assert_non_null(bank.out);
	plan = fftwl_plan_dft_1d((int)n, bank.out, bank.out, FFTW_FORWARD, FFTW_ESTIMATE);
	state = 20261122 + n * SIGNALS + signal;
	for (size_t i = 0; i < 2 * n; i++) {
		bank.in[i] = (float)element(signal, n, i / 2, i % 2);
		bank.out[i / 2][i % 2] = bank.in[i];
	}
	fftwl_execute(plan);
	fftwl_destroy_plan(plan);
	return bank;
}

static void bank_free(struct bank *bank)
{
	free(bank->in);
	fftwl_free(bank->out);
}

static double get(const void *at, enum fft_precision precision, size_t i)
{
	return precision == FFT_F32 ? (double)((const float *)at)[i] : ((const double *)at)[i];
}

static void *memory(size_t bytes)
{
	void *at = aligned_alloc(64, (bytes + 127) / 64 * 64);

	assert_non_null(at);
	return at;
}

static double error_of(const struct bank *bank, enum fft_precision precision, uint32_t features)
{
	struct fft_plan *plan;
	void *x = memory(2 * bank->n * sizeof(double)), *scratch, *work;
	struct fft_call call = {.in = x, .out = x, .in_stride = 1, .in_distance = bank->n, .out_stride = 1,
				.out_distance = bank->n, .batch = 1, .scale = 1};
	long double wrong = 0, whole = 0;

	assert_int_equal(fft_plan_create(bank->n, precision, features, &plan), 0);
	while (fft_plan_step(plan) > 0)
		;
	call.work = work = memory(fft_work_bytes(plan, 1));
	scratch = memory(fft_scratch_bytes(plan));
	for (size_t i = 0; i < 2 * bank->n; i++)
		if (precision == FFT_F32)
			((float *)x)[i] = (float)bank->in[i];
		else
			((double *)x)[i] = bank->in[i];
	fft_run(plan, &call, scratch);
	for (size_t i = 0; i < 2 * bank->n; i++) {
		const long double exact = bank->out[i / 2][i % 2], d = get(x, precision, i) - exact;

		wrong += d * d;
		whole += exact * exact;
	}
	fft_plan_free(plan);
	free(work);
	free(scratch);
	free(x);
	return (double)sqrtl(wrong / whole);
}

/* One length on all levels, of which several may have the same kernels. */
static void measure(size_t n, struct worst worst[2])
{
	size_t n_levels;
	const struct cpu_level *levels = cpu_levels(&n_levels);

	for (unsigned signal = 0; signal < SIGNALS; signal++) {
		struct bank bank;

		/* Of long ones those that were worst before. */
		if ((n > LONG && signal == SCALED) || (n > VERY_LONG && signal != SINUSOID))
			continue;
		bank = bank_new(n, signal);
		for (size_t level = 0; level < n_levels; level++) {
			if (levels[level].features & ~(cpu_detect() & (CPU_AVX2 | CPU_AVX512 | CPU_NEON)))
				continue;
			for (enum fft_precision p = FFT_F32; p <= FFT_F64; p++) {
				const double error = error_of(&bank, p, levels[level].features);

				if (!(error <= fft_error_bound(n, p)))
					fail_msg("f%d on %s, %s, n = %zu: error %.3g, allowed is %.3g", p ? 64 : 32,
						 levels[level].name, signals[signal], n, error, fft_error_bound(n, p));
				if (error > worst[p].error)
					worst[p] = (struct worst){error, n, signals[signal], levels[level].name};
			}
		}
		bank_free(&bank);
	}
}

static void report(const char *range, const struct worst worst[2])
{
	for (unsigned p = 0; p < 2; p++)
		printf("# %s: f%u %.3g (n = %zu, %s, %s)\n", range, p ? 64 : 32, worst[p].error, worst[p].n,
		       worst[p].signal, worst[p].level);
	fflush(stdout);
}

static void test_errors(void **unused)
{
	const bool full = getenv("TRNSCI_FULL") != NULL;
	const uint32_t *some = full ? lengths : short_lengths;
	const size_t count = full ? sizeof lengths / sizeof *lengths : sizeof short_lengths / sizeof *short_lengths;
	struct worst every[2] = {{.error = 0}}, longer[2] = {{.error = 0}};

	(void)unused;
	for (size_t n = 1; n <= (full ? EVERY : SHORT_EVERY); n++)
		measure(n, every);
	report("every short length", every);
	for (size_t i = 0; i < count; i++)
		measure(some[i], longer);
	report("longer ones", longer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_errors)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
