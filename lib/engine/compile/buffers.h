/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of tiles and of arrays that come with a request, as maps {dtype, shape, data}. */
#ifndef TRNSCI_ENGINE_COMPILE_BUFFERS_H
#define TRNSCI_ENGINE_COMPILE_BUFFERS_H

#include "engine/compile/compiler.h"

/* Reports what an inline array lacks. Its map has three members in any order, so the text names them all. */
void compile_wrong_array(struct compiler *c, unsigned param, enum error_code code, const char *what);

/* Returns dtype and shape of an inline array, whose bytes are at most 2^62: later sums of them cannot overflow. */
struct shape compile_array_shape(struct compiler *c, unsigned param, const struct value *map);

/* Notes where a buffer lies. */
void compile_hold(struct compiler *c, const struct buffer *buffer, const char *base);

/* Returns whether the map stands for memory that each run of a prepared call states: {dtype, shape, memory: number}.
 * Only a program in this process can name it. */
bool compile_is_stated(const struct compiler *c, const struct value *map);

/* Returns the buffer of such memory, which has no address until a run states it. Two maps with the same number are one
 * buffer. */
struct buffer *compile_stated_buffer(struct compiler *c, unsigned param, const struct value *map);

/* Returns the buffer of a tile, one for all parameters that name it: so a step that writes the tile is seen to
 * overwrite the others' input. The first run holds the tile until it ends, also if the client frees the handle meanwhile.
 */
struct buffer *compile_tile_buffer(struct compiler *c, unsigned param, uint64_t handle);

#endif
