/* SPDX-License-Identifier: Apache-2.0 */
/* Runs: all that a run changes of a plan, which is constant, by the plan's numbers.
 *
 *     plan   buffers[]               transforms[]    placements.at[]    fields[]             segments[], steps[]
 *              |                       |               |                  |                    |
 *     run    bound.base[], tiles[],  bound           bound              fields[], in         at, step,
 *            handles[]               .transforms[]   .positions[]       the run's reply      step_runs[]
 *
 * A plan is compiled together with its first run, which holds the tiles and plans of transforms that compiling took.
 *
 *     a request              is a plan and its first run, in one bump allocator
 *     a prepared call        keeps the plan and the first run, which then holds nothing; each later run is a copy of it
 *     a small prepared call  keeps one such copy, which runs again and again: at other positions, tiles and addresses
 *     a ring, a broadcast    keeps the plan and the first run, whose address and position move */
#ifndef TRNSCI_ENGINE_RUN_H
#define TRNSCI_ENGINE_RUN_H

#include "engine/call/plan.h"
#include "engine/steps/deferred_build.h"

struct run {
	const struct plan *plan;
	struct bindings bound;
	/* By buffer, as bound.base: the tiles that it holds, and the handles of its tiles. */
	struct tile **tiles;
	uint32_t *handles;
	size_t buffers_room;
	size_t n_transforms, transforms_room; /* in bound.transforms */
	struct stream_choice choice; /* of draws that state nothing, or of a single draw */
	struct stream_reservation *ranges;
	struct value *reply;
	struct value_member **fields; /* in the reply */
	bool is_template;             /* of a prepared call: it is copied, and computes nothing */
	bool has_constants;           /* constants were computed by an earlier run: their segments are skipped */
	/* While it runs: the scheduler calls run_advance on one thread at a time, run_chunk on many. */
	size_t at;             /* the segment that runs, or is next */
	bool begun;            /* it runs: its temporaries are there */
	uint64_t n;            /* its elements, of an element-wise one */
	struct step_run *step; /* the state of its step, unless it is element-wise */
	/* Of a run that is kept, by segment: the states of its steps. It has no temporaries and no step that refuses
	 * elements. NULL: each run has states of its own. */
	struct step_run **step_runs;
	const char *failure; /* the text of the step's error; NULL: the error's general meaning */
};

/* ---- while the plan is compiled ---- */

/* Notes where a buffer lies, and holds a tile (NULL: it is none) until run_end. Returns 0 or -ERROR_NO_MEMORY. */
int run_hold(struct run *run, const struct buffer *buffer, const void *base, struct tile *tile);

/* Takes the plan of the next transform from the engine's cache, which makes it if needed, and holds it until run_end. Returns 0,
 * -ERROR_NO_MEMORY or -ERROR_OUT_OF_RANGE (a length that no plan takes). */
int run_take_transform(struct run *run);

/* Gets room for n buffers; what is new is zero. plan_finish needs room for all. Returns 0 or -ERROR_NO_MEMORY. */
int run_reserve(struct run *run, size_t n);

/* ---- when it is finished ---- */

/* Gets the run's positions, choice and fields in its reply: those of a first run, or as `from` has them. Returns 0 or
 * -ERROR_NO_MEMORY. */
int run_bind(struct run *run, const struct run *from, struct value *reply);

/* Makes a run that is like `from`, a first run that holds nothing, with transforms and a reply of its own. Set plan,
 * bound.engine and bound.bump before. Returns 0 or -ERROR_NO_MEMORY; call run_end also then. */
int run_copy(const struct run *from, struct value *reply, struct run *run);

/* Gives results that go with the reply their memory, which lives as long as the bump allocator, and puts them
 * into the reply. Returns 0 or -ERROR_NO_MEMORY. */
int run_get_results(struct run *run);

/* Names the run's tiles in its reply, where they may be others than those that were compiled. */
void run_name_tiles(const struct run *run);

/* Names the stream that the whole run draws from, by a text that outlives it; NULL: none. */
void run_name_stream(struct run *run, const struct value *name);

/* Returns about what the run takes on one core, in ns, from costs learned so far, as if the plans of all transforms were ready. */
uint64_t run_work_ns(const struct run *run);

/* The same; UINT64_MAX if it would wait for one. */
uint64_t run_cost_ns(const struct run *run);

/* ---- running ---- */

/* The run's part of job_ops (engine/scheduler/job.h). run_advance finishes a stage and begins the next, setting
 * job->n_chunks and the cost of a chunk; run_chunk runs one chunk of it and returns the words of 32 bits that it
 * made. */
int run_advance(struct run *run, struct job *job);
uint64_t run_chunk(struct run *run, size_t chunk, void *scratch);

/* Makes a kept run, which does not run, begin again. */
void run_rewind(struct run *run);

/* Makes one that ran in a single stage ready for run_chunk of that stage. */
void run_resume(struct run *run);

/* Frees the tiles that the request created, after an error and before run_end. */
void run_free_new_tiles(const struct run *run);

/* Gives tiles and plans of transforms back and frees temporaries. Results stay, in the bump allocator. */
void run_end(struct run *run);

#endif
