/* SPDX-License-Identifier: Apache-2.0 */
/* Small prepared calls run in place: their placements, buffers, results and reply are written over by each run, so that
 * it allocates nothing. Tiles stay in use between runs, until one of them is freed (tile_use.h); what the session's owner
 * reserves is asked for each time. */
#include <stddef.h>
#include <string.h>

#include "base/chunk.h"

#include "engine/call/prepared.h"
#include "engine/call/prepared_core.h"
#include "engine/call/placement.h"
#include "engine/scheduler/pool_caller.h"

enum {
	RESULT_MOST = 16384,                     /* bytes in the reply */
	COST_MOST_JOINED_NS = 4 * CHUNK_MOST_NS, /* in a thread that waits for it; meanwhile it cannot be cancelled */
	PLAN_MOST = 1 << 14,                     /* the length of a transform whose plan it holds */
	PLAN_BYTES = 32,                         /* of a plan, for each element, about */
	SHORT_NS = 8 * 1000, /* of a short draw: other threads wait for the lock as long as a batch of them takes */
};

/* ---- which are small ---- */

/* Returns whether a step allocates nothing when it runs and can be run again with the state that it has. */
static bool is_small_step(const struct step *step)
{
	if (step_is_elementwise(step))
		return !step->ops->builds && !step->ops->check;
	return step->ops->reruns && step->work_bytes == 0;
}

/* Returns whether all plans are short: the call holds them as long as it lives, so the cache cannot drop them. */
static bool has_small_plans(const struct plan *plan)
{
	for (size_t i = 0; i < plan->n_transforms; i++)
		if (plan->transforms[i].n > PLAN_MOST)
			return false;
	return true;
}

/* Returns whether a run is so short that its caller may be kept for it. */
static bool is_cheap(const struct run *run)
{
	return run_work_ns(run) <= (run->plan->session->limits.shares_memory
					    ? COST_MOST_JOINED_NS
					    : pool_here_ns(run->bound.engine->pool, false));
}

/* Nothing of it allocates, waits or may fail beside its tiles and its place. */
static bool is_small(const struct prepared *prepared)
{
	const struct plan *plan = &prepared->plan;

	for (size_t i = 0; i < plan->n_steps; i++)
		if (!is_small_step(&plan->steps[i]))
			return false;
	for (size_t i = 0; i < plan->placements.count; i++)
		if (plan->placements.at[i].own.has_text && plan->placements.at[i].own.text)
			return false;
	return plan->n_steps > 0 && plan->placements.count <= PLACEMENT_PLACES_HERE &&
	       !placement_waits(&prepared->first) && !prepared->first.choice.text && prepared->timeout_ms == 0 &&
	       plan->temp_bytes == 0 && has_small_plans(plan) && !prepared->first.bound.deferred.first &&
	       prepared->constant_bytes == 0 && plan->inline_out <= RESULT_MOST && prepared->n_tiles <= PREPARED_TILES_FEW &&
	       is_cheap(&prepared->first);
}

static bool is_draw(const struct step *step)
{
	return step_is_elementwise(step) && step->ops->place && !step->in[0];
}

/* Returns whether a small call is one short draw, and where its samples go. */
static enum short_draw find_short_draw(const struct prepared *prepared)
{
	const struct plan *plan = &prepared->plan;

	if (plan->n_steps != 1 || plan->placements.is_run || !is_draw(&plan->steps[0]) || prepared->names_memory ||
	    plan->n_buffers != 1 || run_work_ns(&prepared->first) > SHORT_NS)
		return SHORT_DRAW_NONE;
	if (prepared->replies)
		return prepared->n_tiles == 0 ? SHORT_DRAW_REPLY : SHORT_DRAW_NONE;
	return prepared->n_tiles == 1 && prepared->tiles[0].buffer == 0 ? SHORT_DRAW_TILE : SHORT_DRAW_NONE;
}

/* ---- callbacks, see struct job_ops ---- */

static struct inline_run *of_job(struct job *job)
{
	return (struct inline_run *)((char *)job - offsetof(struct inline_run, job));
}

static int advance_segments(struct job *job)
{
	return run_advance(&of_job(job)->run, job);
}

