/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays of the caller's that go to a daemon and come back through tiles, piece by piece: while one piece is copied, the daemon
 * computes another. Samples of a draw and transforms of a batch are units that do not depend on each other, so pieces change no
 * byte. */
#ifndef TRNSCI_CLIENT_API_PIPELINE_H
#define TRNSCI_CLIENT_API_PIPELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "call/call.h"

enum { PIECE_BYTES = 2 << 20 }; /* of a piece: small enough to stay in cache until it is copied */

struct pipeline {
	struct trnsci_session *session;
	const char *what;    /* the operation, for errors */
	uint64_t begin, end; /* the units */
	uint64_t each;       /* of them in a piece */
	/* The caller's arrays from unit `begin` on, and bytes of a unit. */
	const void *in; /* NULL: there is no input */
	void *out;
	size_t in_bytes, out_bytes;
	/* A draw states the place of each piece: this much behind its first unit. */
	bool states_offset;
	uint64_t offset;
	/* Makes the call of a piece, with a tile lent for its results, and then one for its input. What it made stays in *ret_call
	 * also if it fails. */
	int (*make)(const void *arg, uint64_t each, struct trnsci_call **ret_call, struct error *err);
	const void *arg;
};

/* Returns the units of a piece: pieces are as even as multiples of `multiple` units allow, and have PIECE_BYTES at most, or one
 * unit. */
uint64_t pipeline_even(uint64_t units, size_t unit_bytes, uint64_t multiple);

/* Runs all pieces until the deadline, which is one for all. */
int pipeline_run(const struct pipeline *pipeline, int64_t deadline, struct error *err);

#endif
