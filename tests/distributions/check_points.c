/* SPDX-License-Identifier: Apache-2.0 */
/* Points of every kind: cut anywhere, in both dtypes; Halton against scipy and exact fractions, the lattice against its
 * definition. */
#include "distributions/quasi/points.h"

#include <math.h>

#include "distributions/quasi/halton.h"
#include "distributions/quasi/lattice.h"
#include "rng/support.h"

static struct points_settings settings_of(enum points_kind kind, enum dtype dtype, uint32_t dims,
					  enum points_scramble s)
{
	return (struct points_settings){
		.kind = kind,
		.dtype = dtype,
		.dims = dims,
		.bits = 53,
		.n = 3000,
		.scramble = s,
		.stream = {GENERATOR_PHILOX4X32, 11, 2},
	};
}

static struct points *make(const struct points_settings *settings)
{
	struct points *points;

	assert_int_equal(points_create(settings, cpu_detect(), &points), 0);
	return points;
}

static void check_cuts(enum points_kind kind, uint32_t dims, enum points_scramble scramble)
{
	enum { POINTS = 60 };
	const struct points_settings f64 = settings_of(kind, DTYPE_F64, dims, scramble);
	const struct points_settings f32 = settings_of(kind, DTYPE_F32, dims, scramble);
	struct points *doubles = make(&f64), *floats = make(&f32);
	const size_t n = POINTS * dims;
	double *whole = malloc(n * sizeof *whole);
	uint64_t seed = case_seed() + kind;

	points_fill(doubles, 0, n, whole);
	for (size_t e = 0; e < n; e++)
		assert_true(whole[e] >= 0 && whole[e] < 1);
	for (unsigned t = 0; t < 30; t++) {
		const size_t begin = (size_t)below(&seed, n), count = (size_t)below(&seed, n - begin + 1);
		const size_t shift = (size_t)below(&seed, 12);
		struct guarded out = guarded_new(count * sizeof(double), shift);
		struct guarded small = guarded_new(count * sizeof(float), shift);

		points_fill(doubles, begin, count, out.at);
		points_fill(floats, begin, count, small.at);
		if (memcmp(out.at, whole + begin, out.size) != 0)
			fail_msg("kind %d dims %u scramble %d: elements from %zu differ", kind, dims, scramble, begin);
		for (size_t e = 0; e < count; e++) {
			float got;

			memcpy(&got, small.at + e * sizeof got, sizeof got);
			assert_true(got == (float)(floor(whole[begin + e] * 0x1p24) * 0x1p-24));
		}
		assert_true(guarded_free(out) && guarded_free(small));
	}
	free(whole);
	points_free(doubles);
	points_free(floats);
}

static void parts_join_at_any_cut(void **state)
{
	static const uint32_t dims[] = {1, 2, 7, 300};

	(void)state;
	for (unsigned kind = 0; kind < POINTS_KINDS; kind++)
		for (unsigned s = SCRAMBLE_PLAIN; s <= SCRAMBLE_JITTER; s++)
			for (unsigned d = 0; d < 4; d++)
				if (points_can_scramble(kind, s))
					check_cuts(kind, dims[d], s);
}

static uint64_t fnv(const unsigned char *at, size_t n)
{
	uint64_t hash = 0xCBF29CE484222325;

	for (size_t i = 0; i < n; i++)
		hash = (hash ^ at[i]) * 0x100000001B3;
	return hash;
}

/* The number of a name in a list; the last when there is none. */
static int named(const char *const list[], int n, const char *name)
{
	int i = 0;

	while (i < n - 1 && strcmp(list[i], name) != 0)
		i++;
	return i;
}

