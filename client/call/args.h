/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters while they are being written: nodes that stay where they are, so that a program may hold on to any. */
#ifndef TRNSCI_CLIENT_CALL_ARGS_H
#define TRNSCI_CLIENT_CALL_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trnsci/trnsci.h>

#include "base/value.h"

struct args_chunk;

/* What is known of a whole tree. */
struct args_state {
	bool failed;      /* a setter could not store its value */
	bool new_tile;    /* an output is a new tile */
	uint64_t version; /* counts changes */
	/* Its nodes. */
	struct args_chunk *chunk;
	size_t n_taken;             /* of the newest chunk */
	struct trnsci_args *unused; /* given back */
};

/* Tiles that stand for others, in one run of a call. */
enum { ARGS_SWAPS = 6 };
struct args_swaps {
	size_t count;
	struct trnsci_tile *from[ARGS_SWAPS], *to[ARGS_SWAPS]; /* to NULL: none */
};

/* The tile that stands for it. swaps may be NULL. */
struct trnsci_tile *args_swapped(const struct args_swaps *swaps, struct trnsci_tile *tile);

/* An empty map; state outlives it. NULL when memory cannot be had. */
struct trnsci_args *args_new(struct args_state *state);
void args_free(struct trnsci_args *args); /* accepts NULL */

/* Builds the tree of args in bump, each tile by the handle it, or its replacement, has now. Texts and bytes are
 * borrowed from args. Returns 0 or -ERROR_NO_MEMORY. */
int args_build(const struct trnsci_args *args, const struct args_swaps *swaps, struct bump *bump,
	       struct value *ret_value);

bool args_is_empty(const struct trnsci_args *args);

/* Bytes of the texts, names and arrays in it. */
size_t args_bytes(const struct trnsci_args *args);

/* What the public setters lack: integers below 0; bytes and an array, copied; an array in memory that outlives the
 * call, as input or, of an embedded session, output; a new tile as output. */
void args_set_i64(struct trnsci_args *args, const char *name, int64_t value);
void args_set_bytes(struct trnsci_args *args, const char *name, const void *bytes, size_t size);
void args_set_array(struct trnsci_args *args, const char *name, const struct trnsci_array *array);
void args_set_memory(struct trnsci_args *args, const char *name, const struct trnsci_array *array);
void args_set_new_tile(struct trnsci_args *args, const char *name);
/* Makes the call fail when it is sent. */
void args_fail(struct trnsci_args *args);

/* The first parameter of that name in a list; NULL when there is none. */
const struct trnsci_param *params_find(const struct trnsci_param *params, const char *name);

/* Whether a map in it, at any depth, has a member of that name. */
bool args_mention(const struct trnsci_args *args, const char *name);

/* The child of that name in a map, made as a list when there is none; NULL when memory cannot be had. */
struct trnsci_args *args_list(struct trnsci_args *args, const char *name);

/* A tile among the parameters. Every operation writes the tile that is called `out`, whole, and reads the others. */
struct args_tile {
	struct trnsci_tile *tile; /* borrowed, as the name */
	const char *name;
	const struct trnsci_args *step; /* in which it stands, of a program; else the root */
	bool output;
};

/* Calls visit for every tile, or what stands for it, step by step, until it returns true. Whether it did. */
bool args_visit_tiles(const struct trnsci_args *args, const struct args_swaps *swaps,
		      bool (*visit)(void *arg, const struct args_tile *at), void *arg);

#endif
