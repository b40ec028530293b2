/* SPDX-License-Identifier: Apache-2.0 */
/* The tiles that a call reads and writes, and whether their content is lost. With the session's lock. */
#ifndef TRNSCI_CLIENT_CALL_TILES_H
#define TRNSCI_CLIENT_CALL_TILES_H

#include "call.h"

/* -ERROR_LOST, with a text that names the tile, when the call reads one whose content is lost. */
int call_check_inputs(const struct trnsci_call *call, struct error *err);

/* Sets what is known of every tile that the call writes. */
void call_set_outputs_lost(const struct trnsci_call *call, bool lost);

/* Whether it writes a tile that it reads: begun and not finished, it cannot be done again. */
bool call_works_in_place(const struct trnsci_call *call);

#endif
