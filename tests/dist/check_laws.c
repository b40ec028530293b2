/* SPDX-License-Identifier: Apache-2.0 */
/* Every law of the table, whatever its kernel: pure functions of (stream, sample, parameters), the same bytes from any
 * cut, rank and instruction set, and parameters refused by name. */
#include "dist/laws.h"

#include <math.h>

#include "base/error.h"
#include "dist/draw.h"
#include "dist/law_kernel.h"
#include "rng/support.h"

enum { MOST = 5000 };

struct row {
	enum law law;
	union law_value parameters[LAW_PARAMETERS]; /* of randint the third, if not 0: the only dtype */
};

static const double list[] = {0.2, 3, 0, 1e-9, 1, 40, 0.7};
static const double alphas[] = {0.2, 3, 1e-9, 1, 40, 0.7, 1e-300};

/* Parameters on every path of every law; each is drawn in each dtype that the law takes. */
static const struct row rows[] = {
	{LAW_BITS, {{0}}},
	{LAW_UNIFORM, {{0}, {1}}},
	{LAW_UNIFORM, {{-3}, {0.1}}},
	{LAW_NORMAL, {{0}, {1}}},
	{LAW_NORMAL, {{-3}, {0.1}}},
	{LAW_NORMAL, {{0}, {1}, {.natural = NORMAL_BOXMULLER64}}},
	{LAW_NORMAL, {{2}, {3}, {.natural = NORMAL_BOXMULLER64}}},
	{LAW_EXPONENTIAL, {{1}}},
	{LAW_EXPONENTIAL, {{0.3}}},
	{LAW_LAPLACE, {{0}, {1}}},
	{LAW_LAPLACE, {{1}, {0.4}}},
	{LAW_LOGNORMAL, {{0}, {1}}},
	{LAW_LOGNORMAL, {{-80}, {30}}},
	{LAW_GUMBEL, {{1}, {2}}},
	{LAW_WEIBULL, {{0.1}, {2}}},
	{LAW_CAUCHY, {{0}, {1}}},
	{LAW_STUDENT_T, {{3}}},
	{LAW_STUDENT_T, {{0.01}}},
	{LAW_TRUNCATED_NORMAL, {{0}, {1}, {-2}, {2}}},
	{LAW_TRUNCATED_NORMAL, {{0}, {1}, {3}, {3.0001}}},
	{LAW_TRUNCATED_NORMAL, {{5}, {2}, {-12}, {0.5}}},
	{LAW_TRUNCATED_NORMAL, {{0}, {1}, {40}, {INFINITY}}},
	{LAW_TRUNCATED_NORMAL, {{0}, {1}, {-50}, {-45}}},
	{LAW_TRUNCATED_NORMAL, {{0}, {1}, {-INFINITY}, {INFINITY}}},
	{LAW_TRUNCATED_NORMAL, {{1}, {2}, {-INFINITY}, {-0.5}}},
	{LAW_GAMMA, {{2}, {1}}},
	{LAW_GAMMA, {{0.1}, {3}}},
	{LAW_CHI_SQUARED, {{1}}},
	{LAW_CHI_SQUARED, {{5}}},
	{LAW_BETA, {{2}, {3}}},
	{LAW_BETA, {{0.1}, {3}}},
	{LAW_POISSON, {{3}}},
	{LAW_POISSON, {{1e6}}},
	{LAW_BINOMIAL, {{.natural = 100}, {0.2}}},
	{LAW_BINOMIAL, {{.natural = 1000000}, {0.8}}},
	{LAW_GEOMETRIC, {{0.1}}},
	{LAW_BERNOULLI, {{0.3}}},
	{LAW_BERNOULLI, {{1}}},
	{LAW_BERNOULLI, {{0.5}}},
	{LAW_RANDINT, {{.integer = -5}, {.integer = 1000}, {.natural = DTYPE_I32}}},
	{LAW_RANDINT, {{.integer = -5}, {.integer = 1000}, {.natural = DTYPE_I64}}},
	{LAW_RANDINT, {{.integer = INT32_MIN}, {.integer = 10}, {.natural = DTYPE_I32}}},
	{LAW_RANDINT, {{.integer = INT64_MIN}, {.integer = INT64_MIN}, {.natural = DTYPE_I64}}},
	{LAW_RANDINT, {{.natural = 0}, {.natural = 1ull << 32}, {.natural = DTYPE_U32}}},
	{LAW_RANDINT, {{.natural = 0}, {.natural = 0}, {.natural = DTYPE_U64}}},
	{LAW_RANDINT, {{.natural = 7}, {.natural = 0}, {.natural = DTYPE_U64}}},
	{LAW_RANDINT, {{.integer = 0}, {.integer = INT32_MAX}}},
	{LAW_PERMUTATION, {{.natural = 52}}},
	{LAW_PERMUTATION, {{.natural = 100000}}},
	{LAW_PERMUTATION, {{.natural = 1}}},
	{LAW_CATEGORICAL, {{0}}},
	{LAW_RADEMACHER, {{0}}},
	{LAW_DIRICHLET, {{0}}},
	{LAW_SPHERE, {{.natural = 3}}},
	{LAW_SPHERE, {{.natural = 1}}},
	{LAW_SPHERE, {{.natural = 100}}},
};

