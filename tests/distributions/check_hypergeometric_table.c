/* SPDX-License-Identifier: Apache-2.0 */
/* The table of a hypergeometric distribution decides as the kernel without it does, in every variant: for each value, and u
 * on both sides of what its table can decide. */
#include "distributions/tables/hypergeometric_table.h"

#include <math.h>

#include "base/cpu.h"
#include "distributions/draw/draw_fill.h"
#include "distributions/draw/draw_prepare.h"
#include "distributions/statistics.h"

enum { SAMPLES = 10000, AROUND = 16 };

static const uint64_t rows[][3] = {
	{100, 200, 120}, {30, 70, 40}, {70, 30, 60}, {1000, 1000, 1000}, {2000, 1000000000000000, 500000000000000},
	{1000000000000000, 40, 500000000000000}, {1000000000000000, 999999999999999, 2047}, {4000, 1000, 2040}, {22, 22, 22},
};

static struct draw draw_of(const uint64_t row[3])
{
	struct draw draw = {.distribution = DIST_HYPERGEOMETRIC, .dtype = DTYPE_I64, .stream = {.seed = 3}};

	for (unsigned j = 0; j < 3; j++)
		draw.parameters[j].natural = row[j];
	return draw;
}

static struct hypergeometric_table *table_of(struct draw *draw)
{
	struct dist_fault fault;
	void *table = NULL;

	assert_int_equal(draw_prepare(draw, NULL, 0, &table, &fault), 0);
	assert_non_null(table);
	return table;
}

static void samples_are_those_without(void **state)
{
	static int64_t with[SAMPLES], without[SAMPLES];
	struct draw_kernels kernels;

	(void)state;
	draw_select(cpu_detect(), &kernels);
	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		struct draw draw = draw_of(rows[r]);
		struct hypergeometric_table *table = table_of(&draw);

		draw_fill(&kernels, &draw, 5, SAMPLES, with);
		draw.table = NULL;
		draw_fill(&kernels, &draw, 5, SAMPLES, without);
		assert_memory_equal(with, without, sizeof with);
		free(table);
	}
}

/* Words whose candidate is x, at numbers u around accept[x] that differ by steps of 2^-24 to 2^-17. */
static void words_at(const struct hypergeometric *h, const struct hypergeometric_table *table, size_t x, uint64_t u[AROUND],
		     uint64_t v[AROUND])
{
	const double all = h->few + h->many, p = h->few / all;
	const double spread = sqrt(h->drawn * p * (h->many / all) * ((all - h->drawn) / (all - 1)) + 0.5);
	const double centre = h->drawn * p + 0.5, width = 1.7155277699214135 * spread + 0.8989161620588988;

	for (int i = 0; i < AROUND; i++) {
		const double step = ldexp(i % 2 ? 1 : -1, -24 + i / 2), some = table->accept[x] * (1 + 0x1p-20) * (1 + step);
		const double at = fmin(some, 0.999), fraction = ((double)x + 0.5 - centre) * at / width;

		u[i] = (uint64_t)(int64_t)ldexp(at, 63);
		v[i] = (uint64_t)(int64_t)ldexp(fmax(fmin(fraction, 0.499), -0.499), 64);
	}
}

static void expect_same(const struct dist_kernel *kernel, const struct dist_constants *k, const uint64_t row[3], const uint64_t *u,
			const uint64_t *v)
{
	double parameters[3][AROUND];
	const void *const inputs[] = {u, v, NULL, NULL, NULL, NULL, parameters[0], parameters[1], parameters[2]};
	uint16_t rejected[2][AROUND + DIST_REJECTED_PAD];
	int64_t out[2][AROUND];

	for (size_t i = 0; i < 3 * AROUND; i++)
		parameters[i / AROUND][i % AROUND] = (double)row[i / AROUND];
	const size_t n = kernel->hypergeometric[DTYPE_I64](k, inputs, 0, AROUND, out[0], rejected[0]);

	assert_int_equal(kernel->hypergeometric_per_sample[DTYPE_I64](k, inputs, 0, AROUND, out[1], rejected[1]), n);
	assert_memory_equal(rejected[0], rejected[1], n * sizeof **rejected);
	assert_memory_equal(out[0], out[1], sizeof out[0]);
}

static void numbers_at_the_bound_are_decided_alike(void **state)
{
	size_t count;
	const struct dist_kernel *const *kernels = dist_kernels(&count);
	uint64_t u[AROUND], v[AROUND];

	(void)state;
	for (size_t r = 0; r < sizeof rows / sizeof *rows; r++) {
		struct draw draw = draw_of(rows[r]);
		struct hypergeometric_table *table = table_of(&draw);
		const double good = (double)rows[r][0], bad = (double)rows[r][1], sample = (double)rows[r][2];
		const struct hypergeometric h = hypergeometric_reduce(good, bad, sample);
		const struct dist_constants k = {.hypergeometric = {good, bad, sample}, .table = table};

		for (size_t x = 0; x < table->n; x++)
			for (size_t i = 0; table->accept[x] > 0x1p-60 && i < count; i++) {
				words_at(&h, table, x, u, v);
				if ((kernels[i]->needs & ~cpu_detect()) == 0)
					expect_same(kernels[i], &k, rows[r], u, v);
			}
		free(table);
	}
}

/* Inverted distributions and wide ones have none. */
static void few_values_have_a_table(void **state)
{
	static const uint64_t none[][3] = {{100, 200, 9}, {3, 1000, 500}, {5000, 5000, 5000}, {0, 0, 0}, {7, 0, 3}};

	(void)state;
	for (size_t r = 0; r < sizeof none / sizeof *none; r++) {
		const struct hypergeometric h = hypergeometric_reduce((double)none[r][0], (double)none[r][1], (double)none[r][2]);

		assert_false(hypergeometric_fits(&h));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples_are_those_without),
		cmocka_unit_test(numbers_at_the_bound_are_decided_alike),
		cmocka_unit_test(few_values_have_a_table),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
