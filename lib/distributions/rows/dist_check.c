/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges from the rows, and one function for each distribution whose row leaves something open.
 *
 * NaN fails all comparisons here: !(x >= 0), not x < 0. Parameters that are arrays are checked a block at once (all_plain);
 * only if that fails one by one, which finds the first sample that is wrong. */
#include "distributions/rows/dist_check.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "distributions/tables/alias_table.h"
#include "distributions/rows/dist_kernel.h"

/* The arguments of a check. */
struct check_args {
	enum dtype dtype;
	const union dist_value *parameters;
	const double *list;
	size_t n_list;
	struct dist_fault *fault;
};

/* Checks a distribution's parameters. Returns 0 or the result of refuse_parameter. */
typedef int check(const struct check_args *args);

/* Stores why the parameter is refused, and returns the error. */
__attribute__((format(printf, 3, 4))) static int refuse_parameter(const struct check_args *args, unsigned parameter,
								  const char *format, ...)
{
	va_list list;

	args->fault->code = ERROR_OUT_OF_RANGE;
	args->fault->parameter = parameter;
	va_start(list, format);
	vsnprintf(args->fault->text, sizeof args->fault->text, format, list);
	va_end(list);
	return -ERROR_OUT_OF_RANGE;
}

static double real_of(const struct check_args *args, unsigned parameter)
{
	return args->parameters[parameter].real;
}

/* Returns the greatest finite value of the dtype; for integers that of float64, in which their parameters are. */
static double greatest_value(enum dtype dtype)
{
	return dtype == DTYPE_F32 || dtype == DTYPE_BF16 ? (double)FLT_MAX : dtype == DTYPE_F16 ? 65504 : DBL_MAX;
}

/* Checks that the parameter is finite in the dtype. */
static int check_finite(const struct check_args *args, unsigned parameter)
{
	const double x = real_of(args, parameter), most = greatest_value(args->dtype);

	if (fabs(x) <= most)
		return 0;
	return refuse_parameter(args, parameter, "got %.17g, allowed for %s is -%.9g to %.9g", x, dtype_name(args->dtype),
				most, most);
}

/* Checks that the parameter lies between 0 and the greatest value of the dtype. */
static int check_scale(const struct check_args *args, unsigned parameter)
{
	const double x = real_of(args, parameter), most = greatest_value(args->dtype);

	return x >= 0 && x <= most ? 0 : refuse_parameter(args, parameter, "got %.17g, allowed is 0 to %.9g", x, most);
}

/* float32 and narrower samples need bounds that differ in float32; the width is a factor of every sample, so it must be
 * finite. */
static int check_uniform(const struct check_args *args)
{
	const double low = real_of(args, 0), high = real_of(args, 1);
	int error = check_finite(args, 0);

	if (!error)
		error = check_finite(args, 1);
	if (error)
		return error;
	if (!(low < high) || (args->dtype != DTYPE_F64 && !((float)low < (float)high)))
		return refuse_parameter(args, 0, "got %.17g, allowed is below high = %.17g in %s", low, high,
					dtype_name(args->dtype));
	if (!isfinite(high - low))
		return refuse_parameter(args, 1, "got %.17g, allowed is less than %.17g above low = %.17g", high, DBL_MAX,
					low);
	return 0;
}

/* A scale of 0 is allowed: every sample is then the location, as in numpy. */
static int check_location_scale(const struct check_args *args)
{
	const int error = check_finite(args, 0);

	return error ? error : check_scale(args, 1);
}

static int check_first_finite(const struct check_args *args)
{
	return check_finite(args, 0);
}

static int check_first_scale(const struct check_args *args)
{
	return check_scale(args, 0);
}

/* The width must be finite, too: it is a factor of every sample. */
static int check_triangular(const struct check_args *args)
{
	const double left = real_of(args, 0), mode = real_of(args, 1), right = real_of(args, 2);
	int error = check_finite(args, 0);

	if (!error)
		error = check_finite(args, 2);
	if (error)
		return error;
	if (!(left < right) || !isfinite(right - left))
		return refuse_parameter(args, 0, "got %.17g, allowed is below right = %.17g, by a finite number", left,
					right);
	return mode >= left && mode <= right
		       ? 0
		       : refuse_parameter(args, 1, "got %.17g, allowed is left = %.17g to right = %.17g", mode, left,
					  right);
}

