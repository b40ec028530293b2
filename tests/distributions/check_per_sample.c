/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters that are arrays: a sample depends on its own element, whatever the elements' dtype, and each element is checked.
 * client/check_parts has the cuts and the instruction sets. */
#include "distributions/draw/draw_arrays.h"

#include <float.h>

#include "distributions/draw/draw_prepare.h"
#include "distributions/rows/dist_kernel.h"
#include "distributions/statistics.h"

enum { ELEMENTS = 7, MOST = 3000 };

/* Elements of each parameter, as float64. */
static const struct row {
	enum distribution distribution;
	bool as_number; /* equal elements give the samples that the number gives */
	double elements[DIST_PARAMETERS][ELEMENTS];
} rows[] = {
	{DIST_UNIFORM, true, {{0, -3, 0.5, -1e30, 0, -2, 7}, {1, 0, 0.75, 1e30, 0x1p-100, -1, 7.5}}},
	{DIST_NORMAL, true, {{0, 1, -2, 3, 1e5, 0, 0}, {1, 0.1, 2, 0, 1e-3, 1, 7}}},
	{DIST_EXPONENTIAL, true, {{1, 0.3, 1e-9, 1e9, 7, 2, 5}}},
	{DIST_LAPLACE, true, {{0, 1, -2, 3, 1e5, 0, 0}, {1, 0.1, 2, 0, 1e-3, 1, 7}}},
	{DIST_LOGNORMAL, true, {{0, 1, -2, 3, 5, 0, 0}, {1, 0.1, 2, 0, 1e-3, 1, 7}}},
	{DIST_GUMBEL, true, {{0, 1, -2, 3, 5, 0, 0}, {1, 0.1, 2, 0, 1e-3, 1, 7}}},
	{DIST_WEIBULL, true, {{1, 0.3, 5, 2, 7, 2, 5}, {1, 0.1, 2, 0, 1e-3, 1, 7}}},
	{DIST_CAUCHY, true, {{0, 1, -2, 3, 5, 0, 0}, {1, 0.1, 2, 0, 1e-3, 1, 7}}},
	{DIST_STUDENT_T, true, {{1, 0.3, 1e9, 2, 7, 2, 5}}},
	{DIST_TRUNCATED_NORMAL, true, {{0, 1, -2, 3, 5, 0, 0}, {1, 0.1, 2, 0, 1e-3, 1, 7}, {-1}, {2}}},
	{DIST_TRUNCATED_NORMAL, true, {{0, 1, -2, 3, 5, 0, 0}, {1, 0.1, 2, 0, 1e-3, 1, 7}, {40}, {INFINITY}}},
	{DIST_TRUNCATED_NORMAL, true, {{0, 1, -2, 3, 5, 0, 0}, {1, 0.1, 2, 0, 1e-3, 1, 7}, {1}, {1.0001}}},
	{DIST_GAMMA, false, {{1, 0.3, 1e9, 2, 7, 1e-300, 5}, {1, 0.1, 2, 0, 1e-3, 1, 7}}},
	{DIST_CHI_SQUARED, false, {{1, 0.3, 1e9, 2, 7, 1e-9, 5}}},
	{DIST_BETA, false, {{1, 0.3, 1e9, 2, 7, 1e-9, 5}, {0.3, 0.1, 2, 40, 1e-3, 1, 7}}},
	/* Ordinary samples beside those that need an exponent of their own. */
	{DIST_LOGNORMAL, true, {{0, 50.1, -70, 3, 5, 700, 0}, {1, 1e-7, 1e-3, 0, 1e-3, 1e-9, 7}}},
	{DIST_WEIBULL, true, {{1, 3e-3, 5, 1e-3, 7, 0.02, 5e-324}, {1, 1e30, 2, 1e-38, 1e-3, 1e-44, 7}}},
	{DIST_STUDENT_T, true, {{1, 0.011, 1e9, 1e-300, 7, 2, 5}}},
	{DIST_GAMMA, false, {{1, 1e-3, 1e300, 2, 7, 0.01, 5}, {1, 1e30, 1e-310, 0, 1e-3, 1e-44, 7}}},
	{DIST_BETA, false, {{1e-308, 3, 1, 1e308, 0.3, 1e-3, 5}, {3e-308, 2, 1.7e308, 2, 0.01, 1, 7}}},
	{DIST_F, true, {{1e-8, 3, 1, 1e308, 0.3, 1e-3, 5}, {1e300, 2, 1.7e308, 2, 0.01, 1, 5e-324}}},
	{DIST_WALD, true, {{1, 1e180, 1, 1.7e308, 0.3, 5e-324, 5}, {1, 1, 1e-300, 1.7e308, 0.01, 1, 7}}},
	{DIST_TRIANGULAR, true, {{0, -1, 0, -1, 0, 0, 3}, {0, 0, 1e-200, 2, 1e-30, 1, 4}, {1, 1e38, 3e-200, 4, 1e-29, 5e30, 5}}},
	{DIST_VONMISES, true, {{0, 1e16, 3, -1e22, 1024, 1e38, 5}, {0, 3, 1e15, 1e8, 0.1, 1, 7}}},
	{DIST_POISSON, false, {{0, 0.3, 9.99, 10, 3e4, 1e15, 5}}},
	{DIST_BINOMIAL, false, {{0, 1, 17, 1000, 0x1p52, 40, 1e6}, {0.5, 0.3, 1, 0.9, 0.2, 0, 1e-9}}},
	{DIST_GEOMETRIC, true, {{1, 0.5, 0x1p-57, 0.9, 0.2, 1e-9, 0.001}}},
	{DIST_BERNOULLI, true, {{1, 0.5, 0, 0.9, 0.2, 1e-9, 0x1p-32}}},
	{DIST_ZIPF, true, {{1.00001, 1.05, 1.5, 2, 60, 1e300, 0x1.0000000000001p0}}},
	{DIST_LOGSERIES, true, {{0.5, 0x1.fffffffffffffp-1, 0.999, 1e-300, 0.1, 0.9, 0.3}}},
	{DIST_HYPERGEOMETRIC,
	 true,
	 {{7, 1000, 12, 40, 15, 500, 1e15}, {9, 1000, 1000, 1e9, 1e6, 9, 1e15}, {12, 1000, 200, 1e8, 5e5, 100, 2e15}}},
	{DIST_NEGATIVE_BINOMIAL, true, {{3, 0.1, 1e15, 1e-300, 40, 1, 1e6}, {0.5, 1e-9, 2e-4, 1, 0.9, 1e-17, 0.1}}},
	{DIST_RANDINT, true, {{0, 10, 0, 3, 7, 0, 100}, {1, 100, 2147483647, 4, 1000000007, 3, 101}}},
};

