/* SPDX-License-Identifier: Apache-2.0 */
/* Latin hypercubes against their definition: one point in each cell of each dimension, every order of cells as likely
 * as any other, over keys and over dimensions. */
#include "distributions/quasi/latin_hypercube.h"

#include <math.h>

#include "distributions/draw/draw_fill.h"
#include "distributions/orders.h"
#include "distributions/rows/permutation.h"
#include "distributions/quasi/points.h"

static struct points_settings settings_of(uint32_t dims, enum points_scramble scramble)
{
	return (struct points_settings){
		.kind = POINTS_LHS,
		.dtype = DTYPE_F64,
		.dims = dims,
		.scramble = scramble,
		.stream = {GENERATOR_PHILOX4X32, 11, 2},
	};
}

static struct points *make(const struct points_settings *settings)
{
	struct points *points;

	assert_int_equal(points_create(settings, cpu_detect(), &points), 0);
	return points;
}

static void check_design(uint32_t n, enum points_scramble scramble)
{
	enum { DIMS = 5 };
	struct points_settings settings = settings_of(DIMS, scramble);
	struct points *points;
	double *x = malloc((size_t)n * DIMS * sizeof *x);
	unsigned char *seen = malloc(n);

	assert_true(x && seen);
	settings.n = n;
	points = make(&settings);
	points_fill(points, 0, (size_t)n * DIMS, x);
	for (unsigned j = 0; j < DIMS; j++) {
		memset(seen, 0, n);
		for (uint32_t i = 0; i < n; i++) {
			const double at = x[(size_t)i * DIMS + j];
			uint32_t cell = (uint32_t)(at * n);

			/* The cell whose ends, divided as the coordinates are, hold it. */
			if (at < (double)cell / n)
				cell--;
			else if (at >= (cell + 1.0) / n)
				cell++;
			if (cell >= n || seen[cell]++)
				fail_msg("%u points, dimension %u: a cell is taken twice by point %u", n, j, i);
			if (scramble == SCRAMBLE_PLAIN)
				assert_true(at == (cell + 0.5) / n);
		}
	}
	free(seen);
	free(x);
	points_free(points);
}

static void designs_are_latin(void **state)
{
	static const uint32_t sizes[] = {1, 2, 3, 4, 5, 7, 16, 17, 100, 1000, 4097, 65536, 100003};

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
		check_design(sizes[i], SCRAMBLE_PLAIN);
		check_design(sizes[i], SCRAMBLE_JITTER);
	}
}

/* Coordinates of neighbouring cells differ, and are below 1. */
static void largest_design_keeps_cells_apart(void **state)
{
	struct points_settings settings = settings_of(2, SCRAMBLE_JITTER);
	struct points *points;

	(void)state;
	settings.n = UINT64_C(1) << 32;
	points = make(&settings);
	for (uint64_t i = settings.n - 1000; i < settings.n; i++) {
		double x[2];

		points_fill(points, 2 * i, 2, x);
		assert_true(x[0] >= 0 && x[0] < 1 && x[1] >= 0 && x[1] < 1);
	}
	points_free(points);
}

/* Cells are the elements of the stream's permutations; jitter comes from a draw that these do not read. */
static void check_against_permutations(uint64_t n)
{
	enum { SIDES = 3 };
	struct points_settings settings = settings_of(SIDES, SCRAMBLE_JITTER);
	const struct draw draw = {DIST_PERMUTATION, DTYPE_I64, settings.stream, {{.natural = n}}, NULL, NULL, NULL};
	struct draw_kernels kernels;
	struct points *points;
	int64_t *cells = malloc(SIDES * n * sizeof *cells);

	settings.n = n;
	points = make(&settings);
	draw_select(0, &kernels);
	draw_fill(&kernels, &draw, 0, SIDES * n, cells);
	for (uint64_t e = 0; e < SIDES * n; e++) {
		const int64_t cell = cells[e % SIDES * n + e / SIDES];
		const uint64_t low = stream_word(&settings.stream, 2 * e, PERMUTATION_DRAWS);
		const uint64_t high = stream_word(&settings.stream, 2 * e + 1, PERMUTATION_DRAWS);
		unsigned bits = 0;
		double x;

		while (UINT64_C(1) << bits < n)
			bits += 2;
		points_fill(points, e, 1, &x);
		if (x !=
		    ((double)cell + ldexp((double)((high << 32 | low) >> (14 + bits)), (int)bits - 50)) / (double)n)
			fail_msg("%llu points, coordinate %llu: got %.17g, not in cell %lld or misplaced in it",
				 (unsigned long long)n, (unsigned long long)e, x, (long long)cell);
	}
	points_free(points);
	free(cells);
}

