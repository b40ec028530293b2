/* SPDX-License-Identifier: Apache-2.0 */
/* How many samples a draw has, in which shape, and which of them this request draws. */
#ifndef TRNSCI_ENGINE_COMPILE_DRAW_EXTENT_H
#define TRNSCI_ENGINE_COMPILE_DRAW_EXTENT_H

#include "engine/compile/compiler.h"

/* Rank r of P draws samples floor(r n / P) to floor((r + 1) n / P) of the whole draw (stream_rank_part). */
struct draw_extent {
	struct shape shape; /* of what is drawn, in elements; the components of a sample are its last dimension */
	uint64_t n;         /* samples of the whole draw, all ranks' together */
	uint64_t begin;     /* the first that is drawn here */
};

/* Finds the extent from the bound parameters n, shape, rank and size. components: elements of a sample. tile: where the
 * samples go, which decides what n and shape leave open; NULL: a new result. */
struct draw_extent compile_extent(struct compiler *c, enum dtype dtype, uint64_t components, const struct shape *tile);

#endif
