/* SPDX-License-Identifier: Apache-2.0 */
/* JSON as the wire's maps: text to parameters. */
#ifndef TRNSCI_CLI_JSON_H
#define TRNSCI_CLI_JSON_H

#include <json-c/json.h>

#include "cli.h"

/* Parses a file. An exit code; *ret_root is yours (json_object_put). */
int json_load(const char *name, struct json_object **ret_root);

/* Sets one value in args; what may stand for a tile is offered to `tile` first, which returns true when it took it
 * (and an exit code). */
struct json_reader {
	int (*take)(struct json_reader *reader, struct trnsci_args *args, const char *name, struct json_object *map,
		    bool *ret_taken);
	const char *file; /* for complaints */
};

int json_set(struct json_reader *reader, struct trnsci_args *args, const char *name, struct json_object *value);

#endif
