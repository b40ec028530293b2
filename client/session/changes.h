/* SPDX-License-Identifier: Apache-2.0 */
/* What one run of a call states instead of the call's own parameters. */
#ifndef TRNSCI_CLIENT_SESSION_CHANGES_H
#define TRNSCI_CLIENT_SESSION_CHANGES_H

#include "session.h"

#include "engine/prepared/prepared.h"

/* Takes them for the run that begins, with a reference to each tile; changes NULL: none. The call is not in flight.
 * -ERROR_OUT_OF_RANGE, -ERROR_BAD_TILE: the call has none then. */
int changes_set(struct trnsci_call *call, const struct trnsci_changes *changes, struct error *err);
void changes_drop(struct trnsci_call *call);

/* As the engine takes them; handles: room for the tiles'. */
struct prepared_changes changes_plain(const struct trnsci_call *call, uint32_t handles[ARGS_SWAPS]);

/* In the parameters of a run of the prepared call, or of the call as a whole (in which tiles are exchanged already).
 * -ERROR_NO_MEMORY */
int changes_put(const struct trnsci_call *call, struct bump *bump, struct value *params);
int changes_put_tiles(const struct trnsci_call *call, struct bump *bump, struct value *params);

#endif
