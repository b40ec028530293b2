/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry4x32-20, Threefry4x32-13 with fewer rounds, and Trainium's: kernels for whole groups of four words
 * (rng/kernel.h).
 *
 * Trainium's Threefry is the one of trnrand 0.7.1, of its reference and of its kernels. It has 20 rounds, but round r takes
 * pair r mod 4 of the rotation constants: the last four of the eight pairs are never used. What the authors of Threefry
 * say about its statistics does not hold for it.
 *
 * Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11,
 * section 3.2 (Threefry) and its table of rotation constants; known answers from the same authors. */
#ifndef TRNSCI_RNG_THREEFRY_H
#define TRNSCI_RNG_THREEFRY_H

#include "rng/kernel.h"

extern const struct rng_kernel threefry_scalar, threefry_avx2, threefry_avx512, threefry_neon;
extern const struct rng_kernel threefry13_scalar, threefry13_avx2, threefry13_avx512, threefry13_neon;
extern const struct rng_kernel threefry_trn_scalar, threefry_trn_avx2, threefry_trn_avx512, threefry_trn_neon;

/* What a kernel is compiled for. */
enum threefry_kind { THREEFRY_20_ROUNDS, THREEFRY_13_ROUNDS, THREEFRY_TRN };

/* All variants built in, best first, scalar last; and the best that needs nothing beyond `features`. */
const struct rng_kernel *const *threefry_kernels(size_t *ret_count);
const struct rng_kernel *const *threefry13_kernels(size_t *ret_count);
const struct rng_kernel *const *threefry_trn_kernels(size_t *ret_count);
const struct rng_kernel *threefry_select(uint32_t features);
const struct rng_kernel *threefry13_select(uint32_t features);
const struct rng_kernel *threefry_trn_select(uint32_t features);

/* Compute one block by the reference: Threefry, Trainium's, and those of other widths. ret_words may be the counter. */
void threefry4x32(const uint32_t counter[4], const uint32_t key[4], unsigned rounds, uint32_t ret_words[4]);
void threefry4x32_trn(const uint32_t counter[4], const uint32_t key[4], unsigned rounds, uint32_t ret_words[4]);
void threefry2x32(const uint32_t counter[2], const uint32_t key[2], unsigned rounds, uint32_t ret_words[2]);
void threefry4x64(const uint64_t counter[4], const uint64_t key[4], unsigned rounds, uint64_t ret_words[4]);

#endif
