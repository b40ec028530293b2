/* SPDX-License-Identifier: Apache-2.0 */
/* A session's side of the engine: its tiles, prepared calls and limits, and its arena. */
#ifndef TRNSCI_DAEMON_ENGINE_SESSION_H
#define TRNSCI_DAEMON_ENGINE_SESSION_H

#include "net/method_call.h"
#include "net/session.h"

/* Returns 0 or -ERROR_NO_MEMORY. */
int engine_session_open(struct session *session);

/* The method `arena`: gives the session its memory and the client a descriptor of it. */
int engine_session_attach_arena(struct method_call *call);

/* Marks or keeps the arena. A client sees by the mark, once its connection is closed, whether the content stays. Call it
 * while the socket is still open. */
void engine_session_mark_arena(struct session *session);

/* Cancels what runs. Many tiles or prepared calls are freed in the background, which session->n_freeing counts. Call it when
 * the socket is closed: a client that finds its arena emptied must find its connection closed, too. */
void engine_session_close(struct session *session);

#endif