/* A draw with the row's parameters as arrays, in memory that the fixture has. */
struct fixture {
	struct draw draw;
	struct draw_arrays arrays;
	struct draw_array_fault fault;
	double elements[DIST_PARAMETERS][ELEMENTS];
	int64_t whole[DIST_PARAMETERS][ELEMENTS];
};

static struct draw_kernels kernels_of(uint32_t features)
{
	struct draw_kernels kernels;

	draw_select(features & cpu_detect(), &kernels);
	return kernels;
}

/* Gives a parameter as a number. */
static void set_number(struct fixture *f, unsigned j, double x)
{
	f->arrays.of[j].at = NULL;
	f->draw.parameters[j].real = x;
	if (dist_row(f->draw.distribution)->parameters[j].type == DIST_TYPE_U64)
		f->draw.parameters[j].natural = (uint64_t)x;
	if (f->draw.distribution == DIST_RANDINT)
		f->draw.parameters[j].integer = (int64_t)x;
}

static void fixture_init(struct fixture *f, const struct row *row, enum dtype dtype)
{
	memset(f, 0, sizeof *f);
	f->draw = (struct draw){.distribution = row->distribution,
				.dtype = dtype,
				.stream = {GENERATOR_THREEFRY4X32, 5, 7},
				.arrays = &f->arrays};
	f->arrays.fault = &f->fault;
	draw_array_fault_init(&f->fault);
	for (unsigned j = 0; j < DIST_PARAMETERS; j++) {
		set_number(f, j, row->elements[j][0]);
		if (row->elements[j][1] == 0 && row->elements[j][2] == 0)
			continue;
		for (size_t i = 0; i < ELEMENTS; i++) {
			f->elements[j][i] = row->elements[j][i];
			f->whole[j][i] = (int64_t)(row->distribution == DIST_RANDINT ? row->elements[j][i] : 0);
		}
		f->arrays.of[j].at = row->distribution == DIST_RANDINT ? (void *)f->whole[j] : (void *)f->elements[j];
		f->arrays.of[j].n = ELEMENTS;
		f->arrays.of[j].dtype = row->distribution == DIST_RANDINT ? DTYPE_I64 : DTYPE_F64;
	}
}

