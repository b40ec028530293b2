/* SPDX-License-Identifier: Apache-2.0 */
/* Every distribution of the table, whatever its kernel: pure functions of (stream, sample, parameters), the same bytes
 * from any cut and instruction set, and parameters refused by name. */
#include "distributions/rows/dist_row.h"

#include <math.h>

#include "base/error.h"
#include "distributions/draw/draw_fill.h"
#include "distributions/draw/draw_prepare.h"
#include "distributions/rows/dist_kernel.h"
#include "rng/support.h"

enum { MOST = 5000 };

struct row {
	enum distribution distribution;
	union dist_value parameters[DIST_PARAMETERS]; /* of randint the third, if not 0: the only dtype */
};

static const double list[] = {0.2, 3, 0, 1e-9, 1, 40, 0.7};
static const double alphas[] = {0.2, 3, 1e-9, 1, 40, 0.7, 1e-300};

/* Parameters on every path of every distribution; each is drawn in each dtype that the distribution takes. */
static const struct row rows[] = {
	{DIST_BITS, {{0}}},
	{DIST_UNIFORM, {{0}, {1}}},
	{DIST_UNIFORM, {{-3}, {0.1}}},
	{DIST_NORMAL, {{0}, {1}}},
	{DIST_NORMAL, {{-3}, {0.1}}},
	{DIST_NORMAL, {{0}, {1}, {.natural = NORMAL_BOXMULLER64}}},
	{DIST_NORMAL, {{2}, {3}, {.natural = NORMAL_BOXMULLER64}}},
	{DIST_EXPONENTIAL, {{1}}},
	{DIST_EXPONENTIAL, {{0.3}}},
	{DIST_LAPLACE, {{0}, {1}}},
	{DIST_LAPLACE, {{1}, {0.4}}},
	{DIST_LOGNORMAL, {{0}, {1}}},
	{DIST_LOGNORMAL, {{-80}, {30}}},
	{DIST_GUMBEL, {{1}, {2}}},
	{DIST_WEIBULL, {{0.1}, {2}}},
	{DIST_CAUCHY, {{0}, {1}}},
	{DIST_STUDENT_T, {{3}}},
	{DIST_STUDENT_T, {{0.01}}},
	{DIST_TRUNCATED_NORMAL, {{0}, {1}, {-2}, {2}}},
	{DIST_TRUNCATED_NORMAL, {{0}, {1}, {3}, {3.0001}}},
	{DIST_TRUNCATED_NORMAL, {{5}, {2}, {-12}, {0.5}}},
	{DIST_TRUNCATED_NORMAL, {{0}, {1}, {40}, {INFINITY}}},
	{DIST_TRUNCATED_NORMAL, {{0}, {1}, {-50}, {-45}}},
	{DIST_TRUNCATED_NORMAL, {{0}, {1}, {-INFINITY}, {INFINITY}}},
	{DIST_TRUNCATED_NORMAL, {{1}, {2}, {-INFINITY}, {-0.5}}},
	{DIST_GAMMA, {{2}, {1}}},
	{DIST_GAMMA, {{0.1}, {3}}},
	{DIST_CHI_SQUARED, {{1}}},
	{DIST_CHI_SQUARED, {{5}}},
	{DIST_BETA, {{2}, {3}}},
	{DIST_BETA, {{0.1}, {3}}},
	{DIST_POISSON, {{3}}},
	{DIST_POISSON, {{1e6}}},
	{DIST_BINOMIAL, {{.natural = 100}, {0.2}}},
	{DIST_BINOMIAL, {{.natural = 1000000}, {0.8}}},
	{DIST_GEOMETRIC, {{0.1}}},
	{DIST_BERNOULLI, {{0.3}}},
	{DIST_BERNOULLI, {{1}}},
	{DIST_BERNOULLI, {{0.5}}},
	{DIST_RANDINT, {{.integer = -5}, {.integer = 1000}, {.natural = DTYPE_I32}}},
	{DIST_RANDINT, {{.integer = -5}, {.integer = 1000}, {.natural = DTYPE_I64}}},
	{DIST_RANDINT, {{.integer = INT32_MIN}, {.integer = 10}, {.natural = DTYPE_I32}}},
	{DIST_RANDINT, {{.integer = INT64_MIN}, {.integer = INT64_MIN}, {.natural = DTYPE_I64}}},
	{DIST_RANDINT, {{.natural = 0}, {.natural = 1ull << 32}, {.natural = DTYPE_U32}}},
	{DIST_RANDINT, {{.natural = 0}, {.natural = 0}, {.natural = DTYPE_U64}}},
	{DIST_RANDINT, {{.natural = 7}, {.natural = 0}, {.natural = DTYPE_U64}}},
	{DIST_RANDINT, {{.integer = 0}, {.integer = INT32_MAX}}},
	{DIST_PERMUTATION, {{.natural = 52}}},
	{DIST_PERMUTATION, {{.natural = 100000}}},
	{DIST_PERMUTATION, {{.natural = 1}}},
	{DIST_CATEGORICAL, {{0}}},
	{DIST_RADEMACHER, {{0}}},
	{DIST_DIRICHLET, {{0}}},
	{DIST_SPHERE, {{.natural = 3}}},
	{DIST_SPHERE, {{.natural = 1}}},
	{DIST_SPHERE, {{.natural = 100}}},
	{DIST_RAYLEIGH, {{0.3}}},
	{DIST_LOGISTIC, {{1}, {0.4}}},
	{DIST_PARETO, {{0.01}}},
	{DIST_POWER, {{0.001}}},
	{DIST_TRIANGULAR, {{-1}, {0}, {3}}},
	{DIST_VONMISES, {{1}, {0}}},
	{DIST_VONMISES, {{100}, {3}}},
	{DIST_VONMISES, {{0}, {1e15}}},
	{DIST_VONMISES, {{0}, {1e-300}}},
	{DIST_WALD, {{1}, {2}}},
	{DIST_WALD, {{1e300}, {1e-300}}},
	{DIST_F, {{3}, {5}}},
	{DIST_F, {{1e-300}, {1e-9}}},
	{DIST_NONCENTRAL_CHISQUARE, {{0.3}, {5}}},
	{DIST_NONCENTRAL_CHISQUARE, {{3}, {1e15}}},
	{DIST_NONCENTRAL_F, {{3}, {5}, {20}}},
	{DIST_ZIPF, {{1.5}}},
	{DIST_ZIPF, {{1e300}}},
	{DIST_LOGSERIES, {{0.7}}},
	{DIST_LOGSERIES, {{0}}},
	{DIST_LOGSERIES, {{0x1.fffffffffffffp-1}}},
	{DIST_NEGATIVE_BINOMIAL, {{3}, {0.2}}},
	{DIST_NEGATIVE_BINOMIAL, {{1e15}, {2e-4}}},
	{DIST_NEGATIVE_BINOMIAL, {{1e-300}, {1}}},
	{DIST_HYPERGEOMETRIC, {{.natural = 30}, {.natural = 50}, {.natural = 40}}},
	{DIST_HYPERGEOMETRIC, {{.natural = 3}, {.natural = 5}, {.natural = 4}}},
	{DIST_HYPERGEOMETRIC, {{.natural = 1000000000000000}, {.natural = 1000000000000000}, {.natural = 1000000000000000}}},
	{DIST_HYPERGEOMETRIC, {{.natural = 0}, {.natural = 40}, {.natural = 40}}},
	{DIST_HYPERGEOMETRIC, {{.natural = 0}, {.natural = 0}, {.natural = 0}}},
	{DIST_MULTINOMIAL, {{.natural = 100}}},
	{DIST_MULTINOMIAL, {{.natural = 0}}},
	{DIST_MULTINOMIAL, {{.natural = 1ull << 52}}},
};

