/* SPDX-License-Identifier: Apache-2.0 */
/* Permutations: bijections of any size, independent one after another, each order of a small one as likely. */
#include "distributions/rows/permutation.h"

#include "distributions/orders.h"
#include "distributions/statistics.h"

static struct draw_kernels best(void)
{
	struct draw_kernels kernels;

	draw_select(cpu_detect(), &kernels);
	return kernels;
}

static struct draw permutation_of(uint64_t items, uint64_t seed)
{
	return (struct draw){
		DIST_PERMUTATION, DTYPE_I64, {GENERATOR_THREEFRY4X32, seed, 0}, {{.natural = items}}, NULL, NULL, NULL};
}

static void every_item_occurs_once(void **state)
{
	static const uint64_t sizes[] = {1, 2, 3, 52, 1000, 1023, 1024, 1025, 1026, 4096, 5000, 65536, 100003, 1 << 20};
	const struct draw_kernels kernels = best();

	(void)state;
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		const uint64_t n = sizes[s];
		const struct draw draw = permutation_of(n, 5 + s);
		int64_t *x = malloc(2 * n * sizeof *x);
		unsigned char *seen = calloc(n, 1);

		draw_fill(&kernels, &draw, n, 2 * n, x);
		for (uint64_t i = 0; i < 2 * n; i++) {
			if (x[i] < 0 || (uint64_t)x[i] >= n || seen[x[i]] != i / n)
				fail_msg("%llu items: element %llu is %lld, out of range or given before",
					 (unsigned long long)n, (unsigned long long)i, (long long)x[i]);
			seen[x[i]]++;
		}
		free(x);
		free(seen);
	}
}

/* Parts of huge permutations, at any index, are in range and repeat no item. */
static void huge_permutations_repeat_no_item(void **state)
{
	static const uint64_t sizes[] = {(1ull << 32) - 5, 1ull << 32, (1ull << 32) + 15, 1ull << 40, 1ull << 62};
	static double x[20000];
	static int64_t raw[20000];
	const struct draw_kernels kernels = best();

	(void)state;
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		const struct draw draw = permutation_of(sizes[s], 50 + s);

		draw_fill(&kernels, &draw, sizes[s] - 20000, 20000, raw);
		for (size_t i = 0; i < 20000; i++) {
			assert_true(raw[i] >= 0 && (uint64_t)raw[i] < sizes[s]);
			x[i] = (double)raw[i];
		}
		qsort(x, 20000, sizeof *x, order_of);
		for (size_t i = 0; i + 1 < 20000; i++)
			assert_true(sizes[s] > 1ull << 52 || x[i] < x[i + 1]);
		for (size_t i = 0; i < 20000; i++)
			x[i] /= (double)sizes[s];
		if (ks_tail(ks_uniform(x, 20000)) < 1e-4)
			fail_msg("%llu items: their last 20000 images are not spread evenly",
				 (unsigned long long)sizes[s]);
	}
}

/* Every order, parity and pairs of small permutations, over keys (one each hundred) and consecutive permutations. */
static void small_orders_are_equally_likely(void **state)
{
	enum { EACH = 100 };
	const struct draw_kernels kernels = best();
	int64_t *x = malloc((size_t)EACH * ORDERS_MOST_ITEMS * sizeof *x);
	uint16_t *orders = malloc(ORDERS_MOST_BYTES);

	(void)state;
	for (unsigned n = 2; n <= ORDERS_MOST_ITEMS; n = orders_next(n)) {
		const size_t count = orders_count(n);

		for (size_t i = 0; i < count; i += EACH) {
			const struct draw draw = permutation_of(n, 9 + i);

			draw_fill(&kernels, &draw, n * i, n * (size_t)EACH, x);
			for (size_t e = 0; e < n * (size_t)EACH; e++)
				orders[n * i + e] = (uint16_t)x[e];
		}
		orders_are_fair("permutation", n, count, orders);
	}
	free(orders);
	free(x);
}

/* Networks over many keys: where an index goes, where two neighbours go together, fixed points. */
static void large_permutations_look_random(void **state)
{
	enum { ITEMS = 1500, KEYS = 6000, CELLS = 50 };
	static int64_t x[ITEMS];
	static double where[CELLS], together[CELLS * CELLS / 25], parity[2];
	const struct draw_kernels kernels = best();
	double fixed = 0, cycles = 0;

	(void)state;
	for (uint64_t key = 0; key < KEYS; key++) {
		const struct draw draw = permutation_of(ITEMS, 1000 + key);
		unsigned char seen[ITEMS] = {0};
		int length_parity = 0;

		draw_fill(&kernels, &draw, 0, ITEMS, x);
		where[x[777] * CELLS / ITEMS]++;
		together[x[10] * 10 / ITEMS * 10 + x[11] * 10 / ITEMS]++;
		for (int64_t i = 0; i < ITEMS; i++) {
			fixed += x[i] == i;
			if (seen[i])
				continue;
			cycles++;
			length_parity ^= 1;
			for (int64_t j = i; !seen[j]; j = x[j])
				seen[j] = 1;
		}
		/* ITEMS is even: an odd number of cycles makes an odd permutation. */
		parity[length_parity]++;
	}
	chi_is_fair("image of one index", where, CELLS, KEYS / (double)CELLS);
	chi_is_fair("images of two neighbours", together, 100, KEYS / 100.0);
	chi_is_fair("parity", parity, 2, KEYS / 2.0);
	/* Fixed points: mean and variance 1. Cycles: the harmonic number 7.89, variance 6.25. */
	if (fabs(fixed - KEYS) > 4 * sqrt(KEYS) || fabs(cycles - KEYS * 7.890796) > 4 * sqrt(KEYS * 6.2465))
		fail_msg("%d permutations: %.0f fixed points, expected %d; %.0f cycles, expected %.0f", KEYS, fixed,
			 KEYS, cycles, KEYS * 7.890796);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_item_occurs_once),
		cmocka_unit_test(huge_permutations_repeat_no_item),
		cmocka_unit_test(small_orders_are_equally_likely),
		cmocka_unit_test(large_permutations_look_random),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
