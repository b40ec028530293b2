/* SPDX-License-Identifier: Apache-2.0 */
/* Threefry4x64-20: kernels for whole groups of four words (rng/kernel.h), two groups an evaluation.
 *
 * Counter: partition, batch, draw, 0; key: seed, stream, 0, 0. Source: as Threefry4x32 (rng/threefry.h). */
#ifndef TRNSCI_RNG_THREEFRY4X64_H
#define TRNSCI_RNG_THREEFRY4X64_H

#include "rng/kernel.h"

extern const struct rng_kernel threefry4x64_scalar, threefry4x64_avx2, threefry4x64_avx512, threefry4x64_neon;

/* All variants built in, best first, scalar last; and the best that needs nothing beyond `features`. */
const struct rng_kernel *const *threefry4x64_kernels(size_t *ret_count);
const struct rng_kernel *threefry4x64_select(uint32_t features);

#endif