static void points_vector(char *line)
{
	static const char *const kinds[] = {"sobol", "halton", "lattice", "lhs", "feistel8"};
	static const char *const scrambles[] = {"plain", "owen", "shift", "permutation", "jitter"};
	static const uint32_t levels[] = {0, CPU_AVX2, UINT32_MAX};
	char kind[16], scramble[16], dtype[8];
	unsigned long long n, begin, expected;
	unsigned dims;
	size_t count;

	assert_int_equal(sscanf(line, "%15s %15s %7s %u %llu %llu %zu %llx", kind, scramble, dtype, &dims, &n, &begin,
				&count, &expected),
			 8);
	const int which = named(kinds, 5, kind);

	for (unsigned level = 0; level < sizeof levels / sizeof *levels; level++) {
		const struct points_settings settings = {
			.kind = which == 4 ? POINTS_LHS : (enum points_kind)which,
			.method = which == 4 ? LHS_FEISTEL8 : LHS_PERMUTATION,
			.dtype = strcmp(dtype, "f32") == 0 ? DTYPE_F32 : DTYPE_F64,
			.dims = dims,
			.bits = 53,
			.n = n,
			.scramble = (enum points_scramble)named(scrambles, 5, scramble),
			.stream = {dims % 2 ? GENERATOR_PHILOX4X32 : GENERATOR_THREEFRY4X32, 2026, 3},
		};
		const size_t size = count * dtype_size(settings.dtype);
		unsigned char *out = malloc(size);
		struct points *points;

		assert_int_equal(points_create(&settings, levels[level] & cpu_detect(), &points), 0);
		points_fill(points, begin, count, out);
		if (fnv(out, size) != expected)
			fail_msg("%s with features %x: expected %016llx, got %016llx", line, levels[level], expected,
				 (unsigned long long)fnv(out, size));
		points_free(points);
		free(out);
	}
}

static void points_match_the_vector_file(void **state)
{
	(void)state;
	for_each_line("tests/vectors/points.txt", points_vector);
}

static uint64_t mix(uint64_t x)
{
	x -= 0x9E3779B97F4A7C15;
	return next_case(&x);
}

/* One coordinate by the definition in halton.h: digits, the least first, mapped under the node of those before. */
static double owen_coordinate(const struct halton_nest *nest, uint64_t i)
{
	uint64_t sum = 0, node = nest->key;
	double x;

	for (uint32_t k = 0; k < nest->places; k++, i /= nest->base) {
		const uint64_t digit = i % nest->base, hash = mix(node + 0x9E3779B97F4A7C15);
		const uint64_t a = 1 + ((hash & 0xFFFFFFFF) * (nest->base - 1) >> 32);
		const uint64_t c = (hash >> 32) * nest->base >> 32;

		sum = sum * nest->base + (a * digit + c) % nest->base;
		node = hash ^ mix(nest->key ^ digit);
	}
	x = (double)sum / (double)nest->whole;
	return x < 1 ? x : 1 - 0x1p-53;
}

static struct halton_nest nest_of(uint32_t base, uint64_t key)
{
	struct halton_nest nest = {.key = key, .whole = 1, .tail_power = 1, .base = base};

	for (; nest.whole <= UINT64_MAX / base && nest.places < 63; nest.places++)
		nest.whole *= base;
	nest.head = (nest.places + 1) / 2;
	for (uint32_t k = nest.head; k < nest.places; k++)
		nest.tail_power *= base;
	return nest;
}

/* Every variant, small and the greatest points, bases from the first to the last. */
static void owen_scrambling_matches_its_definition(void **state)
{
	static const uint32_t bases[] = {2, 3, 5, 7, 53, 251, 997, 5003, 7907, 7919};
	size_t n_kernels;
	const struct halton_kernel *const *kernels = halton_kernels(&n_kernels);
	uint64_t seed = case_seed();
	bool runs[8];

	(void)state;
	for (size_t v = 0; v < n_kernels; v++)
		runs[v] = can_run("halton", kernels[v]->name, kernels[v]->needs);
	for (unsigned t = 0; t < 600; t++) {
		const struct halton_nest nest = nest_of(bases[t % 10], next_case(&seed));
		const size_t n = 1 + (size_t)below(&seed, HALTON_BLOCK);
		const uint64_t most = UINT64_C(1) << (7 + below(&seed, 44));
		const uint64_t first = below(&seed, 2) ? most - n : below(&seed, most - n + 1);

		for (size_t v = 0; v < n_kernels; v++) {
			double x[HALTON_BLOCK];

			if (!runs[v])
				continue;
			kernels[v]->owen(&nest, first, n, x);
			for (size_t i = 0; i < n; i++)
				if (x[i] != owen_coordinate(&nest, first + i))
					fail_msg("%s: base %u, point %llu: expected %.17g, got %.17g", kernels[v]->name,
						 nest.base, (unsigned long long)(first + i),
						 owen_coordinate(&nest, first + i), x[i]);
		}
	}
}

