/* SPDX-License-Identifier: Apache-2.0 */
/* Adds placements while a program is compiled, and seeks before each run. */
#ifndef TRNSCI_ENGINE_PLACEMENT_H
#define TRNSCI_ENGINE_PLACEMENT_H

#include "engine/program/program.h"

/* Adds a draw's placement, in the program's bump allocator. name: the named stream that it draws from, or NULL. Returns
 * 0 with its index, or -ERROR_NO_MEMORY. */
int placement_add(struct program *program, const struct placement *placement, const struct value *name, int *ret_index);

/* Sets the named stream that the whole run draws from; NULL: none. Returns 0 or -ERROR_NO_MEMORY. */
int placement_name_run(struct program *program, const struct value *name);

/* Puts the members that placement_seek will fill in into map. -ERROR_NO_MEMORY */
int placement_put(struct program *program, int index, struct value *map);

/* Returns whether a named stream must reserve words first. */
bool placement_waits(const struct program *program);

/* "run: steps[3] normal"; returns text. */
enum { PLACEMENT_CONTEXT = 160 };
const char *placement_context(const struct placement *placement, char text[PLACEMENT_CONTEXT]);

/* Finds the position of every placement, and writes it to its step and to the reply. The reservations of all named
 * streams must be there. Returns 0, -ERROR_OUT_OF_RANGE, -ERROR_END_OF_STREAM or -ERROR_NO_MEMORY. */
int placement_seek(struct program *program, struct value *reply, struct error *err);

/* The same for a program of one draw, without its reply. Returns 0, or an error as placement_seek. */
int placement_seek_draw(struct program *program, struct draw_position *ret_position);

#endif
