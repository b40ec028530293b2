/* SPDX-License-Identifier: Apache-2.0 */
/* Small prepared calls run in place: their placements, buffers, results and reply are written over by each run, so that
 * it allocates nothing. Tiles stay in use between runs, until one of them is freed (tile_use.h); what the session's owner
 * reserves is asked for each time. */
#include <stddef.h>
#include <string.h>

#include "engine/prepared/prepared.h"
#include "engine/prepared/prepared_core.h"
#include "engine/program/placement.h"
#include "engine/scheduler/pool_caller.h"

enum {
	RESULT_MOST = 16384,     /* bytes in the reply */
	COST_MOST_JOINED_NS = 1000 * 1000, /* in a thread that waits for it; meanwhile it cannot be cancelled */
	PLAN_MOST = 1 << 14,               /* the length of a transform whose plan it holds */
	PLAN_BYTES = 32,                   /* of a plan, for each element, about */
	TILES_MOST = 16,
};

/* ---- which are small ---- */

/* Returns whether a step allocates nothing when it runs and can be run again with the state that it has. */
static bool is_small_step(const struct step *step)
{
	if (step_is_elementwise(step))
		return !step->ops->builds && !step->ops->check;
	return step->ops->rewind && step->work_bytes == 0;
}

/* Returns whether all plans are short: the call holds them as long as it lives, so the cache cannot drop them. */
static bool has_small_plans(const struct program *program)
{
	for (size_t i = 0; i < program->n_plans; i++)
		if (program->plans[i].n > PLAN_MOST)
			return false;
	return true;
}

/* Returns whether a run is so short that its caller may be kept for it. */
static bool is_cheap(const struct run *run)
{
	return run_work_ns(run) <= (run->program->memory->limits.shares_memory
					    ? COST_MOST_JOINED_NS
					    : pool_here_ns(run->bound.engine->pool, false));
}

/* Nothing of it allocates, waits or may fail beside its tiles and its place. */
static bool is_small(const struct prepared *prepared)
{
	const struct program *program = &prepared->program;

	for (size_t i = 0; i < program->n_steps; i++)
		if (!is_small_step(&program->steps[i]))
			return false;
	for (size_t i = 0; i < program->placements.count; i++)
		if (program->placements.at[i].own.has_text && program->placements.at[i].own.text)
			return false;
	return program->n_steps > 0 && program->placements.count <= PLACEMENT_PLACES_HERE &&
	       !placement_waits(&prepared->first) && !prepared->first.choice.text && prepared->timeout_ms == 0 &&
	       program->temp_bytes == 0 && has_small_plans(program) && !prepared->first.deferred.first &&
	       prepared->constant_bytes == 0 && program->inline_out <= RESULT_MOST && prepared->n_tiles <= TILES_MOST &&
	       is_cheap(&prepared->first);
}


/* ---- callbacks, see struct job_ops ---- */

static struct prepared_inline *of_job(struct job *job)
{
	return (struct prepared_inline *)((char *)job - offsetof(struct prepared_inline, job));
}

static int advance_segments(struct job *job)
{
	return run_advance(&of_job(job)->run, job);
}

static uint64_t run_inline(struct job *job, size_t chunk, void *scratch)
{
	return run_chunk(&of_job(job)->run, chunk, scratch);
}

static const struct job_ops now_ops = {.advance = advance_segments, .run = run_inline};

/* ---- making it ---- */

/* Makes the run that is kept: a copy of the first with results of its own. It takes its tiles when it runs. */
static int make_run(const struct prepared *prepared, struct prepared_inline *now)
{
	struct run *run = &now->run;
	struct step_run **step_runs;

	*run = (struct run){.program = &prepared->program, .bump = prepared->bump, .bound.engine = prepared->engine};
	now->reply = value_map();
	if (run_copy(&prepared->first, &now->reply, run) || run_get_results(run))
		return -ERROR_NO_MEMORY;
	step_runs = bump_alloc(prepared->bump, prepared->program.n_segments * sizeof(struct step_run *));
	if (!step_runs)
		return -ERROR_NO_MEMORY;
	memset(step_runs, 0, prepared->program.n_segments * sizeof(struct step_run *));
	run->step_runs = step_runs;
	return 0;
}

