/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters while they are being written: nodes that stay where they are, so that a program may hold on to any. */
#ifndef TRNSCI_CLIENT_ARGS_H
#define TRNSCI_CLIENT_ARGS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trnsci/trnsci.h>

#include "base/value.h"

/* An empty map; *failed is set when a later setter cannot store its value. NULL when memory cannot be had. */
struct trnsci_args *args_new(bool *failed);
void args_free(struct trnsci_args *args); /* accepts NULL */

/* The tree in zone, with the handles that its tiles have now; texts and bytes are borrowed from args.
 * -ERROR_NO_MEMORY. */
int args_build(const struct trnsci_args *args, struct zone *zone, struct value *ret_value);

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

/* Calls visit for every tile, step by step, until it returns true. Whether it did. */
bool args_visit_tiles(const struct trnsci_args *args, bool (*visit)(void *arg, const struct args_tile *at), void *arg);

#endif
