/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: what a request computes, as steps over buffers, and how it is cut into stages.
 *
 * A single operation is a program of one step. Consecutive element-wise steps over the same number of elements become
 * one *segment* that runs chunk by chunk: block after block, all its steps, with intermediate values in the thread's
 * scratch. Every other step is a segment of its own. Segments run one after another, so a step that overwrites a tile
 * is ordered against all that read it; inside a segment only equal element indices meet, block by block in order. */
#ifndef TRNSCI_ENGINE_PROGRAM_H
#define TRNSCI_ENGINE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/steps/deferred_build.h"
#include "engine/program/stream_placement.h"
#include "engine/steps/step.h"

/* A plan that a program holds. */
struct plan_use {
	struct plan_key key;
	struct plan_entry *entry;
	struct plan_use *next;
};

struct segment {
	size_t first, count; /* steps */
	uint64_t n;          /* elements */
	size_t chunk, block; /* elements of a chunk, and of a pass of all steps inside it */
	bool constant;       /* the same in every run: neither draws nor tiles lie before it */
	uint64_t chunk_ns;   /* of an element-wise one: first value of what a chunk takes */
	struct cost *cost;   /* learned from its chunks: that of its dearest step */
};

struct prepared;

struct program {
	struct session_memory *memory;
	struct bump *bump;
	struct step *steps;
	size_t n_steps, steps_room;
	struct buffer *buffers;
	struct plan_use *plans;
	struct placements placements;
	bool keeps; /* it is compiled for a prepared call: what a request brought is copied, and results have no memory */
	bool outlives; /* it is made after the request is gone: weights that it brought are copied */
	bool knows; /* what its constant segments make was there at its beginning: they are passed over */
	struct prepared *prepared;    /* of which it is a run; NULL */
	size_t inline_in, inline_out; /* bytes */
	struct deferred_builds deferred; /* finished before anything runs */
	uint64_t temp_bytes;          /* the most that temporaries hold at once; after program_finish */
	struct segment *segments;
	size_t n_segments;
	/* Execution. */
	size_t at; /* the segment that is next, or runs */
	bool begun;
	struct step_run *run; /* of the segment that runs, when it is not element-wise */
	const char *failure;  /* the text of its error, where the step has one */
};

/* A buffer without memory. NULL when there is no memory for it. */
struct buffer *program_buffer(struct program *program, enum buffer_kind kind, const struct shape *shape);

/* A step of that kind, to be filled in at once; NULL when there is no memory. */
struct step *program_step(struct program *program, enum step_kind kind, struct buffer *in, struct buffer *out);

/* A plan that the program holds until program_end. -ERROR_NO_MEMORY, -ERROR_OUT_OF_RANGE (n). */
int program_plan(struct program *program, struct plan_key key, struct plan_entry **ret_plan);

/* Gives a result its memory, which lives as long as the bump allocator. -ERROR_NO_MEMORY */
int program_result(struct program *program, struct buffer *buffer);

/* After the last step: cuts the program into segments and finds temp_bytes. context begins an error's text. */
int program_finish(struct program *program, const char *context, struct error *err);

/* About what the whole takes on one core, as far as that is learned; UINT64_MAX when it would have to wait for a plan. */
uint64_t program_cost_ns(const struct program *program);

/* As job_ops: the program's next stage (n_chunks and its cost, with JOB_STAGE), and a chunk of it. */
int program_advance(struct program *program, struct job *job);
uint64_t program_run(struct program *program, size_t chunk, void *scratch);

/* Frees the tiles that it has made: of a request that failed, before program_end. */
void program_free_new_tiles(struct program *program);

/* Gives tiles back and frees temporaries; results belong to the bump allocator. */
void program_end(struct program *program);

#endif
