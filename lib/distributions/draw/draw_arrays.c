/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the elements of a block's parameters, converts and checks them.
 *
 * Another process may write the arrays meanwhile. What was read once lies on the stack; the checks and the kernels see
 * that copy alone. */
#include "distributions/draw/draw_arrays.h"

#include <string.h>

#include "base/checked.h"
#include "distributions/rows/dist_row.h"

/* Returns whether a parameter is a 64-bit integer modulo 2^64, not a float64. */
static bool takes_integers(const struct draw *draw, unsigned parameter)
{
	return dist_row(draw->distribution)->parameters[parameter].type == DIST_TYPE_INT;
}

const char *draw_array_dtypes(const struct draw *draw)
{
	if (!takes_integers(draw, 0))
		return "f32, f64, i8, i32, i64, u32, u64";
	return draw->dtype == DTYPE_U64 ? "u32, u64" : "i8, i32, i64, u32";
}

bool draw_array_has_dtype(const struct draw *draw, enum dtype dtype)
{
	const char *const at = strstr(draw_array_dtypes(draw), dtype_name(dtype));

	return at && (at[strlen(dtype_name(dtype))] == ',' || at[strlen(dtype_name(dtype))] == '\0');
}

/* One case of a switch over dtypes for each type of element: READ converts to float64, READ_WHOLE to 64-bit integers.
 */
#define READ(id, type)                                                                                                 \
	case DTYPE_##id:                                                                                               \
		for (size_t i = 0; i < n; i++) {                                                                       \
			const double x = (double)((const type *)at)[first + i];                                        \
                                                                                                                       \
			memcpy(&ret[i], &x, sizeof x);                                                                 \
		}                                                                                                      \
		return;
#define READ_WHOLE(id, type)                                                                                           \
	case DTYPE_##id:                                                                                               \
		for (size_t i = 0; i < n; i++)                                                                         \
			ret[i] = (uint64_t)((const type *)at)[first + i];                                              \
		return;
#define INTEGER_TYPES(X) X(I8, int8_t) X(I32, int32_t) X(I64, int64_t) X(U32, uint32_t) X(U64, uint64_t)

/* Copies n elements from `first` on as float64; integers above 2^53 are rounded. */
static void read_numbers(const void *at, enum dtype dtype, uint64_t first, size_t n, uint64_t *ret)
{
	switch (dtype) {
		INTEGER_TYPES(READ)
		READ(F32, float)
	case DTYPE_F64:
		memcpy(ret, (const double *)at + first, n * sizeof *ret);
		return;
	default:
		return;
	}
}

/* Copies n elements from `first` on as 64-bit integers, negative ones with their sign. */
static void read_integers(const void *at, enum dtype dtype, uint64_t first, size_t n, uint64_t *ret)
{
	switch (dtype) {
		INTEGER_TYPES(READ_WHOLE)
	default:
		return;
	}
}

/* Copies the n elements of parameter j that begin with that of sample `first`, from the array's end on to its start. */
static void read_elements(const struct draw *draw, unsigned j, uint64_t first, size_t n, uint64_t *ret)
{
	const struct draw_arrays *arrays = draw->arrays;
	uint64_t element = (first - arrays->origin) % arrays->of[j].n;

	for (size_t done = 0, count; done < n; done += count, element = 0) {
		const uint64_t left = arrays->of[j].n - element;

		count = left < n - done ? (size_t)left : n - done;
		if (takes_integers(draw, j))
			read_integers(arrays->of[j].at, arrays->of[j].dtype, element, count, ret + done);
		else
			read_numbers(arrays->of[j].at, arrays->of[j].dtype, element, count, ret + done);
	}
}

/* Fills n places by copies of the part that is filled: libc's copies are the widest stores that the CPU has. */
static void fill_row(uint64_t value, size_t n, uint64_t *ret_row)
{
	size_t done = 0;

	for (; done < n && done < 8; done++)
		ret_row[done] = value;
	for (size_t count; done < n; done += count) {
		count = size_min(done, n - done);
		memcpy(ret_row + done, ret_row, count * sizeof *ret_row);
	}
}

void draw_parameters_init(const struct draw *draw, size_t n, struct draw_parameters *ret_parameters)
{
	for (unsigned j = 0; j < DIST_PARAMETERS; j++) {
		union dist_value value = draw->parameters[j];

		if (draw->arrays && draw->arrays->of[j].at)
			continue;
		if (dist_row(draw->distribution)->parameters[j].type == DIST_TYPE_U64)
			value.real = (double)value.natural;
		fill_row(value.natural, n, ret_parameters->values[j]);
	}
}

/* Refuses upper bounds that wrapped round: 0 of u64 and the least of i64 stand for 2^64 and 2^63 where they are
 * numbers. */
static bool find_wrapped(const struct draw *draw, const uint64_t *high, size_t n, size_t *ret_sample,
			 struct dist_fault *ret_fault)
{
	const uint64_t wrapped = draw->dtype == DTYPE_U64 ? 0 : (uint64_t)INT64_MIN;

	if (!takes_integers(draw, 1) || !draw->arrays->of[1].at)
		return false;
	for (size_t i = 0; i < n; i++)
		if (high[i] == wrapped) {
			*ret_sample = i;
			*ret_fault = (struct dist_fault){ERROR_OUT_OF_RANGE, 1, "got the dtype's least value, allowed is above low"};
			return true;
		}
	return false;
}

/* Keeps the fault of the least sample, whichever thread finds it first. */
static void note_fault(struct draw_array_fault *shared, uint64_t sample, const struct dist_fault *fault)
{
	pthread_mutex_lock(&shared->lock);
	if (!shared->is_set || sample < shared->sample) {
		shared->is_set = true;
		shared->sample = sample;
		shared->fault = *fault;
	}
	pthread_mutex_unlock(&shared->lock);
}

void draw_array_fault_init(struct draw_array_fault *fault)
{
	pthread_mutex_init(&fault->lock, NULL);
	fault->is_set = false;
}

bool draw_parameters_load(const struct draw_kernels *kernels, const struct draw *draw, uint64_t first, size_t skip, size_t n, size_t padded,
			  struct draw_parameters *parameters)
{
	const uint64_t *rows[DIST_PARAMETERS];
	struct dist_fault fault;
	size_t refused;

	for (unsigned j = 0; j < DIST_PARAMETERS; j++) {
		uint64_t *const row = parameters->values[j];

		rows[j] = row;
		if (!draw->arrays->of[j].at)
			continue;
		read_elements(draw, j, first, n, row + skip);
		for (size_t i = 0; i < skip; i++)
			row[i] = row[skip];
		for (size_t i = skip + n; i < padded; i++)
			row[i] = row[skip];
	}
	if (!find_wrapped(draw, rows[1], padded, &refused, &fault) &&
	    !dist_check_samples(kernels->distributions, draw->distribution, draw->dtype, rows, padded, &refused, &fault))
		return true;
	/* The places around the block hold its first elements again. */
	refused = refused < skip || refused >= skip + n ? 0 : refused - skip;
	note_fault(draw->arrays->fault, first - draw->arrays->origin + refused, &fault);
	return false;
}
