/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of a call while a program sets them: a tree of nodes. A node never moves, so that a program may keep a
 * pointer to it. */
#ifndef TRNSCI_CLIENT_CALL_ARGS_H
#define TRNSCI_CLIENT_CALL_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trnsci/trnsci.h>

#include "base/value.h"

struct args_chunk;

/* What is known of a whole tree. The call owns it, and it outlives the tree. */
struct args_state {
	const struct trnsci_session *session; /* of the call; its tiles are */
	bool failed;        /* a setter could not store its value: the call fails when it is sent */
	char missing[32];   /* the parameter whose value was NULL, which makes it fail as well; "": none */
	unsigned n_foreign; /* tiles of other sessions, which make it fail, too */
	bool new_tile;    /* an output is a new tile */
	uint64_t version; /* counts changes, so that a prepared call knows whether it is out of date */
	/* Memory for nodes. */
	struct args_chunk *chunk;
	size_t n_taken;             /* nodes of the newest chunk */
	struct trnsci_args *unused; /* list of nodes that were freed */
};

/* Tiles that replace others in one run of a call: to[i] stands for from[i], unless it is NULL. */
enum { ARGS_SWAPS = 6 };
struct args_swaps {
	size_t count;
	struct trnsci_tile *from[ARGS_SWAPS], *to[ARGS_SWAPS];
};

/* Returns the tile that stands for `tile`; swaps may be NULL. */
struct trnsci_tile *args_swapped(const struct args_swaps *swaps, struct trnsci_tile *tile);

/* Returns whether the tree can be sent; call_check_args reports why not. */
static inline bool args_are_good(const struct args_state *state)
{
	return !state->failed && !state->missing[0] && state->n_foreign == 0;
}

/* Returns an empty map, the root of a tree for calls of that session; NULL if there is no memory. */
struct trnsci_args *args_new(struct args_state *state, const struct trnsci_session *session);
void args_free(struct trnsci_args *args); /* accepts NULL */

/* Builds the value of the tree in bump; each tile, or its replacement, by its present handle. Texts and bytes are
 * borrowed from args. Returns 0 or -ERROR_NO_MEMORY. */
int args_build(const struct trnsci_args *args, const struct args_swaps *swaps, struct bump *bump,
	       struct value *ret_value);

/* Returns the map of that name; a new one if there is none. */
struct trnsci_args *args_map(struct trnsci_args *args, const char *name);

/* Adds copies of all parameters of a call of the same session. */
void args_copy(struct trnsci_args *to, const struct trnsci_args *from);

bool args_is_empty(const struct trnsci_args *args);

/* Returns the bytes of all names, texts and arrays in the tree. */
size_t args_bytes(const struct trnsci_args *args);

/* Set a parameter of one kind; texts, bytes and arrays are copied. args_set_memory takes an array in memory that outlives the call,
 * as an input or, in an embedded session, an output; args_set_new_tile makes the output a new tile; args_set_stated_memory is for
 * prepare_make, where each run states the memory. */
void args_set_u64(struct trnsci_args *args, const char *name, uint64_t value);
void args_set_i64(struct trnsci_args *args, const char *name, int64_t value);
void args_set_f64(struct trnsci_args *args, const char *name, double value);
void args_set_bool(struct trnsci_args *args, const char *name, bool value);
void args_set_text(struct trnsci_args *args, const char *name, const char *text);
void args_set_tile(struct trnsci_args *args, const char *name, const struct trnsci_tile *tile);
void args_set_bytes(struct trnsci_args *args, const char *name, const void *bytes, size_t size);
void args_set_array(struct trnsci_args *args, const char *name, const struct trnsci_array *array);
void args_set_memory(struct trnsci_args *args, const char *name, const struct trnsci_array *array);
void args_set_new_tile(struct trnsci_args *args, const char *name);
void args_set_stated_memory(struct trnsci_args *args, const char *name, const struct trnsci_array *array, unsigned number);
/* Mark the tree as incomplete, or a parameter as one whose value is NULL: the call fails when it is sent. Accept NULL. */
void args_fail(struct trnsci_args *args);
void args_set_missing(struct trnsci_args *args, const char *name);

/* Returns the first parameter of that name in a list, or NULL. */
const struct trnsci_param *params_find(const struct trnsci_param *params, const char *name);

/* Returns the bytes of all arrays in the list; params may be NULL. */
uint64_t params_array_bytes(const struct trnsci_param *params);

/* Returns whether the engine reads the parameter as the integer 0. */
bool params_is_zero(const struct trnsci_param *param);

/* Returns the text of that name in a map, empty if there is none. */
struct value args_text(const struct trnsci_args *args, const char *name);

/* Returns whether a map in the tree, at any depth, has a member of that name. */
bool args_mention(const struct trnsci_args *args, const char *name);

/* Returns the list of that name in a map, and makes it if it is missing; NULL if there is no memory. */
struct trnsci_args *args_list(struct trnsci_args *args, const char *name);

/* A tile among the parameters. Every operation writes the whole tile that is named `out`, and reads the others. */
struct args_tile {
	struct trnsci_tile *tile; /* borrowed, as the name */
	const char *name;
	const struct trnsci_args *step; /* the step of a program that it belongs to, otherwise the root */
	size_t step_number;             /* from 0; without steps 0 */
	bool output;
};

/* Calls visit for every tile, or the one that stands for it, step by step until it returns true. Returns whether it
 * did. */
bool args_visit_tiles(const struct trnsci_args *args, const struct args_swaps *swaps,
		      bool (*visit)(void *arg, const struct args_tile *at), void *arg);

#endif