static int check_hypergeometric(const struct check_args *args)
{
	const uint64_t all = args->parameters[0].natural + args->parameters[1].natural, drawn = args->parameters[2].natural;

	return drawn <= all ? 0
			    : refuse_parameter(args, 2, "got %" PRIu64 ", allowed is up to ngood + nbad = %" PRIu64, drawn,
					       all);
}

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
			  : refuse_parameter(args, 1, "got %.17g, allowed with successes = %.9g is %.9g to 1: samples are below 2^63",
					     p, successes, least);
}

static int check_second_scale(const struct check_args *args)
{
	return check_scale(args, 1);
}

/* An interval that holds no float64 has no samples: both bounds on one side of the greatest number. */
static int check_truncated(const struct check_args *args)
{
	const double low = real_of(args, 2), high = real_of(args, 3);
	int error = check_location_scale(args);

	if (error)
		return error;
	if (!(low < high))
		return refuse_parameter(args, 2, "got %.17g, allowed is below high = %.17g", low, high);
	if (low == INFINITY || high == -INFINITY || low > DBL_MAX || high < -DBL_MAX)
		return refuse_parameter(args, low > 0 ? 2 : 3, "got %.17g, allowed is a bound that leaves an interval",
					low > 0 ? low : high);
	return 0;
}

/* The end is exclusive, so it may be one more than the greatest value. */
static int check_narrow(const struct check_args *args, int64_t least, int64_t last)
{
	const int64_t low = args->parameters[0].integer, high = args->parameters[1].integer;

	if (low < least || low > last)
		return refuse_parameter(args, 0, "got %" PRId64 ", allowed for %s is %" PRId64 " to %" PRId64, low,
					dtype_name(args->dtype), least, last);
	if (high > last + 1)
		return refuse_parameter(args, 1, "got %" PRId64 ", allowed for %s is up to %" PRId64, high,
					dtype_name(args->dtype), last + 1);
	return low < high ? 0 : refuse_parameter(args, 0, "got %" PRId64 ", allowed is below high = %" PRId64, low, high);
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
			       : refuse_parameter(args, 0, "got %" PRIu64 ", allowed is below high = %" PRIu64, first,
						  end);
	return low < high || high == INT64_MIN
		       ? 0
		       : refuse_parameter(args, 0, "got %" PRId64 ", allowed is below high = %" PRId64, low, high);
}

/* A request's 0 has been replaced by the samples of the whole draw. */
static int check_permutation(const struct check_args *args)
{
	return args->parameters[0].natural > 0 ? 0 : refuse_parameter(args, 0, "got 0, allowed is 1 to 2^62");
}

int dist_check_weight_count(size_t n, struct dist_fault *ret_fault)
{
	const struct check_args args = {.fault = ret_fault};

	return n > 0 && n <= ALIAS_MAX_WEIGHTS
		       ? 0
		       : refuse_parameter(&args, 0, "got %zu weights, allowed is 1 to %d", n, ALIAS_MAX_WEIGHTS);
}

/* Weights of a prepared call or a large request are checked piece by piece, between other requests; *greatest goes on
 * from piece to piece. They may lie unaligned, in the bytes of a message. */
int dist_check_weights(const void *weights, size_t begin, size_t end, double *greatest, struct dist_fault *ret_fault)
{
	const struct check_args args = {.fault = ret_fault};
	double x;

	for (size_t i = begin; i < end; i++) {
		memcpy(&x, (const char *)weights + i * sizeof x, sizeof x);
		if (!(x >= 0 && x <= DBL_MAX))
			return refuse_parameter(&args, 0, "weight %zu is %.17g, allowed is 0 to %.9g", i, x, DBL_MAX);
		*greatest = x > *greatest ? x : *greatest;
	}
	return 0;
}

/* Denormal weights are exact numbers, and so are their ratios. */
int dist_check_greatest_weight(double greatest, struct dist_fault *ret_fault)
{
	const struct check_args args = {.fault = ret_fault};

	return greatest > 0 ? 0
			    : refuse_parameter(&args, 0, "all weights are 0, allowed is at least one above 0");
}

