/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms by products of contiguous rows: each has the bytes that it has alone, whatever its neighbours are, and
 * what lies between rows stays. Kernels that take whole blocks of rows meet rows here that they cannot take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpu.h"
#include "fft/precision/precision.h"
#include "gemm/kernel.h"

enum { MAX_N = 256, BATCH = 39, GAP = 3 };

static uint64_t state = 20261122;

static uint32_t random_bits(void)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (uint32_t)(state >> 32);
}

/* Returns a number whose exponent, of 0 to 255, is `exponent` or up to 20 less. */
static uint32_t random_float(uint32_t exponent)
{
	const uint32_t below = random_bits() % 21;

	return (random_bits() & 0x807FFFFF) | (exponent > below ? exponent - below : 0) << 23;
}

/* Rows with all exponents, and some with a number that has no place among them. */
static void fill_row(unsigned t, uint32_t *row, unsigned n)
{
	static const uint32_t exponents[] = {127, 1, 0, 2, 3, 4, 250, 251, 252, 253, 254, 64, 190};
	static const uint32_t odd_ones[] = {0x7FC00001, 0x7F800001, 0x7F800000, 0xFF800000, 0x7F7FFFFF, 0x00000001};
	const unsigned kind = t % 26;

	for (unsigned i = 0; i < 2 * n; i++)
		row[i] = kind == 8 ? 0 : random_float(kind < 13 ? exponents[kind] : 127);
	if (kind >= 20)
		row[random_bits() % (2 * n)] = odd_ones[kind - 20];
}

static void run(const struct fft_plan *plan, const struct fft_call *call)
{
	void *scratch = aligned_alloc(64, (fft_scratch_bytes(plan) + 63) & ~(size_t)63);
	struct fft_call with_work = *call;

	with_work.work = aligned_alloc(64, (fft_work_bytes(plan, call->batch) + 127) & ~(size_t)63);
	fft_run(plan, &with_work, scratch);
	free(with_work.work);
	free(scratch);
}

static void check_call(const struct fft_plan *plan, const char *name, unsigned n, double scale, bool inverse,
		       bool in_place)
{
	enum { MOST = BATCH * 2 * (MAX_N + GAP) };
	static uint32_t in[MOST], out[MOST], alone[2 * MAX_N];
	const size_t row = 2 * (n + GAP);
	struct fft_call call = {.in = in_place ? out : in,
				.out = out,
				.in_stride = 1,
				.out_stride = 1,
				.batch = BATCH,
				.in_distance = n + GAP,
				.out_distance = n + GAP,
				.inverse = inverse,
				.scale = scale};

	for (size_t i = 0; i < BATCH * row; i++)
		in[i] = 0xABCDEF01;
	for (unsigned t = 0; t < BATCH; t++)
		fill_row(t, in + t * row, n);
	memcpy(out, in, BATCH * row * sizeof *in);
	run(plan, &call);
	call.out = alone;
	call.batch = 1;
	for (unsigned t = 0; t < BATCH; t++) {
		call.in = in + t * row;
		run(plan, &call);
		if (memcmp(alone, out + t * row, 2 * n * sizeof *out))
			fail_msg("%s, n = %u, scale %g, inverse %d, in place %d: transform %u differs from the same "
				 "alone",
				 name, n, scale, inverse, in_place, t);
		for (size_t i = 2 * n; i < row; i++)
			assert_true(out[t * row + i] == 0xABCDEF01);
	}
}

static void check_kernel(const struct gemm_kernel *kernel)
{
	static const unsigned lengths[] = {16, 32, 64, 96, 256};
	static const enum precision modes[] = {PRECISION_BF16, PRECISION_OZAKI};
	static const double scales[] = {1, 0.37, -3e-38, 1e38};

	for (unsigned l = 0; l < sizeof lengths / sizeof *lengths; l++)
		for (unsigned m = 0; m < sizeof modes / sizeof *modes; m++) {
			char name[64];
			struct fft_plan *plan;

			snprintf(name, sizeof name, "%s on %s", precision_name(modes[m]), kernel->name);
			assert_int_equal(precision_plan_create(modes[m], lengths[l], kernel->needs, &plan), 0);
			while (fft_plan_step(plan) > 0)
				;
			for (unsigned i = 0; i < 8; i++)
				check_call(plan, name, lengths[l], scales[i / 2], i & 1, (i ^ i / 2) & 1);
			fft_plan_free(plan);
		}
}

static void test_rows(void **unused)
{
	size_t n_kernels;
	const struct gemm_kernel *const *kernels = gemm_kernels(&n_kernels);

	(void)unused;
	for (size_t v = 0; v < n_kernels; v++) {
		if (kernels[v]->needs & ~cpu_detect())
			printf("# %s: not on this CPU\n", kernels[v]->name);
		else
			check_kernel(kernels[v]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_rows)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
