/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: what a call computes, as steps over buffers, and how it is cut into segments.
 *
 * A single operation is a plan of one step; the steps of a `run` are one plan, too. Consecutive element-wise steps over the same number of elements become
 * one *segment* that runs chunk by chunk: block after block, all its steps, with intermediate values in the thread's
 * scratch. Every
 * other step is a segment of its own. Segments run one after another, so a step that overwrites a tile
 * is ordered against all that read it; inside a segment only equal element indices meet, block by block in order.
 *
 * A finished plan is constant: any number of runs (run.h) use it at once. What a run changes stands in the run, by the
 * numbers that the plan gives to buffers, transforms, placements and members of the reply. A step points at its buffers,
 * which are constant as well, and each knows its number. */
#ifndef TRNSCI_ENGINE_PLAN_H
#define TRNSCI_ENGINE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/memory/engine_session_core.h"
#include "engine/steps/stream_placement.h"
#include "engine/steps/step.h"

struct segment {
	size_t first, count; /* steps */
	uint64_t n;          /* elements */
	size_t chunk, block; /* elements of a chunk, and of a pass of all steps inside it */
	bool constant;       /* the same in every run: neither draws nor tiles lie before it */
	uint64_t ns;         /* first value of what it takes on one core */
	/* Of an element-wise one: bytes of the widest element that goes block by block, and the first value of the
	 * picoseconds that an element takes in all steps, at least 1. */
	size_t bytes;
	uint64_t ps;
	uint64_t chunk_ns;   /* of an element-wise one: first value of what a chunk takes */
	struct cost *cost;   /* learned from its chunks: that of its dearest step */
};

/* What a run writes into a reply. */
enum reply_field_kind {
	FIELD_PLACEMENT, /* where a draw lies: placement_put's members */
	FIELD_RESULTS,   /* what the step finds: of a trace an estimate and its standard error, of coloured noise std and deviation, of a check what was dropped */
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

/* Counted arrays, by number. Nothing of it changes once plan_finish has been called and, for a prepared call, its constants
 * have been found. */
struct plan {
	struct engine_session *session;
	struct bump *bump; /* holds all that the pointers below lead to */
	struct step *steps;
	size_t n_steps, steps_room;
	struct buffer **buffers;
	size_t n_buffers, buffers_room;
	struct plan_key *transforms; /* whose plans of the engine's cache each run takes */
	size_t n_transforms, transforms_room;
	struct placements placements;
	struct reply_field *fields;
	size_t n_fields, fields_room;
	struct segment *segments;
	size_t n_segments;
	bool copies_inputs; /* its tables are built after the request is gone, so lists that it brought are copied */
	bool is_background; /* nobody waits for the end of a stage: its chunks are not cut for all threads to share */
	size_t inline_in, inline_out; /* bytes */
	uint64_t temp_bytes;          /* the most that temporaries hold at once; set by plan_finish */
};

/* The size of a slot, which holds a block of a value inside a segment: a few slots share first-level cache. */
enum { PLAN_BLOCK_BYTES = 8 * 1024 };

/* Returns `at` with room for one more element of `size` bytes behind count of them: itself, or a copy of twice the
 * room. NULL: no memory; the old array is as it was. */
void *plan_grow(struct bump *bump, void *at, size_t count, size_t *room, size_t size);

/* Adds a buffer. Returns NULL if there is no memory for it. */
struct buffer *plan_buffer(struct plan *plan, enum buffer_kind kind, const struct shape *shape);

/* Adds a step, which the caller fills in before it adds another: the array of steps can move. Returns NULL if there is
 * no memory. */
struct step *plan_step(struct plan *plan, enum step_kind kind, struct buffer *in, struct buffer *out);

/* Adds a transform, whose plan run_take_transform takes from the engine's cache. Every use is one of its own, also two of
 * the same: the list is short, and looking for doubles would cost more. Returns 0 or -ERROR_NO_MEMORY. */
int plan_add_transform(struct plan *plan, struct plan_key key, int *ret_transform);

/* Adds a field of the reply. Returns 0 or -ERROR_NO_MEMORY. */
int plan_field(struct plan *plan, struct reply_field field);

/* Cuts the plan into segments, drops steps whose results nobody reads, and finds temp_bytes. Call it after the last
 * step. bound: of its first run, which holds the plans of transforms. Returns 0 or -ERROR_NO_MEMORY. */
int plan_finish(struct plan *plan, const struct bindings *bound);

#endif
