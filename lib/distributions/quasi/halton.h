/* SPDX-License-Identifier: Apache-2.0 */
/* Halton's sequence: coordinate j of point i is the radical inverse of i in the j-th prime.
 *
 * Scrambling permutes a digit x by a x + c modulo the prime b, where a and c come from a hash under the dimension's
 * key. Such maps take each pair of digits to each other pair equally often, so variances are those of uniform
 * permutations. PERMUTATION has one map for each place, OWEN one for each place and all the digits before it. Scrambled
 * coordinates have as many digits as fit 64 bits, at least 51 bits; the zeros behind i's own digits are scrambled, too.
 * Sources: J. H. Halton, Numer. Math. 2 (1960) 84-90; J. Matousek, J. Complexity 14 (1998) 527-556 (linear digit
 * scrambling); A. B. Owen, arXiv:1706.02808 (2017). */
#ifndef TRNSCI_DISTRIBUTIONS_HALTON_H
#define TRNSCI_DISTRIBUTIONS_HALTON_H

#include "distributions/quasi/points_settings.h"

enum {
	HALTON_DIMS = 1000,
	/* Indices are below 2^50, so that they have fewer digits than a coordinate has in any base. */
	HALTON_LOG2_POINTS = 50,
};

/* A dimension's nested scrambling. whole = base^places is below 2^64; tail_power = base^(places - head) and base^head
 * are below 2^53. */
struct halton_nest {
	uint64_t key, whole, tail_power;
	uint32_t base, places, head;
};

enum { HALTON_BLOCK = 64 };

struct halton_kernel {
	const char *name;
	uint32_t needs;
	/* Writes the scrambled coordinate of points first .. first + n - 1, n <= HALTON_BLOCK. */
	void (*owen)(const struct halton_nest *nest, uint64_t first, size_t n, double *ret_x);
};

extern const struct halton_kernel halton_scalar, halton_avx2, halton_avx512, halton_neon;

/* Returns all variants of this build, the fastest first, scalar last. */
const struct halton_kernel *const *halton_kernels(size_t *ret_count);

/* Returns the fastest variant that needs nothing beyond these CPU_ features. */
const struct halton_kernel *halton_select(uint32_t features);

struct halton;

/* Like points_create and points_free. */
int halton_create(const struct points_settings *settings, uint32_t features, struct halton **ret_halton);
void halton_free(struct halton *halton);

/* Returns the bytes of the tables of that many dimensions. */
size_t halton_bytes(uint32_t dims);

/* Writes coordinates [begin, begin + n), point by point, of points below 2^HALTON_LOG2_POINTS. */
void halton_fill(const struct halton *halton, uint64_t begin, size_t n, double *ret_x);

#endif
