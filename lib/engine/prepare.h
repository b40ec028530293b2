/* SPDX-License-Identifier: Apache-2.0 */
/* Making prepared calls. */
#ifndef TRNSCI_ENGINE_PREPARE_H
#define TRNSCI_ENGINE_PREPARE_H

#include <stdint.h>

#include "engine/call/prepared.h"

struct args;

/* Returns whether calls of the operation compute, and so can be prepared. */
bool prepared_allows(const struct operation *operation);

/* Prepares a call in this thread: compiles it and builds its tables. Where an array of its parameters is {dtype, shape,
 * memory: number}, each run states the memory. It may hold max_bytes. The reference is yours, for prepared_drop; it
 * ends for the session by prepared_release of its handle. Errors are those of the call itself, and -ERROR_LIMIT. */
int prepared_make(struct engine_session *session, const struct operation *operation, const struct value *params,
		  uint64_t max_bytes, struct prepared **ret_prepared, struct error *err);

/* Compiles the call that args, of `prepare`, describe. Its deferred parts are then to be built. Errors are those of the call
 * itself; -ERROR_LIMIT names `prepared`, `max_bytes`, or the owner's memory limit. The result is yours until prepared_keep
 * or prepared_drop. */
int prepared_begin(struct engine_session *session, const struct args *args, struct prepared **ret_prepared,
		   struct error *err);

#endif
