/* SPDX-License-Identifier: Apache-2.0 */
/* Adds placements while a plan is compiled, and seeks before each run. */
#ifndef TRNSCI_ENGINE_PLACEMENT_H
#define TRNSCI_ENGINE_PLACEMENT_H

#include "engine/call/run.h"

/* Adds a draw's placement, in the plan's bump allocator. name: the named stream that it draws from, or NULL. Returns
 * 0 with its index, or -ERROR_NO_MEMORY. */
int placement_add(struct plan *plan, const struct placement *placement, const struct value *name, int *ret_index);

/* Puts the members that placement_seek will fill in into map. -ERROR_NO_MEMORY */
int placement_put(struct plan *plan, int index, struct value *map);

/* Returns whether a named stream must reserve words first. */
bool placement_waits(const struct run *run);

/* "run: steps[3] normal"; returns text. */
enum { PLACEMENT_CONTEXT = 160 };
const char *placement_context(const struct placement *placement, char text[PLACEMENT_CONTEXT]);

/* Finds the position of every placement, and passes it to the steps. The reservations of all named streams must be there.
 * Returns 0, -ERROR_OUT_OF_RANGE, -ERROR_END_OF_STREAM or -ERROR_NO_MEMORY. */
int placement_find(struct run *run, struct error *err);

/* The same, and writes it to the run's reply. */
int placement_seek(struct run *run, struct error *err);

#endif
