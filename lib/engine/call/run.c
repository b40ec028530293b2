/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a plan, segment after segment, and releases what the run holds.
 *
 * The scheduler calls run_advance on one thread at a time, when all chunks of the stage before are done, and sees
 * to it that what they wrote is visible. So nothing here is atomic. */
#include "engine/call/run.h"

#include <string.h>

#include "base/checked.h"
#include "engine/memory/temp.h"

enum {
	BUFFERS_LEAST = 8,   /* room of the first array */
	RESULT_ALIGN = 64,   /* bytes */
	RESULT_SMALL = 4096, /* bytes; larger results get memory of their own, which is used again */
};

/* ---- what it binds ---- */

int run_reserve(struct run *run, size_t n)
{
	const size_t room = size_max(n, size_max(2 * run->buffers_room, BUFFERS_LEAST)), old = run->buffers_room;
	char **base;

	if (n <= old)
		return 0;
	base = bump_alloc(run->bound.bump, room * (sizeof *base + sizeof *run->tiles + sizeof *run->handles));
	if (!base)
		return -ERROR_NO_MEMORY;
	memset(base, 0, room * (sizeof *base + sizeof *run->tiles + sizeof *run->handles));
	if (old) {
		memcpy(base, run->bound.base, old * sizeof *base);
		memcpy(base + room, run->tiles, old * sizeof *run->tiles);
		memcpy(base + 2 * room, run->handles, old * sizeof *run->handles);
	}
	run->bound.base = base;
	run->tiles = (struct tile **)(base + room);
	run->handles = (uint32_t *)(base + 2 * room);
	run->buffers_room = room;
	return 0;
}

int run_hold(struct run *run, const struct buffer *buffer, const void *base, struct tile *tile)
{
	if (run_reserve(run, buffer->index + 1))
		return -ERROR_NO_MEMORY;
	run->bound.base[buffer->index] = (char *)base;
	run->tiles[buffer->index] = tile;
	run->handles[buffer->index] = buffer->handle;
	return 0;
}

int run_take_transform(struct run *run)
{
	struct plan_entry **at =
		plan_grow(run->bound.bump, run->bound.transforms, run->n_transforms, &run->transforms_room, sizeof(struct plan_entry *));
	int error;

	if (!at)
		return -ERROR_NO_MEMORY;
	run->bound.transforms = at;
	error = plans_take(run->bound.engine->plans, run->plan->transforms[run->n_transforms], &at[run->n_transforms]);
	run->n_transforms += !error;
	return error;
}

/* Returns the map of the reply that has a field. The casts drop a const that value_get adds; the reply is the run's own.
 */
static struct value *map_of(struct value *reply, const struct reply_field *field)
{
	struct value *map = reply;

	if (field->map == FIELD_OF_RESULTS)
		map = (struct value *)value_get(reply, "results");
	else if (field->map >= 0)
		map = &((struct value *)value_get(reply, "steps"))->array.at[field->map];
	return field->inside ? &map->map.at[field->inside - 1].value : map;
}

/* The run's own range is the first. */
void run_name_stream(struct run *run, const struct value *name)
{
	if (run->plan->placements.n_ranges == 0) /* nothing is drawn */
		return;
	run->ranges->name = name ? name->bytes.at : NULL;
	run->ranges->name_size = name ? name->bytes.size : 0;
}

/* Fields are found here, so that a run writes them without a search. */
int run_bind(struct run *run, const struct run *from, struct value *reply)
{
	const struct plan *plan = run->plan;
	const struct placements *placements = &plan->placements;
	const size_t positions = placements->count * sizeof *run->bound.positions;

	run->reply = reply;
	run->bound.positions = bump_alloc(run->bound.bump, positions + 1);
	run->ranges = bump_alloc(run->bound.bump, (placements->n_ranges + 1) * sizeof *run->ranges);
	run->fields = bump_alloc(run->bound.bump, (plan->n_fields + 1) * sizeof(struct value_member *));
	if (!run->bound.positions || !run->ranges || !run->fields)
		return -ERROR_NO_MEMORY;
	memset(run->bound.positions, 0, positions);
	if (from)
		memcpy(run->bound.positions, from->bound.positions, positions);
	if (placements->n_ranges)
		memcpy(run->ranges, from ? from->ranges : placements->ranges, placements->n_ranges * sizeof *run->ranges);
	run->choice = from ? from->choice : placements->is_run || !placements->count ? placements->run : placements->at[0].own;
	if (!from && placements->is_run)
		run_name_stream(run, placements->name);
	for (size_t i = 0; i < plan->n_fields; i++) {
		const struct reply_field *field = &plan->fields[i];

		run->fields[i] = map_of(reply, field)->map.at + field->member;
		if (field->kind == FIELD_RESULTS)
			run->bound.positions[field->which].results = run->fields[i];
	}
	return 0;
}

