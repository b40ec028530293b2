/* SPDX-License-Identifier: Apache-2.0 */
/* What the draws of distributions and of coloured noise share when they are compiled. */
#ifndef TRNSCI_ENGINE_COMPILE_DRAW_H
#define TRNSCI_ENGINE_COMPILE_DRAW_H

#include "engine/compile/compiler.h"
#include "engine/compile/draws/draw_extent.h"

/* Returns the dtype: that of `dtype`, or else of the tile, or else the default. The distribution says which a tile may have.
 * out: the tile's buffer; NULL. */
enum dtype compile_draw_dtype(struct compiler *c, enum distribution distribution, const struct buffer *out);

/* Notes where the draw lies, for placement_seek, which finds its position before each run: behind the draw before it
 * in the same stream, at the run's offset, or in a range of a named stream. more: samples behind the draw's that it takes, too.
 * same: the stream, in the plan's bump, whose one signal the draw is a part of; NULL: none. Returns the index of its placement. */
int compile_place_draw(struct compiler *c, const struct draw *draw, const struct draw_extent *extent, uint64_t more,
		       const struct stream *same);

#endif
