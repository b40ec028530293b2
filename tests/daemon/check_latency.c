/* SPDX-License-Identifier: Apache-2.0 */
/* Histograms of latencies: percentiles are right within 1/16 at any scale. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "latency.h"

static const double shares[] = {0, 0.001, 0.5, 0.99, 0.999, 1};

/* Of 1 to n, times scale. */
static void fits(uint64_t n, uint64_t scale)
{
	struct latency *latency = calloc(1, sizeof *latency);

	assert_non_null(latency);
	for (uint64_t i = 1; i <= n; i++)
		latency_add(latency, i * scale);
	assert_int_equal(latency->count, n);
	assert_int_equal(latency->total_ns, n * (n + 1) / 2 * scale);
	assert_int_equal(latency->max_ns, n * scale);
	for (size_t i = 0; i < sizeof shares / sizeof *shares; i++) {
		const double exact = shares[i] * (double)n < 1 ? (double)scale : shares[i] * (double)n * (double)scale;
		const double found = (double)latency_percentile(latency, shares[i]);

		assert_true(found >= exact * (1 - 1e-12) && found <= exact * (1 + 1.0 / LATENCY_STEPS) + (double)scale);
	}
	assert_int_equal(latency_percentile(latency, 1), n * scale);
	free(latency);
}

static void test_percentiles(void **state)
{
	(void)state;
	fits(1, 1);
	fits(7, 1);
	fits(100000, 1);
	fits(100000, 1000);
	fits(1000, UINT64_C(1) << 40);
}

static void test_extremes(void **state)
{
	struct latency *latency = calloc(1, sizeof *latency);

	(void)state;
	assert_non_null(latency);
	assert_int_equal(latency_percentile(latency, 0.5), 0);
	latency_add(latency, 0);
	assert_int_equal(latency_percentile(latency, 1), 0);
	latency_add(latency, UINT64_MAX);
	assert_true(latency_percentile(latency, 1) == UINT64_MAX);
	for (unsigned bit = 0; bit < 64; bit++)
		latency_add(latency, UINT64_C(1) << bit);
	assert_int_equal(latency->count, 66);
	free(latency);
}

/* The least time of each entry, and the one before the next entry's, are counted there. */
static void test_histogram(void **state)
{
	struct latency *latency = calloc(1, sizeof *latency);
	struct bump *bump = bump_new();
	struct value map = value_map();
	const struct value *list;

	(void)state;
	assert_non_null(latency);
	assert_non_null(bump);
	assert_int_equal(latency_show(latency, bump, &map), 0);
	assert_int_equal(value_get(&map, "histogram")->array.count, 0);
	for (unsigned i = 8; i < 200; i++)
		for (unsigned side = 0; side < 2; side++) {
			const unsigned at = i + side;

			latency_add(latency, (((uint64_t)1 << at / 4) + (at % 4 * ((uint64_t)1 << at / 4) >> 2)) - side);
		}
	map = value_map();
	assert_int_equal(latency_show(latency, bump, &map), 0);
	list = value_get(&map, "histogram");
	assert_int_equal(list->array.count, 200);
	for (unsigned i = 0; i < 200; i++)
		if (list->array.at[i].u != (i < 8 ? 0 : 2))
			fail_msg("entry %u: expected %u, got %llu", i, i < 8 ? 0 : 2, (unsigned long long)list->array.at[i].u);
	bump_free(bump);
	free(latency);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_percentiles), cmocka_unit_test(test_extremes),
					  cmocka_unit_test(test_histogram)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
