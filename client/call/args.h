/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of a call while a program sets them: a tree of values, with tiles as values.
 *
 * It is encoded and bound as it is: before that, args_set_handles writes the tiles' present handles into it. Values move while
 * the tree grows, so struct trnsci_args, of which a program may keep a pointer, finds its container by its place. */
#ifndef TRNSCI_CLIENT_CALL_ARGS_H
#define TRNSCI_CLIENT_CALL_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trnsci/trnsci.h>

#include "base/value.h"
#include "engine/call/prepared_changes.h"

/* A map or list in the tree. */
struct trnsci_args {
	struct args_state *state;
	struct trnsci_args *parent; /* NULL: this is the root */
	size_t index;               /* in the parent */
	struct trnsci_args *first;  /* the last one in it */
	struct trnsci_args *next;   /* one before it in the parent */
};

/* A tree and what is known of it. The call owns it. */
struct args_state {
	struct trnsci_session *session; /* of the call; its tiles are */
	struct trnsci_args root;
	struct value map;   /* the tree: each VALUE_TILE in it is a reference */
	struct bump *bump;  /* holds the tree */
	size_t waste;       /* bytes in bump of values that were replaced */
	size_t waste_most;  /* with more, the tree is copied to a new bump */
	bool borrows;       /* it names memory that is the caller's, and so stays where it is */
	bool failed;        /* a setter could not store its value: the call fails when it is sent */
	char missing[32];   /* the parameter whose value was NULL, which makes it fail as well; "": none */
	unsigned n_foreign; /* tiles of other sessions, which make it fail, too */
	bool new_tile;      /* an output is a new tile */
	uint64_t version;   /* counts changes, so that a prepared call knows whether it is out of date */
};

/* What one run of a call states instead of the call's own parameters (changes.h). */
enum { ARGS_SWAPS = 6 };
struct call_changes {
	struct prepared_changes run; /* as the engine takes them; changes_for_engine looks up the handles */
	size_t n_tiles;
	uint32_t handles[ARGS_SWAPS]; /* of run */
	struct {
		struct trnsci_tile *from, *to; /* to stands for from; a reference to each `to` */
		size_t place;                  /* of `from` among the tiles that the call names; ARGS_SWAPS: a later one */
	} tiles[ARGS_SWAPS];
};

/* Returns the tile that stands for `tile`; changes may be NULL. */
struct trnsci_tile *args_swapped(const struct call_changes *changes, struct trnsci_tile *tile);

/* Returns whether the tree can be sent; call_check_args reports why not. */
static inline bool args_are_good(const struct args_state *state)
{
	return !state->failed && !state->missing[0] && state->n_foreign == 0;
}

/* Makes the tree an empty map, for calls of that session. Returns 0 or -ERROR_NO_MEMORY. */
int args_init(struct args_state *state, struct trnsci_session *session);
void args_free(struct args_state *state); /* accepts one that is zero */

/* Writes the present handle of each tile, or of its replacement, into the tree. Nobody may read it meanwhile. */
void args_set_handles(struct args_state *state, const struct call_changes *changes);

/* Returns the map or list of that name in a map, and makes it if it is missing; NULL if there is no memory. */
struct trnsci_args *args_map(struct trnsci_args *args, const char *name);
struct trnsci_args *args_list(struct trnsci_args *args, const char *name);

/* Makes an empty tree a copy of another one. */
void args_copy(struct args_state *to, const struct args_state *from);

/* Returns the bytes of all names, texts and arrays in a tree. */
size_t args_bytes(const struct value *value);

static inline void args_set_u64(struct trnsci_args *args, const char *name, uint64_t value)
{
	trnsci_set(args, trnsci_param_u64(name, value));
}

static inline void args_set_text(struct trnsci_args *args, const char *name, const char *text)
{
	trnsci_set(args, trnsci_param_text(name, text));
}

static inline void args_set_tile(struct trnsci_args *args, const char *name, const struct trnsci_tile *tile)
{
	trnsci_set(args, trnsci_param_tile(name, tile));
}

/* Sets an array in memory that outlives the call, as an input or, in an embedded session, an output. */
void args_set_memory(struct trnsci_args *args, const char *name, const struct trnsci_array *array);
/* Sets an array of which each run of a prepared call states the memory. */
void args_set_stated_memory(struct trnsci_args *args, const char *name, const struct trnsci_array *array, unsigned number);

/* Returns the first parameter of that name in a list, or NULL. */
const struct trnsci_param *params_find(const struct trnsci_param *params, const char *name);

/* Returns the bytes of all arrays in the list; params may be NULL. */
uint64_t params_array_bytes(const struct trnsci_param *params);

/* Returns whether the engine reads the parameter as the integer 0. */
bool params_is_zero(const struct trnsci_param *param);

/* Returns whether a map in the tree, at any depth, has a member of that name. */
bool args_mention(const struct value *value, const char *name);

/* A tile among the parameters. Every operation writes the whole tile that is named `out`, and reads the others. */
struct args_tile {
	struct trnsci_tile *tile; /* borrowed, as the name */
	const char *name;
	const struct value *step; /* the step of a program that it belongs to, otherwise the whole tree */
	size_t step_number;       /* from 0; without steps 0 */
	bool output;
	struct value *value;
};

/* Calls visit for every tile, or the one that stands for it, step by step until it returns true. Returns whether it
 * did. */
bool args_visit_tiles(const struct args_state *state, const struct call_changes *changes,
		      bool (*visit)(void *arg, const struct args_tile *at), void *arg);

#endif