static struct draw_kernels kernels_of(uint32_t features)
{
	struct draw_kernels kernels;

	draw_select(features & cpu_detect(), &kernels);
	return kernels;
}

static struct draw prepared(const struct row *row, enum dtype dtype, void **ret_table)
{
	struct draw draw = {.distribution = row->distribution, .dtype = dtype};
	struct dist_fault fault;

	memcpy(draw.parameters, row->parameters, sizeof draw.parameters);
	if (draw_prepare(&draw, row->distribution == DIST_DIRICHLET ? alphas : list, 7, ret_table, &fault))
		fail_msg("%s: parameter %u: %s", dist_name(row->distribution), fault.parameter, fault.text);
	return draw;
}

static bool takes(const struct row *row, enum dtype dtype)
{
	const uint64_t only = row->distribution == DIST_RANDINT ? row->parameters[2].natural : 0;

	return dist_has_dtype(row->distribution, dtype) && (!only || only == (uint64_t)dtype);
}

typedef void each_fn(struct draw draw, uint64_t *seed);

static void for_each_draw(each_fn *each)
{
	uint64_t seed = case_seed();

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int d = DTYPE_I8; d <= DTYPE_BF16; d++)
			if (takes(&rows[i], (enum dtype)d)) {
				void *table;
				struct draw draw = prepared(&rows[i], (enum dtype)d, &table);

				draw.stream = (struct stream){
					(enum generator)below(&seed, GENERATOR_COUNT),
					next_case(&seed),
					below(&seed, 1u << 31),
				};
				each(draw, &seed);
				free(table);
			}
}