static int check_categorical(const struct check_args *args)
{
	double greatest = 0;
	int error = dist_check_weight_count(args->n_list, args->fault);

	if (!error)
		error = dist_check_weights(args->list, 0, args->n_list, &greatest, args->fault);
	return error ? error : dist_check_greatest_weight(greatest, args->fault);
}

/* Each is at most a 1024th (DIST_MAX_COMPONENTS) of the greatest number, so that their sum is finite. */
static int check_shares(const struct check_args *args)
{
	double sum = 0;

	if (args->n_list == 0 || args->n_list > DIST_MAX_COMPONENTS)
		return refuse_parameter(args, 1, "got %zu numbers, allowed is 1 to %d", args->n_list, DIST_MAX_COMPONENTS);
	for (size_t i = 0; i < args->n_list; i++) {
		if (!(args->list[i] >= 0 && args->list[i] <= DBL_MAX / DIST_MAX_COMPONENTS))
			return refuse_parameter(args, 1, "number %zu is %.17g, allowed is 0 to %.9g", i, args->list[i],
						DBL_MAX / DIST_MAX_COMPONENTS);
		sum += args->list[i];
	}
	return sum > 0 ? 0 : refuse_parameter(args, 1, "all numbers are 0, allowed is at least one above 0");
}

static int check_dirichlet(const struct check_args *args)
{
	if (args->n_list == 0 || args->n_list > DIST_MAX_COMPONENTS)
		return refuse_parameter(args, 0, "got %zu numbers, allowed is 1 to %d", args->n_list, DIST_MAX_COMPONENTS);
	for (size_t i = 0; i < args->n_list; i++)
		if (!(args->list[i] > 0 && args->list[i] <= DBL_MAX))
			return refuse_parameter(args, 0, "number %zu is %.17g, allowed is above 0 up to %.9g", i,
						args->list[i], DBL_MAX);
	return 0;
}

enum parameter_type { TYPE_F64, TYPE_U64, TYPE_INT, TYPE_CHOICE, TYPE_ANY };

/* A parameter's range, from its row. */
struct parameter {
	enum parameter_type type;
	double least, most; /* inclusive; both 0: the type's own range */
	bool is_above;      /* least itself is excluded */
};

/* The ranges of each distribution, expanded from dist_rows.h. */
static const struct row {
	size_t n_parameters;
	struct parameter parameters[DIST_PARAMETERS];
} rows[DIST_COUNT] = {
#define ONE(...)                                                            +1
#define TAKE(name, type, unit, fallback, least, most, above, choices, help) {TYPE_##type, least, most, above},
#define P(...)                                                              TAKE(__VA_ARGS__)
#define ROW(id, name, shape, dtypes, fallback, help)                        {0 id##_PARAMETERS(ONE), {id##_PARAMETERS(P)}},
	DISTRIBUTION_ROWS(ROW)
#undef ROW
};

/* What the ranges of a row leave open: dependencies on the dtype and between parameters. */
static check *const checks[DIST_COUNT] = {
	[DIST_UNIFORM] = check_uniform,
	[DIST_NORMAL] = check_location_scale,
	[DIST_LAPLACE] = check_location_scale,
	[DIST_GUMBEL] = check_location_scale,
	[DIST_WEIBULL] = check_second_scale,
	[DIST_CAUCHY] = check_location_scale,
	[DIST_TRUNCATED_NORMAL] = check_truncated,
	[DIST_GAMMA] = check_second_scale,
	[DIST_RANDINT] = check_randint,
	[DIST_PERMUTATION] = check_permutation,
	[DIST_CATEGORICAL] = check_categorical,
	[DIST_DIRICHLET] = check_dirichlet,
	[DIST_RAYLEIGH] = check_first_scale,
	[DIST_LOGISTIC] = check_location_scale,
	[DIST_TRIANGULAR] = check_triangular,
	[DIST_VONMISES] = check_first_finite,
	[DIST_NEGATIVE_BINOMIAL] = check_negative_binomial,
	[DIST_HYPERGEOMETRIC] = check_hypergeometric,
	[DIST_MULTINOMIAL] = check_shares,
};

