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
	for (const struct plan_use *at = program->plans; at; at = at->next)
		if (at->key.n > PLAN_MOST)
			return false;
	return true;
}

/* Returns whether a run is so short that its caller may be kept for it. */
static bool is_cheap(const struct program *program)
{
	return program_work_ns(program) <= (program->memory->limits.shares_memory
						    ? COST_MOST_JOINED_NS
						    : pool_here_ns(program->memory->engine->pool, false));
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
	       program->temp_bytes == 0 && has_small_plans(program) && !program->deferred.first &&
	       prepared->constant_bytes == 0 && program->inline_out <= RESULT_MOST && prepared->n_tiles <= TILES_MOST &&
	       is_cheap(program);
}


/* ---- callbacks, see struct job_ops ---- */

static struct prepared_inline *of_job(struct job *job)
{
	return (struct prepared_inline *)((char *)job - offsetof(struct prepared_inline, job));
}

static int advance_segments(struct job *job)
{
	return program_advance(&of_job(job)->program, job);
}

static uint64_t run_inline(struct job *job, size_t chunk, void *scratch)
{
	return program_run(&of_job(job)->program, chunk, scratch);
}

static const struct job_ops now_ops = {.advance = advance_segments, .run = run_inline};

/* ---- making it ---- */

/* Each run takes its tiles itself: until then they may be freed. */
static void give_tiles(const struct prepared *prepared, struct prepared_inline *now)
{
	struct session_memory *memory = now->program.memory;

	for (size_t i = 0; i < prepared->n_buffers; i++) {
		struct buffer *buffer = &now->buffers[i];

		if (buffer->kind == BUFFER_TILE && buffer->tile)
			tile_give(memory, buffer->tile);
		buffer->tile = NULL;
	}
}

/* Finds the values of the reply that name tiles, so that a run writes them without a search. */
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
	now->program = (struct program){.memory = prepared->program.memory, .bump = prepared->bump};
	now->job.ops = &now_ops;
	now->job.fair_entry = &prepared->program.memory->fair_entry;
	now->job.account = pool_open_account(prepared->engine->pool);
	now->reply = value_map();
	now->tiles = bump_alloc(prepared->bump, (2 * prepared->n_tiles + 1) * sizeof *now->tiles);
	now->sorted = now->tiles ? now->tiles + prepared->n_tiles : NULL;
	now->holder.at = bump_alloc(prepared->bump, (prepared->n_buffers + 1) * sizeof *now->holder.at);
	prepared->now = now;
	if (!now->job.account || !now->tiles || !now->holder.at || prepared_bind(prepared, &now->program, &choice, &now->reply, NULL)) {
		program_end(&now->program);
		return -ERROR_NO_MEMORY;
	}
	/* Its first buffer is the last of the program's list. */
	for (now->buffers = now->program.buffers; now->buffers && now->buffers->next;)
		now->buffers = now->buffers->next;
	give_tiles(prepared, now);
	if (list_mentions(prepared, now))
		return -ERROR_NO_MEMORY;
	now->program.kept = bump_alloc(prepared->bump, now->program.n_segments * sizeof(struct step_run *));
	if (!now->program.kept)
		return -ERROR_NO_MEMORY;
	memset(now->program.kept, 0, now->program.n_segments * sizeof(struct step_run *));
	prepared_find_short_draw(prepared, now);
	return 0;
}

uint64_t prepared_inline_bytes(const struct prepared *prepared)
{
	uint64_t bytes = 0;

	for (const struct plan_use *at = prepared->now ? prepared->now->program.plans : NULL; at; at = at->next)
		bytes += PLAN_BYTES * at->key.n;
	return bytes;
}

/* Returns whether all plans are built. They are held, so what was ready once stays ready. */
static bool is_ready(const struct prepared *prepared, struct prepared_inline *now)
{
	for (struct plan_use *at = now->program.plans; at && !now->is_ready; at = at->next)
		if (!plans_ready(prepared->engine->plans, at->entry))
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

		if (buffer >= 0 && now->buffers[buffer].handle != handle_of(prepared, tiles, i))
			return false;
	}
	return tile_holder_begin(&now->holder);
}

/* Hold the lock. Returns whether there is a tile of that handle and shape, and adds it to those that are held. */
static bool take_tile(struct prepared_inline *now, struct buffer *buffer)
{
	struct tile *tile = tile_find_locked(now->program.memory, buffer->handle);

	if (!tile || !shape_equal(&tile->shape, &buffer->shape))
		return false;
	tile_holder_add_locked(&now->holder, tile);
	buffer->base = tile_base(tile);
	return true;
}

/* Hold the lock. Begins a run with these tiles; after a failure none are held. */
static int take_tiles(const struct prepared *prepared, struct prepared_inline *now, const uint64_t *tiles)
{
	bool there = true;

	tile_holder_drop_locked(&now->holder);
	for (size_t i = 0; i < prepared->n_tiles; i++)
		if (prepared->tiles[i].buffer >= 0)
			now->buffers[prepared->tiles[i].buffer].handle = handle_of(prepared, tiles, i);
	for (size_t i = 0; i < prepared->n_buffers && there; i++)
		if (now->buffers[i].kind == BUFFER_TILE)
			there = take_tile(now, &now->buffers[i]);
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
	for (size_t i = 0; i < prepared->n_buffers; i++)
		if (now->buffers[i].kind == BUFFER_CALLER)
			now->buffers[i].base = memory[now->buffers[i].handle];
}

/* Places and runs the program, in this thread or joined by others. */
static int run_in_place(const struct prepared *prepared, struct prepared_inline *now,
			const struct prepared_choice *choice)
{
	struct program *program = &now->program;
	int error = prepared_bind_placements(program, choice, NULL);

	if (!error)
		error = placement_seek(program, &now->reply, NULL);
	if (now->job.is_single)
		program_resume(program);
	else
		program_rewind(program);
	now->job.joins = program->memory->limits.shares_memory || session_memory_joins(program->memory);
	return error ? error : pool_run_now(prepared->engine->pool, &now->job);
}

/* Runs it while the owner's memory is charged with its results. */
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
	struct session_memory *memory = now->program.memory;
	int error = choose(prepared, now, changes, ret_choice);

	if (error || prepared->n_tiles == 0 || keep_tiles(prepared, now, ret_choice->tiles))
		return error;
	pthread_mutex_lock(&memory->lock);
	error = take_tiles(prepared, now, ret_choice->tiles);
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
	return take_tiles(prepared, now, ret_choice->tiles);
}

/* Writes the tiles of this run into the reply, in which a batch may have written others. */
static void name_tiles(const struct prepared *prepared, struct prepared_inline *now)
{
	for (size_t i = 0; i < prepared->n_mentions; i++)
		now->mentions[i]->u = now->buffers[prepared->mentions[i].buffer].handle; /* it is a VALUE_UINT */
}

/* Runs what was begun. */
static int run_begun(const struct prepared *prepared, struct prepared_inline *now, const struct prepared_choice *choice)
{
	int error;

	name_tiles(prepared, now);
	error = reserve_and_run(prepared, now, choice);
	if (prepared->n_tiles)
		tile_holder_end(now->program.memory, &now->holder);
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
