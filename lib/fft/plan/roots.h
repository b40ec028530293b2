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
typedef double roots_pair __attribute__((vector_size(16)));

struct roots_entry {
	uint128 exact[2];     /* in fractions of 2^127 */
	roots_pair high, low; /* their first 26 bits, and the rest rounded */
};

struct roots {
	uint64_t n, quarter, step; /* k's angle is step k of these parts of a turn's quarter; no more than k needs */
	unsigned shift;
	size_t ready, n_low, n_high; /* ready: entries built so far, low ones first */
	struct roots_entry *low;     /* high follows in the same block */
	/* The pairs of the whole eighth, rounded; NULL: each is computed when it is asked for. */
	enum fft_precision precision;
	size_t n_rounded, rounded_ready;
	void *rounded;
};

/* Allocates the tables for n <= 2^31. Returns 0 or -ERROR_NO_MEMORY. */
int roots_create(uint64_t n, struct roots *ret_roots);
/* The same for roots_rounded, to that precision. */
int roots_create_rounded(uint64_t n, enum fft_precision precision, struct roots *ret_roots);
/* Builds a piece of the tables, at most CHUNK_MOST_NS. Returns 1 while pieces are left, then 0. */
int roots_step(struct roots *roots);
void roots_free(struct roots *roots);

/* Returns the real and imaginary part of w^k, each in 64 bits. Any thread, once the tables are ready. */
void roots_at(const struct roots *roots, uint64_t k, long double ret_root[2]);
/* Returns what roots_at does, rounded once to the precision, in a tenth of the time. */
void roots_rounded(const struct roots *roots, uint64_t k, double ret_root[2]);
/* Stores w^k[i] for each i, numbers of the precision: real parts at ret_re and imaginary ones at ret_im, `stride` numbers
 * apart. */
void roots_put(const struct roots *roots, const uint64_t *k, size_t count, size_t stride, void *ret_re, void *ret_im);

#endif
