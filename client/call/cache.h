/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that a session caches for its one-line functions (trnsci_draw_array, trnsci_draw_tile, trnsci_apply_array, trnsci_apply_tile).
 *
 * A key (call_key.h) that comes for the second time is worth a call. Each thread has calls of its own, so that threads with equal keys
 * do not wait for each other.
 *
 * In an embedded session they are prepared, and run in their caller's thread. With a daemon each is for the tiles that it was made
 * with, and climbs as those of trnsci_run do (ladder.h). */
#ifndef TRNSCI_CLIENT_CALL_CACHE_H
#define TRNSCI_CLIENT_CALL_CACHE_H

#include "call.h"
#include "call_key.h"

/* Runs the request by a cached call. Returns 0; 1 if there is none that can, or if it is to be made and sent, which also reports what is
 * wrong; or a negative error (closed, timeout, cancelled) of a run that may have been done. */
int cache_run(struct trnsci_session *session, const struct cached_request *request, struct error *err);

/* Gives a session that was just opened its cache; without memory for it, it has none. */
void cache_begin(struct trnsci_session *session);
/* Frees the calls that no thread runs. Tiles that were lent to them go back to the pool. */
void cache_empty(struct trnsci_session *session);
/* Frees the cache of a session that was stopped; the caller has a reference to it. */
void cache_end(struct trnsci_session *session);

#endif
