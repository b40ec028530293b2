/* SPDX-License-Identifier: Apache-2.0 */
/* Arenas that a remote session adds and gives back.
 *
 * A request whose tile fits nowhere is answered `no_room` with the bytes that it needs. Its call then stays in flight
 * until another arena is there, and is sent again. The first arena fits the first tile, each later one is twice as large
 * as the one before. */
#ifndef TRNSCI_CLIENT_REMOTE_ARENA_REQUEST_H
#define TRNSCI_CLIENT_REMOTE_ARENA_REQUEST_H

#include "call/call.h"

/* As session_engine.begin_arenas and .tend_arenas. */
void arena_request_begin(struct trnsci_session *session, size_t bytes);
void arena_request_tend(struct trnsci_session *session);

/* Keeps a call that was answered with `error` in flight until there is an arena for its tile. Returns false if the
 * answer is final. With the lock. */
bool arena_request_keep(struct trnsci_call *call, const struct error *error);

#endif
