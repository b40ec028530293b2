/* SPDX-License-Identifier: Apache-2.0 */
/* Sobol: scipy's points, every kernel against points made bit by bit, nets that stay nets when they are scrambled. */
#include "distributions/quasi/sobol.h"

#include <math.h>

#include "rng/support.h"

static const enum points_scramble scrambles[] = {SCRAMBLE_PLAIN, SCRAMBLE_SHIFT, SCRAMBLE_OWEN};

static struct sobol *make(uint32_t dims, uint32_t bits, enum points_scramble scramble, uint64_t seed)
{
	const struct points_settings settings = {
		.kind = POINTS_SOBOL,
		.dtype = DTYPE_F64,
		.dims = dims,
		.bits = bits,
		.scramble = scramble,
		.stream = {GENERATOR_THREEFRY4X32, seed, 1},
	};
	struct sobol *sobol;

	assert_int_equal(sobol_create(&settings, &sobol), 0);
	return sobol;
}

static struct sobol *all_dims;

static void vector(char *line)
{
	double point[SOBOL_DIMS], expected;
	char *at;
	const uint64_t i = strtoull(line, &at, 10);
	unsigned dim;
	int used;

	sobol_fill(all_dims, sobol_select(0), DTYPE_F64, i, 1, point);
	for (; sscanf(at, "%u %lf%n", &dim, &expected, &used) == 2; at += used)
		if (point[dim] != expected)
			fail_msg("point %llu dimension %u: expected %a, got %a", (unsigned long long)i, dim, expected,
				 point[dim]);
}

static void points_match_the_vector_file(void **state)
{
	(void)state;
	all_dims = make(SOBOL_DIMS, 53, SCRAMBLE_PLAIN, 0);
	for_each_line("tests/vectors/sobol.txt", vector);
	sobol_free(all_dims);
}

/* Direction numbers once more, in the m_i of the papers: small integers, not fractions. */
static uint64_t direction(unsigned dim, unsigned i)
{
	uint64_t m[64];
	unsigned degree = 0;
	const uint16_t *initials = sobol_initials;

	if (dim == 0)
		return UINT64_C(1) << (63 - i);
	for (unsigned d = 1; d <= dim; d++) {
		initials += degree;
		for (degree = 0; sobol_polynomials[d - 1] >> (degree + 1); degree++)
			;
	}
	for (unsigned k = 0; k <= i; k++) {
		m[k] = k < degree ? initials[k] : m[k - degree] ^ m[k - degree] << degree;
		for (unsigned a = 1; k >= degree && a < degree; a++)
			if (sobol_polynomials[dim - 1] >> (degree - a) & 1)
				m[k] ^= m[k - a] << a;
	}
	return m[i] << (63 - i);
}

static uint64_t coordinate_bits(uint64_t point, unsigned dim)
{
	uint64_t x = 0;

	for (unsigned i = 0; i < 64; i++)
		if ((point ^ point >> 1) >> i & 1)
			x ^= direction(dim, i);
	return x;
}

static void check_plain(const struct sobol_kernel *kernel, uint32_t dims, uint32_t bits, uint64_t first, size_t n)
{
	struct sobol *sobol = make(dims, bits, SCRAMBLE_PLAIN, 0);
	struct guarded f64 = guarded_new(n * dims * sizeof(double), 8), f32 = guarded_new(n * dims * sizeof(float), 4);
	const double *doubles = (double *)f64.at;
	const float *floats = (float *)f32.at;

	sobol_fill(sobol, kernel, DTYPE_F64, first, n, f64.at);
	sobol_fill(sobol, kernel, DTYPE_F32, first, n, f32.at);
	for (size_t e = 0; e<n * dims; e += dims> 40 ? 37 : 1) {
		const uint64_t x = coordinate_bits(first + e / dims, (unsigned)(e % dims)) >> (64 - bits)
												      << (64 - bits);

		if (doubles[e] != (double)(x >> 11) * 0x1p-53 || floats[e] != (float)(x >> 40) * 0x1p-24f)
			fail_msg("%s dims %u point %llu dimension %zu: expected %a, got %a and %a", kernel->name, dims,
				 (unsigned long long)(first + e / dims), e % dims, (double)(x >> 11) * 0x1p-53,
				 doubles[e], (double)floats[e]);
	}
	assert_true(guarded_free(f64) && guarded_free(f32));
	sobol_free(sobol);
}

