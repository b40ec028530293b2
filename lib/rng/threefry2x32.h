/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry2x32-20: kernels for whole groups of four words (rng/kernel.h), two evaluations each.
 *
 * Its counter has 64 bits: partition + 128 d (d < 2^25), and the low half of the batch's index. Stream (ids below 2^32) and high
 * half choose the key. Source: as Threefry4x32 (rng/threefry.h). */
#ifndef TRNSCI_RNG_THREEFRY2X32_H
#define TRNSCI_RNG_THREEFRY2X32_H

#include "rng/kernel.h"

extern const struct rng_kernel threefry2x32_scalar, threefry2x32_avx2, threefry2x32_avx512, threefry2x32_neon;

/* All variants built in, best first, scalar last; and the best that needs nothing beyond `features`. */
const struct rng_kernel *const *threefry2x32_kernels(size_t *ret_count);
const struct rng_kernel *threefry2x32_select(uint32_t features);

/* Computes the key of a group of a stream of 2x32 bits, from the stream's: stream and group / RNG_KEY_GROUPS are the counter,
 * the seed is the key. So all streams of one seed have keys of their own, and those of different seeds by chance only. */
void threefry2x32_key(const uint32_t key[4], uint64_t group, uint32_t ret_key[2]);

#endif
