/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of a prepared call changes. All zero: nothing. It is the caller's, and read only while the run is started.
 */
#ifndef TRNSCI_ENGINE_PREPARED_CHANGES_H
#define TRNSCI_ENGINE_PREPARED_CHANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Which members of struct prepared_changes a run states. */
enum { PREPARED_SEED = 1, PREPARED_STREAM = 2, PREPARED_OFFSET = 4, PREPARED_POSITION = 8 };

struct prepared_changes {
	unsigned given; /* PREPARED_SEED ...: the members that count */
	uint64_t seed, stream;
	uint64_t offset; /* in the call's own unit: samples of a draw, words of a run, points of a set */
	/* tiles[i] stands for the i-th tile that the call names, by its first mention; 0: as prepared. */
	const uint32_t *tiles;
	size_t n_tiles;
	/* Of a call that names memory of the caller's by numbers: where each lies in this run; NULL: it names none. */
	void *const *memory;
	uint64_t position; /* of a draw, in words; a multiple of 4 */
	bool only_tiles; /* the run is refused if it has results in its reply */
};

#endif
