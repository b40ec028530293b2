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

#include "engine/memory/session_memory.h"
#include "engine/operations/operations.h"
#include "engine/prepared/prepared_changes.h"

struct prepared;

/* Whether calls of the operation compute, and so can be prepared. */
bool prepared_allows(const struct operation *operation);

/* Runs a small one in this thread. The reply stays as it is until prepared_give, which ends the run: after release and the
 * session's end, if need be, but while the engine lives. NULL: it is to be
 * started as a request, which also reports what is wrong. Any thread. */
const struct value *prepared_run_now(struct session_memory *memory, uint32_t handle,
				     const struct prepared_changes *changes, struct prepared **ret_prepared);
void prepared_give(struct prepared *prepared);

#endif