typedef void fixture_fn(const struct row *row, struct fixture *f, uint64_t *seed);

static void for_each_fixture(fixture_fn *each)
{
	uint64_t seed = case_seed();
	struct fixture f;

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int d = DTYPE_I8; d <= DTYPE_BF16; d++) {
			/* Unsigned 64 bits take unsigned elements; 16-bit floats have the tests of their kernels. */
			if (!dist_has_dtype(rows[i].distribution, (enum dtype)d) || d == DTYPE_U64 || d == DTYPE_F16 ||
			    d == DTYPE_BF16)
				continue;
			fixture_init(&f, &rows[i], (enum dtype)d);
			each(&rows[i], &f, &seed);
			if (f.fault.is_set)
				fail_msg("%s: parameter %u: %s", dist_name(rows[i].distribution), f.fault.fault.parameter,
					 f.fault.fault.text);
		}
}

static void expect_bytes(const struct fixture *f, const char *what, uint64_t begin, size_t n, const void *got,
			 const void *expected)
{
	const size_t size = dtype_size(f->draw.dtype);

	for (size_t i = 0; i < n; i++)
		if (memcmp((const char *)got + i * size, (const char *)expected + i * size, size) != 0)
			fail_msg("%s %s: %s differs at sample %llu + %zu; TRNSCI_TEST_SEED=%llu",
				 dist_name(f->draw.distribution), dtype_name(f->draw.dtype), what,
				 (unsigned long long)begin, i, (unsigned long long)case_seed());
}

static size_t n_tables; /* that numbers had */

/* Fills with the parameters as numbers, and the table that a draw of these numbers has. */
static void fill_prepared(const struct draw_kernels *kernels, struct draw *draw, void *ret_out)
{
	struct dist_fault fault;
	void *table;

	draw->arrays = NULL;
	if (draw_prepare(draw, NULL, 0, &table, &fault) < 0)
		fail_msg("%s: parameter %u: %s", dist_name(draw->distribution), fault.parameter, fault.text);
	n_tables += table != NULL;
	draw_fill(kernels, draw, 0, MOST, ret_out);
	free(table);
}

