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

	if (program->n_steps != 1 || !is_draw(&program->steps[0]) || program->plans || prepared->name || prepared->names_memory ||
	    prepared->n_buffers != 1 || program_work_ns(program) > SHORT_NS)
		return SHORT_DRAW_NONE;
	if (prepared->replies)
		return prepared->n_tiles == 0 ? SHORT_DRAW_REPLY : SHORT_DRAW_NONE;
	return prepared->n_tiles == 1 && prepared->tiles[0].buffer == 0 ? SHORT_DRAW_TILE : SHORT_DRAW_NONE;
}

void prepared_find_short_draw(const struct prepared *prepared, struct prepared_inline *now)
{
	struct short_draw *draw = &now->short_draw;
	struct step *step = now->program.steps;

	draw->kind = placement_fix(&now->program, &draw->fixed) ? find_kind(prepared) : SHORT_DRAW_NONE;
	if (!draw->kind)
		return;
	draw->takes = prepared->takes & (PREPARED_SEED | PREPARED_STREAM | PREPARED_OFFSET);
	draw->seed = prepared->choice.seed;
	draw->stream = prepared->choice.stream;
	draw->offset = prepared->choice.offset;
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

/* Returns the handle of the tile that a run draws into. */
static uint32_t handle_of(const struct short_draw *draw, const struct prepared_changes *changes)
{
	return changes->n_tiles && changes->tiles[0] ? changes->tiles[0] : draw->handle;
}

/* Returns where the samples go; NULL: there is no such tile. */
static char *find_out(const struct prepared_batch *batch, struct short_draw *draw, const struct prepared_changes *changes)
{
	const struct buffer *out = draw->step->out;
	const struct tile *tile;
	uint32_t handle;

	if (draw->kind == SHORT_DRAW_REPLY)
		return changes->n_tiles ? NULL : out->base;
	if (changes->n_tiles > 1)
		return NULL;
	handle = handle_of(draw, changes);
	if (draw->found == handle && draw->n_freed == batch->memory->n_freed)
		return draw->at;
	tile = tile_find_locked(batch->memory, handle);
	if (!tile || !shape_equal(&tile->shape, &out->shape))
		return NULL;
	draw->found = handle;
	draw->n_freed = batch->memory->n_freed;
	draw->at = tile_base(tile);
	return draw->at;
}

/* The run's streams over the call's own, as prepared_choose does it. */
static bool seek(const struct short_draw *draw, const struct prepared_changes *changes, struct draw_position *ret_position)
{
	const unsigned given = changes->given;

	return (given & ~draw->takes) == 0 &&
	       placement_seek_fixed(&draw->fixed, given & PREPARED_SEED ? changes->seed : draw->seed,
				    given & PREPARED_STREAM ? changes->stream : draw->stream,
				    given & PREPARED_OFFSET ? changes->offset : draw->offset, draw->step, ret_position);
}

static void fill_draw(struct prepared_batch *batch, const struct short_draw *draw, char *out)
{
	const void *const none[STEP_INPUTS] = {NULL};

	draw->step->ops->fill(batch->memory->engine, draw->step, 0, draw->n, none, out);
	batch->runs++;
	batch->words += draw->words;
}

/* Any failure only means that the run is done in another way, which reports it. */
bool prepared_batch_run(struct prepared_batch *batch, uint32_t handle, const struct prepared_changes *changes,
			struct draw_position *ret_position)
{
	struct prepared *prepared = find_idle(batch, handle);
	struct short_draw *draw = prepared ? &prepared->now->short_draw : NULL;
	char *out = draw && draw->kind == SHORT_DRAW_TILE ? find_out(batch, draw, changes) : NULL;

	if (!out || !seek(draw, changes, ret_position))
		return false;
	fill_draw(batch, draw, out);
	return true;
}

/* Writes the call's streams and the run's changes over them, as prepared_choose and prepared_bind_placements do. The rest of
 * the placement is the same in every run. */
static bool state_place(const struct prepared *prepared, const struct prepared_changes *changes, struct stream_choice *to)
{
	const struct stream_choice *own = &prepared->choice;
	const unsigned given = changes->given;

	to->seed = given & PREPARED_SEED ? changes->seed : own->seed;
	to->stream = given & PREPARED_STREAM ? changes->stream : own->stream;
	to->offset = given & PREPARED_OFFSET ? changes->offset : own->offset;
	to->position = own->position;
	return (given & ~prepared->now->short_draw.takes) == 0;
}

const struct value *prepared_batch_reply(struct prepared_batch *batch, uint32_t handle, const struct prepared_changes *changes)
{
	struct prepared *prepared = find_idle(batch, handle);
	struct prepared_inline *now = prepared ? prepared->now : NULL;
	char *out = now ? find_out(batch, &now->short_draw, changes) : NULL;

	if (!out || !state_place(prepared, changes, &now->program.placements.at[0].own) ||
	    placement_seek(&now->program, &now->reply, NULL))
		return NULL;
	for (size_t i = 0; i < prepared->n_mentions; i++)
		now->mentions[i]->u = handle_of(&now->short_draw, changes);
	fill_draw(batch, &now->short_draw, out);
	return &now->reply;
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