/* Checks a number or a count against the range of its row. Bounds that are both 0 leave it to the functions above. */
static int check_range(const struct check_args *args, const struct parameter *row, unsigned parameter)
{
	const char *const above = row->is_above ? "above " : "";
	const uint64_t natural = args->parameters[parameter].natural;
	const double x = real_of(args, parameter);

	if (row->least == 0 && row->most == 0)
		return 0;
	if (row->type == TYPE_U64)
		return natural >= (uint64_t)row->least && natural <= (uint64_t)row->most
			       ? 0
			       : refuse_parameter(args, parameter, "got %" PRIu64 ", allowed is %.17g to %.17g", natural,
						  row->least, row->most);
	if (row->type != TYPE_F64 || (x >= row->least && x <= row->most && !(row->is_above && x == row->least)))
		return 0;
	return refuse_parameter(args, parameter, "got %.17g, allowed is %s%.9g to %.9g", x, above, row->least, row->most);
}

int dist_check(enum distribution distribution, enum dtype dtype, const union dist_value parameters[],
	       const double *list, size_t n_list, struct dist_fault *ret_fault)
{
	const struct check_args args = {dtype, parameters, list, n_list, ret_fault};
	const struct row *row = &rows[distribution];
	int error = 0;

	for (unsigned i = 0; i < row->n_parameters && !error; i++)
		error = check_range(&args, &row->parameters[i], i);
	return error || !checks[distribution] ? error : checks[distribution](&args);
}

/* ---- arrays ---- */

/* Returns the next number below or above x, which is finite. */
static double next_to(double x, bool up)
{
	int64_t bits;

	if (x == 0)
		return up ? 0x1p-1074 : -0x1p-1074;
	memcpy(&bits, &x, sizeof bits);
	bits += (x > 0) == up ? 1 : -1;
	memcpy(&x, &bits, sizeof bits);
	return x;
}

/* Returns whether all numbers lie in [least, most], or (is_above) in (least, most]. */
static bool all_within(const struct dist_kernel *kernels, const double *x, size_t n, double least, double most, bool is_above)
{
	return kernels->all_between(x, n, is_above ? least : next_to(least, false), next_to(most, true));
}

/* Counts in an array are float64; without early exit, so that the compiler vectorises the loop. So do those below. */
static bool all_whole(const double *x, size_t n)
{
	int broken = 0;

	for (size_t i = 0; i < n; i++)
		broken |= x[i] != floor(x[i]);
	return !broken;
}

/* Returns whether low < high everywhere in float32 too. */
static bool all_ordered_f32(const double *low, const double *high, size_t n)
{
	int wrong = 0;

	for (size_t i = 0; i < n; i++)
		wrong |= !((float)low[i] < (float)high[i]);
	return !wrong;
}