static void every_variant_matches_the_definition(void **state)
{
	static const uint32_t dims[] = {1, 2, 3, 5, 8, 16, 31, 32, 33, 100, SOBOL_DIMS};
	static const uint64_t firsts[] = {0, 1, 13, 4095, (UINT64_C(1) << 32) - 40};
	size_t n_kernels;
	const struct sobol_kernel *const *kernels = sobol_kernels(&n_kernels);

	(void)state;
	for (size_t v = 0; v < n_kernels; v++) {
		if (!can_run("sobol", kernels[v]->name, kernels[v]->needs))
			continue;
		for (size_t d = 0; d < sizeof dims / sizeof *dims; d++)
			for (size_t f = 0; f < sizeof firsts / sizeof *firsts; f++)
				check_plain(kernels[v], dims[d], f % 2 ? 53 : 32, firsts[f], dims[d] > 40 ? 3 : 40);
		check_plain(kernels[v], 3, 53, (UINT64_C(1) << 53) - 40, 40);
	}
}

/* With scrambling, all variants give the bytes of the scalar one, from any point on. */
static void scrambled_variants_equal_scalar(void **state)
{
	size_t n_kernels;
	const struct sobol_kernel *const *kernels = sobol_kernels(&n_kernels);

	(void)state;
	for (size_t v = 0; v + 1 < n_kernels; v++)
		for (unsigned s = 0; s < 3 && can_run("sobol", kernels[v]->name, kernels[v]->needs); s++)
			for (uint32_t dims = 1; dims <= 40; dims += 3) {
				struct sobol *sobol = make(dims, dims % 2 ? 53 : 32, scrambles[s], dims);
				double expected[40 * 60], got[40 * 60];

				sobol_fill(sobol, kernels[n_kernels - 1], DTYPE_F64, 1000, 60, expected);
				sobol_fill(sobol, kernels[v], DTYPE_F64, 1000, 25, got);
				sobol_fill(sobol, kernels[v], DTYPE_F64, 1025, 35, got + 25 * dims);
				assert_memory_equal(got, expected, 60 * dims * sizeof(double));
				sobol_free(sobol);
			}
}

enum { LOG2_NET = 10, NET = 1 << LOG2_NET };

/* Every interval of 1 / 2^m in each dimension has one of 2^m points; every box 2^-a x 2^-b, a + b = m, of the first two
 * dimensions (a net of quality 0) has one too, scrambled or not. */
static void nets_stay_nets(void **state)
{
	enum { DIMS = 50 };
	static double x[NET * DIMS];

	(void)state;
	for (unsigned s = 0; s < 3; s++)
		for (uint64_t start = 0; start < 3; start++) {
			struct sobol *sobol = make(DIMS, start % 2 ? 32 : 53, scrambles[s], 5 + start);

			sobol_fill(sobol, sobol_select(cpu_detect()), DTYPE_F64, start * NET, NET, x);
			for (unsigned dim = 0; dim < DIMS; dim++) {
				unsigned char seen[NET] = {0};

				for (unsigned i = 0; i < NET; i++)
					assert_int_equal(seen[(unsigned)(x[i * DIMS + dim] * NET)]++, 0);
			}
			for (unsigned a = 0; a <= LOG2_NET; a++) {
				unsigned char seen[NET] = {0};

				for (unsigned i = 0; i < NET; i++) {
					const unsigned column = (unsigned)(x[i * DIMS] * (1 << a));
					const unsigned row = (unsigned)(x[i * DIMS + 1] * (1 << (LOG2_NET - a)));

					assert_int_equal(seen[column << (LOG2_NET - a) | row]++, 0);
				}
			}
			sobol_free(sobol);
		}
}

