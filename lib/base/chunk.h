/* SPDX-License-Identifier: Apache-2.0 */
/* How long a chunk of work may take.
 *
 * Whoever comes to a busy daemon waits for the chunk that runs: the first of a small request beside large ones, a
 * cancelled call, a session that closes. A quarter of a millisecond is about what waking a few threads takes, so nobody
 * sees it, and a hundred times what is spent around a chunk. */
#ifndef TRNSCI_BASE_CHUNK_H
#define TRNSCI_BASE_CHUNK_H

enum {
	/* No chunk, no advance() of a job and no piece of a table takes longer, about, on one core. */
	CHUNK_MOST_NS = 250 * 1000,
	/* What one may be estimated at: a machine may be slower than the first values say. */
	CHUNK_ESTIMATE_NS = CHUNK_MOST_NS * 3 / 5,
	/* The aim where work is cut into many: the last one is then no longer than the others. */
	CHUNK_AIM_NS = CHUNK_MOST_NS * 2 / 5,
};

#endif
