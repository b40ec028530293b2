/* SPDX-License-Identifier: Apache-2.0 */
/* The checks of distributions, for their rows (dist_rows.h); included by dist_row.c.
 *
 * NaN fails all comparisons here: !(x >= 0), not x < 0. Those of many samples have no early exit, so that the compiler vectorises
 * their loops. */
#include <float.h>
#include <inttypes.h>
#include <math.h>

#include "distributions/rows/dist_fault.h"
#include "distributions/rows/dist_kernel.h"

static double real_of(const struct check_args *args, unsigned parameter)
{
	return args->parameters[parameter].real;
}

/* float32 and narrower samples need bounds that differ in float32; the width is a factor of every sample, so it must be
 * finite. */
static int check_uniform(const struct check_args *args)
{
	const double low = real_of(args, 0), high = real_of(args, 1);

	if (!(low < high) || (args->dtype != DTYPE_F64 && !((float)low < (float)high)))
		return dist_refuse(args->fault, 0, "got %.17g, allowed is below high = %.17g in %s", low, high,
					dtype_name(args->dtype));
	if (!isfinite(high - low))
		return dist_refuse(args->fault, 1, "got %.17g, allowed is less than %.17g above low = %.17g", high, DBL_MAX,
					low);
	return 0;
}

/* The width must be finite, too: it is a factor of every sample. */
static int check_triangular(const struct check_args *args)
{
	const double left = real_of(args, 0), mode = real_of(args, 1), right = real_of(args, 2);

	if (!(left < right) || !isfinite(right - left))
		return dist_refuse(args->fault, 0, "got %.17g, allowed is below right = %.17g, by a finite number", left,
					right);
	return mode >= left && mode <= right
		       ? 0
		       : dist_refuse(args->fault, 1, "got %.17g, allowed is left = %.17g to right = %.17g", mode, left,
					  right);
}

static int check_hypergeometric(const struct check_args *args)
{
	const uint64_t all = args->parameters[0].natural + args->parameters[1].natural, drawn = args->parameters[2].natural;

	return drawn <= all ? 0
			    : dist_refuse(args->fault, 2, "got %" PRIu64 ", allowed is up to ngood + nbad = %" PRIu64, drawn,
					       all);
}

/* What the means of negative_binomial's Poisson numbers stay below: 2^63 less more than 9.6 standard deviations. */
#define NEGATIVE_BINOMIAL_END (0x1p63 - 0x1p36)

/* Returns the least p for that number of successes r. A gamma number of shape r passes r + sqrt(2 r t) + t with probability
 * at most e^-t (it is sub-gamma: S. Boucheron, G. Lugosi, P. Massart, "Concentration Inequalities" (2013), 2.4), and a
 * Poisson number its mean m by sqrt(2 m t) + t with that of e^-t. With t = 46, both together are below 2^-64, and the
 * Poisson number is below 2^63 if its mean is below NEGATIVE_BINOMIAL_END. */
static double least_success(double successes)
{
	return 1 / (1 + NEGATIVE_BINOMIAL_END / (successes + 9.6 * sqrt(successes) + 46));
}

static int check_negative_binomial(const struct check_args *args)
{
	const double successes = real_of(args, 0), p = real_of(args, 1), least = least_success(successes);

	return p >= least ? 0
			  : dist_refuse(args->fault, 1, "got %.17g, allowed with successes = %.9g is %.9g to 1: samples are below 2^63",
					     p, successes, least);
}

/* An interval that holds no float64 has no samples: both bounds on one side of the greatest number. */
static int check_truncated(const struct check_args *args)
{
	const double low = real_of(args, 2), high = real_of(args, 3);

	if (!(low < high))
		return dist_refuse(args->fault, 2, "got %.17g, allowed is below high = %.17g", low, high);
	if (low == INFINITY || high == -INFINITY || low > DBL_MAX || high < -DBL_MAX)
		return dist_refuse(args->fault, low > 0 ? 2 : 3, "got %.17g, allowed is a bound that leaves an interval",
					low > 0 ? low : high);
	return 0;
}

/* The end is exclusive, so it may be one more than the greatest value. */
static int check_narrow(const struct check_args *args, int64_t least, int64_t last)
{
	const int64_t low = args->parameters[0].integer, high = args->parameters[1].integer;

	if (low < least || low > last)
		return dist_refuse(args->fault, 0, "got %" PRId64 ", allowed for %s is %" PRId64 " to %" PRId64, low,
					dtype_name(args->dtype), least, last);
	if (high > last + 1)
		return dist_refuse(args->fault, 1, "got %" PRId64 ", allowed for %s is up to %" PRId64, high,
					dtype_name(args->dtype), last + 1);
	return low < high ? 0 : dist_refuse(args->fault, 0, "got %" PRId64 ", allowed is below high = %" PRId64, low, high);
}

/* Bounds come modulo 2^64; as an end, 2^64 (u64) and 2^63 (i64) have wrapped to 0 and -2^63. */
static int check_randint(const struct check_args *args)
{
	const int64_t low = args->parameters[0].integer, high = args->parameters[1].integer;
	const uint64_t first = args->parameters[0].natural, end = args->parameters[1].natural;

	if (args->dtype == DTYPE_I32)
		return check_narrow(args, INT32_MIN, INT32_MAX);
	if (args->dtype == DTYPE_U32)
		return check_narrow(args, 0, UINT32_MAX);
	if (args->dtype == DTYPE_U64)
		return first < end || end == 0
			       ? 0
			       : dist_refuse(args->fault, 0, "got %" PRIu64 ", allowed is below high = %" PRIu64, first,
						  end);
	return low < high || high == INT64_MIN
		       ? 0
		       : dist_refuse(args->fault, 0, "got %" PRId64 ", allowed is below high = %" PRId64, low, high);
}

