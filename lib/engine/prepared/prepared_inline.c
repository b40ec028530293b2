/* SPDX-License-Identifier: Apache-2.0 */
/* Small prepared calls run in place: their placements, buffers, results and reply are written over by each run, so that
 * it allocates nothing. What may have changed since, tiles and what the session's owner reserves, is asked for
 * each time.
 */
#include <stddef.h>
#include <string.h>

#include "engine/prepared/prepared.h"
#include "engine/prepared/prepared_core.h"
#include "engine/program/placement.h"
#include "engine/scheduler/pool_caller.h"

enum {
	RESULT_MOST = 4096,      /* bytes in the reply */
	COST_MOST_NS = 20 * 1000, /* a hand-over to the threads costs as much */
	TILES_MOST = 16,
};

/* ---- which are small ---- */

static bool is_small_step(const struct step *step)
{
	return step_is_elementwise(step) && !step->ops->builds && !step->ops->check;
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
	       !placement_waits(program) && !prepared->choice.text && prepared->timeout_ms == 0 &&
	       program->temp_bytes == 0 && !program->plans && !program->deferred.first &&
	       prepared->constant_bytes == 0 && program->inline_out <= RESULT_MOST && prepared->n_tiles <= TILES_MOST &&
	       program_cost_ns(program) <= COST_MOST_NS;
}

/* ---- the job ---- */

static struct prepared_inline *of_job(struct job *job)
{
	return (struct prepared_inline *)((char *)job - offsetof(struct prepared_inline, job));
}

static int advance(struct job *job)
{
	return program_advance(&of_job(job)->program, job);
}

static uint64_t run(struct job *job, size_t chunk, void *scratch)
{
	return program_run(&of_job(job)->program, chunk, scratch);
}

static const struct job_ops now_ops = {.advance = advance, .run = run};

/* ---- making it ---- */

/* Each run takes its tiles itself: until then they may be freed. */
static void give_tiles(const struct prepared *prepared, struct prepared_inline *now)
{
	for (size_t i = 0; i < prepared->n_buffers; i++) {
		struct buffer *buffer = &now->buffers[i];

		if (buffer->kind == BUFFER_TILE && buffer->tile)
			tile_give(now->program.memory, buffer->tile);
		buffer->tile = NULL;
	}
}

static int list_mentions(const struct prepared *prepared, struct prepared_inline *now)
{
	const struct value *steps = value_get(&now->reply, "steps");

	now->mentions = bump_alloc(prepared->bump, (prepared->n_mentions + 1) * sizeof(struct value *));
	if (!now->mentions)
		return -ERROR_NO_MEMORY;
	for (size_t i = 0; i < prepared->n_mentions; i++) {
		const int step = prepared->mentions[i].step;

		now->mentions[i] = (struct value *)value_get(step < 0 ? &now->reply : &steps->array.at[step], "tile");
	}
	return 0;
}

int prepared_create_inline(struct prepared *prepared)
{
	const struct prepared_choice choice = {.placement = prepared->choice};
	struct prepared_inline *now;

	if (!is_small(prepared))
		return 0;
	now = bump_alloc(prepared->bump, sizeof *now);
	if (!now)
		return -ERROR_NO_MEMORY;
	memset(now, 0, sizeof *now);
	atomic_flag_clear(&now->busy);
	now->program = (struct program){.memory = prepared->program.memory, .bump = prepared->bump};
	now->job.ops = &now_ops;
	now->job.fair_entry = &prepared->program.memory->fair_entry;
	now->reply = value_map();
	now->tiles = bump_alloc(prepared->bump, (2 * prepared->n_tiles + 1) * sizeof *now->tiles);
	now->sorted = now->tiles ? now->tiles + prepared->n_tiles : NULL;
	if (!now->tiles || prepared_bind(prepared, &now->program, &choice, &now->reply, NULL)) {
		program_end(&now->program);
		return -ERROR_NO_MEMORY;
	}
	/* Its first buffer is the last of the program's list. */
	for (now->buffers = now->program.buffers; now->buffers && now->buffers->next;)
		now->buffers = now->buffers->next;
	give_tiles(prepared, now);
	if (list_mentions(prepared, now))
		return -ERROR_NO_MEMORY;
	prepared->now = now;
	return 0;
}

/* ---- running it ---- */

static int take_tiles(const struct prepared *prepared, struct prepared_inline *now, const uint64_t *tiles)
{
	int error = 0;

	for (size_t i = 0; i < prepared->n_tiles; i++)
		if (prepared->tiles[i].buffer >= 0)
			now->buffers[prepared->tiles[i].buffer].handle =
				(uint32_t)(tiles ? tiles[i] : prepared->tiles[i].handle);
	for (size_t i = 0; i < prepared->n_buffers && prepared->n_tiles && !error; i++)
		if (now->buffers[i].kind == BUFFER_TILE)
			error = prepared_bind_tile(&now->program, &now->buffers[i], NULL);
	for (size_t i = 0; i < prepared->n_mentions; i++)
		*now->mentions[i] = value_uint(now->buffers[prepared->mentions[i].buffer].handle);
	return error;
}

static int run_in_place(const struct prepared *prepared, struct prepared_inline *now,
			const struct prepared_choice *choice)
{
	struct program *program = &now->program;
	int error = prepared_bind_placements(program, choice, NULL);

	if (!error)
		error = placement_seek(program, &now->reply, NULL);
	program->at = 0;
	program->begun = false;
	return error ? error : pool_run_now(prepared->engine->pool, &now->job);
}

static int reserve_and_run(const struct prepared *prepared, struct prepared_inline *now,
			   const struct prepared_choice *choice)
{
	const struct session_limits *limits = &now->program.memory->limits;
	const uint64_t bytes = now->program.inline_out;
	const bool reserves = limits->reserve && bytes;
	int error = reserves ? limits->reserve(limits->reserve_arg, bytes, NULL) : 0;

	if (error)
		return error;
	error = run_in_place(prepared, now, choice);
	if (reserves && limits->unreserve)
		limits->unreserve(limits->reserve_arg, bytes);
	return error;
}

static int run_now(const struct prepared *prepared, struct prepared_inline *now, const struct prepared_changes *changes)
{
	struct prepared_choice choice;
	int error = prepared_choose(prepared, changes, now->tiles, now->sorted, "run_prepared", &choice, NULL);

	if (error)
		return error;
	error = take_tiles(prepared, now, choice.tiles);
	if (!error)
		error = reserve_and_run(prepared, now, &choice);
	if (prepared->n_tiles)
		give_tiles(prepared, now);
	return error;
}

const struct value *prepared_run_now(struct session_memory *memory, uint32_t handle,
				     const struct prepared_changes *changes, struct prepared **ret_prepared)
{
	struct prepared *prepared = prepared_find(memory, handle);
	struct prepared_inline *now = prepared ? prepared->now : NULL;

	if (!now || atomic_flag_test_and_set_explicit(&now->busy, memory_order_acquire)) {
		prepared_drop(prepared);
		return NULL;
	}
	if (run_now(prepared, now, changes)) {
		prepared_give(prepared);
		return NULL;
	}
	*ret_prepared = prepared;
	return &now->reply;
}

void prepared_give(struct prepared *prepared)
{
	atomic_flag_clear_explicit(&prepared->now->busy, memory_order_release);
	prepared_drop(prepared);
}
