/* SPDX-License-Identifier: Apache-2.0 */
/* What a one-line function asks for, and its key. */
#ifndef TRNSCI_CLIENT_CALL_CALL_KEY_H
#define TRNSCI_CLIENT_CALL_CALL_KEY_H

#include "args.h"
#include "session/tile.h"

/* A call of a one-line function. Seed, stream, offset and position of its source, its tiles and the addresses of its arrays are of this
 * run; the rest is its key. */
struct cached_request {
	const char *method;
	const struct trnsci_param *params;
	const struct trnsci_source *source; /* of a draw, unnamed; NULL: none */
	uint64_t n;                         /* elements of the whole draw, of which `out` may be a part; otherwise 0 */
	/* Arrays in the caller's memory: an embedded engine works there; to a daemon and back they are copied. NULL: none. */
	const struct trnsci_array *in, *out;
	const struct trnsci_tile *tile; /* or the output */
	/* Makes the call. In an embedded session each of its runs states the memory of `in` and `out`. With a daemon tiles are lent for
	 * these; without one for `out` the results come with the reply. */
	int (*make)(void *arg, struct trnsci_call **ret_call, struct error *err);
	void *arg;
	/* Lends the call a tile for its results, which come often in the reply (api/tile_pool.h). NULL: they do not. */
	int (*lend)(struct trnsci_call *call, const char *name, const struct trnsci_array *like, struct error *err);
	struct trnsci_span *ret_span; /* NULL: not wanted */
};

enum { KEY_WORDS = 64 };

struct call_key {
	size_t n; /* words; more than KEY_WORDS: the call is not cached */
	uint64_t words[KEY_WORDS];
	size_t n_tiles; /* by first mention */
	const struct trnsci_tile *tiles[ARGS_SWAPS];
};

/* Lists are part of the key; a parameter that is an array or a map, or a seventh tile, makes the call one that is not cached. */
void call_key_make(struct call_key *key, const struct cached_request *request);
void call_key_add(struct call_key *key, uint64_t word);

#endif
