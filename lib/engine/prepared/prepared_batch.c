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

enum short_draw prepared_short_draw(const struct prepared *prepared)
{
	const struct program *program = &prepared->program;

	if (program->n_steps != 1 || !is_draw(&program->steps[0]) || program->placements.count != 1 ||
	    program->placements.is_run || program->placements.at[0].is_points || program->plans || prepared->name ||
	    prepared->names_memory || prepared->n_buffers != 1 || program_work_ns(program) > SHORT_NS)
		return SHORT_DRAW_NONE;
	if (prepared->replies)
		return prepared->n_tiles == 0 ? SHORT_DRAW_REPLY : SHORT_DRAW_NONE;
	return prepared->n_tiles == 1 && prepared->tiles[0].buffer == 0 ? SHORT_DRAW_TILE : SHORT_DRAW_NONE;
}

static void open_batch(struct prepared_batch *batch)
{
	pthread_mutex_lock(&batch->memory->lock);
	batch->saved = fpenv_enter();
	batch->is_open = true;
	batch->runs = 0;
	batch->words = 0;
}

/* Returns the program of a short draw that nobody runs, and that nobody can begin to run while the batch is open. */
static struct prepared_inline *find_idle(const struct prepared *prepared)
{
	struct prepared_inline *now = prepared ? prepared->now : NULL;

	return now && now->short_draw && !atomic_load_explicit(&now->busy, memory_order_acquire) ? now : NULL;
}

/* Returns where the samples go; NULL: there is no such tile. */
static char *find_out(const struct prepared_batch *batch, const struct prepared *prepared,
		      const struct prepared_changes *changes)
{
	const struct prepared_inline *now = prepared->now;
	const struct buffer *out = now->program.steps[0].out;
	const struct tile *tile;
	uint64_t handle;

	if (changes->n_tiles > prepared->n_tiles)
		return NULL;
	if (now->short_draw == SHORT_DRAW_REPLY)
		return out->base;
	handle = changes->n_tiles && changes->tiles[0] ? changes->tiles[0] : prepared->tiles[0].handle;
	tile = tile_find_locked(batch->memory, handle);
	if (!tile || !shape_equal(&tile->shape, &out->shape))
		return NULL;
	for (size_t i = 0; i < prepared->n_mentions; i++)
		now->mentions[i]->u = handle;
	return tile_base(tile);
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
	to->position = given & PREPARED_POSITION ? changes->position : own->position;
	return (given & ~prepared->takes) == 0;
}

/* Finds a short draw and where its samples go, and opens the batch where necessary. */
static const struct prepared *begin_draw(struct prepared_batch *batch, uint32_t handle, const struct prepared_changes *changes,
					 char **ret_out)
{
	const struct prepared *prepared;
	struct prepared_inline *now;

	if (!batch->is_open)
		open_batch(batch);
	prepared = prepared_get_locked(batch->memory, handle);
	now = find_idle(prepared);
	*ret_out = now ? find_out(batch, prepared, changes) : NULL;
	return *ret_out && state_place(prepared, changes, &now->program.placements.at[0].own) ? prepared : NULL;
}

static void fill_draw(struct prepared_batch *batch, const struct prepared *prepared, char *out)
{
	const void *const none[STEP_INPUTS] = {NULL};
	struct step *step = &prepared->now->program.steps[0];

	step->ops->fill(prepared->engine, step, 0, step->out->shape.n, none, out);
	batch->runs++;
	batch->words += step->out->shape.bytes / 4;
}

/* Any failure only means that the run is done in another way, which reports it. */
bool prepared_batch_run(struct prepared_batch *batch, uint32_t handle, const struct prepared_changes *changes,
			struct draw_position *ret_position)
{
	char *out;
	const struct prepared *prepared = begin_draw(batch, handle, changes, &out);

	if (!prepared || prepared->replies || placement_seek_draw(&prepared->now->program, ret_position))
		return false;
	fill_draw(batch, prepared, out);
	return true;
}

const struct value *prepared_batch_reply(struct prepared_batch *batch, uint32_t handle, const struct prepared_changes *changes)
{
	char *out;
	const struct prepared *prepared = begin_draw(batch, handle, changes, &out);

	if (!prepared || placement_seek(&prepared->now->program, &prepared->now->reply, NULL))
		return NULL;
	fill_draw(batch, prepared, out);
	return &prepared->now->reply;
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
