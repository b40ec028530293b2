/* SPDX-License-Identifier: Apache-2.0 */
/* Work that is cut into stages of independent chunks.
 *
 *     stage 0            stage 1            stage 2
 *     chunk chunk ...    chunk chunk ...    chunk ...      a chunk takes at most CHUNK_MOST_NS (chunk.h)
 *
 * The chunks of a stage may run at once, on any threads and in any order. A stage begins when all chunks of the one before have
 * ended. A cut is constant, so any number of runs may use it at once: a run has memory of its own (struct staged_io) and counts
 * the stages. Each kind of work has a structure that begins with struct staged_work. */
#ifndef TRNSCI_BASE_STAGED_WORK_H
#define TRNSCI_BASE_STAGED_WORK_H

#include <stddef.h>
#include <stdint.h>

enum { STAGED_INPUTS = 3 };

/* The memory of a run. */
struct staged_io {
	const char *in[STAGED_INPUTS]; /* NULL where there is none */
	char *out;
	char *work;                /* work_bytes, aligned to 64; not initialised before the first stage */
	const void *const *tables; /* what the work was cut for, as its kind says */
	const void *draws;         /* what the run draws, of work that draws, as its kind says */
};

/* A stage that begins. */
struct staged_stage {
	size_t chunks;
	double chunk_ns; /* about, of each; 0: not known */
};

struct staged_work;

struct staged_work_ops {
	/* Describes a stage, which depends on io->tables only. */
	void (*find_stage)(const struct staged_work *work, const struct staged_io *io, size_t stage, struct staged_stage *ret_stage);
	/* Runs a chunk. scratch is scratch_bytes of the thread's own memory, aligned to 64. Returns 0, or a negative error that ends
	 * the work. */
	int (*run_chunk)(const struct staged_work *work, const struct staged_io *io, size_t stage, size_t chunk, void *scratch);
};

struct staged_work {
	const struct staged_work_ops *ops;
	size_t stages;
	size_t scratch_bytes;
	uint64_t work_bytes; /* memory that all chunks share, from the first stage to the last */
	double cost_ns;      /* about, of all stages on one core */
};

#endif
