/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that a session caches for its one-line functions (trnsci_draw_array, trnsci_draw_tile, trnsci_apply_array, trnsci_apply_tile).
 *
 * A key has method, parameters, dtypes and shapes. Seed, stream, offset, position, tiles and the addresses of arrays are stated by each
 * run. A key that comes for the second time is worth a call. Each thread has calls of its own, so that threads with equal keys do not
 * wait for each other.
 *
 * In an embedded session they are prepared, and run in their caller's thread. With a daemon each is for the tiles that it was made
 * with, and climbs as those of trnsci_run do (ladder.h). */
#ifndef TRNSCI_CLIENT_CALL_CACHE_H
#define TRNSCI_CLIENT_CALL_CACHE_H

#include "call.h"
#include "call_key.h"

struct cached_call;

/* Returns the cached call of the key, building it by make() on the key's second use. NULL: send an ordinary call. The call is yours
 * until cached_call_give. The thread has entered the session (session_enter), and leaves it after that.
 * It adds to the key, which its caller then passes to cached_call_run and to nothing else. */
struct cached_call *cached_call_take(struct trnsci_session *session, struct call_key *key,
				     int (*make)(void *arg, struct trnsci_call **ret_call, struct error *err), void *arg);
void cached_call_give(struct trnsci_session *session, struct cached_call *cached);

/* One run. The arrays are in the caller's memory: an embedded engine works there; to a daemon and back they are copied. */
struct cached_run {
	struct prepared_changes changes; /* of numbers */
	const struct trnsci_array *in;   /* NULL: none */
	const struct trnsci_array *out;  /* NULL: the call states a tile */
	const struct value *reply;       /* set by the run; there until cached_call_give */
};

/* Runs it with the tiles of the key. Returns 0; 1 if the call is to be made and sent, which also reports what is wrong; or a negative
 * error (closed, timeout, cancelled) of a run that may have been done. */
int cached_call_run(struct cached_call *cached, const struct call_key *key, struct cached_run *run, struct error *err);

/* Returns the call if its results come in the reply, and so often that a tile is worth it, which is to be lent (api/tile_pool.h). */
struct trnsci_call *cached_call_lacking_tile(const struct cached_call *cached);

/* Frees all of a session that was stopped; the caller has a reference to it. */
void cached_calls_free(struct trnsci_session *session);

#endif