/* Sample k with the arrays is sample k with element k alone, and mostly what the number gives. */
static void apart(const struct row *row, struct fixture *f, uint64_t *seed)
{
	static uint64_t whole[MOST], one[MOST];
	const struct draw_kernels kernels = kernels_of(UINT32_MAX);
	const size_t size = dtype_size(f->draw.dtype);
	const struct fixture all = *f;

	(void)seed;
	draw_fill(&kernels, &f->draw, 0, MOST, whole);
	for (size_t e = 0; e < ELEMENTS; e++) {
		bool any = false;

		for (unsigned j = 0; j < DIST_PARAMETERS; j++)
			if (all.arrays.of[j].at && (row->as_number || any || j + 1 == DIST_PARAMETERS ||
						    !all.arrays.of[j + 1].at)) {
				if (row->as_number) {
					set_number(f, j, all.elements[j][e]);
				} else {
					f->arrays.of[j].at = &f->elements[j][e];
					f->arrays.of[j].n = 1;
				}
				any = true;
			} else if (all.arrays.of[j].at) {
				set_number(f, j, all.elements[j][e]);
			}
		if (row->as_number)
			fill_prepared(&kernels, &f->draw, one);
		else
			draw_fill(&kernels, &f->draw, 0, MOST, one);
		for (size_t k = e; k < MOST; k += ELEMENTS)
			expect_bytes(f, "the sample of one element", k, 1, (char *)whole + k * size,
				     (char *)one + k * size);
		*f = all;
		f->draw.arrays = &f->arrays;
		f->arrays.fault = &f->fault;
		for (unsigned j = 0; j < DIST_PARAMETERS; j++)
			if (all.arrays.of[j].at)
				f->arrays.of[j].at = row->distribution == DIST_RANDINT ? (void *)f->whole[j]
										       : (void *)f->elements[j];
	}
}

static void a_sample_takes_its_own_element(void **state)
{
	(void)state;
	n_tables = 0;
	for_each_fixture(apart);
	assert_true(n_tables > 0);
}

/* Whole numbers give the same from any dtype that holds them. */
static void elements_of_every_dtype_are_read(void **state)
{
	static const struct row row = {DIST_POISSON, false, {{0, 3, 100, 7, 20, 1, 90}}};
	static int64_t expected[MOST], got[MOST];
	const struct draw_kernels kernels = kernels_of(UINT32_MAX);
	int8_t i8[ELEMENTS];
	int32_t i32[ELEMENTS];
	int64_t i64[ELEMENTS];
	float f32[ELEMENTS];
	const struct {
		enum dtype dtype;
		const void *at;
	} dtypes[] = {{DTYPE_I8, i8}, {DTYPE_I32, i32}, {DTYPE_U32, i32}, {DTYPE_I64, i64}, {DTYPE_U64, i64}, {DTYPE_F32, f32}};
	struct fixture f;

	(void)state;
	fixture_init(&f, &row, DTYPE_I64);
	draw_fill(&kernels, &f.draw, 0, MOST, expected);
	for (size_t i = 0; i < ELEMENTS; i++) {
		i8[i] = (int8_t)row.elements[0][i];
		i32[i] = i8[i];
		i64[i] = i8[i];
		f32[i] = i8[i];
	}
	for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
		f.arrays.of[0].at = dtypes[i].at;
		f.arrays.of[0].dtype = dtypes[i].dtype;
		assert_true(draw_array_has_dtype(&f.draw, dtypes[i].dtype));
		draw_fill(&kernels, &f.draw, 0, MOST, got);
		expect_bytes(&f, dtype_name(dtypes[i].dtype), 0, MOST, got, expected);
	}
	assert_false(draw_array_has_dtype(&f.draw, DTYPE_C64));
	f.draw.distribution = DIST_RANDINT;
	assert_false(draw_array_has_dtype(&f.draw, DTYPE_F64));
	assert_false(draw_array_has_dtype(&f.draw, DTYPE_U64));
}

/* ---- faults ---- */