static void expect_bytes(const struct draw *draw, const char *what, uint64_t begin, size_t n, const void *got,
			 const void *expected)
{
	const size_t size = dtype_size(draw->dtype);
	size_t i = 0;

	while (i < n * size && ((const char *)got)[i] == ((const char *)expected)[i])
		i++;
	if (i < n * size)
		fail_msg("%s %s (%g %g %g %g): %s differs from scalar at sample %llu + %zu; TRNSCI_TEST_SEED=%llu",
			 dist_name(draw->distribution), dtype_name(draw->dtype), draw->parameters[0].real,
			 draw->parameters[1].real, draw->parameters[2].real, draw->parameters[3].real, what,
			 (unsigned long long)begin, i / size, (unsigned long long)case_seed());
}

/* Anywhere; bits, uniforms and normals, whose words are known, also at the end of the stream. */
static uint64_t any_begin(const struct draw *draw, uint64_t *seed)
{
	const bool plain = draw->distribution == DIST_BITS || draw->distribution == DIST_UNIFORM || draw->distribution == DIST_NORMAL;

	if (plain && below(seed, 3) == 0)
		return UINT64_MAX / draw_words_per_sample(draw->dtype) - MOST + 1 - below(seed, 50);
	return below(seed, 2) ? below(seed, 5000) : next_case(seed) >> 3;
}

/* Draws the whole at once, then in parts that are cut anywhere, each with other kernels and to another alignment. */
static void cut(struct draw draw, uint64_t *seed)
{
	static uint64_t whole[MOST];
	size_t n_levels;
	const struct cpu_level *levels = cpu_levels(&n_levels);
	const struct draw_kernels scalar = kernels_of(0);
	const size_t size = dtype_size(draw.dtype), n = 1 + (size_t)below(seed, below(seed, 3) ? 700 : MOST);
	const uint64_t begin = any_begin(&draw, seed);
	struct guarded out = guarded_new(n * size, (size_t)below(seed, 64));

	draw_fill(&scalar, &draw, begin, n, whole);
	for (size_t at = 0, part; at < n; at += part) {
		const struct cpu_level *level = &levels[below(seed, n_levels)];
		const struct draw_kernels kernels = kernels_of(cpu_level_usable(level));
		const size_t count = 1 + (size_t)below(seed, below(seed, 2) ? 9 : n);

		part = count < n - at ? count : n - at;
		draw_fill(&kernels, &draw, begin + at, part, out.at + at * size);
		expect_bytes(&draw, level->name, begin + at, part, out.at + at * size, (char *)whole + at * size);
	}
	assert_true(guarded_free(out));
}

static void parts_join_under_every_level(void **state)
{
	size_t n_levels;
	const struct cpu_level *levels = cpu_levels(&n_levels);

	(void)state;
	for (size_t i = 0; i < n_levels; i++)
		can_run("distributions at level", levels[i].name, levels[i].features);
	for (int i = 0; i < (full_check() ? 60 : 4); i++)
		for_each_draw(cut);
}