static struct points *halton;

static void halton_vector(char *line)
{
	static double point[HALTON_DIMS];
	char *at;
	const uint64_t i = strtoull(line, &at, 10);
	double expected;
	unsigned dim;
	int used;

	points_fill(halton, i * HALTON_DIMS, HALTON_DIMS, point);
	for (; sscanf(at, "%u %lf%n", &dim, &expected, &used) == 2; at += used)
		/* scipy adds rounded terms, we divide integers once. */
		if (fabs(point[dim] - expected) > 4e-16)
			fail_msg("point %llu dimension %u: expected %.17g, got %.17g", (unsigned long long)i, dim,
				 expected, point[dim]);
}

static void halton_matches_the_vector_file(void **state)
{
	const struct points_settings settings = settings_of(POINTS_HALTON, DTYPE_F64, HALTON_DIMS, SCRAMBLE_PLAIN);
	double point[2];

	(void)state;
	halton = make(&settings);
	for_each_line("tests/vectors/halton.txt", halton_vector);
	/* 7 = 111 in base 2, 21 in base 3: 1/2 + 1/4 + 1/8, 1/3 + 2/9. */
	points_fill(halton, 7 * HALTON_DIMS, 2, point);
	assert_true(point[0] == 0.875 && point[1] == 5.0 / 9);
	points_free(halton);
}

/* Scrambled or not, b^k points have one in each interval of b^-k. */
static void halton_is_balanced(void **state)
{
	static const unsigned bases[] = {2, 3, 5, 7, 11, 13};
	static const enum points_scramble scrambles[] = {SCRAMBLE_PLAIN, SCRAMBLE_PERMUTATION, SCRAMBLE_OWEN};

	(void)state;
	for (unsigned s = 0; s < 3; s++) {
		const struct points_settings settings = settings_of(POINTS_HALTON, DTYPE_F64, 6, scrambles[s]);
		struct points *points = make(&settings);

		for (unsigned j = 0; j < 6; j++)
			for (unsigned n = bases[j]; n <= 2500; n *= bases[j]) {
				unsigned char seen[2500] = {0};

				for (unsigned i = 0; i < n; i++) {
					double x;

					points_fill(points, (5 * n + i) * 6 + j, 1, &x);
					assert_int_equal(seen[(unsigned)(x * n + 1e-9)]++, 0);
				}
			}
		points_free(points);
	}
}

/* Means over seeds of a product with mean 1: fair, and better than the plain sequence's known bad projections. */
static void halton_scrambling_is_fair(void **state)
{
	enum { DIMS = 6, N = 500, SEEDS = 200 };
	static const enum points_scramble scrambles[] = {SCRAMBLE_PERMUTATION, SCRAMBLE_OWEN};
	static double x[N * DIMS];

	(void)state;
	for (unsigned s = 0; s < 2; s++) {
		double sum = 0, squares = 0;

		for (unsigned seed = 0; seed < SEEDS; seed++) {
			struct points_settings settings = settings_of(POINTS_HALTON, DTYPE_F64, DIMS, scrambles[s]);
			struct points *points;
			double mean = 0;

			settings.stream.seed = 100 + seed;
			points = make(&settings);
			points_fill(points, 0, N * DIMS, x);
			for (unsigned i = 0; i < N; i++) {
				double product = 1;

				for (unsigned j = 0; j < DIMS; j++)
					product *= 2 * x[i * DIMS + j];
				mean += product / N;
			}
			sum += mean - 1;
			squares += (mean - 1) * (mean - 1);
			points_free(points);
		}
		printf("# scrambling %u: root mean square error %.2e, bias %.2e\n", s, sqrt(squares / SEEDS),
		       sum / SEEDS);
		assert_true(fabs(sum / SEEDS) < 4.5 * sqrt(squares) / SEEDS);
		/* Independent points: sqrt((4/3)^6 - 1) / sqrt(N) = 0.096. */
		assert_true(sqrt(squares / SEEDS) < 0.05);
	}
}