static uint64_t run_inline(struct job *job, size_t chunk, void *scratch)
{
	return run_chunk(&of_job(job)->run, chunk, scratch);
}

static const struct job_ops inline_ops = {.advance = advance_segments, .run = run_inline};

/* ---- making it ---- */

/* Makes the run that is kept: a copy of the first with results of its own. It takes its tiles when it runs. */
static int make_run(const struct prepared *prepared, struct inline_run *kept)
{
	struct run *run = &kept->run;
	struct step_run **step_runs;

	*run = (struct run){.plan = &prepared->plan, .bound = {.engine = prepared->engine, .bump = prepared->bump}};
	kept->reply = value_map();
	if (run_copy(&prepared->first, &kept->reply, run) || run_get_results(run))
		return -ERROR_NO_MEMORY;
	step_runs = bump_alloc(prepared->bump, prepared->plan.n_segments * sizeof(struct step_run *));
	if (!step_runs)
		return -ERROR_NO_MEMORY;
	memset(step_runs, 0, prepared->plan.n_segments * sizeof(struct step_run *));
	run->step_runs = step_runs;
	return 0;
}

int prepared_create_inline(struct prepared *prepared)
{
	struct inline_run *kept;

	if (!is_small(prepared))
		return 0;
	kept = bump_alloc(prepared->bump, sizeof *kept);
	if (!kept)
		return -ERROR_NO_MEMORY;
	memset(kept, 0, sizeof *kept);
	kept->job.ops = &inline_ops;
	kept->job.fair_entry = &prepared->plan.session->fair_entry;
	kept->job.account = pool_open_account(prepared->engine->pool);
	kept->holder.at = bump_alloc(prepared->bump, (prepared->n_tiles + 1) * sizeof *kept->holder.at);
	kept->run.plan = &prepared->plan;
	prepared->kept = kept;
	if (!kept->job.account || !kept->holder.at || make_run(prepared, kept))
		return -ERROR_NO_MEMORY;
	kept->short_draw = find_short_draw(prepared);
	return 0;
}

uint64_t prepared_inline_bytes(const struct prepared *prepared)
{
	uint64_t bytes = 0;

	for (size_t i = 0; prepared->kept && i < prepared->plan.n_transforms; i++)
		bytes += PLAN_BYTES * prepared->plan.transforms[i].n;
	return bytes;
}

/* Returns whether all plans are built. They are held, so what was ready once stays ready. */
static bool is_ready(const struct prepared *prepared, struct inline_run *kept)
{
	for (size_t i = 0; i < kept->run.n_transforms && !kept->is_ready; i++)
		if (!plans_ready(prepared->engine->plans, kept->run.bound.transforms[i]))
			return false;
	kept->is_ready = true;
	return true;
}

/* ---- running it ---- */

/* Hold the lock. Returns whether there is a tile of that handle and shape, and adds it to those that are held. */
static bool take_tile(struct inline_run *kept, const struct buffer *buffer)
{
	struct tile *tile = tile_find_locked(kept->run.plan->session, kept->run.handles[buffer->index]);

	if (!tile || !shape_equal(&tile->shape, &buffer->shape))
		return false;
	tile_holder_add_locked(&kept->holder, tile);
	kept->run.bound.base[buffer->index] = tile_base(tile);
	return true;
}

int prepared_take_tiles_locked(const struct prepared *prepared)
{
	struct inline_run *kept = prepared->kept;
	bool there = true;

	tile_holder_drop_locked(&kept->holder);
	for (size_t i = 0; i < prepared->plan.n_buffers && there; i++)
		if (prepared->plan.buffers[i]->kind == BUFFER_TILE)
			there = take_tile(kept, prepared->plan.buffers[i]);
	if (!there) {
		tile_holder_drop_locked(&kept->holder);
		return -ERROR_BAD_TILE; /* the request says what is wrong */
	}
	tile_holder_start_locked(&kept->holder);
	return 0;
}

/* Places and runs the plan, in this thread or joined by others. */
static int run_in_place(const struct prepared *prepared, struct inline_run *kept)
{
	struct engine_session *session = prepared->plan.session;
	const int error = prepared->plan.placements.count > 0 ? placement_seek(&kept->run, NULL) : 0;

	if (kept->job.is_single)
		run_resume(&kept->run);
	else
		run_rewind(&kept->run);
	kept->job.runs_in_caller = session->limits.shares_memory || engine_session_shares_threads(session);
	return error ? error : pool_run_now(prepared->engine->pool, &kept->job);
}