/* Draws the whole with each variant, and compares it with the scalar one. */
static void variants(struct draw draw, uint64_t *seed)
{
	static uint64_t expected[MOST], got[MOST];
	const size_t n = MOST - (size_t)below(seed, 100);
	const uint64_t begin = next_case(seed) >> 5;
	const struct draw_kernels scalar = kernels_of(0);
	size_t count;
	const struct dist_kernel *const *kernels = dist_kernels(&count);

	draw_fill(&scalar, &draw, begin, n, expected);
	for (size_t i = 0; i < count; i++) {
		struct draw_kernels mixed = scalar;

		if (!can_run("dist_kernel", kernels[i]->name, kernels[i]->needs))
			continue;
		mixed.distributions = kernels[i];
		draw_fill(&mixed, &draw, begin, n, got);
		expect_bytes(&draw, kernels[i]->name, begin, n, got, expected);
	}
}

static void every_variant_equals_scalar(void **state)
{
	(void)state;
	for (int i = 0; i < (full_check() ? 20 : 1); i++)
		for_each_draw(variants);
}

static void nothing_is_drawn_of_nothing(struct draw draw, uint64_t *seed)
{
	const struct draw_kernels kernels = kernels_of(UINT32_MAX);
	unsigned char untouched = GUARD;

	draw_fill(&kernels, &draw, below(seed, 1000), 0, &untouched);
	assert_int_equal(untouched, GUARD);
}

static void empty_draws_write_nothing(void **state)
{
	(void)state;
	for_each_draw(nothing_is_drawn_of_nothing);
}

static void numbers(struct draw draw, uint64_t *seed)
{
	static uint64_t x[MOST];
	const struct draw_kernels kernels = kernels_of(UINT32_MAX);

	draw_fill(&kernels, &draw, next_case(seed) >> 3, MOST, x);
	for (size_t i = 0; i < MOST; i++)
		if ((draw.dtype == DTYPE_F32 && isnan(((float *)x)[i])) ||
		    (draw.dtype == DTYPE_F64 && isnan(((double *)x)[i])))
			fail_msg("%s %s: sample %zu is NaN", dist_name(draw.distribution), dtype_name(draw.dtype), i);
}

static void no_sample_is_nan(void **state)
{
	(void)state;
	for_each_draw(numbers);
}

