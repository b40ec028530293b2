/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers of tiles and of arrays that come with a request, as maps {dtype, shape, data}. */
#ifndef TRNSCI_ENGINE_COMPILE_BUFFERS_H
#define TRNSCI_ENGINE_COMPILE_BUFFERS_H

#include "engine/compile/compiler.h"

/* Reports what an inline array lacks. Its map has three members in any order, so the text names them all. */
int compile_wrong_array(struct compiler *compiler, unsigned param, enum error_code code, const char *what);

/* Reads dtype and shape of an inline array. Its bytes are at most 2^62, so that later sums of them cannot overflow. */
int compile_array_shape(struct compiler *compiler, unsigned param, const struct value *map, struct shape *ret);

/* Returns whether the map stands for memory that each run of a prepared call states: {dtype, shape, memory: number}.
 * Only a program in this process can name it. */
bool compile_is_stated(const struct compiler *compiler, const struct value *map);

/* Returns the buffer of such memory, which has no address until a run states it. Two maps with the same number are one
 * buffer. */
int compile_stated_buffer(struct compiler *compiler, unsigned param, const struct value *map, struct buffer **ret_buffer);

/* Returns the buffer of a tile, one for all parameters that name it: so a step that writes the tile is seen to
 * overwrite the others' input. The first run holds the tile until it ends, also if the client frees the handle meanwhile.
 */
int compile_tile_buffer(struct compiler *compiler, unsigned param, uint64_t handle, struct buffer **ret_buffer);

#endif