int prepared_create_inline(struct prepared *prepared)
{
	struct prepared_inline *now;

	if (!is_small(prepared))
		return 0;
	now = bump_alloc(prepared->bump, sizeof *now);
	if (!now)
		return -ERROR_NO_MEMORY;
	memset(now, 0, sizeof *now);
	now->job.ops = &now_ops;
	now->job.fair_entry = &prepared->program.memory->fair_entry;
	now->job.account = pool_open_account(prepared->engine->pool);
	now->tiles = bump_alloc(prepared->bump, (2 * prepared->n_tiles + 1) * sizeof *now->tiles);
	now->sorted = now->tiles ? now->tiles + prepared->n_tiles : NULL;
	now->holder.at = bump_alloc(prepared->bump, (prepared->n_tiles + 1) * sizeof *now->holder.at);
	now->run.program = &prepared->program;
	prepared->now = now;
	if (!now->job.account || !now->tiles || !now->holder.at || make_run(prepared, now))
		return -ERROR_NO_MEMORY;
	prepared_find_short_draw(prepared, now);
	return 0;
}

uint64_t prepared_inline_bytes(const struct prepared *prepared)
{
	uint64_t bytes = 0;

	for (size_t i = 0; prepared->now && i < prepared->program.n_plans; i++)
		bytes += PLAN_BYTES * prepared->program.plans[i].n;
	return bytes;
}

/* Returns whether all plans are built. They are held, so what was ready once stays ready. */
static bool is_ready(const struct prepared *prepared, struct prepared_inline *now)
{
	for (size_t i = 0; i < now->run.n_plans && !now->is_ready; i++)
		if (!plans_ready(prepared->engine->plans, now->run.bound.plans[i]))
			return false;
	now->is_ready = true;
	return true;
}

/* ---- running it ---- */

/* Returns the handle of the i-th tile that the call names; tiles: those that the run states, NULL: none. */
static uint32_t handle_of(const struct prepared *prepared, const uint64_t *tiles, size_t i)
{
	return (uint32_t)(tiles ? tiles[i] : prepared->tiles[i].handle);
}

/* Begins a run with the tiles of the one before. Returns false if they are others, or one was freed. */
static bool keep_tiles(const struct prepared *prepared, struct prepared_inline *now, const uint64_t *tiles)
{
	for (size_t i = 0; i < prepared->n_tiles; i++) {
		const int buffer = prepared->tiles[i].buffer;

		if (buffer >= 0 && now->run.handles[buffer] != handle_of(prepared, tiles, i))
			return false;
	}
	return tile_holder_begin(&now->holder);
}

/* Hold the lock. Returns whether there is a tile of that handle and shape, and adds it to those that are held. */
static bool take_tile(struct prepared_inline *now, const struct buffer *buffer)
{
	struct tile *tile = tile_find_locked(now->run.program->memory, now->run.handles[buffer->index]);

	if (!tile || !shape_equal(&tile->shape, &buffer->shape))
		return false;
	tile_holder_add_locked(&now->holder, tile);
	now->run.bound.base[buffer->index] = tile_base(tile);
	return true;
}

int prepared_take_tiles_locked(const struct prepared *prepared, const uint64_t *tiles)
{
	struct prepared_inline *now = prepared->now;
	bool there = true;

	tile_holder_drop_locked(&now->holder);
	for (size_t i = 0; i < prepared->n_tiles; i++)
		if (prepared->tiles[i].buffer >= 0)
			now->run.handles[prepared->tiles[i].buffer] = handle_of(prepared, tiles, i);
	for (size_t i = 0; i < prepared->program.n_buffers && there; i++)
		if (prepared->program.buffers[i]->kind == BUFFER_TILE)
			there = take_tile(now, prepared->program.buffers[i]);
	if (!there) {
		tile_holder_drop_locked(&now->holder);
		return -ERROR_BAD_TILE; /* the request says what is wrong */
	}
	tile_holder_start_locked(&now->holder);
	return 0;
}

/* Sets the addresses of the caller's memory. */
static void state_memory(const struct prepared *prepared, struct prepared_inline *now, void *const *memory)
{
	for (size_t i = 0; i < prepared->program.n_buffers; i++)
		if (prepared->program.buffers[i]->kind == BUFFER_CALLER)
			now->run.bound.base[i] = memory[prepared->program.buffers[i]->handle];
}

/* Places and runs the program, in this thread or joined by others. */
static int run_in_place(const struct prepared *prepared, struct prepared_inline *now,
			const struct prepared_choice *choice)
{
	struct session_memory *memory = prepared->program.memory;
	int error;

	now->run.choice = choice->placement;
	error = placement_seek(&now->run, NULL);
	if (now->job.is_single)
		run_resume(&now->run);
	else
		run_rewind(&now->run);
	now->job.joins = memory->limits.shares_memory || session_memory_joins(memory);
	return error ? error : pool_run_now(prepared->engine->pool, &now->job);
}

