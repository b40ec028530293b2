/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters while they are being written: nodes that stay where they are, so that a program may hold on to any. */
#ifndef TRNSCI_CLIENT_ARGS_H
#define TRNSCI_CLIENT_ARGS_H

#include <stdbool.h>

#include <trnsci/trnsci.h>

#include "base/value.h"

/* An empty map; *failed is set when a later setter cannot store its value. NULL when memory cannot be had. */
struct trnsci_args *args_new(bool *failed);
void args_free(struct trnsci_args *args); /* accepts NULL */

/* The tree in zone; texts and bytes are borrowed from args. -ERROR_NO_MEMORY. */
int args_build(const struct trnsci_args *args, struct zone *zone, struct value *ret_value);

/* The child of that name in a map, made as a list when there is none; NULL when memory cannot be had. */
struct trnsci_args *args_list(struct trnsci_args *args, const char *name);

#endif
