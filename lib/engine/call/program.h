/* SPDX-License-Identifier: Apache-2.0 */
/* Programs: what a call computes, as steps over buffers, and how it is cut into segments.
 *
 * A single operation is a program of one step. Consecutive element-wise steps over the same number of elements become
 * one *segment* that runs chunk by chunk: block after block, all its steps, with intermediate values in the thread's
 * scratch. Transforms of one array along axes that lie near each other in memory become one, too (steps/fft_slabs.h). Every
 * other step is a segment of its own. Segments run one after another, so a step that overwrites a tile
 * is ordered against all that read it; inside a segment only equal element indices meet, block by block in order.
 *
 * A finished program is constant: any number of runs (run.h) use it at once. What a run changes stands in the run, by the
 * numbers that the program gives to buffers, plans, placements and members of the reply. */
#ifndef TRNSCI_ENGINE_PROGRAM_H
#define TRNSCI_ENGINE_PROGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/memory/session_memory_core.h"
#include "engine/steps/stream_placement.h"
#include "engine/steps/step.h"

struct segment {
	size_t first, count; /* steps */
	uint64_t n;          /* elements */
	size_t chunk, block; /* elements of a chunk, and of a pass of all steps inside it */
	bool constant;       /* the same in every run: neither draws nor tiles lie before it */
	uint64_t ns;         /* first value of what it takes on one core */
	uint64_t chunk_ns;   /* of an element-wise one: first value of what a chunk takes */
	struct cost *cost;   /* learned from its chunks: that of its dearest step */
};

/* What a run writes into a reply. */
enum reply_field_kind {
	FIELD_PLACEMENT, /* where a draw lies: placement_put's members */
	FIELD_ESTIMATE,  /* of a trace, and its standard error */
	FIELD_TILE,
	FIELD_DATA, /* of a result */
};

/* In which map a field is, unless in that of a step. */
enum { FIELD_OF_REPLY = -1, FIELD_OF_RESULTS = -2 };

/* A member of the reply that each run writes, the first one where there are several. */
struct reply_field {
	enum reply_field_kind kind;
	int which;     /* placement, or buffer */
	int map;       /* the step, or FIELD_OF_REPLY ... */
	size_t inside; /* 1 + the member of the map that is the field's map; 0: the map itself is */
	size_t member;
};

struct program {
	struct session_memory *memory;
	struct bump *bump; /* holds all that the pointers below lead to */
	struct step *steps;
	size_t n_steps, steps_room;
	struct buffer **buffers;
	size_t n_buffers, buffers_room;
	struct plan_key *plans;
	size_t n_plans, plans_room;
	struct placements placements;
	struct reply_field *fields;
	size_t n_fields, fields_room;
	struct segment *segments;
	size_t n_segments;
	bool copies_inputs; /* its tables are built after the request is gone, so lists that it brought are copied */
	bool is_background; /* nobody waits for the end of a stage: its chunks are not cut for all threads to share */
	size_t inline_in, inline_out; /* bytes */
	uint64_t temp_bytes;          /* the most that temporaries hold at once; set by program_finish */
};

/* The size of a slot, which holds a block of a value inside a segment: a few slots share first-level cache. */
enum { PROGRAM_BLOCK_BYTES = 8 * 1024 };

/* Returns `at` with room for one more element of `size` bytes behind count of them: itself, or a copy of twice the
 * room. NULL: no memory; the old array is as it was. */
void *program_grow(struct bump *bump, void *at, size_t count, size_t *room, size_t size);

/* Adds a buffer. Returns NULL if there is no memory for it. */
struct buffer *program_buffer(struct program *program, enum buffer_kind kind, const struct shape *shape);

/* Adds a step, which the caller fills in before it adds another: the array of steps can move. Returns NULL if there is
 * no memory. */
struct step *program_step(struct program *program, enum step_kind kind, struct buffer *in, struct buffer *out);

/* Adds a plan of the engine's cache; run_take_plan takes it. Every use is one of its own, also two of the same: the list
 * is short, and looking for doubles would cost more. Returns 0 or -ERROR_NO_MEMORY. */
int program_plan(struct program *program, struct plan_key key, int *ret_plan);

/* Adds a field of the reply. Returns 0 or -ERROR_NO_MEMORY. */
int program_field(struct program *program, struct reply_field field);

/* Cuts the program into segments, drops steps whose results nobody reads, and finds temp_bytes. Call it after the last
 * step. bound: of its first run, which holds the plans. Returns 0 or -ERROR_NO_MEMORY. */
int program_finish(struct program *program, const struct bindings *bound);

#endif
