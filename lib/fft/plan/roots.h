/* SPDX-License-Identifier: Apache-2.0 */
/* Roots of unity w^k = exp(-2 pi i k / n) from exactly reduced angles.
 *
 * k is taken mod n and folded into the first eighth of a turn as an integer; the angle t / 4n left is split as high +
 * low, and the root is the product of two long double table entries: within 2 units of the last place of a long
 * double, so that its rounding to double or float is the right one but for about one in 500. */
#ifndef TRNSCI_FFT_ROOTS_H
#define TRNSCI_FFT_ROOTS_H

#include <stddef.h>
#include <stdint.h>

struct roots {
	uint64_t n;
	unsigned shift;
	size_t ready, n_low, n_high; /* ready: entries made so far, low ones first */
	long double (*low)[2];       /* cos, sin; high follows in the same block */
};

/* n <= 2^31. -ERROR_NO_MEMORY. */
int roots_create(uint64_t n, struct roots *ret_roots);
/* Makes up to about 250 us worth of the tables: 1 when more is to do, 0 when ready. */
int roots_step(struct roots *roots);
void roots_free(struct roots *roots);

/* w^k: its real and imaginary part. Any thread once the tables are ready. */
void roots_at(const struct roots *roots, uint64_t k, long double ret_root[2]);

#endif