int run_copy(const struct run *from, struct value *reply, struct run *run)
{
	const struct plan *plan = run->plan;

	if (run_reserve(run, plan->n_buffers) || value_share(run->bound.bump, from->reply, reply) ||
	    run_bind(run, from, reply))
		return -ERROR_NO_MEMORY;
	if (plan->n_buffers) {
		memcpy(run->bound.base, from->bound.base, plan->n_buffers * sizeof *run->bound.base);
		memcpy(run->handles, from->handles, plan->n_buffers * sizeof *run->handles);
	}
	while (run->n_transforms < plan->n_transforms)
		if (run_take_transform(run))
			return -ERROR_NO_MEMORY;
	return 0;
}

/* Allocates a result's memory, aligned to RESULT_ALIGN; small ones lie in the bump allocator itself. */
static char *result_bytes(struct run *run, uint64_t size)
{
	char *bytes;

	if (size > RESULT_SMALL)
		return temp_alloc_result(run->bound.engine, run->bound.bump, size);
	bytes = bump_alloc(run->bound.bump, size + RESULT_ALIGN);
	return bytes ? bytes + (-(uintptr_t)bytes & (RESULT_ALIGN - 1)) : NULL;
}

int run_get_results(struct run *run)
{
	const struct plan *plan = run->plan;

	for (size_t i = 0; i < plan->n_buffers; i++) {
		const uint64_t bytes = plan->buffers[i]->shape.bytes;
		uint64_t rounded;

		if (plan->buffers[i]->kind != BUFFER_RESULT)
			continue;
		if (round_up_overflows(bytes ? bytes : 1, RESULT_ALIGN, &rounded))
			return -ERROR_NO_MEMORY;
		run->bound.base[i] = result_bytes(run, rounded);
		if (!run->bound.base[i])
			return -ERROR_NO_MEMORY;
	}
	for (size_t i = 0; i < plan->n_fields; i++) {
		const int which = plan->fields[i].which;

		if (plan->fields[i].kind == FIELD_DATA)
			run->fields[i]->value =
				value_bytes(run->bound.base[which], (size_t)plan->buffers[which]->shape.bytes);
	}
	return 0;
}

void run_name_tiles(const struct run *run)
{
	for (size_t i = 0; i < run->plan->n_fields; i++)
		if (run->plan->fields[i].kind == FIELD_TILE)
			run->fields[i]->value.u = run->handles[run->plan->fields[i].which]; /* it is a VALUE_UINT */
}

/* ---- what it costs ---- */

uint64_t run_work_ns(const struct run *run)
{
	uint64_t cost = 0;

	for (size_t s = 0; s < run->plan->n_segments; s++) {
		const struct segment *segment = &run->plan->segments[s];
		const uint64_t more = segment->constant && run->has_constants ? 0 : cost_expect(segment->cost, segment->ns);

		cost = more > UINT64_MAX - cost ? UINT64_MAX : cost + more;
	}
	return cost;
}

uint64_t run_cost_ns(const struct run *run)
{
	for (size_t i = 0; i < run->n_transforms; i++)
		if (!plans_ready(run->bound.engine->plans, run->bound.transforms[i]))
			return UINT64_MAX;
	return run_work_ns(run);
}

/* ---- running ---- */

/* Returns where a step reads or writes element `begin` of a buffer: its slot in scratch, which holds the current block,
 * or its memory. NULL: there is no buffer, or it is read as a whole. */
