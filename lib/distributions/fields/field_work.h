/* SPDX-License-Identifier: Apache-2.0 */
/* Multiplying the spectrum of white normals by the root of a field's spectrum, and what comes before, as staged work
 * (base/staged_work.h).
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

enum field_task {
	FIELD_MULTIPLY,    /* in[0] and out: half a spectrum, n / 2 + 1 elements on the last axis; in[1]: the root, of a field that scales */
	FIELD_FIND_ROOT,   /* out: one float64, the root of what values are multiplied by, so that the expected variance is std^2 */
	FIELD_VALUES,      /* out: a box of values in float64, of covariances where the field is transformed */
	FIELD_COVARIANCES, /* out: the grid's covariances with point 0 in float64 */
};

struct field_work {
	struct staged_work work; /* first */
	const struct field *field;
	enum field_task task;
	const struct field_box *box; /* of FIELD_VALUES */
	const struct algebra_kernel *kernel;
	uint64_t rows, columns; /* of values */
	size_t block, blocks;   /* columns of a chunk, and blocks of them */
	size_t group;           /* rows of a chunk */
	size_t chunks;
};

/* Cuts a task on a field that was prepared. The caller keeps the field and the box, which is NULL but for FIELD_VALUES. FIELD_FIND_ROOT ends
 * with -ERROR_OUT_OF_RANGE where no value is above 0. */
void field_work_cut(const struct field *field, enum field_task task, const struct field_box *box, uint32_t features, struct field_work *ret);

/* Returns the binary digits behind the point of a value in the sum: the sum of all values is below 2^127. */
int field_sum_bits(const struct field *field);

#endif