/* Parameters that are out of range, and the index of the one that the fault must name. */
static const struct {
	struct row row;
	enum dtype dtype;
	unsigned parameter;
} refused[] = {
	{{DIST_UNIFORM, {{1}, {1}}}, DTYPE_F32, 0},
	{{DIST_UNIFORM, {{2}, {1}}}, DTYPE_F64, 0},
	{{DIST_UNIFORM, {{1}, {1 + 1e-12}}}, DTYPE_F32, 0},
	{{DIST_UNIFORM, {{NAN}, {1}}}, DTYPE_F32, 0},
	{{DIST_UNIFORM, {{0}, {INFINITY}}}, DTYPE_F64, 1},
	{{DIST_UNIFORM, {{-1e308}, {1e308}}}, DTYPE_F64, 1},
	{{DIST_UNIFORM, {{0}, {1e5}}}, DTYPE_F16, 1},
	{{DIST_NORMAL, {{NAN}, {1}}}, DTYPE_F32, 0},
	{{DIST_NORMAL, {{0}, {-1}}}, DTYPE_F32, 1},
	{{DIST_NORMAL, {{0}, {1e39}}}, DTYPE_F32, 1},
	{{DIST_EXPONENTIAL, {{0}}}, DTYPE_F32, 0},
	{{DIST_EXPONENTIAL, {{-1}}}, DTYPE_F64, 0},
	{{DIST_EXPONENTIAL, {{NAN}}}, DTYPE_F64, 0},
	{{DIST_LAPLACE, {{0}, {-0.5}}}, DTYPE_F32, 1},
	{{DIST_LOGNORMAL, {{0}, {-0.5}}}, DTYPE_F32, 1},
	{{DIST_GUMBEL, {{INFINITY}, {1}}}, DTYPE_F64, 0},
	{{DIST_WEIBULL, {{0}, {1}}}, DTYPE_F32, 0},
	{{DIST_CAUCHY, {{0}, {NAN}}}, DTYPE_F64, 1},
	{{DIST_STUDENT_T, {{0}}}, DTYPE_F32, 0},
	{{DIST_TRUNCATED_NORMAL, {{0}, {1}, {2}, {2}}}, DTYPE_F32, 2},
	{{DIST_TRUNCATED_NORMAL, {{0}, {1}, {NAN}, {2}}}, DTYPE_F32, 2},
	{{DIST_TRUNCATED_NORMAL, {{0}, {-1}, {0}, {2}}}, DTYPE_F32, 1},
	{{DIST_TRUNCATED_NORMAL, {{0}, {1}, {INFINITY}, {INFINITY}}}, DTYPE_F32, 2},
	{{DIST_TRUNCATED_NORMAL, {{0}, {1}, {-INFINITY}, {-INFINITY}}}, DTYPE_F64, 2},
	{{DIST_GAMMA, {{0}, {1}}}, DTYPE_F32, 0},
	{{DIST_GAMMA, {{1}, {-1}}}, DTYPE_F32, 1},
	{{DIST_CHI_SQUARED, {{NAN}}}, DTYPE_F64, 0},
	{{DIST_BETA, {{1}, {0}}}, DTYPE_F64, 1},
	{{DIST_POISSON, {{-1}}}, DTYPE_I64, 0},
	{{DIST_POISSON, {{1e16}}}, DTYPE_I64, 0},
	{{DIST_BINOMIAL, {{.natural = UINT64_MAX}, {0.5}}}, DTYPE_I64, 0},
	{{DIST_BINOMIAL, {{.natural = 5}, {1.5}}}, DTYPE_I64, 1},
	{{DIST_GEOMETRIC, {{0}}}, DTYPE_I64, 0},
	{{DIST_BERNOULLI, {{-0.1}}}, DTYPE_I8, 0},
	{{DIST_BERNOULLI, {{NAN}}}, DTYPE_I8, 0},
	{{DIST_RANDINT, {{.integer = 5}, {.integer = 5}}}, DTYPE_I64, 0},
	{{DIST_RANDINT, {{.integer = INT64_MIN}, {.integer = 5}}}, DTYPE_I32, 0},
	{{DIST_RANDINT, {{.integer = 0}, {.integer = INT64_MAX}}}, DTYPE_I32, 1},
	{{DIST_RANDINT, {{.integer = -1}, {.integer = 5}}}, DTYPE_U32, 0},
	{{DIST_RANDINT, {{.integer = 1}, {.integer = (1ll << 32) + 1}}}, DTYPE_U32, 1},
	{{DIST_RANDINT, {{.natural = 5}, {.natural = 5}}}, DTYPE_U64, 0},
	{{DIST_RANDINT, {{.natural = UINT64_MAX}, {.natural = 5}}}, DTYPE_U64, 0},
	{{DIST_PERMUTATION, {{.natural = 0}}}, DTYPE_I64, 0},
	{{DIST_SPHERE, {{.natural = 0}}}, DTYPE_F32, 0},
	{{DIST_SPHERE, {{.natural = 100000}}}, DTYPE_F32, 0},
	{{DIST_RAYLEIGH, {{-1}}}, DTYPE_F32, 0},
	{{DIST_RAYLEIGH, {{1e39}}}, DTYPE_F32, 0},
	{{DIST_TRIANGULAR, {{1}, {1}, {1}}}, DTYPE_F32, 0},
	{{DIST_TRIANGULAR, {{0}, {2}, {1}}}, DTYPE_F32, 1},
	{{DIST_TRIANGULAR, {{-1e308}, {0}, {1e308}}}, DTYPE_F64, 0},
	{{DIST_VONMISES, {{0}, {-1}}}, DTYPE_F64, 1},
	{{DIST_WALD, {{0}, {1}}}, DTYPE_F64, 0},
	{{DIST_ZIPF, {{1}}}, DTYPE_I64, 0},
	{{DIST_LOGSERIES, {{1}}}, DTYPE_I64, 0},
	{{DIST_NEGATIVE_BINOMIAL, {{0}, {0.5}}}, DTYPE_I64, 0},
	{{DIST_HYPERGEOMETRIC, {{.natural = 3}, {.natural = 4}, {.natural = 8}}}, DTYPE_I64, 2},
};