static char *operand(const struct run *run, const struct step *step, const struct buffer *buffer, uint64_t begin,
		     void *scratch)
{
	if (!buffer || step_reads_whole(step, buffer))
		return NULL;
	if (buffer->slot >= 0)
		return (char *)scratch + (size_t)buffer->slot * PLAN_BLOCK_BYTES;
	return run->bound.base[buffer->index] + begin * dtype_size(buffer->shape.dtype);
}

/* Runs all steps of the segment on one block after the other, so that what lies between them stays in first-level
 * cache. Returns words of 32 bits, which count as the lane's work. */
static uint64_t run_blocks(const struct run *run, const struct segment *segment, size_t chunk, void *scratch)
{
	const struct plan *plan = run->plan;
	const uint64_t begin = (uint64_t)chunk * segment->chunk;
	const uint64_t end = begin + segment->chunk < run->n ? begin + segment->chunk : run->n;
	const struct step *last = &plan->steps[segment->first + segment->count - 1];

	for (uint64_t at = begin; at < end; at += segment->block) {
		const size_t n = size_min(segment->block, (size_t)(end - at));

		for (size_t i = segment->first; i < segment->first + segment->count; i++) {
			const struct step *step = &plan->steps[i];
			const void *in[] = {operand(run, step, step->in[0], at, scratch),
					    operand(run, step, step->in[1], at, scratch),
					    operand(run, step, step->in[2], at, scratch)};

			step->ops->fill(&run->bound, step, at, n, in, operand(run, step, step->out, at, scratch));
		}
	}
	return (end - begin) * dtype_size(last->out->shape.dtype) / 4;
}

/* Allocates the temporaries that the segment is the first to use. */
static int get_temps(struct run *run)
{
	const struct plan *plan = run->plan;

	for (size_t i = 0; i < plan->n_buffers; i++) {
		const struct buffer *at = plan->buffers[i];

		if (at->kind != BUFFER_TEMP || at->slot >= 0 || at->first != run->at || run->bound.base[i])
			continue;
		run->bound.base[i] = temp_alloc(run->bound.engine, at->shape.bytes);
		if (!run->bound.base[i])
			return -ERROR_NO_MEMORY;
	}
	return 0;
}

/* Gives a temporary's memory back, if it has any. */
static void drop_temp(struct run *run, size_t i)
{
	temp_free(run->bound.engine, run->bound.base[i], run->plan->buffers[i]->shape.bytes);
	run->bound.base[i] = NULL;
}

/* Frees the temporaries that the current segment is the last to use; constants stay. */
static void drop_temps(struct run *run)
{
	for (size_t i = 0; i < run->plan->n_buffers; i++) {
		const struct buffer *at = run->plan->buffers[i];

		if (at->kind == BUFFER_TEMP && at->slot < 0 && at->last == run->at && !at->is_constant)
			drop_temp(run, i);
	}
}

/* The states of steps of a kept run are made the first time and rewound later, so that nothing is allocated. */
static int begin_kept(struct run *run, const struct step *step, struct job *job)
{
	struct step_run **kept = &run->step_runs[run->at];
	int error = 0;

	if (*kept)
		step_rewind(*kept);
	else
		error = step_begin(&run->bound, step, job, kept);
	run->step = *kept;
	return error;
}

/* Temporaries get their memory when the first segment that uses them begins, and lose it after the last. */
static int begin_segment(struct run *run, struct job *job)
{
	const struct segment *segment = &run->plan->segments[run->at];
	const struct step *step = &run->plan->steps[segment->first];
	const int error = run->step_runs ? 0 : get_temps(run);

	run->n = segment->n;
	if (error || step_is_elementwise(step))
		return error;
	return run->step_runs ? begin_kept(run, step, job) : step_begin(&run->bound, step, job, &run->step);
}

/* Asks the steps of a segment that ran whether they refused an element. */
static int check_segment(struct run *run)
{
	const struct segment *segment = &run->plan->segments[run->at];
	int error = 0;

	for (size_t i = segment->first; i < segment->first + segment->count && !error; i++) {
		const struct step *step = &run->plan->steps[i];

		if (step->ops->check)
			error = step->ops->check(&run->bound, step, &run->failure);
	}
	return error;
}