/* Runs it while the owner's memory is charged with its results. */
static int reserve_and_run(const struct prepared *prepared, struct inline_run *kept)
{
	const struct session_owner *limits = &prepared->plan.session->limits;
	const uint64_t bytes = prepared->plan.inline_out;
	const bool reserves = limits->reserve && bytes;
	int error = reserves ? limits->reserve(limits->reserve_arg, bytes, NULL) : 0;

	if (error)
		return error;
	error = run_in_place(prepared, kept);
	if (reserves && limits->unreserve)
		limits->unreserve(limits->reserve_arg, bytes);
	return error;
}

/* Returns whether the tiles that are held stay until the run ends. Who shares memory with the engine frees no tile that a run uses, so
 * there is no other thread to agree with. */
static bool keeps_tiles(const struct prepared *prepared, struct inline_run *kept)
{
	return prepared->plan.session->limits.shares_memory ? tile_holder_has(&kept->holder) : tile_holder_begin(&kept->holder);
}

/* Begins a run: sets what it states, and takes its tiles unless they are those of the run before, and held. is_locked:
 * the caller has the session's lock. */
static int begin(const struct prepared *prepared, struct inline_run *kept, const struct prepared_changes *changes,
		 bool is_locked)
{
	struct engine_session *session = prepared->plan.session;
	const int changed = prepared_change(prepared, changes, &kept->run, NULL);
	int error;

	if (changed < 0 || prepared->n_tiles == 0 || (!changed && keeps_tiles(prepared, kept)))
		return changed < 0 ? changed : 0;
	if (!is_locked)
		pthread_mutex_lock(&session->lock);
	error = prepared_take_tiles_locked(prepared);
	if (!is_locked)
		pthread_mutex_unlock(&session->lock);
	return error;
}

/* Runs what was begun. */
static int run_begun(const struct prepared *prepared, struct inline_run *kept)
{
	int error;

	run_name_tiles(&kept->run);
	error = reserve_and_run(prepared, kept);
	if (prepared->n_tiles && !tile_holder_has(&kept->holder))
		tile_holder_end(prepared->plan.session, &kept->holder);
	return error;
}

bool prepared_is_small(const struct prepared *prepared)
{
	return prepared->kept;
}

/* Any error only means that the run becomes a request, which reports it with its text. */
const struct value *prepared_rerun(struct prepared *prepared, const struct prepared_changes *changes)
{
	struct inline_run *kept = prepared->kept;

	if (!kept || !is_ready(prepared, kept) || begin(prepared, kept, changes, false))
		return NULL;
	return run_begun(prepared, kept) == 0 ? &kept->reply : NULL;
}

const struct value *prepared_rerun_listed(struct engine_session *session, uint32_t handle,
				     const struct prepared_changes *changes, struct prepared **ret_prepared)
{
	struct prepared *prepared;
	struct inline_run *kept;
	int error = -ERROR_NOT_SUPPORTED;

	pthread_mutex_lock(&session->lock);
	prepared = prepared_find_locked(session, handle);
	kept = prepared ? prepared->kept : NULL;
	if (kept && atomic_exchange_explicit(&kept->busy, true, memory_order_acquire))
		kept = NULL;
	if (kept && kept->is_ready)
		error = begin(prepared, kept, changes, true);
	pthread_mutex_unlock(&session->lock);
	if (!kept) {
		prepared_drop(prepared);
		return NULL;
	}
	if (!kept->is_ready && is_ready(prepared, kept)) /* the plans' locks are not taken inside the memory's */
		error = begin(prepared, kept, changes, false);
	if (!error)
		error = run_begun(prepared, kept);
	if (error) {
		prepared_give(prepared);
		return NULL;
	}
	*ret_prepared = prepared;
	return &kept->reply;
}

void prepared_give(struct prepared *prepared)
{
	atomic_store_explicit(&prepared->kept->busy, false, memory_order_release);
	prepared_drop(prepared);
}
