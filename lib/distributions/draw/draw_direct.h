/* SPDX-License-Identifier: Apache-2.0 */
/* The fast path of bits, uniform and normal: samples that never reach outside their group of four words. */
#ifndef TRNSCI_DISTRIBUTIONS_DRAW_DIRECT_H
#define TRNSCI_DISTRIBUTIONS_DRAW_DIRECT_H

#include <stdbool.h>

#include "distributions/draw/draw.h"

/* Returns whether the draw is one of these: bits, and float32 or float64 uniform and boxmuller normal. */
bool draw_direct_apply(const struct draw *draw);

/* Writes samples [begin, begin + n) to out, at any alignment, for a draw that draw_direct_apply accepts. */
void draw_direct_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n, void *out);

#endif
