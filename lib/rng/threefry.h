/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry4x32-20, and Threefry4x32-13 with fewer rounds: kernels for whole groups of four words (rng/kernel.h).
 *
 * Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11,
 * section 3.2 (Threefry) and its table of rotation constants; known answers from the same authors. */
#ifndef TRNSCI_RNG_THREEFRY_H
#define TRNSCI_RNG_THREEFRY_H

#include "rng/kernel.h"

extern const struct rng_kernel threefry_scalar, threefry_avx2, threefry_avx512, threefry_neon;
extern const struct rng_kernel threefry13_scalar, threefry13_avx2, threefry13_avx512, threefry13_neon;

/* All variants built in, best first, scalar last; and the best that needs nothing beyond `features`. */
const struct rng_kernel *const *threefry_kernels(size_t *ret_count);
const struct rng_kernel *const *threefry13_kernels(size_t *ret_count);
const struct rng_kernel *threefry_select(uint32_t features);
const struct rng_kernel *threefry13_select(uint32_t features);

/* Computes one block by the reference. */
void threefry4x32(const uint32_t counter[4], const uint32_t key[4], unsigned rounds, uint32_t ret_words[4]);

#endif
