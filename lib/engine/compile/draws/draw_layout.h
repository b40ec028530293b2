/* SPDX-License-Identifier: Apache-2.0 */
/* Draws in the layout of another framework: which call they are, and what such a call cannot be. */
#ifndef TRNSCI_ENGINE_COMPILE_DRAW_LAYOUT_H
#define TRNSCI_ENGINE_COMPILE_DRAW_LAYOUT_H

#include "engine/compile/compiler.h"
#include "engine/compile/draws/draw_extent.h"

/* Returns the call that a checked draw is, in the plan's bump allocator; NULL: the draw's layout is the stream's own, or an error
 * stands. */
const struct layout_call *compile_layout(struct compiler *c, const struct draw *draw, const struct draw_extent *extent);

/* Notes the draw's call in its placement. Refuses a generator beside the layout of another framework, and such a layout where the
 * draw is no call. */
void compile_place_call(struct compiler *c, const struct draw *draw, struct placement *placement);

#endif
