/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges from the rows, then the check of the row. Parameters that are arrays are checked a block at once (all_plain); only if
 * that fails one by one, which finds the first sample that is wrong. */
#include "distributions/rows/dist_check.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "distributions/rows/dist_row.h"
#include "distributions/tables/alias_table.h"

/* Returns the greatest finite value of the dtype; for integers that of float64, in which their parameters are. */
static double greatest_value(enum dtype dtype)
{
	return dtype == DTYPE_F32 || dtype == DTYPE_BF16 ? (double)FLT_MAX : dtype == DTYPE_F16 ? 65504 : DBL_MAX;
}

/* Returns whether the parameter is a number of RANGE_OF_TYPE, whose range has no bounds, or of RANGE_SCALE. */
static bool is_location(const struct dist_parameter *row)
{
	return row->type == DIST_TYPE_F64 && row->least == 0 && row->most == 0;
}

static bool is_scale(const struct dist_parameter *row)
{
	return row->type == DIST_TYPE_F64 && row->least == 0 && row->most == DBL_MAX && !row->is_above;
}

/* Checks a number or a count against the range of its row. */
static int check_range(const struct check_args *args, const struct dist_parameter *row, unsigned parameter)
{
	const char *const above = row->is_above ? "above " : "";
	const uint64_t natural = args->parameters[parameter].natural;
	const double x = args->parameters[parameter].real;

	if (row->least == 0 && row->most == 0)
		return 0;
	if (row->type == DIST_TYPE_U64)
		return natural >= (uint64_t)row->least && natural <= (uint64_t)row->most
			       ? 0
			       : dist_refuse(args->fault, parameter, "got %" PRIu64 ", allowed is %.17g to %.17g", natural,
					     row->least, row->most);
	if (row->type != DIST_TYPE_F64 || (x >= row->least && x <= row->most && !(row->is_above && x == row->least)))
		return 0;
	return dist_refuse(args->fault, parameter, "got %.17g, allowed is %s%.9g to %.9g", x, above, row->least, row->most);
}

/* Checks a location or a scale against what the dtype holds. */
static int check_dtype(const struct check_args *args, const struct dist_parameter *row, unsigned parameter)
{
	const double x = args->parameters[parameter].real, most = greatest_value(args->dtype);

	if (is_location(row) && !(fabs(x) <= most))
		return dist_refuse(args->fault, parameter, "got %.17g, allowed for %s is -%.9g to %.9g", x,
				   dtype_name(args->dtype), most, most);
	if (is_scale(row) && !(x <= most))
		return dist_refuse(args->fault, parameter, "got %.17g, allowed is 0 to %.9g", x, most);
	return 0;
}

int dist_check(enum distribution distribution, enum dtype dtype, const union dist_value parameters[],
	       const double *list, size_t n_list, struct dist_fault *ret_fault)
{
	const struct check_args args = {dtype, parameters, list, n_list, ret_fault};
	const struct dist_row *row = dist_row(distribution);
	int error = 0;

	for (unsigned i = 0; i < row->n_parameters && !error; i++) {
		error = check_range(&args, &row->parameters[i], i);
		if (!error)
			error = check_dtype(&args, &row->parameters[i], i);
	}
	return error || !row->check ? error : row->check(&args);
}

/* ---- weights ---- */

int dist_check_weight_count(size_t n, struct dist_fault *ret_fault)
{
	return n > 0 && n <= ALIAS_MAX_WEIGHTS
		       ? 0
		       : dist_refuse(ret_fault, 0, "got %zu weights, allowed is 1 to %d", n, ALIAS_MAX_WEIGHTS);
}

/* Weights of a prepared call or a large request are checked piece by piece, between other requests; *greatest goes on
 * from piece to piece. They may lie unaligned, in the bytes of a message. */
