/* SPDX-License-Identifier: Apache-2.0 */
/* A small draw that is asked for again and again: bound and compiled once, then but placed, drawn and told.
 *
 * It is what request_start makes of the same parameters, and its reply is filled in by the same functions. What may have
 * changed since, its tile and what the space's owner reserves, is asked for anew each time; where any of it is refused, the
 * request is for request_start, which tells why. */
#ifndef TRNSCI_ENGINE_REPEAT_H
#define TRNSCI_ENGINE_REPEAT_H

#include <stddef.h>
#include <stdint.h>

#include "base/value.h"
#include "engine/operations.h"
#include "engine/space.h"

struct repeat;

/* The parameters that each run states anew. */
enum { REPEAT_OFFSET, REPEAT_SEED, REPEAT_STREAM, REPEAT_FIELDS };
extern const char *const repeat_names[REPEAT_FIELDS];

enum { REPEAT_MOST_BYTES = 16 << 10 }; /* that one holds */

/* -ERROR_NOT_SUPPORTED: another operation, one with a mistake, with a timeout, of more than a few KiB in the reply or some
 * 20 us, or whose law has a table. -ERROR_NO_MEMORY. params may go afterwards; the space must not, before the repeat. */
int repeat_make(struct space *space, const struct operation *operation, const struct value *params,
		struct repeat **ret_repeat);
void repeat_free(struct repeat *repeat); /* accepts NULL */

/* What it was made with; to be changed for the run. */
void repeat_values(const struct repeat *repeat, uint64_t ret_values[REPEAT_FIELDS]);

/* Draws in this thread, one at a time for each repeat. The reply holds until the next run; NULL: ask request_start. */
const struct value *repeat_run(struct repeat *repeat, const uint64_t values[REPEAT_FIELDS]);

#endif