/* The mean of a smooth function over a net, for many seeds: unbiased, the error far below that of
 * independent points, with Owen's scrambling also below that of a shift. */
static void scrambling_is_fair(void **state)
{
	enum { DIMS = 4, SEEDS = 200 };
	static double x[NET * DIMS];
	double deviation[3] = {0};

	(void)state;
	for (unsigned s = 1; s < 3; s++) {
		double sum = 0, squares = 0;

		for (unsigned seed = 0; seed < SEEDS; seed++) {
			struct sobol *sobol = make(DIMS, 53, scrambles[s], 1000 + seed);
			double mean = 0;

			sobol_fill(sobol, sobol_select(cpu_detect()), DTYPE_F64, 0, NET, x);
			for (unsigned i = 0; i < NET; i++) {
				double product = 1;

				/* Each factor has mean 1. */
				for (unsigned j = 0; j < DIMS; j++)
					product *= 3 * x[i * DIMS + j] * x[i * DIMS + j];
				mean += product / NET;
			}
			sum += mean - 1;
			squares += (mean - 1) * (mean - 1);
			sobol_free(sobol);
		}
		deviation[s] = sqrt(squares / SEEDS);
		printf("# scrambling %u: root mean square error %.2e, bias %.2e\n", s, deviation[s], sum / SEEDS);
		assert_true(fabs(sum / SEEDS) < 4.5 * deviation[s] / sqrt(SEEDS));
	}
	/* Independent points: sqrt((9/5)^4 - 1) / sqrt(NET) = 0.096. */
	assert_true(deviation[1] < 0.02);
	/* Tables of random bits for every node give 0.0067. */
	assert_true(deviation[2] < 0.008);
}

/* Owen's flips, node by node of the tree: fair coins, and each two of them independent, over many keys. */
static void flips_are_independent(void **state)
{
	enum { DEPTH = 4, NODES = (1 << DEPTH) - 1, KEYS = 4000, DIMS = 5 };
	static int pairs[NODES][NODES];

	(void)state;
	for (unsigned key = 0; key < KEYS; key++) {
		struct sobol *sobol = make(DIMS, 53, SCRAMBLE_OWEN, 7000 + key);
		double x[DIMS << DEPTH];
		unsigned flips[NODES] = {0};

		/* The last dimension's first 16 points have all 16 prefixes. */
		sobol_fill(sobol, sobol_select(0), DTYPE_F64, 0, 1 << DEPTH, x);
		for (unsigned i = 0; i < 1 << DEPTH; i++) {
			const unsigned from = (unsigned)(coordinate_bits(i, DIMS - 1) >> (64 - DEPTH));
			const unsigned to = (unsigned)(x[i * DIMS + DIMS - 1] * (1 << DEPTH));

			for (unsigned level = 0; level < DEPTH; level++)
				flips[(1 << level) - 1 + (from >> (DEPTH - level))] =
					(from ^ to) >> (DEPTH - 1 - level) & 1;
		}
		for (unsigned a = 0; a < NODES; a++)
			for (unsigned b = 0; b <= a; b++)
				pairs[a][b] += flips[a] ^ (a == b ? 0 : flips[b]);
		sobol_free(sobol);
	}
	for (unsigned a = 0; a < NODES; a++)
		for (unsigned b = 0; b <= a; b++)
			if (fabs(pairs[a][b] - KEYS / 2.0) > 4.5 * sqrt(KEYS) / 2)
				fail_msg("nodes %u and %u: expected %d, got %d of %d", a, b, KEYS / 2, pairs[a][b],
					 KEYS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(points_match_the_vector_file),
		cmocka_unit_test(every_variant_matches_the_definition),
		cmocka_unit_test(scrambled_variants_equal_scalar),
		cmocka_unit_test(nets_stay_nets),
		cmocka_unit_test(scrambling_is_fair),
		cmocka_unit_test(flips_are_independent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
