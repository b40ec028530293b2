/* SPDX-License-Identifier: Apache-2.0 */
/* The moments of all ranks' values, by exact sums. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exact.h"
#include "group.h"

struct moments {
	struct exact sum, squares;
	double min, max;
	uint64_t count;
};

/* a * b, both of its halves. */
static void add_product(struct exact *sum, double a, double b)
{
	const double high = a * b;

	exact_add(sum, high);
	if (isfinite(high))
		exact_add(sum, fma(a, b, -high));
}

static void add_value(struct moments *m, double value)
{
	exact_add(&m->sum, value);
	add_product(&m->squares, value, value);
	m->min = value < m->min || isnan(value) ? value : m->min;
	m->max = value > m->max || isnan(value) ? value : m->max;
}

/* high 2^32 + low, which need not be a float64. */
static void add_integer(struct moments *m, double high, double low)
{
	const double rounded = high + low;

	exact_add(&m->sum, high);
	exact_add(&m->sum, low);
	add_product(&m->squares, high, high);
	add_product(&m->squares, 2 * high, low);
	add_product(&m->squares, low, low);
	m->min = rounded < m->min ? rounded : m->min;
	m->max = rounded > m->max ? rounded : m->max;
}

#define ADD_VALUES(type)                                                                                               \
	for (uint64_t i = 0; i < n; i++)                                                                               \
		add_value(m, (double)((const type *)values)[i])

static void add_wide(struct moments *m, uint64_t n, const uint64_t *values, bool is_signed)
{
	for (uint64_t i = 0; i < n; i++) {
		const uint64_t high = values[i] >> 32;
		const double top = is_signed ? (double)(int32_t)high : (double)high;

		add_integer(m, top * 0x1p32, (double)(uint32_t)values[i]);
	}
}

static int add_values(struct moments *m, enum trnsci_dtype dtype, uint64_t n, const void *values, struct trnsci_error *err)
{
	switch (dtype) {
	case TRNSCI_F32: ADD_VALUES(float); break;
	case TRNSCI_F64: ADD_VALUES(double); break;
	case TRNSCI_I8: ADD_VALUES(int8_t); break;
	case TRNSCI_I32: ADD_VALUES(int32_t); break;
	case TRNSCI_U32: ADD_VALUES(uint32_t); break;
	case TRNSCI_I64: add_wide(m, n, values, true); break;
	case TRNSCI_U64: add_wide(m, n, values, false); break;
	default:
		return group_fail(err, TRNSCI_OUT_OF_RANGE, "sum: dtype: %s, allowed are f32, f64, i8, i32, i64, u32 and u64",
				  trnsci_dtype_name(dtype));
	}
	m->count = n;
	return 0;
}

static int join_bounds(struct trnsci_mpi *mpi, struct moments *m, struct trnsci_error *err)
{
	/* MPI does not define the least of a NaN: infinity stands for it, and the sum of the values knows better. */
	double mine[2] = {isnan(m->min) ? INFINITY : -m->min, isnan(m->max) ? INFINITY : m->max}, all[2];
	uint64_t count;
	int r = group_mpi(err, MPI_Allreduce(mine, all, 2, MPI_DOUBLE, MPI_MAX, mpi->comm), "MPI_Allreduce");

	if (r == 0)
		r = group_mpi(err, MPI_Allreduce(&m->count, &count, 1, MPI_UINT64_T, MPI_SUM, mpi->comm), "MPI_Allreduce");
	if (r < 0)
		return r;
	m->count = count;
	m->min = -all[0];
	m->max = all[1];
	return 0;
}

static struct trnsci_mpi_sum result_of(struct moments *m)
{
	const double n = (double)m->count;
	struct trnsci_mpi_sum sum = {.count = m->count, .min = m->min, .max = m->max};
	const bool has_nan = m->sum.specials[0] > 0;

	if (m->count == 0 || has_nan)
		sum.min = sum.max = NAN;
	sum.sum = exact_round(&m->sum);
	sum.sum_squares = exact_round(&m->squares);
	sum.mean = m->count ? sum.sum / n : NAN;
	/* S2 - mean S, with the rounding of the product taken into account. */
	const double product = sum.mean * sum.sum, rest = fma(sum.mean, sum.sum, -product);

	sum.variance = m->count > 1 ? ((sum.sum_squares - product) - rest) / (n - 1) : 0;
	return sum;
}

int trnsci_mpi_sum(struct trnsci_mpi *mpi, enum trnsci_dtype dtype, uint64_t n, const void *values,
		   struct trnsci_mpi_sum *ret_sum, struct trnsci_error *err)
{
	struct moments *m = calloc(1, sizeof *m);
	const int agreed = (int)dtype;
	int r = m ? 0 : group_fail(err, TRNSCI_NO_MEMORY, "sum");

	if (m) {
		m->min = INFINITY;
		m->max = -INFINITY;
		r = add_values(m, dtype, n, values, err);
	}
	r = group_agree_same(mpi, r, &agreed, sizeof agreed, "sum: dtype", err);
	if (r == 0)
		r = exact_join(mpi, &m->sum, err);
	if (r == 0)
		r = exact_join(mpi, &m->squares, err);
	if (r == 0)
		r = join_bounds(mpi, m, err);
	if (r == 0)
		*ret_sum = result_of(m);
	free(m);
	return r;
}
