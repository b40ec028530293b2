/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: what a request computes, as steps over buffers, and how it is cut into stages.
 *
 * A single operation is a program of one step. Consecutive element-wise steps over the same number of elements become
 * one *segment* that runs chunk by chunk: block after block, all its steps, with intermediate values in the thread's
 * scratch. Transforms of one array along axes that lie near each other in memory become one, too (steps/fft_slabs.h). Every
 * other step is a segment of its own. Segments run one after another, so a step that overwrites a tile
 * is ordered against all that read it; inside a segment only equal element indices meet, block by block in order. */
#ifndef TRNSCI_ENGINE_PROGRAM_H
#define TRNSCI_ENGINE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/steps/deferred_build.h"
#include "engine/program/stream_placement.h"
#include "engine/steps/step.h"

/* A reference to a plan of the cache, which keeps the plan from being dropped while the program lives. */
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
	bool keeps;    /* compiled for a prepared call: inline inputs are copied, and results get no memory */
	bool outlives; /* its tables are built after the request is gone, so lists that it brought are copied */
	bool is_background; /* nobody waits for the end of a stage: its chunks are not cut for all threads to share */
	bool knows;    /* a run whose constant segments were computed before: they are skipped */
	struct prepared *prepared;    /* the prepared call that this is a run of; NULL: a request of its own */
	size_t inline_in, inline_out; /* bytes */
	struct deferred_builds deferred; /* tables and plans, built in pieces before the first segment */
	uint64_t temp_bytes;             /* the most that temporaries hold at once; set by program_finish */
	struct segment *segments;
	size_t n_segments;
	/* While it runs: the scheduler calls program_advance on one thread at a time, program_run on many. */
	size_t at;            /* the segment that runs, or is next */
	bool begun;           /* it runs: its temporaries are there */
	struct step_run *run; /* the state of its step, unless it is element-wise */
	/* Of a program that runs again and again, by segment: the states of its steps. It has no temporaries
	 * and no step that refuses elements. NULL: each run has states of its own. */
	struct step_run **kept;
	const char *failure;  /* the text of the step's error; NULL: the error's general meaning */
};

/* The size of a slot, which holds a block of a value inside a segment: a few slots share first-level cache. */
enum { PROGRAM_BLOCK_BYTES = 8 * 1024 };

/* Adds a buffer that has no memory yet. The program owns it. Returns NULL if there is no memory for it. */
struct buffer *program_buffer(struct program *program, enum buffer_kind kind, const struct shape *shape);

/* Adds a step, which the caller fills in before it adds another: the array of steps can move. Returns NULL if there is
 * no memory. */
struct step *program_step(struct program *program, enum step_kind kind, struct buffer *in, struct buffer *out);

/* Takes a plan from the engine's cache, making it if needed, and holds it until program_end. Returns 0,
 * -ERROR_NO_MEMORY or -ERROR_OUT_OF_RANGE (a length that no plan takes). */
int program_plan(struct program *program, struct plan_key key, struct plan_entry **ret_plan);

/* Gives an inline result its memory, which lives as long as the bump allocator. Returns 0 or -ERROR_NO_MEMORY. */
int program_result(struct program *program, struct buffer *buffer);

/* Cuts the program into segments, drops steps whose results nobody reads, and finds temp_bytes. Call it after the last
 * step. context begins an error's text. */
int program_finish(struct program *program, const char *context, struct error *err);

/* Returns about what the whole takes on one core, in ns, from costs learned so far; UINT64_MAX if it would wait for a
 * plan. */
uint64_t program_cost_ns(const struct program *program);

/* The same, as if all plans were ready. */
uint64_t program_work_ns(const struct program *program);

/* The program's part of job_ops (engine/scheduler/job.h). program_advance finishes a stage and begins the next, setting
 * job->n_chunks and the cost of a chunk; program_run runs one chunk of it and returns the words of 32 bits that it
 * made. */
int program_advance(struct program *program, struct job *job);
uint64_t program_run(struct program *program, size_t chunk, void *scratch);

/* Makes a program that has kept states, and does not run, begin again. */
void program_rewind(struct program *program);

/* Makes one that ran in a single stage ready for program_run of that stage. */
void program_resume(struct program *program);

/* Frees the tiles that the program created, after an error and before program_end. */
void program_free_new_tiles(struct program *program);

/* Gives tiles and plans back and frees temporaries. Inline results stay, in the bump allocator. */
void program_end(struct program *program);

#endif
