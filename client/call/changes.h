/* SPDX-License-Identifier: Apache-2.0 */
/* What one run of a call states instead of the call's own parameters: seed, stream, offset, and other tiles. */
#ifndef TRNSCI_CLIENT_CALL_CHANGES_H
#define TRNSCI_CLIENT_CALL_CHANGES_H

#include "args.h"
#include "base/error.h"
#include "engine/call/prepared.h"

/* Reads the changes of a run of `method` with `args` from a list; NULL: none. The old ones are dropped first. On an error there are
 * none: -ERROR_UNKNOWN_PARAMETER (a name), -ERROR_WRONG_TYPE, -ERROR_OUT_OF_RANGE, -ERROR_BAD_TILE, -ERROR_BAD_SHAPE. */
int changes_set(struct call_changes *changes, const struct trnsci_param *list, const char *method, const struct args_state *args,
		struct error *err);
void changes_drop(struct call_changes *changes);

/* Returns whether a prepared call can be given the changes: it numbers only the first tiles that it names. */
static inline bool changes_fit_prepared(const struct call_changes *changes)
{
	for (size_t i = 0; i < changes->n_tiles; i++)
		if (changes->tiles[i].place == ARGS_SWAPS)
			return false;
	return true;
}

/* Returns them as the engine takes them, with the present handles of tiles. */
void changes_find_handles(struct call_changes *changes);
static inline const struct prepared_changes *changes_for_engine(struct call_changes *changes)
{
	if (changes->n_tiles)
		changes_find_handles(changes);
	return &changes->run;
}

/* Returns whether the changes state the number of that name. */
bool changes_state(const struct call_changes *changes, const char *name);

/* Adds seed, stream and offset to the parameters of a request, which does not have them; tiles, only for a prepared call: in whole
 * requests they have been exchanged already. -ERROR_NO_MEMORY */
int changes_put_numbers(const struct call_changes *changes, struct bump *bump, struct value *params);
int changes_put_tiles(struct call_changes *changes, struct bump *bump, struct value *params);

#endif