static void wrong_parameters_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct draw draw = {.distribution = refused[i].row.distribution, .dtype = refused[i].dtype};
		struct dist_fault fault = {0};
		void *table = &draw;

		memcpy(draw.parameters, refused[i].row.parameters, sizeof draw.parameters);
		if (draw_prepare(&draw, NULL, 0, &table, &fault) != -ERROR_OUT_OF_RANGE)
			fail_msg("row %zu: %s was not refused", i, dist_name(draw.distribution));
		if (fault.parameter != refused[i].parameter || !strstr(fault.text, "allowed") || table != &draw)
			fail_msg("row %zu: %s refused parameter %u (%s), expected %u", i, dist_name(draw.distribution),
				 fault.parameter, fault.text, refused[i].parameter);
	}
}

static void wrong_lists_are_refused(void **state)
{
	static const double lists[][3] = {{1, -1, 1}, {1, NAN, 1}, {0, 0, 0}, {INFINITY, 1, 1}};

	(void)state;
	for (int distribution = DIST_CATEGORICAL; distribution <= DIST_DIRICHLET;
	     distribution += DIST_DIRICHLET - DIST_CATEGORICAL)
		for (size_t i = 0; i < 5; i++) {
			struct draw draw = {.distribution = (enum distribution)distribution,
					    .dtype = distribution == DIST_DIRICHLET ? DTYPE_F32 : DTYPE_I64};
			struct dist_fault fault;
			void *table;

			if (draw_prepare(&draw, i < 4 ? lists[i] : NULL, i < 4 ? 3 : 0, &table, &fault) !=
			    -ERROR_OUT_OF_RANGE)
				fail_msg("%s: list %zu was not refused", dist_name(draw.distribution), i);
		}
}

/* A distribution without a row in this file would not be tested. */
static void every_distribution_has_a_row(void **state)
{
	(void)state;
	for (int distribution = 0; distribution < DIST_COUNT; distribution++)
		for (int d = DTYPE_I8; d <= DTYPE_BF16; d++) {
			size_t i = 0;

			while (i < sizeof rows / sizeof *rows &&
			       !(rows[i].distribution == (enum distribution)distribution &&
				 takes(&rows[i], (enum dtype)d)))
				i++;
			if (dist_has_dtype((enum distribution)distribution, (enum dtype)d) &&
			    i == sizeof rows / sizeof *rows)
				fail_msg("%s in %s has no row in this test", dist_name((enum distribution)distribution),
					 dtype_name((enum dtype)d));
		}
}

static void names_and_dtypes_are_found(void **state)
{
	(void)state;
	for (int distribution = 0; distribution < DIST_COUNT; distribution++)
		assert_int_equal(dist_find(dist_name((enum distribution)distribution),
					   strlen(dist_name((enum distribution)distribution))),
				 distribution);
	assert_int_equal(dist_find("unifor", 6), DIST_COUNT);
	assert_true(dist_has_dtype(DIST_UNIFORM, DTYPE_BF16) && dist_has_dtype(DIST_NORMAL, DTYPE_F16) &&
		    dist_has_dtype(DIST_BITS, DTYPE_U32));
	assert_false(dist_has_dtype(DIST_BITS, DTYPE_F32) || dist_has_dtype(DIST_POISSON, DTYPE_F32) ||
		     dist_has_dtype(DIST_GAMMA, DTYPE_I8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_distribution_has_a_row), cmocka_unit_test(parts_join_under_every_level),
		cmocka_unit_test(every_variant_equals_scalar),
		cmocka_unit_test(empty_draws_write_nothing),    cmocka_unit_test(no_sample_is_nan),
		cmocka_unit_test(wrong_parameters_are_refused), cmocka_unit_test(wrong_lists_are_refused),
		cmocka_unit_test(names_and_dtypes_are_found),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