static double fraction(double x)
{
	return x - floor(x);
}

/* The first 2^m points are { i z / 2^m } in another order; a shift moves all of them alike, modulo 1. */
static void lattice_is_a_lattice(void **state)
{
	enum { DIMS = 40, LOG2 = 9, N = 1 << LOG2 };
	const struct points_settings plain = settings_of(POINTS_LATTICE, DTYPE_F64, DIMS, SCRAMBLE_PLAIN);
	const struct points_settings shifted = settings_of(POINTS_LATTICE, DTYPE_F64, DIMS, SCRAMBLE_SHIFT);
	struct points *a = make(&plain), *b = make(&shifted);
	static double x[N * DIMS], y[N * DIMS];

	(void)state;
	points_fill(a, 0, N * DIMS, x);
	points_fill(b, 0, N * DIMS, y);
	for (unsigned i = 0; i < N; i++) {
		unsigned mirrored = 0;

		for (unsigned bit = 0; bit < LOG2; bit++)
			mirrored |= (i >> bit & 1) << (LOG2 - 1 - bit);
		for (unsigned j = 0; j < DIMS; j++) {
			const double distance = fraction(y[i * DIMS + j] - x[i * DIMS + j] - y[j] + 1);

			assert_true(x[i * DIMS + j] == (double)((uint64_t)mirrored * lattice_vector[j] % N) / N);
			assert_true(distance < 1e-12 || distance > 1 - 1e-12);
		}
	}
	points_free(a);
	points_free(b);
}

/* The error over 2^m points of a product of 1 + (x - 1/2) / j^2, whose mean is 1, falls about as 1 / n. */
static void lattice_error_falls_as_1_over_n(void **state)
{
	enum { DIMS = 100, MOST = 1 << 14 };
	const struct points_settings settings = settings_of(POINTS_LATTICE, DTYPE_F64, DIMS, SCRAMBLE_PLAIN);
	struct points *points = make(&settings);
	double sum = 0, x[DIMS];

	(void)state;
	for (unsigned i = 0; i < MOST; i++) {
		double product = 1;

		points_fill(points, (uint64_t)i * DIMS, DIMS, x);
		for (unsigned j = 0; j < DIMS; j++)
			product *= 1 + (x[j] * x[j] - x[j] + 1.0 / 6) * 6 / ((j + 1) * (j + 1));
		sum += product - 1;
		if (i + 1 == 1 << 10 || i + 1 == MOST) {
			printf("# %u points: error %.2e\n", i + 1, sum / (i + 1));
			assert_true(fabs(sum / (i + 1)) < (i + 1 == MOST ? 1e-4 : 5e-3));
		}
	}
	points_free(points);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_join_at_any_cut),
		cmocka_unit_test(points_match_the_vector_file),
		cmocka_unit_test(owen_scrambling_matches_its_definition),
		cmocka_unit_test(halton_matches_the_vector_file),
		cmocka_unit_test(halton_is_balanced),
		cmocka_unit_test(halton_scrambling_is_fair),
		cmocka_unit_test(lattice_is_a_lattice),
		cmocka_unit_test(lattice_error_falls_as_1_over_n),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
