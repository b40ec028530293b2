/* SPDX-License-Identifier: Apache-2.0 */
/* Roots of unity w^k = exp(-2 pi i k / n) from exactly reduced angles.
 *
 * k is reduced mod n and folded into the first eighth of a turn in integers, so no rounding enters the angle. The
 * folded index is split as high + low, and the root is the product of two long double table entries. It is within 2
 * units in the last place of a long double: rounded to double or float, it is correctly rounded but for about one root
 * in 500. */
#ifndef TRNSCI_FFT_ROOTS_H
#define TRNSCI_FFT_ROOTS_H

#include <stddef.h>
#include <stdint.h>

struct roots {
	uint64_t n;
	unsigned shift;
	size_t ready, n_low, n_high; /* ready: entries built so far, low ones first */
	long double (*low)[2];       /* cos, sin; high follows in the same block */
};

/* Allocates the tables for n <= 2^31. Returns 0 or -ERROR_NO_MEMORY. */
int roots_create(uint64_t n, struct roots *ret_roots);
/* Builds a piece of the tables, at most about 250 us. Returns 1 while pieces are left, then 0. */
int roots_step(struct roots *roots);
void roots_free(struct roots *roots);

/* Returns the real and imaginary part of w^k. Any thread, once the tables are ready. */
void roots_at(const struct roots *roots, uint64_t k, long double ret_root[2]);

#endif
