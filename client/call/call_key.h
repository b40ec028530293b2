/* SPDX-License-Identifier: Apache-2.0 */
/* The key of a cached call: everything of it that its runs cannot change. */
#ifndef TRNSCI_CLIENT_CALL_CALL_KEY_H
#define TRNSCI_CLIENT_CALL_CALL_KEY_H

#include "args.h"
#include "session/tile.h"

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

#endif
