/* SPDX-License-Identifier: Apache-2.0 */
/* Roots of unity w^k = exp(-2 pi i k / n) from exactly reduced angles.
 *
 * k is reduced mod n and folded into the first eighth of a turn in integers, so no rounding enters the angle. The
 * folded index is split as high + low, and the root is the product of two table entries, in integers too. Rounded to
 * double or float it is correctly rounded, and the same on every machine. */
#ifndef TRNSCI_FFT_ROOTS_H
#define TRNSCI_FFT_ROOTS_H

#include <stddef.h>
#include <stdint.h>

#include "fft/fft.h"

__extension__ typedef unsigned __int128 uint128;

/* A cosine and a sine. */
struct roots_entry {
	uint128 exact[2];        /* in fractions of 2^127 */
	double high[2], low[2]; /* their first 26 bits, and the rest rounded */
};

struct roots {
	uint64_t n;
	unsigned shift;
	size_t ready, n_low, n_high; /* ready: entries built so far, low ones first */
	struct roots_entry *low;     /* high follows in the same block */
};

/* Allocates the tables for n <= 2^31. Returns 0 or -ERROR_NO_MEMORY. */
int roots_create(uint64_t n, struct roots *ret_roots);
/* Builds a piece of the tables, at most CHUNK_MOST_NS. Returns 1 while pieces are left, then 0. */
int roots_step(struct roots *roots);
void roots_free(struct roots *roots);

/* Returns the real and imaginary part of w^k, each in 64 bits. Any thread, once the tables are ready. */
void roots_at(const struct roots *roots, uint64_t k, long double ret_root[2]);
/* Returns what roots_at does, rounded once to the precision, in a tenth of the time. */
void roots_rounded(const struct roots *roots, uint64_t k, enum fft_precision precision, double ret_root[2]);

#endif
