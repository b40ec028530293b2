/* SPDX-License-Identifier: Apache-2.0 */
/* Philox2x32-10: kernels for whole groups of four words (rng/kernel.h), two evaluations each.
 *
 * Counter: partition + 128 d (d < 2^25), low half of the batch's index; key: word 0 of threefry2x32_key, of which there are
 * 2^32. Source: as Philox4x32 (rng/philox.h). */
#ifndef TRNSCI_RNG_PHILOX2X32_H
#define TRNSCI_RNG_PHILOX2X32_H

#include "rng/kernel.h"

extern const struct rng_kernel philox2x32_scalar, philox2x32_avx2, philox2x32_avx512, philox2x32_neon;

/* All variants built in, best first, scalar last; and the best that needs nothing beyond `features`. */
const struct rng_kernel *const *philox2x32_kernels(size_t *ret_count);
const struct rng_kernel *philox2x32_select(uint32_t features);

#endif
