/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of long transforms of one axis: how n is cut, the twiddles between both steps, and chirps. */
#ifndef TRNSCI_MPI_FACTORS_H
#define TRNSCI_MPI_FACTORS_H

#include "box.h"

/* The largest divisor of n up to its root; 0 when the six-step method would give too few rows: then a chirp is used. */
uint64_t factor_of(uint64_t n);
/* The least length from n on that is cut evenly, for chirps. */
uint64_t smooth_length(uint64_t n);

/* exp(-2 pi i k / n), or its conjugate: the product of two entries of tables.
 *
 * The factor of k = i j is again a product, of that of 64 floor(i / 64) j and that of (i mod 64) j; of the inverse, j is the
 * index that is cut. So most elements take two multiplications by numbers that lie side by side, and every element the same
 * operations wherever it is computed. */
struct twiddles {
	uint64_t n;
	bool inverse, wide;
	unsigned shift; /* k is high << shift | low */
	double (*low)[2], (*high)[2];
	double *steps;	/* of some columns: the factors of every 64th row */
};

/* Makes the factors for a matrix of `rows`. Returns 0 or -TRNSCI_NO_MEMORY. */
int twiddles_make(struct twiddles *twiddles, uint64_t n, uint64_t rows, bool inverse, bool wide);
void twiddles_clear(struct twiddles *twiddles);
/* Multiplies element (i, j) of a box by the factor of i j; a hook of a sweep. */
void twiddles_apply(const void *twiddles, const struct box *box, void *data);

/* The factor exp(-pi i k^2 / n) of a chirp, exactly reduced. */
void chirp_factor(uint64_t k, uint64_t n, double ret_factor[2]);

#endif
