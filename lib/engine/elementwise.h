/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise steps on a run of elements. */
#ifndef TRNSCI_ENGINE_ELEMENTWISE_H
#define TRNSCI_ENGINE_ELEMENTWISE_H

#include "engine/program.h"

/* Elements [begin, begin + n) of a step. in and out point at element `begin` and are aligned to their element, but for
 * a cast to the same dtype, whose input need not be. in[i] and out may be the same place. */
void elementwise_run(const struct engine *engine, const struct step *step, uint64_t begin, size_t n,
		     const void *const in[2], void *out);

/* n elements of one dtype to another: real to complex, complex to its real part, and either width. */
void elementwise_cast(enum dtype from, enum dtype to, size_t n, const void *in, void *out);

/* About the nanoseconds that a thousand elements of a step take on one core. */
uint64_t elementwise_cost(const struct engine *engine, const struct step *step);

#endif
