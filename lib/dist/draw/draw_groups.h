/* SPDX-License-Identifier: Apache-2.0 */
/* The fast path of bits, uniform and normal: samples that never reach outside their group of four words. */
#ifndef TRNSCI_DIST_DRAW_GROUPS_H
#define TRNSCI_DIST_DRAW_GROUPS_H

#include <stdbool.h>

#include "dist/draw/draw.h"

/* Returns whether the draw is one of these: bits, and float32 or float64 uniform and boxmuller normal. */
bool draw_groups_apply(const struct draw *draw);

/* Writes samples [begin, begin + n) to out, at any alignment, for a draw that draw_groups_apply accepts. */
void draw_groups_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n, void *out);

#endif
