/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that a session caches for its one-line functions (trnsci_draw_array, trnsci_draw_tile, trnsci_apply_array, trnsci_apply_tile).
 *
 * A key has everything of such a call that its runs cannot change: method, parameters, dtypes and shapes. Seed, stream,
 * offset, position, tiles and the addresses of arrays are stated by each run. A key that comes for the second time is worth
 * a call. Each thread has calls of its own, so that threads with equal keys do not wait for each other.
 *
 * An embedded session keeps them prepared, and runs them in their caller's thread. With a daemon they are call
 * objects, each for the tiles that it was made with, and run as those of trnsci_run: prepared by the daemon (prepare.h), and
 * through its queue where they come often. */
#ifndef TRNSCI_CLIENT_API_CACHED_CALL_H
#define TRNSCI_CLIENT_API_CACHED_CALL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call/call.h"

enum { KEY_WORDS = 64 };

struct call_key {
	size_t n; /* words; more than KEY_WORDS: the call is not cached */
	uint64_t words[KEY_WORDS];
	size_t n_tiles; /* by first mention */
	const struct trnsci_tile *tiles[ARGS_SWAPS];
};

/* Begin and extend a key, in the order in which the call is made. Lists are part of it; a parameter that is an array or
 * a map, or a seventh tile, makes the call one that is not cached. text may be NULL. */
void call_key_begin(struct call_key *key, const char *method);
void call_key_add(struct call_key *key, uint64_t word);
void call_key_add_text(struct call_key *key, const char *text);
void call_key_add_params(struct call_key *key, const struct trnsci_param *params);
void call_key_add_array(struct call_key *key, const struct trnsci_array *array);
void call_key_add_tile(struct call_key *key, const struct trnsci_tile *tile);

struct cached_call;

/* Returns the cached call of the key, building it by make() on the key's second use. NULL: send an ordinary call. The call is yours
 * until cached_call_give. The thread has entered the session (session_enter), and leaves it after that.
 * It adds to the key, which its caller then passes to cached_call_run and to nothing else. */
struct cached_call *cached_call_take(struct trnsci_session *session, struct call_key *key,
				 int (*make)(void *arg, struct trnsci_call **ret_call, struct error *err), void *arg);
/* Runs it with the tiles of the key. Returns 0 and its reply, which is there until cached_call_give; 1 if it is to be made and sent,
 * which also reports what is wrong; or a negative error (closed, timeout, cancelled) of a run that may have been done. */
int cached_call_run(struct cached_call *cached, const struct call_key *key, struct prepared_changes *changes, const struct value **ret_reply,
		  struct error *err);
/* Call it after copying from the last reply, which lies in a tile if the run went through a queue. Returns false if the daemon has
 * ended the session, and may have emptied the tile before it was copied. */
bool cached_call_had_reply(const struct cached_call *cached);
void cached_call_give(struct trnsci_session *session, struct cached_call *cached);

/* Frees all of a session that was stopped; the caller has a reference to it. */
void cached_calls_free(struct trnsci_session *session);

#endif
