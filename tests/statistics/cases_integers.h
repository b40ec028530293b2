/* SPDX-License-Identifier: Apache-2.0 */
/* Words, integers in a range, permutations, weights and signs. */
#ifndef TRNSCI_TESTS_STATISTICS_CASES_INTEGERS_H
#define TRNSCI_TESTS_STATISTICS_CASES_INTEGERS_H

#include "distributions/statistics.h"

/* The weights of categorical's rows, of sum 1; its first parameter says which. */
enum { WEIGHTS = 5 };
static const double weights[][WEIGHTS] = {
	{0.2, 0.2, 0.2, 0.2, 0.2},
	{0.5, 0, 0.25, 0.125, 0.125},
	{0.001, 0.9, 0.04, 0.05, 0.009},
};

static double below_bits(double x, const union dist_value *p)
{
	(void)p;
	return (x + 1) / 0x1p32;
}

static double below_bits64(double x, const union dist_value *p)
{
	(void)p;
	return x / 0x1p64;
}

static double below_bernoulli(double x, const union dist_value *p)
{
	return x < 0 ? 0 : x < 1 ? 1 - p[0].real : 1;
}

static double below_rademacher(double x, const union dist_value *p)
{
	(void)p;
	return x < -1 ? 0 : x < 1 ? 0.5 : 1;
}

static double below_randint(double x, const union dist_value *p)
{
	return (x - (double)p[0].integer + 1) / ((double)p[1].integer - (double)p[0].integer);
}

static double below_permutation(double x, const union dist_value *p)
{
	return (x + 1) / (double)p[0].natural;
}

static double below_categorical(double x, const union dist_value *p)
{
	double sum = 0;

	for (int i = 0; i < WEIGHTS && i <= x; i++)
		sum += weights[p[0].natural][i];
	return fmin(sum, 1);
}

#define CHANCE(p) {{p}}, below_bernoulli, p, (p) * (1 - (p))
#define BETWEEN(low, high)                                                                                             \
	{{.integer = low}, {.integer = high}}, below_randint, EVEN(low, (double)(high) - (double)(low))
#define ITEMS(n, which) {{.natural = n}, {.natural = which}}, below_permutation, EVEN(0, (double)(n))
/* Mean and variance of n integers from low on. */
#define EVEN(low, n) (double)(low) + ((n)-1) / 2, ((n) * (n)-1) / 12

/* A permutation's second number is the place looked at, in one permutation after the other. */
static const struct dist_case integer_cases[] = {
	{DIST_BITS, DTYPE_U32, {{0}}, below_bits, EVEN(0, 0x1p32)},
	{DIST_BITS, DTYPE_U64, {{0}}, below_bits64, EVEN(0, 0x1p64)},
	{DIST_BERNOULLI, DTYPE_I8, CHANCE(0.3)},
	{DIST_BERNOULLI, DTYPE_I32, CHANCE(0.5)},
	{DIST_BERNOULLI, DTYPE_I8, CHANCE(0.001)},
	{DIST_BERNOULLI, DTYPE_I8, CHANCE(0.99)},
	{DIST_RANDINT, DTYPE_I64, BETWEEN(-5, 1000)},
	{DIST_RANDINT, DTYPE_I32, BETWEEN(0, 3)},
	{DIST_RANDINT, DTYPE_I32, BETWEEN(INT32_MIN, INT32_MAX)},
	{DIST_RANDINT, DTYPE_I64, BETWEEN(0, INT64_C(3) << 30)},
	{DIST_PERMUTATION, DTYPE_I64, ITEMS(5, 0)},
	{DIST_PERMUTATION, DTYPE_I64, ITEMS(52, 51)},
	{DIST_PERMUTATION, DTYPE_I64, ITEMS(INT64_C(1) << 32, 0)},
	{DIST_PERMUTATION, DTYPE_I64, ITEMS(INT64_C(1000000000000), 0)},
	{DIST_CATEGORICAL, DTYPE_I64, {{.natural = 0}}, below_categorical, 2, 2},
	{DIST_CATEGORICAL, DTYPE_I64, {{.natural = 1}}, below_categorical, 1.375, 2.234375},
	{DIST_CATEGORICAL, DTYPE_I64, {{.natural = 2}}, below_categorical, 1.166, 0.294444},
	{DIST_RADEMACHER, DTYPE_I8, {{0}}, below_rademacher, 0, 1},
	{DIST_RADEMACHER, DTYPE_I32, {{0}}, below_rademacher, 0, 1},
	{DIST_RADEMACHER, DTYPE_F32, {{0}}, below_rademacher, 0, 1},
	{DIST_RADEMACHER, DTYPE_F64, {{0}}, below_rademacher, 0, 1},
};

#endif
