/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that are remembered (history.h), written anew: for another place, or for another daemon. */
#ifndef TRNSCI_CLIENT_REPLAY_H
#define TRNSCI_CLIENT_REPLAY_H

#include "history.h"
#include "line.h"

/* Makes of a stream_draw, or of a run that names a stream, with the place that its reply tells, the plain draw or run that
 * gives the same. -ERROR_NOT_SUPPORTED (a step names a stream), -ERROR_BAD_REPLY, -ERROR_NO_MEMORY; the making is then
 * as it was. */
int replay_place(struct making *making, const struct value *reply);

/* Asks for it again, with the new handles of its tiles. What line_call returns. */
int replay_run(const struct making *making, struct line *line, struct error *err);

#endif
