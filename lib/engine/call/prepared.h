/* SPDX-License-Identifier: Apache-2.0 */
/* Prepared calls: a draw, a transform, a program or any other call that computes, validated and compiled once.
 *
 * A run states only what changes: seed, stream, offset and tiles. A prepared call is never written after it is made, so
 * any number of runs use it at once; each gives what the call itself gives with the same values. A small one has memory
 * for one run of its own, which runs in the caller's thread without a request. */
#ifndef TRNSCI_ENGINE_PREPARED_H
#define TRNSCI_ENGINE_PREPARED_H

#include <stddef.h>
#include <stdint.h>

#include "engine/memory/engine_session.h"
#include "engine/operations/operations.h"
#include "engine/call/prepared_changes.h"

struct prepared;

uint32_t prepared_handle(const struct prepared *prepared);
void prepared_drop(void *prepared); /* one reference; accepts NULL */

/* Ends a call's handle; runs in progress finish. -ERROR_BAD_TILE: there is no call of that handle. */
int prepared_release(struct engine_session *session, uint64_t handle, struct error *err);

/* Returns whether it names exactly these tiles, in this order of first mention. */
bool prepared_names(const struct prepared *prepared, const uint32_t *handles, size_t n);
/* Returns whether it can run without a request; only then prepared_rerun does anything. */
bool prepared_is_small(const struct prepared *prepared);
/* Runs a small one in this thread, whose caller has a reference and is alone with it. The reply stays as it is until
 * the next run. Returns NULL where it is to be started as a request, which also reports what is wrong. */
const struct value *prepared_rerun(struct prepared *prepared, const struct prepared_changes *changes);

/* The same by its handle, and beside other threads. The reply stays as it is until prepared_give, which ends the run;
 * that may come after release and the session's end, but not after the engine's. NULL: it is to be started as a
 * request, which also reports what is wrong. Any thread. */
const struct value *prepared_rerun_listed(struct engine_session *session, uint32_t handle,
				     const struct prepared_changes *changes, struct prepared **ret_prepared);
void prepared_give(struct prepared *prepared);

#endif
