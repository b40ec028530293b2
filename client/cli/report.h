/* SPDX-License-Identifier: Apache-2.0 */
/* What a command reports, as JSON. */
#ifndef TRNSCI_CLI_REPORT_H
#define TRNSCI_CLI_REPORT_H

#include <json-c/json.h>

#include "cli.h"

/* A value of a reply as JSON; bytes become text. The caller owns it. NULL is JSON's null. */
struct json_object *report_of_value(const struct trnsci_value *value);

/* Adds a member. map owns the text's copy. */
void report_add_text(struct json_object *map, const char *name, const char *text);
void report_add_u64(struct json_object *map, const char *name, uint64_t number);

/* Prints the report, an item of a long list on one line, and frees it. Returns EXIT_OK. */
int report_print(struct json_object *report);

/* The same; maps and lists down to the depth `open` have a line for each member. */
int report_print_open(struct json_object *report, int open);

#endif