int dist_check_weights(const void *weights, size_t begin, size_t end, double *greatest, struct dist_fault *ret_fault)
{
	double x;

	for (size_t i = begin; i < end; i++) {
		memcpy(&x, (const char *)weights + i * sizeof x, sizeof x);
		if (!(x >= 0 && x <= DBL_MAX))
			return dist_refuse(ret_fault, 0, "weight %zu is %.17g, allowed is 0 to %.9g", i, x, DBL_MAX);
		*greatest = x > *greatest ? x : *greatest;
	}
	return 0;
}

/* Denormal weights are exact numbers, and so are their ratios. */
int dist_check_greatest_weight(double greatest, struct dist_fault *ret_fault)
{
	return greatest > 0 ? 0
			    : dist_refuse(ret_fault, 0, "all weights are 0, allowed is at least one above 0");
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

/* Counts in an array are float64; without early exit, so that the compiler vectorises the loop. */
static bool all_whole(const double *x, size_t n)
{
	int broken = 0;

	for (size_t i = 0; i < n; i++)
		broken |= x[i] != floor(x[i]);
	return !broken;
}

/* Returns whether all samples surely pass; false: each has to be looked at. The bounds of a range that may be infinite are left to
 * the row's check. */
static bool all_plain(const struct dist_kernel *kernels, const struct dist_row *row, enum dtype dtype,
		      const uint64_t *const rows[], size_t n)
{
	for (unsigned j = 0; j < row->n_parameters; j++) {
		const struct dist_parameter *parameter = &row->parameters[j];
		const double most = is_location(parameter) || is_scale(parameter) ? greatest_value(dtype) : DBL_MAX;
		const bool bounded = parameter->least != 0 || parameter->most != 0;
		const double *x = (const double *)rows[j];

		if ((parameter->type != DIST_TYPE_F64 && parameter->type != DIST_TYPE_U64) || isinf(parameter->most))
			continue;
		if (!all_within(kernels, x, n, bounded ? parameter->least : -most,
				bounded && parameter->most < most ? parameter->most : most, parameter->is_above) ||
		    (parameter->type == DIST_TYPE_U64 && !all_whole(x, n)))
			return false;
	}
	return row->check_all ? row->check_all(&(struct check_block){kernels, dtype, rows, n}) : !row->check;
}

/* The slow way, for the error's text: which number of which array is wrong. */
static int check_sample(enum distribution distribution, enum dtype dtype, const uint64_t *const rows[], size_t i,
			struct dist_fault *ret_fault)
{
	const struct dist_row *row = dist_row(distribution);
	union dist_value values[DIST_PARAMETERS];

	for (unsigned j = 0; j < row->n_parameters; j++) {
		const enum dist_type type = row->parameters[j].type;

		values[j].natural = rows[j][i];
		if (type == DIST_TYPE_F64 && isnan(values[j].real))
			return dist_refuse(ret_fault, j, "got nan, allowed is a number");
		if (type == DIST_TYPE_U64 && !(values[j].real >= 0 && values[j].real <= 0x1p63 &&
					  values[j].real == floor(values[j].real)))
			return dist_refuse(ret_fault, j, "got %.17g, allowed is an integer from 0 on", values[j].real);
		if (type == DIST_TYPE_U64)
			values[j].natural = (uint64_t)values[j].real;
		if (type == DIST_TYPE_F64 && row->parameters[j].most == 0 && isinf(values[j].real))
			return dist_refuse(ret_fault, j, "got %g, allowed is a finite number", values[j].real);
	}
	return dist_check(distribution, dtype, values, NULL, 0, ret_fault);
}

int dist_check_samples(const struct dist_kernel *kernels, enum distribution distribution, enum dtype dtype,
		       const uint64_t *const rows[DIST_PARAMETERS], size_t n, size_t *ret_sample,
		       struct dist_fault *ret_fault)
{
	int error = 0;

	if (all_plain(kernels, dist_row(distribution), dtype, rows, n))
		return 0;
	for (size_t i = 0; i < n && !error; i++) {
		*ret_sample = i;
		error = check_sample(distribution, dtype, rows, i, ret_fault);
	}
	return error;
}
