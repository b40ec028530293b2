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

#include "engine/operations/operations.h"
#include "engine/request.h"

struct prepared;

/* Whether calls of the operation compute, and so can be prepared. */
bool prepared_allows(const struct operation *operation);

/* What a run states. */
enum { PREPARED_SEED = 1, PREPARED_STREAM = 2, PREPARED_OFFSET = 4 };

struct prepared_changes {
	unsigned given; /* of these */
	uint64_t seed, stream, offset;
	/* tiles[i] stands for the i-th tile that the call names, by its first mention; 0: as prepared. */
	const uint32_t *tiles;
	size_t n_tiles;
};

/* Starts a run of the prepared call of that handle; else as request_start. */
int prepared_start(struct space *space, uint32_t handle, const struct prepared_changes *changes, struct bump *bump,
		   request_done *done, void *arg, struct request **ret_request);

/* Runs a small one in this thread. The reply stays as it is until prepared_give, which ends the run. NULL: it is to be
 * started as a request, which also reports what is wrong. Any thread. */
const struct value *prepared_run_now(struct space *space, uint32_t handle, const struct prepared_changes *changes,
				     struct prepared **ret_prepared);
void prepared_give(struct prepared *prepared);

#endif