static bool all_uniform(const struct dist_kernel *kernels, enum dtype dtype, const uint64_t *const rows_of[], size_t n)
{
	const double *low = (const double *)rows_of[0], *high = (const double *)rows_of[1], most = greatest_value(dtype);

	return all_within(kernels, low, n, -most, most, false) && all_within(kernels, high, n, -most, most, false) &&
	       kernels->all_ordered(low, high, n) && (dtype == DTYPE_F64 || all_ordered_f32(low, high, n));
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
static bool all_randint(enum dtype dtype, const uint64_t *const rows_of[], size_t n)
{
	const int64_t *low = (const int64_t *)rows_of[0], *high = (const int64_t *)rows_of[1];

	if (dtype == DTYPE_I32)
		return all_ranges(low, high, n, INT32_MIN, (int64_t)INT32_MAX + 1);
	if (dtype == DTYPE_U32)
		return all_ranges(low, high, n, 0, (int64_t)UINT32_MAX + 1);
	return dtype == DTYPE_I64 && all_ranges(low, high, n, INT64_MIN, INT64_MAX);
}

/* Returns whether no more items are drawn than there are. */
static bool all_possible(const double *good, const double *bad, const double *drawn, size_t n)
{
	int wrong = 0;

	for (size_t i = 0; i < n; i++)
		wrong |= good[i] + bad[i] < drawn[i];
	return !wrong;
}

/* Returns whether all samples of negative_binomial stay below 2^63. */
static bool all_storable(const double *successes, const double *p, size_t n)
{
	int wrong = 0;

	for (size_t i = 0; i < n; i++)
		wrong |= p[i] < least_success(successes[i]);
	return !wrong;
}

/* Returns whether all samples surely pass by ranges alone; false: each has to be looked at. */
static bool all_plain(const struct dist_kernel *kernels, enum distribution distribution, enum dtype dtype, const uint64_t *const rows_of[], size_t n)
{
	check *const extra = distribution == DIST_TRUNCATED_NORMAL ? check_location_scale : checks[distribution];
	const struct row *row = &rows[distribution];
	bool plain = extra == NULL || extra == check_location_scale || extra == check_second_scale ||
		     extra == check_first_scale || extra == check_first_finite || extra == check_hypergeometric ||
		     extra == check_negative_binomial;

	if (extra == check_randint)
		return all_randint(dtype, rows_of, n);
	if (extra == check_uniform)
		return all_uniform(kernels, dtype, rows_of, n);
	for (unsigned j = 0; j < row->n_parameters && plain; j++) {
		const struct parameter *parameter = &row->parameters[j];
		const bool is_scale = (j == 1 && (extra == check_location_scale || extra == check_second_scale)) ||
				      (j == 0 && extra == check_first_scale);
		const bool is_location = j == 0 && (extra == check_location_scale || extra == check_first_finite);
		const bool bounded = parameter->least != 0 || parameter->most != 0;
		const double most = is_scale || is_location ? greatest_value(dtype) : DBL_MAX;
		const double least = is_scale ? 0 : -most;
		const double *x = (const double *)rows_of[j];

		/* The bounds of truncated_normal are numbers, which have been checked. */
		if ((parameter->type != TYPE_F64 && parameter->type != TYPE_U64) || isinf(parameter->most))
			continue;
		plain = all_within(kernels, x, n, bounded && parameter->least > least ? parameter->least : least,
				   bounded && parameter->most < most ? parameter->most : most, parameter->is_above);
		plain = plain && (parameter->type != TYPE_U64 || all_whole(x, n));
	}
	if (plain && extra == check_negative_binomial)
		return all_storable((const double *)rows_of[0], (const double *)rows_of[1], n);
	return plain && (extra != check_hypergeometric ||
			 all_possible((const double *)rows_of[0], (const double *)rows_of[1], (const double *)rows_of[2], n));
}

/* The slow way, for the error's text: which number of which array is wrong. */
static int check_sample(enum distribution distribution, enum dtype dtype, const uint64_t *const rows_of[], size_t i,
			struct dist_fault *ret_fault)
{
	const struct check_args args = {dtype, NULL, NULL, 0, ret_fault};
	union dist_value values[DIST_PARAMETERS];

	for (unsigned j = 0; j < rows[distribution].n_parameters; j++) {
		const enum parameter_type type = rows[distribution].parameters[j].type;

		values[j].natural = rows_of[j][i];
		if (type == TYPE_F64 && isnan(values[j].real))
			return refuse_parameter(&args, j, "got nan, allowed is a number");
		if (type == TYPE_U64 && !(values[j].real >= 0 && values[j].real <= 0x1p63 &&
					  values[j].real == floor(values[j].real)))
			return refuse_parameter(&args, j, "got %.17g, allowed is an integer from 0 on", values[j].real);
		if (type == TYPE_U64)
			values[j].natural = (uint64_t)values[j].real;
		if (type == TYPE_F64 && rows[distribution].parameters[j].most == 0 && isinf(values[j].real))
			return refuse_parameter(&args, j, "got %g, allowed is a finite number", values[j].real);
	}
	return dist_check(distribution, dtype, values, NULL, 0, ret_fault);
}

int dist_check_samples(const struct dist_kernel *kernels, enum distribution distribution, enum dtype dtype,
		       const uint64_t *const rows_of[DIST_PARAMETERS], size_t n, size_t *ret_sample,
		       struct dist_fault *ret_fault)
{
	int error = 0;

	if (all_plain(kernels, distribution, dtype, rows_of, n))
		return 0;
	for (size_t i = 0; i < n && !error; i++) {
		*ret_sample = i;
		error = check_sample(distribution, dtype, rows_of, i, ret_fault);
	}
	return error;
}
