/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplying the spectrum of white normals by the root of a field's spectrum, as staged work (base/staged_work.h).
 *
 *     stages 0 and 1    a field that scales: sums of the values, by chunk, then their total
 *     last stage        elements of half a spectrum, n / 2 + 1 on the last axis, are multiplied in place
 *
 * Indices j and n - j of an axis have the same wave number but for its sign, so a row of values serves up to 2^(d - 1) rows of the
 * array. A chunk takes some rows of values, of a block of columns.
 *
 * The sum is one of integers: values, which are at most 1, times 2^field_sum_bits, without their fractions. So any parts of the spectrum
 * may be summed in any order, also by others who got their values (client/mpi does). */
#ifndef TRNSCI_DISTRIBUTIONS_FIELD_WORK_H
#define TRNSCI_DISTRIBUTIONS_FIELD_WORK_H

#include "base/staged_work.h"
#include "distributions/fields/field.h"

/* Wave numbers j_a <= n_a / 2: some of each axis but the last, which is whole. */
struct field_box {
	uint64_t first[FIELD_DIMS], n[FIELD_DIMS];
};

struct field_work {
	struct staged_work work; /* first */
	const struct field *field;
	const struct field_box *box; /* its values are computed */
	bool covariances;            /* they are; neither: the spectrum is multiplied */
	const struct algebra_kernel *kernel;
	uint64_t rows, columns; /* of values */
	size_t block, blocks;   /* columns of a chunk, and blocks of them */
	size_t group;           /* rows of a chunk */
	size_t chunks;
};

/* Cuts the work on a field that was prepared, which the caller keeps. in[0] and out of a run are the half spectrum. It ends with
 * -ERROR_OUT_OF_RANGE where a field that scales has no value above 0. */
void field_work_cut(const struct field *field, uint32_t features, struct field_work *ret);

/* Cuts the computation of a box of values, or of covariances where the field is transformed; they are out, in float64. The caller keeps
 * both. */
void field_values_cut(const struct field *field, const struct field_box *box, uint32_t features, struct field_work *ret);

/* Cuts the computation of the grid's covariances with point 0, which are out, in float64. */
void field_covariances_cut(const struct field *field, uint32_t features, struct field_work *ret);

/* Returns the binary digits behind the point of a value in the sum: the sum of all values is below 2^127. */
int field_sum_bits(const struct field *field);

#endif
