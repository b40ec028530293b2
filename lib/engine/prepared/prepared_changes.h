/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of a prepared call changes. */
#ifndef TRNSCI_ENGINE_PREPARED_CHANGES_H
#define TRNSCI_ENGINE_PREPARED_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which members of struct prepared_changes a run states. */
enum { PREPARED_SEED = 1, PREPARED_STREAM = 2, PREPARED_OFFSET = 4, PREPARED_POSITION = 8 };

enum { PREPARED_MEMORY = 2 }; /* arrays of the caller's that a call may name */

struct prepared_changes {
	unsigned given; /* PREPARED_SEED ... */
	uint64_t seed, stream, offset;
	/* tiles[i] stands for the i-th tile that the call names, by its first mention; 0: as prepared. */
	const uint32_t *tiles;
	size_t n_tiles;
	/* Of a call that names memory of the caller's by numbers: where each lies in this run; NULL: it names none. */
	void *const *memory;
	uint64_t position;
	bool only_tiles; /* the run is refused if it has results in its reply */
};

#endif