static struct draw_kernels kernels_of(uint32_t features)
{
	struct draw_kernels kernels;

	draw_select(features & cpu_detect(), &kernels);
	return kernels;
}

static struct draw prepared(const struct row *row, enum dtype dtype, void **ret_table)
{
	struct draw draw = {.law = row->law, .dtype = dtype};
	struct law_fault fault;

	memcpy(draw.parameters, row->parameters, sizeof draw.parameters);
	if (draw_prepare(&draw, row->law == LAW_DIRICHLET ? alphas : list, 7, ret_table, &fault))
		fail_msg("%s: parameter %u: %s", law_name(row->law), fault.parameter, fault.text);
	return draw;
}

static bool takes(const struct row *row, enum dtype dtype)
{
	const uint64_t only = row->law == LAW_RANDINT ? row->parameters[2].natural : 0;

	return law_takes(row->law, dtype) && (!only || only == (uint64_t)dtype);
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
			 law_name(draw->law), dtype_name(draw->dtype), draw->parameters[0].real,
			 draw->parameters[1].real, draw->parameters[2].real, draw->parameters[3].real, what,
			 (unsigned long long)begin, i / size, (unsigned long long)case_seed());
}

/* Cut anywhere, each part under another level and to another alignment. */
static void cut(struct draw draw, uint64_t *seed)
{
	static uint64_t whole[MOST];
	size_t n_levels;
	const struct cpu_level *levels = cpu_levels(&n_levels);
	const struct draw_kernels scalar = kernels_of(0);
	const size_t size = dtype_size(draw.dtype), n = 1 + (size_t)below(seed, below(seed, 3) ? 700 : MOST);
	const uint64_t begin = below(seed, 2) ? below(seed, 5000) : next_case(seed) >> 3;
	struct guarded out = guarded_new(n * size, (size_t)below(seed, 64));

	draw_fill(&scalar, &draw, begin, n, whole);
	for (size_t at = 0, part; at < n; at += part) {
		const struct cpu_level *level = &levels[below(seed, n_levels)];
		const struct draw_kernels kernels = kernels_of(level->features);
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
		can_run("laws at level", levels[i].name, levels[i].features);
	for (int i = 0; i < (full_check() ? 60 : 4); i++)
		for_each_draw(cut);
}

/* The whole against each variant, in one piece. */
static void variants(struct draw draw, uint64_t *seed)
{
	static uint64_t expected[MOST], got[MOST];
	const size_t n = MOST - (size_t)below(seed, 100);
	const uint64_t begin = next_case(seed) >> 5;
	const struct draw_kernels scalar = kernels_of(0);
	size_t count;
	const struct law_kernel *const *kernels = law_kernels(&count);

	draw_fill(&scalar, &draw, begin, n, expected);
	for (size_t i = 0; i < count; i++) {
		struct draw_kernels mixed = scalar;

		if (!can_run("law_kernel", kernels[i]->name, kernels[i]->needs))
			continue;
		mixed.laws = kernels[i];
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

/* Rank after rank of P. */
static void ranks(struct draw draw, uint64_t *seed)
{
	static const uint64_t sizes[] = {1, 2, 3, 7, 128};
	static uint64_t whole[MOST], joined[MOST];
	const struct draw_kernels kernels = kernels_of(UINT32_MAX);
	const size_t components = draw_components(&draw), size = dtype_size(draw.dtype);
	const uint64_t n = (1003 + below(seed, 500)) / components;

	draw_fill(&kernels, &draw, 0, n * components, whole);
	for (size_t p = 0; p < sizeof sizes / sizeof *sizes; p++) {
		memset(joined, GUARD, sizeof joined);
		for (uint64_t rank = 0; rank < sizes[p]; rank++) {
			uint64_t begin, end;

			stream_partition(n, rank, sizes[p], &begin, &end);
			draw_fill(&kernels, &draw, begin * components, (end - begin) * components,
				  (char *)joined + begin * components * size);
		}
		expect_bytes(&draw, "a draw in ranks", 0, n * components, joined, whole);
	}
}

static void ranks_join(void **state)
{
	(void)state;
	for_each_draw(ranks);
}

static void nothing_is_drawn_of_nothing(struct draw draw, uint64_t *seed)
{
	const struct draw_kernels kernels = kernels_of(UINT32_MAX);
	unsigned char untouched = GUARD;

	draw_fill(&kernels, &draw, below(seed, 1000), 0, &untouched);
	assert_int_equal(untouched, GUARD);
}

static void empty_draws(void **state)
{
	(void)state;
	for_each_draw(nothing_is_drawn_of_nothing);
}

/* No sample is NaN. */
static void numbers(struct draw draw, uint64_t *seed)
{
	static uint64_t x[MOST];
	const struct draw_kernels kernels = kernels_of(UINT32_MAX);

	draw_fill(&kernels, &draw, next_case(seed) >> 3, MOST, x);
	for (size_t i = 0; i < MOST; i++)
		if ((draw.dtype == DTYPE_F32 && isnan(((float *)x)[i])) ||
		    (draw.dtype == DTYPE_F64 && isnan(((double *)x)[i])))
			fail_msg("%s %s: sample %zu is NaN", law_name(draw.law), dtype_name(draw.dtype), i);
}

static void no_sample_is_nan(void **state)
{
	(void)state;
	for_each_draw(numbers);
}

/* What must be refused: the law, its parameters, which one is named. */
/* What each law may not be given, and the number of the parameter that is to blame. */
static const struct {
	struct row row;
	enum dtype dtype;
	unsigned parameter;
} refused[] = {
	{{LAW_UNIFORM, {{1}, {1}}}, DTYPE_F32, 0},
	{{LAW_UNIFORM, {{2}, {1}}}, DTYPE_F64, 0},
	{{LAW_UNIFORM, {{1}, {1 + 1e-12}}}, DTYPE_F32, 0},
	{{LAW_UNIFORM, {{NAN}, {1}}}, DTYPE_F32, 0},
	{{LAW_UNIFORM, {{0}, {INFINITY}}}, DTYPE_F64, 1},
	{{LAW_UNIFORM, {{-1e308}, {1e308}}}, DTYPE_F64, 1},
	{{LAW_UNIFORM, {{0}, {1e5}}}, DTYPE_F16, 1},
	{{LAW_NORMAL, {{NAN}, {1}}}, DTYPE_F32, 0},
	{{LAW_NORMAL, {{0}, {-1}}}, DTYPE_F32, 1},
	{{LAW_NORMAL, {{0}, {1e39}}}, DTYPE_F32, 1},
	{{LAW_EXPONENTIAL, {{0}}}, DTYPE_F32, 0},
	{{LAW_EXPONENTIAL, {{-1}}}, DTYPE_F64, 0},
	{{LAW_EXPONENTIAL, {{NAN}}}, DTYPE_F64, 0},
	{{LAW_LAPLACE, {{0}, {-0.5}}}, DTYPE_F32, 1},
	{{LAW_LOGNORMAL, {{0}, {-0.5}}}, DTYPE_F32, 1},
	{{LAW_GUMBEL, {{INFINITY}, {1}}}, DTYPE_F64, 0},
	{{LAW_WEIBULL, {{0}, {1}}}, DTYPE_F32, 0},
	{{LAW_CAUCHY, {{0}, {NAN}}}, DTYPE_F64, 1},
	{{LAW_STUDENT_T, {{0}}}, DTYPE_F32, 0},
	{{LAW_TRUNCATED_NORMAL, {{0}, {1}, {2}, {2}}}, DTYPE_F32, 2},
	{{LAW_TRUNCATED_NORMAL, {{0}, {1}, {NAN}, {2}}}, DTYPE_F32, 2},
	{{LAW_TRUNCATED_NORMAL, {{0}, {-1}, {0}, {2}}}, DTYPE_F32, 1},
	{{LAW_TRUNCATED_NORMAL, {{0}, {1}, {INFINITY}, {INFINITY}}}, DTYPE_F32, 2},
	{{LAW_TRUNCATED_NORMAL, {{0}, {1}, {-INFINITY}, {-INFINITY}}}, DTYPE_F64, 2},
	{{LAW_GAMMA, {{0}, {1}}}, DTYPE_F32, 0},
	{{LAW_GAMMA, {{1}, {-1}}}, DTYPE_F32, 1},
	{{LAW_CHI_SQUARED, {{NAN}}}, DTYPE_F64, 0},
	{{LAW_BETA, {{1}, {0}}}, DTYPE_F64, 1},
	{{LAW_POISSON, {{-1}}}, DTYPE_I64, 0},
	{{LAW_POISSON, {{1e16}}}, DTYPE_I64, 0},
	{{LAW_BINOMIAL, {{.natural = UINT64_MAX}, {0.5}}}, DTYPE_I64, 0},
	{{LAW_BINOMIAL, {{.natural = 5}, {1.5}}}, DTYPE_I64, 1},
	{{LAW_GEOMETRIC, {{0}}}, DTYPE_I64, 0},
	{{LAW_BERNOULLI, {{-0.1}}}, DTYPE_I8, 0},
	{{LAW_BERNOULLI, {{NAN}}}, DTYPE_I8, 0},
	{{LAW_RANDINT, {{.integer = 5}, {.integer = 5}}}, DTYPE_I64, 0},
	{{LAW_RANDINT, {{.integer = INT64_MIN}, {.integer = 5}}}, DTYPE_I32, 0},
	{{LAW_RANDINT, {{.integer = 0}, {.integer = INT64_MAX}}}, DTYPE_I32, 1},
	{{LAW_RANDINT, {{.integer = -1}, {.integer = 5}}}, DTYPE_U32, 0},
	{{LAW_RANDINT, {{.integer = 1}, {.integer = (1ll << 32) + 1}}}, DTYPE_U32, 1},
	{{LAW_RANDINT, {{.natural = 5}, {.natural = 5}}}, DTYPE_U64, 0},
	{{LAW_RANDINT, {{.natural = UINT64_MAX}, {.natural = 5}}}, DTYPE_U64, 0},
	{{LAW_PERMUTATION, {{.natural = 0}}}, DTYPE_I64, 0},
	{{LAW_SPHERE, {{.natural = 0}}}, DTYPE_F32, 0},
	{{LAW_SPHERE, {{.natural = 100000}}}, DTYPE_F32, 0},
};

static void refusals(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
		struct draw draw = {.law = refused[i].row.law, .dtype = refused[i].dtype};
		struct law_fault fault = {0};
		void *table = &draw;

		memcpy(draw.parameters, refused[i].row.parameters, sizeof draw.parameters);
		if (draw_prepare(&draw, NULL, 0, &table, &fault) != -ERROR_OUT_OF_RANGE)
			fail_msg("row %zu: %s was not refused", i, law_name(draw.law));
		if (fault.parameter != refused[i].parameter || !strstr(fault.text, "allowed") || table != &draw)
			fail_msg("row %zu: %s refused parameter %u (%s), expected %u", i, law_name(draw.law),
				 fault.parameter, fault.text, refused[i].parameter);
	}
}

static void refused_lists(void **state)
{
	static const double lists[][3] = {{1, -1, 1}, {1, NAN, 1}, {0, 0, 0}, {INFINITY, 1, 1}};

	(void)state;
	for (int law = LAW_CATEGORICAL; law <= LAW_DIRICHLET; law += LAW_DIRICHLET - LAW_CATEGORICAL)
		for (size_t i = 0; i < 5; i++) {
			struct draw draw = {.law = (enum law)law,
					    .dtype = law == LAW_DIRICHLET ? DTYPE_F32 : DTYPE_I64};
			struct law_fault fault;
			void *table;

			if (draw_prepare(&draw, i < 4 ? lists[i] : NULL, i < 4 ? 3 : 0, &table, &fault) !=
			    -ERROR_OUT_OF_RANGE)
				fail_msg("%s: list %zu was not refused", law_name(draw.law), i);
		}
}

/* A law without parameters here would be held against nothing. */
static void every_law_has_a_row(void **state)
{
	(void)state;
	for (int law = 0; law < LAW_COUNT; law++)
		for (int d = DTYPE_I8; d <= DTYPE_BF16; d++) {
			size_t i = 0;

			while (i < sizeof rows / sizeof *rows &&
			       !(rows[i].law == (enum law)law && takes(&rows[i], (enum dtype)d)))
				i++;
			if (law_takes((enum law)law, (enum dtype)d) && i == sizeof rows / sizeof *rows)
				fail_msg("%s in %s has no row in this test", law_name((enum law)law),
					 dtype_name((enum dtype)d));
		}
}

static void names_and_dtypes(void **state)
{
	(void)state;
	for (int law = 0; law < LAW_COUNT; law++)
		assert_int_equal(law_find(law_name((enum law)law), strlen(law_name((enum law)law))), law);
	assert_int_equal(law_find("unifor", 6), LAW_COUNT);
	assert_true(law_takes(LAW_UNIFORM, DTYPE_BF16) && law_takes(LAW_NORMAL, DTYPE_F16) &&
		    law_takes(LAW_BITS, DTYPE_U32));
	assert_false(law_takes(LAW_BITS, DTYPE_F32) || law_takes(LAW_POISSON, DTYPE_F32) ||
		     law_takes(LAW_GAMMA, DTYPE_I8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_law_has_a_row),
		cmocka_unit_test(parts_join_under_every_level),
		cmocka_unit_test(every_variant_equals_scalar),
		cmocka_unit_test(ranks_join),
		cmocka_unit_test(empty_draws),
		cmocka_unit_test(no_sample_is_nan),
		cmocka_unit_test(refusals),
		cmocka_unit_test(refused_lists),
		cmocka_unit_test(names_and_dtypes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
