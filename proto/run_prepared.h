/* SPDX-License-Identifier: Apache-2.0 */
/* A run of a prepared call as plain arguments: what the request `run_prepared` carries when it changes only numbers and
 * tiles. Read straight from the message's bytes, without a tree of values. */
#ifndef TRNSCI_PROTO_RUN_PREPARED_H
#define TRNSCI_PROTO_RUN_PREPARED_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum { RUN_PREPARED_SEED = 1, RUN_PREPARED_STREAM = 2, RUN_PREPARED_OFFSET = 4 };
enum { RUN_PREPARED_TILES = 6 };

struct run_prepared {
	uint32_t prepared; /* its handle */
	uint32_t given;    /* which of seed, stream and offset the run states */
	uint64_t seed, stream, offset;
	uint32_t tiles[RUN_PREPARED_TILES]; /* in the place of those that the call names, in order; 0: as prepared */
	uint64_t user; /* comes back with the answer: a request's msgid */
};

static_assert(sizeof(struct run_prepared) == 64, "an entry has 64 bytes");

/* The request at the beginning of these bytes, which are not trusted: the size of its message. 0: it is not whole, is
 * another request, or has more than such a run; then it is to be read as any other, and *ret_run is undefined. */
size_t run_prepared_read(const void *bytes, size_t size, struct run_prepared *ret_run);

#endif
