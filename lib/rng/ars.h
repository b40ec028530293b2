/* SPDX-License-Identifier: Apache-2.0 */
/* ARS4x32-7: kernels for whole groups of four words (rng/kernel.h), by the rounds of AES.
 *
 * The counter is encrypted by 7 rounds of AES whose round keys are a Weyl sequence: the stream's key plus multiples of
 * two 64-bit constants, instead of AES's key schedule. Counter and key are laid out as Threefry's. It is not a cipher:
 * its tables leak by the cache, and 7 rounds under a related-key schedule hide nothing.
 * Source: J. K. Salmon, M. A. Moraes, R. O. Dror, D. E. Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11,
 * section 4.1 (ARS) and their ars.h. */
#ifndef TRNSCI_RNG_ARS_H
#define TRNSCI_RNG_ARS_H

#include "rng/kernel.h"

/* What the halves of the key grow by from round to round: the golden ratio and sqrt(3) - 1, times 2^64. */
#define ARS_WEYL_LOW  UINT64_C(0x9E3779B97F4A7C15)
#define ARS_WEYL_HIGH UINT64_C(0xBB67AE8584CAA73B)

/* Variants that need an AES unit: 128, 256 or 512 bits an instruction. ars_aesni also needs AVX2, for what follows the
 * rounds; every CPU since 2013 that has the one has the other. */
extern const struct rng_kernel ars_scalar, ars_aesni, ars_vaes256, ars_vaes512, ars_armaes;

/* All variants built in, best first, scalar last; and the best that needs nothing beyond `features`. */
const struct rng_kernel *const *ars_kernels(size_t *ret_count);
const struct rng_kernel *ars_select(uint32_t features);

/* Computes one block by the reference. */
void ars4x32(const uint32_t counter[4], const uint32_t key[4], unsigned rounds, uint32_t ret_words[4]);

#endif
