/* SPDX-License-Identifier: Apache-2.0 */
/* The tiles that a call reads and writes: whose they are, and whether their content is lost. */
#ifndef TRNSCI_CLIENT_CALL_TILES_H
#define TRNSCI_CLIENT_CALL_TILES_H

#include "call.h"

/* Returns -ERROR_BAD_TILE, with a text that names the parameter, if a tile is of another session; -ERROR_NO_MEMORY if a
 * parameter could not be stored; otherwise 0. Without the lock. */
int call_check_args(const struct trnsci_call *call, struct error *err);

/* The others are called with the session's lock.
 *
 * Returns -ERROR_LOST, with a text that names the tile, if the call reads a tile whose content is lost. */
int call_check_inputs(const struct trnsci_call *call, struct error *err);

/* Marks every tile that the call writes as lost or as filled. */
void call_set_outputs_lost(const struct trnsci_call *call, bool lost);

/* Returns whether the call writes a tile that it reads. If it was begun and not finished, it cannot be repeated. */
bool call_works_in_place(const struct trnsci_call *call);

#endif
