/* SPDX-License-Identifier: Apache-2.0 */
/* Philox4x64-10: kernels for whole groups of four words (rng/kernel.h), two groups an evaluation.
 *
 * Counter: partition, batch, draw, 0; key: seed, stream. Source: as Philox4x32 (rng/philox.h). */
#ifndef TRNSCI_RNG_PHILOX4X64_H
#define TRNSCI_RNG_PHILOX4X64_H

#include "rng/kernel.h"

extern const struct rng_kernel philox4x64_scalar, philox4x64_avx2, philox4x64_avx512, philox4x64_neon;

/* All variants built in, best first, scalar last; and the best that needs nothing beyond `features`. */
const struct rng_kernel *const *philox4x64_kernels(size_t *ret_count);
const struct rng_kernel *philox4x64_select(uint32_t features);

#endif