/* Runs it while the owner's memory is charged with its results. */
static int reserve_and_run(const struct prepared *prepared, struct prepared_inline *now,
			   const struct prepared_choice *choice)
{
	const struct session_limits *limits = &prepared->program.memory->limits;
	const uint64_t bytes = prepared->program.inline_out;
	const bool reserves = limits->reserve && bytes;
	int error = reserves ? limits->reserve(limits->reserve_arg, bytes, NULL) : 0;

	if (error)
		return error;
	error = run_in_place(prepared, now, choice);
	if (reserves && limits->unreserve)
		limits->unreserve(limits->reserve_arg, bytes);
	return error;
}

/* Finds what a run has, beside its tiles. */
static int choose(const struct prepared *prepared, struct prepared_inline *now, const struct prepared_changes *changes,
		  struct prepared_choice *ret_choice)
{
	const int error = prepared_choose(prepared, changes, now->tiles, now->sorted, "run_prepared", ret_choice, NULL);

	if (!error && prepared->names_memory)
		state_memory(prepared, now, ret_choice->memory);
	return error;
}

/* Begins a run: chooses what it has, and takes its tiles. */
static int begin(const struct prepared *prepared, struct prepared_inline *now, const struct prepared_changes *changes,
		 struct prepared_choice *ret_choice)
{
	struct session_memory *memory = prepared->program.memory;
	int error = choose(prepared, now, changes, ret_choice);

	if (error || prepared->n_tiles == 0 || keep_tiles(prepared, now, ret_choice->tiles))
		return error;
	pthread_mutex_lock(&memory->lock);
	error = prepared_take_tiles_locked(prepared, ret_choice->tiles);
	pthread_mutex_unlock(&memory->lock);
	return error;
}

/* The same with the lock. */
static int begin_locked(const struct prepared *prepared, struct prepared_inline *now, const struct prepared_changes *changes,
			struct prepared_choice *ret_choice)
{
	const int error = choose(prepared, now, changes, ret_choice);

	if (error || prepared->n_tiles == 0 || keep_tiles(prepared, now, ret_choice->tiles))
		return error;
	return prepared_take_tiles_locked(prepared, ret_choice->tiles);
}

/* Runs what was begun. */
static int run_begun(const struct prepared *prepared, struct prepared_inline *now, const struct prepared_choice *choice)
{
	int error;

	run_name_tiles(&now->run); /* a batch may have written others */
	error = reserve_and_run(prepared, now, choice);
	if (prepared->n_tiles)
		tile_holder_end(prepared->program.memory, &now->holder);
	return error;
}

bool prepared_is_small(const struct prepared *prepared)
{
	return prepared->now;
}

/* Any error only means that the run becomes a request, which reports it with its text. */
const struct value *prepared_run_alone(struct prepared *prepared, const struct prepared_changes *changes)
{
	struct prepared_inline *now = prepared->now;
	struct prepared_choice choice;

	if (!now || !is_ready(prepared, now) || begin(prepared, now, changes, &choice))
		return NULL;
	return run_begun(prepared, now, &choice) == 0 ? &now->reply : NULL;
}

const struct value *prepared_run_now(struct session_memory *memory, uint32_t handle,
				     const struct prepared_changes *changes, struct prepared **ret_prepared)
{
	struct prepared_choice choice;
	struct prepared *prepared;
	struct prepared_inline *now;
	int error = -ERROR_NOT_SUPPORTED;

	pthread_mutex_lock(&memory->lock);
	prepared = prepared_find_locked(memory, handle);
	now = prepared ? prepared->now : NULL;
	if (now && atomic_exchange_explicit(&now->busy, true, memory_order_acquire))
		now = NULL;
	if (now && now->is_ready)
		error = begin_locked(prepared, now, changes, &choice);
	pthread_mutex_unlock(&memory->lock);
	if (!now) {
		prepared_drop(prepared);
		return NULL;
	}
	if (!now->is_ready && is_ready(prepared, now)) /* the plans' locks are not taken inside the memory's */
		error = begin(prepared, now, changes, &choice);
	if (!error)
		error = run_begun(prepared, now, &choice);
	if (error) {
		prepared_give(prepared);
		return NULL;
	}
	*ret_prepared = prepared;
	return &now->reply;
}

void prepared_give(struct prepared *prepared)
{
	atomic_store_explicit(&prepared->now->busy, false, memory_order_release);
	prepared_drop(prepared);
}
