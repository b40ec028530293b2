/* SPDX-License-Identifier: Apache-2.0 */
/* Philox4x32-10, and Philox4x32-7 with fewer rounds: kernels for whole groups of four words (rng/kernel.h).
 *
 * Its key has only two words. The stream id is therefore word 3 of the counter (ids below 2^32), and the draw number d
 * lies above the partition in word 0 (d < 2^25).
 * Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11,
 * section 3.3; known answers from the same authors. */
#ifndef TRNSCI_RNG_PHILOX_H
#define TRNSCI_RNG_PHILOX_H

#include "rng/kernel.h"

extern const struct rng_kernel philox_scalar, philox_avx2, philox_avx512, philox_neon;
extern const struct rng_kernel philox7_scalar, philox7_avx2, philox7_avx512, philox7_neon;

/* All variants built in, best first, scalar last; and the best that needs nothing beyond `features`. */
const struct rng_kernel *const *philox_kernels(size_t *ret_count);
const struct rng_kernel *const *philox7_kernels(size_t *ret_count);
const struct rng_kernel *philox_select(uint32_t features);
const struct rng_kernel *philox7_select(uint32_t features);

/* Compute one block by the reference; ret_words may be the counter. */
void philox4x32(const uint32_t counter[4], const uint32_t key[2], unsigned rounds, uint32_t ret_words[4]);
void philox2x32(const uint32_t counter[2], uint32_t key, unsigned rounds, uint32_t ret_words[2]);
void philox4x64(const uint64_t counter[4], const uint64_t key[2], unsigned rounds, uint64_t ret_words[4]);

#endif