static void cells_are_permutations(void **state)
{
	static const uint64_t sizes[] = {1, 2, 7, 513, 1024, 1025, 1157, 5001};

	(void)state;
	for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
		check_against_permutations(sizes[i]);
}

/* Tables that are built in several steps give the same points as those of few dimensions. */
static void many_dimensions_match_few(void **state)
{
	enum { MANY = 4096 };
	static const uint64_t sizes[] = {5, 1024, 1025, 3000};
	static double x[MANY];

	(void)state;
	for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
		struct points_settings many = settings_of(MANY, SCRAMBLE_PLAIN), few = settings_of(100, SCRAMBLE_PLAIN);
		struct points *all, *first;
		unsigned pieces = 1;
		double y[100];

		many.n = few.n = sizes[s];
		assert_int_equal(points_start(&many, cpu_detect(), &all), 0);
		while (points_build(all))
			pieces++;
		assert_true(pieces > (sizes[s] == 5 ? 1 : 10));
		first = make(&few);
		for (uint64_t i = 0; i < sizes[s]; i++) {
			points_fill(all, i * MANY, MANY, x);
			points_fill(first, i * 100, 100, y);
			assert_memory_equal(x, y, sizeof y);
		}
		points_free(all);
		points_free(first);
	}
}

/* The cells of a design of n points in DIMS dimensions, dimension by dimension. */
enum { DIMS = 100 };

static void cells_of(unsigned n, uint64_t seed, uint16_t *ret_cells)
{
	struct points_settings settings = settings_of(DIMS, SCRAMBLE_PLAIN);
	double x[DIMS];
	struct points *points;

	settings.n = n;
	settings.stream.generator = seed % 2 ? GENERATOR_PHILOX4X32 : GENERATOR_THREEFRY4X32;
	settings.stream.seed = seed;
	points = make(&settings);
	for (unsigned i = 0; i < n; i++) {
		points_fill(points, (uint64_t)i * DIMS, DIMS, x);
		for (unsigned j = 0; j < DIMS; j++)
			ret_cells[j * n + i] = (uint16_t)(x[j] * n);
	}
	points_free(points);
}

static void orders_of_cells_are_equally_likely(void **state)
{
	uint16_t *orders = malloc(ORDERS_MOST_BYTES);

	(void)state;
	for (unsigned n = 2; n <= ORDERS_MOST_ITEMS; n = orders_next(n)) {
		const size_t count = orders_count(n);

		for (size_t i = 0; i < count; i += DIMS)
			cells_of(n, 2 * n + i, orders + n * i);
		orders_are_fair("lhs", n, count, orders);
	}
	free(orders);
}

/* The orders of two neighbouring dimensions together: 36 of three cells. */
static void dimensions_are_independent(void **state)
{
	enum { DESIGNS = 400 };
	static double counts[36];
	uint16_t cells[3 * DIMS];

	(void)state;
	for (uint64_t seed = 0; seed < DESIGNS; seed++) {
		cells_of(3, 1000 + seed, cells);
		for (unsigned j = 0; j + 1 < DIMS; j += 2) {
			unsigned odd;

			counts[6 * order_rank(cells + 3 * j, 3, &odd) + order_rank(cells + 3 * j + 3, 3, &odd)]++;
		}
	}
	chi_is_fair("orders in two dimensions", counts, 36, DESIGNS * DIMS / 72.0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(designs_are_latin),
		cmocka_unit_test(largest_design_keeps_cells_apart),
		cmocka_unit_test(cells_are_permutations),
		cmocka_unit_test(many_dimensions_match_few),
		cmocka_unit_test(orders_of_cells_are_equally_likely),
		cmocka_unit_test(dimensions_are_independent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
