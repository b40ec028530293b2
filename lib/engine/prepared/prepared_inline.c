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
	       program->temp_bytes == 0 && has_small_plans(program) && !prepared->first.bound.deferred.first &&
	       prepared->constant_bytes == 0 && program->inline_out <= RESULT_MOST && prepared->n_tiles <= PREPARED_TILES_FEW &&
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

	*run = (struct run){.program = &prepared->program, .bound = {.engine = prepared->engine, .bump = prepared->bump}};
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
	now->holder.at = bump_alloc(prepared->bump, (prepared->n_tiles + 1) * sizeof *now->holder.at);
	now->run.program = &prepared->program;
	prepared->now = now;
	if (!now->job.account || !now->holder.at || make_run(prepared, now))
		return -ERROR_NO_MEMORY;
	now->short_draw = prepared_find_short_draw(prepared);
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

int prepared_take_tiles_locked(const struct prepared *prepared)
{
	struct prepared_inline *now = prepared->now;
	bool there = true;

	tile_holder_drop_locked(&now->holder);
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

/* Places and runs the program, in this thread or joined by others. */
static int run_in_place(const struct prepared *prepared, struct prepared_inline *now)
{
	struct session_memory *memory = prepared->program.memory;
	const int error = placement_seek(&now->run, NULL);

	if (now->job.is_single)
		run_resume(&now->run);
	else
		run_rewind(&now->run);
	now->job.joins = memory->limits.shares_memory || session_memory_joins(memory);
	return error ? error : pool_run_now(prepared->engine->pool, &now->job);
}

/* Runs it while the owner's memory is charged with its results. */
static int reserve_and_run(const struct prepared *prepared, struct prepared_inline *now)
{
	const struct session_limits *limits = &prepared->program.memory->limits;
	const uint64_t bytes = prepared->program.inline_out;
	const bool reserves = limits->reserve && bytes;
	int error = reserves ? limits->reserve(limits->reserve_arg, bytes, NULL) : 0;

	if (error)
		return error;
	error = run_in_place(prepared, now);
	if (reserves && limits->unreserve)
		limits->unreserve(limits->reserve_arg, bytes);
	return error;
}

/* Begins a run: sets what it states, and takes its tiles unless they are those of the run before, and held. is_locked:
 * the caller has the session's lock. */
static int begin(const struct prepared *prepared, struct prepared_inline *now, const struct prepared_changes *changes,
		 bool is_locked)
{
	struct session_memory *memory = prepared->program.memory;
	const int changed = prepared_change(prepared, changes, &now->run, NULL);
	int error;

	if (changed < 0 || prepared->n_tiles == 0 || (!changed && tile_holder_begin(&now->holder)))
		return changed < 0 ? changed : 0;
	if (!is_locked)
		pthread_mutex_lock(&memory->lock);
	error = prepared_take_tiles_locked(prepared);
	if (!is_locked)
		pthread_mutex_unlock(&memory->lock);
	return error;
}

/* Runs what was begun. */
static int run_begun(const struct prepared *prepared, struct prepared_inline *now)
{
	int error;

	run_name_tiles(&now->run);
	error = reserve_and_run(prepared, now);
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

	if (!now || !is_ready(prepared, now) || begin(prepared, now, changes, false))
		return NULL;
	return run_begun(prepared, now) == 0 ? &now->reply : NULL;
}

const struct value *prepared_run_now(struct session_memory *memory, uint32_t handle,
				     const struct prepared_changes *changes, struct prepared **ret_prepared)
{
	struct prepared *prepared;
	struct prepared_inline *now;
	int error = -ERROR_NOT_SUPPORTED;

	pthread_mutex_lock(&memory->lock);
	prepared = prepared_find_locked(memory, handle);
	now = prepared ? prepared->now : NULL;
	if (now && atomic_exchange_explicit(&now->busy, true, memory_order_acquire))
		now = NULL;
	if (now && now->is_ready)
		error = begin(prepared, now, changes, true);
	pthread_mutex_unlock(&memory->lock);
	if (!now) {
		prepared_drop(prepared);
		return NULL;
	}
	if (!now->is_ready && is_ready(prepared, now)) /* the plans' locks are not taken inside the memory's */
		error = begin(prepared, now, changes, false);
	if (!error)
		error = run_begun(prepared, now);
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