/* Ends the current segment. Kept states stay for the next run. */
static void end_segment(struct run *run)
{
	if (!run->step_runs) {
		step_end(run->step);
		drop_temps(run);
	}
	run->step = NULL;
	run->at++;
	run->begun = false;
}

/* Passes the scheduler what a chunk of the stage is estimated to take, where it learns from the real times, and what scratch
 * it needs. */
static void state_needs(const struct run *run, uint64_t chunk_ns, size_t scratch_bytes, struct job *job)
{
	job->chunk_ns = chunk_ns;
	job->cost = chunk_ns ? run->plan->segments[run->at].cost : NULL;
	job->single_thread = run->step && run->step->single_thread;
	job->scratch_bytes = run->plan->n_segments == 1 ? scratch_bytes : JOB_SCRATCH_ALL;
}

/* Ends the stage that ran, if one did, and begins the next. Segments that are constant and known are skipped; a
 * segment of element-wise steps is one stage, any other has those of its step. */
int run_advance(struct run *run, struct job *job)
{
	const struct plan *plan = run->plan;

	if (run->begun && !run->step) {
		const int error = run->step_runs ? 0 : check_segment(run);

		if (error)
			return error;
		end_segment(run);
	}
	while (run->at < plan->n_segments) {
		const struct segment *segment = &plan->segments[run->at];

		if (segment->constant && run->has_constants) {
			run->at++;
			continue;
		}
		int next = run->begun ? 0 : begin_segment(run, job);

		if (next)
			return next;
		run->begun = true;
		if (!run->step) {
			job->n_chunks = (size_t)((run->n + segment->chunk - 1) / segment->chunk);
			state_needs(run, segment->chunk_ns, segment->count == 1 ? 0 : JOB_SCRATCH_ALL, job);
			return JOB_STAGE;
		}
		next = step_advance(run->step, &job->n_chunks);
		state_needs(run, run->step->chunk_ns, run->step->scratch_bytes, job);
		if (next < 0)
			run->failure = run->step->step->failure;
		if (next != JOB_END)
			return next;
		end_segment(run);
	}
	return JOB_END;
}

uint64_t run_chunk(struct run *run, size_t chunk, void *scratch)
{
	if (run->step)
		return step_run_chunk(run->step, chunk, scratch);
	return run_blocks(run, &run->plan->segments[run->at], chunk, scratch);
}

void run_rewind(struct run *run)
{
	run->at = 0;
	run->begun = false;
	run->step = NULL;
}

void run_resume(struct run *run)
{
	run->at = 0;
	run->step = run->step_runs[0];
	if (run->step)
		step_place(run->step);
}

/* ---- its end ---- */

void run_free_new_tiles(const struct run *run)
{
	for (size_t i = 0; i < run->plan->n_buffers && i < run->buffers_room; i++)
		if (run->plan->buffers[i]->is_new)
			tile_free(run->plan->session, run->handles[i], NULL);
}

/* States first, since they may wait for plans of transforms; then temporaries and tiles, whose addresses nobody may use
 * afterwards; these plans last. */
void run_end(struct run *run)
{
	for (size_t i = 0; run->step_runs && i < run->plan->n_segments; i++)
		step_end(run->step_runs[i]);
	if (!run->step_runs)
		step_end(run->step);
	run->step_runs = NULL;
	run->step = NULL;
	for (size_t i = 0; i < run->plan->n_buffers && i < run->buffers_room; i++) {
		const struct buffer *at = run->plan->buffers[i];

		if (at->kind == BUFFER_TEMP && !(at->is_constant && run->has_constants))
			drop_temp(run, i);
		if (!run->tiles[i])
			continue;
		tile_give(run->plan->session, run->tiles[i]);
		run->tiles[i] = NULL;
		run->bound.base[i] = NULL;
	}
	while (run->n_transforms > 0)
		plans_give(run->bound.engine->plans, run->bound.transforms[--run->n_transforms]);
}