/* A request's 0 has been replaced by the samples of the whole draw. */
static int check_permutation(const struct check_args *args)
{
	return args->parameters[0].natural > 0 ? 0 : dist_refuse(args->fault, 0, "got 0, allowed is 1 to 2^62");
}

/* Each is at most a 1024th (DIST_MAX_COMPONENTS) of the greatest number, so that their sum is finite. */
static int check_shares(const struct check_args *args)
{
	double sum = 0;

	if (args->n_list == 0 || args->n_list > DIST_MAX_COMPONENTS)
		return dist_refuse(args->fault, 1, "got %zu numbers, allowed is 1 to %d", args->n_list, DIST_MAX_COMPONENTS);
	for (size_t i = 0; i < args->n_list; i++) {
		if (!(args->list[i] >= 0 && args->list[i] <= DBL_MAX / DIST_MAX_COMPONENTS))
			return dist_refuse(args->fault, 1, "number %zu is %.17g, allowed is 0 to %.9g", i, args->list[i],
						DBL_MAX / DIST_MAX_COMPONENTS);
		sum += args->list[i];
	}
	return sum > 0 ? 0 : dist_refuse(args->fault, 1, "all numbers are 0, allowed is at least one above 0");
}

static int check_dirichlet(const struct check_args *args)
{
	if (args->n_list == 0 || args->n_list > DIST_MAX_COMPONENTS)
		return dist_refuse(args->fault, 0, "got %zu numbers, allowed is 1 to %d", args->n_list, DIST_MAX_COMPONENTS);
	for (size_t i = 0; i < args->n_list; i++)
		if (!(args->list[i] > 0 && args->list[i] <= DBL_MAX))
			return dist_refuse(args->fault, 0, "number %zu is %.17g, allowed is above 0 up to %.9g", i,
						args->list[i], DBL_MAX);
	return 0;
}

/* ---- arrays ---- */

/* Returns whether low < high everywhere in float32 too. */
static bool all_ordered_f32(const double *low, const double *high, size_t n)
{
	int wrong = 0;

	for (size_t i = 0; i < n; i++)
		wrong |= !((float)low[i] < (float)high[i]);
	return !wrong;
}

/* The same of uniform's bounds. */
static bool all_uniform(const struct check_block *b)
{
	const double *low = (const double *)b->rows[0], *high = (const double *)b->rows[1];

	return b->kernels->all_ordered(low, high, b->n) && (b->dtype == DTYPE_F64 || all_ordered_f32(low, high, b->n));
}

/* The bounds of truncated_normal are numbers, the same for all samples: those of the first one are looked at. */
static bool all_truncated(const struct check_block *b)
{
	const union dist_value first[] = {{0}, {0}, {.natural = b->rows[2][0]}, {.natural = b->rows[3][0]}};
	struct dist_fault fault;

	return check_truncated(&(struct check_args){.dtype = b->dtype, .parameters = first, .fault = &fault}) == 0;
}

/* Returns whether all [low, high) are ranges of a signed dtype of that many bits. */
static bool all_ranges(const int64_t *low, const int64_t *high, size_t n, int64_t least, int64_t end)
{
	int wrong = 0;

	for (size_t i = 0; i < n; i++)
		wrong |= (low[i] < least) | (high[i] > end) | (low[i] >= high[i]);
	return !wrong;
}

/* Returns whether check_randint would pass all samples; u64 is always looked at one by one. */
static bool all_randint(const struct check_block *b)
{
	const int64_t *low = (const int64_t *)b->rows[0], *high = (const int64_t *)b->rows[1];

	if (b->dtype == DTYPE_I32)
		return all_ranges(low, high, b->n, INT32_MIN, (int64_t)INT32_MAX + 1);
	if (b->dtype == DTYPE_U32)
		return all_ranges(low, high, b->n, 0, (int64_t)UINT32_MAX + 1);
	return b->dtype == DTYPE_I64 && all_ranges(low, high, b->n, INT64_MIN, INT64_MAX);
}

/* Returns whether no more items are drawn than there are. */
static bool all_possible(const struct check_block *b)
{
	const double *good = (const double *)b->rows[0], *bad = (const double *)b->rows[1], *drawn = (const double *)b->rows[2];
	int wrong = 0;

	for (size_t i = 0; i < b->n; i++)
		wrong |= good[i] + bad[i] < drawn[i];
	return !wrong;
}

/* Returns whether all samples of negative_binomial stay below 2^63. */
static bool all_storable(const struct check_block *b)
{
	const double *successes = (const double *)b->rows[0], *p = (const double *)b->rows[1];
	int wrong = 0;

	for (size_t i = 0; i < b->n; i++)
		wrong |= p[i] < least_success(successes[i]);
	return !wrong;
}

/* The same of triangular's limits, whose width is finite, and the mode between them. */
static bool all_triangular(const struct check_block *b)
{
	const double *left = (const double *)b->rows[0], *mode = (const double *)b->rows[1], *right = (const double *)b->rows[2];
	int wrong = 0;

	for (size_t i = 0; i < b->n; i++)
		wrong |= !(left[i] <= mode[i] && mode[i] <= right[i]);
	return !wrong && b->kernels->all_ordered(left, right, b->n);
}
