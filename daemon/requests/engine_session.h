/* SPDX-License-Identifier: Apache-2.0 */
/* A session's side of the engine: its tiles, prepared calls and limits, and its arenas. */
#ifndef TRNSCI_DAEMON_ENGINE_SESSION_H
#define TRNSCI_DAEMON_ENGINE_SESSION_H

#include "net/method_call.h"
#include "net/session.h"

/* Returns 0 or -ERROR_NO_MEMORY. */
int engine_session_open(struct session *session);

/* The methods `arena`, which gives the session memory and the client a descriptor of it, and `arena_free`. */
int engine_session_add_arena(struct method_call *call);
int engine_session_free_arena(struct method_call *call);

/* Pre-faults the pages of the last tile while its client gets ready to use it. */
void engine_session_prefault_tiles(struct session *session);

/* Leaves the arenas to the client if the daemon stops. Call it before engine_session_close. */
void engine_session_keep_arenas(struct session *session);

/* Cancels what runs. Many tiles or prepared calls are freed in the background, which session->n_freeing counts. Call it when
 * the socket is closed: a client that finds its arena emptied must find its connection closed, too. */
void engine_session_close(struct session *session);

#endif
