/* SPDX-License-Identifier: Apache-2.0 */
/* Short draws, in the program that the prepared call has for runs in place. */
#include "engine/prepared/prepared_batch.h"

#include "engine/prepared/prepared_core.h"
#include "engine/program/placement.h"
#include "engine/scheduler/pool_caller.h"

enum {
	SHORT_NS = 8 * 1000, /* as estimated: other threads wait for the lock as long as a batch of them takes */
};

static bool is_draw(const struct step *step)
{
	return step_is_elementwise(step) && step->ops->place && !step->in[0];
}

static enum short_draw_kind find_kind(const struct prepared *prepared)
{
	const struct program *program = &prepared->program;

	if (program->n_steps != 1 || !is_draw(&program->steps[0]) || program->n_plans || program->placements.name || prepared->names_memory ||
	    program->n_buffers != 1 || run_work_ns(&prepared->first) > SHORT_NS)
		return SHORT_DRAW_NONE;
	if (prepared->replies)
		return prepared->n_tiles == 0 ? SHORT_DRAW_REPLY : SHORT_DRAW_NONE;
	return prepared->n_tiles == 1 && prepared->tiles[0].buffer == 0 ? SHORT_DRAW_TILE : SHORT_DRAW_NONE;
}

void prepared_find_short_draw(const struct prepared *prepared, struct prepared_inline *now)
{
	struct short_draw *draw = &now->short_draw;
	const struct step *step = prepared->program.steps;

	draw->kind = placement_fix(&now->run, &draw->fixed) ? find_kind(prepared) : SHORT_DRAW_NONE;
	if (!draw->kind)
		return;
	draw->takes = prepared->takes & (PREPARED_SEED | PREPARED_STREAM | PREPARED_OFFSET);
	draw->seed = prepared->first.choice.seed;
	draw->stream = prepared->first.choice.stream;
	draw->offset = prepared->first.choice.offset;
	draw->step = step;
	draw->n = step->out->shape.n;
	draw->words = step->out->shape.bytes / 4;
	if (draw->kind == SHORT_DRAW_TILE)
		draw->handle = (uint32_t)prepared->tiles[0].handle;
}

static void open_batch(struct prepared_batch *batch)
{
	pthread_mutex_lock(&batch->memory->lock);
	batch->saved = fpenv_enter();
	batch->is_open = true;
	batch->runs = 0;
	batch->words = 0;
}

/* Returns a call of a short draw that nobody runs, and that nobody can begin to run while the batch is open. Opens the batch where
 * necessary. */
static struct prepared *find_idle(struct prepared_batch *batch, uint32_t handle)
{
	struct prepared *prepared;

	if (!batch->is_open)
		open_batch(batch);
	prepared = prepared_get_locked(batch->memory, handle);
	return prepared && prepared->now && prepared->now->short_draw.kind &&
			       !atomic_load_explicit(&prepared->now->busy, memory_order_acquire)
		       ? prepared
		       : NULL;
}

/* Returns where the samples go; NULL: there is no such tile. The tile stays held, as after a run in place. */
static char *find_out(const struct prepared *prepared, const struct prepared_changes *changes)
{
	struct prepared_inline *now = prepared->now;
	const uint64_t handle = changes->n_tiles && changes->tiles[0] ? changes->tiles[0] : now->short_draw.handle;

	if (now->short_draw.kind == SHORT_DRAW_REPLY)
		return changes->n_tiles ? NULL : now->run.bound.base[0];
	if (changes->n_tiles > 1)
		return NULL;
	if (now->run.handles[0] != handle || !tile_holder_has_locked(&now->holder)) {
		if (prepared_take_tiles_locked(prepared, &handle))
			return NULL;
		tile_holder_end(prepared->program.memory, &now->holder);
	}
	return now->run.bound.base[0];
}

/* The run's streams over the call's own, as prepared_choose does it. */
static bool seek(struct prepared_inline *now, const struct prepared_changes *changes, struct draw_position *ret_position)
{
	const struct short_draw *draw = &now->short_draw;
	const unsigned given = changes->given;

	return (given & ~draw->takes) == 0 &&
	       placement_seek_fixed(&draw->fixed, given & PREPARED_SEED ? changes->seed : draw->seed,
				    given & PREPARED_STREAM ? changes->stream : draw->stream,
				    given & PREPARED_OFFSET ? changes->offset : draw->offset, now->run.bound.positions, ret_position);
}

static void fill_draw(struct prepared_batch *batch, const struct prepared_inline *now, char *out)
{
	const struct short_draw *draw = &now->short_draw;
	const void *const none[STEP_INPUTS] = {NULL};

	draw->step->ops->fill(&now->run.bound, draw->step, 0, draw->n, none, out);
	batch->runs++;
	batch->words += draw->words;
}

/* Any failure only means that the run is done in another way, which reports it. */
bool prepared_batch_run(struct prepared_batch *batch, uint32_t handle, const struct prepared_changes *changes,
			struct draw_position *ret_position)
{
	struct prepared *prepared = find_idle(batch, handle);
	struct prepared_inline *now = prepared ? prepared->now : NULL;
	char *out = now && now->short_draw.kind == SHORT_DRAW_TILE ? find_out(prepared, changes) : NULL;

	if (!out || !seek(now, changes, ret_position))
		return false;
	fill_draw(batch, now, out);
	return true;
}

const struct value *prepared_batch_reply(struct prepared_batch *batch, uint32_t handle, const struct prepared_changes *changes)
{
	struct prepared *prepared = find_idle(batch, handle);
	char *out = prepared ? find_out(prepared, changes) : NULL;
	struct prepared_choice choice;
	struct run *run;

	if (!out || prepared_choose_place(prepared, changes, "run_prepared", &choice, NULL))
		return NULL;
	run = &prepared->now->run;
	run->choice = choice.placement;
	if (placement_seek(run, NULL))
		return NULL;
	run_name_tiles(run);
	fill_draw(batch, prepared->now, out);
	return run->reply;
}

void prepared_batch_end(struct prepared_batch *batch, uint64_t took_ns)
{
	if (!batch->is_open)
		return;
	batch->is_open = false;
	fpenv_leave(batch->saved);
	pthread_mutex_unlock(&batch->memory->lock);
	if (batch->runs)
		pool_count_alone(batch->memory->engine->pool, batch->runs, batch->words, took_ns);
}
