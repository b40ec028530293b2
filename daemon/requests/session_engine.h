/* SPDX-License-Identifier: Apache-2.0 */
/* A session's side of the engine: its tiles, prepared calls and limits, and its arenas. */
#ifndef TRNSCI_DAEMON_SESSION_ENGINE_H
#define TRNSCI_DAEMON_SESSION_ENGINE_H

#include "net/method_call.h"
#include "net/session.h"

/* Returns 0 or -ERROR_NO_MEMORY. */
int session_engine_open(struct session *session);

/* The methods `arena`, which gives the session memory and the client a descriptor of it, and `arena_free`. */
int session_engine_add_arena(struct method_call *call);
int session_engine_free_arena(struct method_call *call);

/* Pre-faults the pages of the last tile while its client gets ready to use it. */
void session_engine_prefault_tiles(struct session *session);

/* Leaves the arenas to the client if the daemon stops. Call it before session_engine_close. */
void session_engine_keep_arenas(struct session *session);

/* Cancels what runs. Many tiles or prepared calls are freed in the background, which session->n_freeing counts. Call it when
 * the socket is closed: a client that finds its arena emptied must find its connection closed, too. */
void session_engine_close(struct session *session);

#endif