static void the_first_wrong_element_is_named(void **state)
{
	static const struct {
		enum distribution distribution;
		enum dtype dtype;
		unsigned parameter;
		double wrong, others[DIST_PARAMETERS];
	} wrong[] = {
		{DIST_POISSON, DTYPE_I64, 0, -1, {1}},
		{DIST_POISSON, DTYPE_I64, 0, NAN, {1}},
		{DIST_POISSON, DTYPE_I64, 0, 1e16, {1}},
		{DIST_NORMAL, DTYPE_F32, 0, 1e39, {0, 1}},
		{DIST_NORMAL, DTYPE_F64, 0, INFINITY, {0, 1}},
		{DIST_NORMAL, DTYPE_F32, 1, -1, {0, 1}},
		{DIST_UNIFORM, DTYPE_F64, 0, 1, {0, 1}},
		{DIST_GAMMA, DTYPE_F32, 0, 0, {1, 1}},
		{DIST_BINOMIAL, DTYPE_I64, 0, 1.5, {1, 0.5}},
		{DIST_BINOMIAL, DTYPE_I64, 1, 1.5, {1, 0.5}},
		{DIST_TRUNCATED_NORMAL, DTYPE_F64, 1, -1, {0, 1, -1, 1}},
		{DIST_GEOMETRIC, DTYPE_I64, 0, 0, {0.5}},
		{DIST_TRIANGULAR, DTYPE_F32, 1, 3, {0, 1, 2}},
		{DIST_TRIANGULAR, DTYPE_F64, 1, -1e-300, {0, 1, 2}},
		{DIST_TRIANGULAR, DTYPE_F32, 2, 1e39, {0, 1, 2}},
		{DIST_TRIANGULAR, DTYPE_F64, 0, 2, {0, 2, 2}},
		{DIST_TRIANGULAR, DTYPE_F64, 0, -DBL_MAX, {0, 0, 1e300}},
		{DIST_RAYLEIGH, DTYPE_F32, 0, 1e39, {1}},
		{DIST_VONMISES, DTYPE_F32, 0, 1e39, {0, 1}},
	};
	static double elements[MOST];
	static uint64_t x[MOST];
	const struct draw_kernels kernels = kernels_of(UINT32_MAX);

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct row row = {.distribution = wrong[i].distribution};
		struct fixture f;

		for (unsigned j = 0; j < DIST_PARAMETERS; j++)
			row.elements[j][0] = wrong[i].others[j];
		fixture_init(&f, &row, wrong[i].dtype);
		for (size_t k = 0; k < MOST; k++)
			elements[k] = wrong[i].others[wrong[i].parameter];
		elements[MOST - 1] = elements[1234] = wrong[i].wrong;
		f.arrays.of[wrong[i].parameter].at = elements;
		f.arrays.of[wrong[i].parameter].n = MOST;
		f.arrays.of[wrong[i].parameter].dtype = DTYPE_F64;
		draw_fill(&kernels, &f.draw, 1500, 1500, x);
		draw_fill(&kernels, &f.draw, 0, 1500, x);
		if (!f.fault.is_set || f.fault.sample != 1234 || f.fault.fault.parameter != wrong[i].parameter)
			fail_msg("row %zu: %s: found %d, sample %llu, parameter %u (%s), expected 1234, %u", i,
				 dist_name(row.distribution), f.fault.is_set, (unsigned long long)f.fault.sample,
				 f.fault.fault.parameter, f.fault.fault.text, wrong[i].parameter);
	}
}

static void bounds_that_are_numbers_are_checked_beside_arrays(void **state)
{
	static const struct {
		double low, high;
		unsigned parameter;
	} wrong[] = {{2, 1, 2}, {1, 1, 2}, {INFINITY, INFINITY, 2}, {-INFINITY, -INFINITY, 2}};
	const struct draw_kernels kernels = kernels_of(UINT32_MAX);
	double x[16];

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		const struct row row = {.distribution = DIST_TRUNCATED_NORMAL,
					.elements = {{0, 1, 2}, {1}, {wrong[i].low}, {wrong[i].high}}};
		struct fixture f;

		fixture_init(&f, &row, DTYPE_F64);
		draw_fill(&kernels, &f.draw, 0, 16, x);
		if (!f.fault.is_set || f.fault.fault.parameter != wrong[i].parameter)
			fail_msg("bounds %g and %g: found %d, expected parameter %u", wrong[i].low, wrong[i].high, f.fault.is_set,
				 wrong[i].parameter);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(bounds_that_are_numbers_are_checked_beside_arrays),
		cmocka_unit_test(a_sample_takes_its_own_element),
		cmocka_unit_test(elements_of_every_dtype_are_read),
		cmocka_unit_test(the_first_wrong_element_is_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
