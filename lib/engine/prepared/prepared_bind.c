/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of prepared calls: a program of their own, which shares with the prepared call all that no run changes. */
#include "engine/prepared/prepared.h"
#include "engine/prepared/prepared_core.h"
#include "engine/program/placement.h"

#include <inttypes.h>
#include <string.h>

/* ---- buffers ---- */

int prepared_bind_tile(struct program *program, struct buffer *buffer, struct error *err)
{
	const struct shape *shape = &buffer->shape;
	char has[SHAPE_TEXT], needs[SHAPE_TEXT];
	int error = tile_take(program->memory, buffer->handle, buffer->context, buffer->param, &buffer->tile, err);

	if (error)
		return error;
	if (!shape_equal(&buffer->tile->shape, shape)) {
		error = error_set(err, ERROR_BAD_SHAPE, "%s: %s: the tile is %s, allowed is %s, for which it was compiled",
				  buffer->context, buffer->param, shape_text(&buffer->tile->shape, has),
				  shape_text(shape, needs));
		tile_give(program->memory, buffer->tile);
		buffer->tile = NULL;
		return error;
	}
	buffer->base = tile_base(buffer->tile);
	return 0;
}

/* Gives buffer i of the run its address. A constant that an earlier run left is read like an input. What the buffer
 * holds from here on, program_end gives back. */
static int bind_buffer(const struct prepared *prepared, struct program *program, const struct prepared_choice *choice,
		       size_t i, struct buffer *buffer, struct error *err)
{
	switch (buffer->kind) {
	case BUFFER_CALLER:
		buffer->base = choice->memory ? choice->memory[buffer->handle] : NULL;
		return 0;
	case BUFFER_TILE:
		return prepared_bind_tile(program, buffer, err);
	case BUFFER_RESULT:
		return program_result(program, buffer)
			       ? error_set(err, ERROR_NO_MEMORY, "run_prepared: no memory for its results")
			       : 0;
	case BUFFER_TEMP:
		buffer->base = NULL;
		if (program->knows && buffer->lent) {
			buffer->base = prepared->constants[i];
			buffer->kind = BUFFER_INPUT;
		}
		return 0;
	default:
		return 0;
	}
}

/* Copies the buffers with the run's own handles, and links them as the program's list, in the order that they had. */
static int bind_buffers(const struct prepared *prepared, struct program *program, const struct prepared_choice *choice,
			struct buffer *buffers, struct error *err)
{
	const uint64_t *tiles = choice->tiles;

	memcpy(buffers, prepared->buffers, prepared->n_buffers * sizeof *buffers);
	for (size_t i = 0; tiles && i < prepared->n_tiles; i++)
		if (prepared->tiles[i].buffer >= 0)
			buffers[prepared->tiles[i].buffer].handle = (uint32_t)tiles[i];
	for (size_t i = 0; i < prepared->n_buffers; i++) {
		int error = bind_buffer(prepared, program, choice, i, &buffers[i], err);

		if (error)
			return error;
		buffers[i].next = program->buffers;
		program->buffers = &buffers[i];
	}
	return 0;
}

/* ---- steps ---- */

/* Takes the plans of all steps; each was compiled before, but the cache may have dropped it, and builds it again. */
static int bind_plans(const struct prepared *prepared, struct program *program, struct plan_entry **plans)
{
	for (size_t i = 0; i < prepared->n_plans; i++)
		if (program_plan(program, prepared->plans[i], &plans[i]))
			return -ERROR_NO_MEMORY;
	return 0;
}

/* Sets a copied step's pointers from its indices. */
static void bind_step(const struct prepared_links *links, struct buffer *buffers, struct plan_entry *const *plans,
		      struct step *step)
{
	for (unsigned k = 0; k < STEP_INPUTS; k++)
		step->in[k] = links->in[k] < 0 ? NULL : &buffers[links->in[k]];
	step->out = &buffers[links->out];
	if (links->plan >= 0)
		step->plan = plans[links->plan];
}

/* ---- streams ---- */

/* Moves a set of points to the run's own offset, of which the compiler checked only the call's. */
static int move_points(struct placement *placement, uint64_t offset, struct error *err)
{
	const uint64_t n = placement->next_point - placement->first_point;

	if (offset > placement->most_points || n > placement->most_points - offset)
		return error_set(err, ERROR_END_OF_STREAM,
				 "%s: n: %" PRIu64 " points from point %" PRIu64
				 ", allowed is to end by point %" PRIu64,
				 placement->context, n, offset, placement->most_points);
	placement->first_point = offset;
	placement->next_point = offset + n;
	return 0;
}

int prepared_bind_placements(struct program *program, const struct prepared_choice *choice, struct error *err)
{
	struct placement *placement = program->placements.at;
	const struct stream_choice *stated = &choice->placement;

	if (program->placements.is_run)
		program->placements.run = *stated;
	if (program->placements.is_run || program->placements.count == 0)
		return 0;
	placement->own.generator = stated->generator;
	placement->own.seed = stated->seed;
	placement->own.stream = stated->stream;
	placement->own.offset = stated->offset;
	placement->own.position = stated->position;
	placement->own.text = stated->text;
	placement->own.has_text = true;
	return placement->is_points && choice->has_offset ? move_points(placement, stated->offset, err) : 0;
}

/* Copies what a run writes. Of a program that is its reservations: its draws share the placements of the call. Of a
 * single operation it is its one placement, too. */
static int copy_placements(const struct prepared *prepared, struct program *program)
{
	const struct placements *own = &prepared->program.placements;
	const size_t range_bytes = own->n_ranges * sizeof *own->ranges;
	struct stream_reservation *ranges = bump_alloc(program->bump, range_bytes + sizeof *ranges);
	struct placement *placement = bump_alloc(program->bump, sizeof *placement);

	if (!ranges || !placement)
		return -ERROR_NO_MEMORY;
	program->placements = *own;
	if (range_bytes)
		memcpy(ranges, own->ranges, range_bytes);
	program->placements.ranges = ranges;
	if (!own->is_run && own->count) {
		*placement = own->at[0];
		program->placements.at = placement;
	}
	return 0;
}

/* ---- the reply ---- */

/* Returns the map of a step's reply; -1: the reply itself. */
static struct value *map_of(struct value *reply, int step)
{
	return step < 0 ? reply : &((struct value *)value_get(reply, "steps"))->array.at[step];
}

/* Writes to the copied reply where this run's results lie and which tiles they are, and shows a trace where to write.
 * The casts drop a const that value_get adds; the reply is the run's own. */
static void bind_reply(const struct prepared *prepared, struct program *program, const struct buffer *buffers,
		       struct value *reply)
{
	const struct value *results = value_get(reply, "results");

	for (const struct buffer *at = program->buffers; at; at = at->next)
		if (at->kind == BUFFER_RESULT)
			*(struct value *)value_get(at->result < 0 ? reply : &results->map.at[at->result].value, "data") =
				value_bytes(at->base, (size_t)at->shape.bytes);
	for (size_t i = 0; i < prepared->n_mentions; i++)
		*(struct value *)value_get(map_of(reply, prepared->mentions[i].step), "tile") =
			value_uint(buffers[prepared->mentions[i].buffer].handle);
	for (size_t i = 0; i < prepared->program.n_steps; i++) {
		struct step *step = &program->steps[i];
		const struct placement *placement =
			step->placement < 0 ? NULL : &program->placements.at[step->placement];

		if (step->ops->set_reply)
			step->ops->set_reply(step, map_of(reply, placement->step)->map.at + placement->estimate);
	}
}

/* ---- a run ---- */

/* Sets the parts of a program that all runs share. The acquire pairs with prepared_learn's release. */
static void share(const struct prepared *prepared, struct program *program)
{
	const struct program *own = &prepared->program;

	program->n_steps = program->steps_room = own->n_steps;
	program->segments = own->segments;
	program->n_segments = own->n_segments;
	program->inline_in = own->inline_in;
	program->inline_out = own->inline_out;
	program->temp_bytes = own->temp_bytes;
	program->knows = atomic_load_explicit(&prepared->learnt, memory_order_acquire);
}

int prepared_bind(struct prepared *prepared, struct program *program, const struct prepared_choice *choice,
		  struct value *reply, struct error *err)
{
	const struct program *own = &prepared->program;
	struct bump *bump = program->bump;
	struct buffer *buffers = bump_alloc(bump, (prepared->n_buffers + 1) * sizeof *buffers);
	struct plan_entry **plans = bump_alloc(bump, (prepared->n_plans + 1) * sizeof(struct plan_entry *));
	struct step *steps = bump_alloc(bump, (own->n_steps + 1) * sizeof *steps);
	int error;

	if (!buffers || !plans || !steps || copy_placements(prepared, program))
		return error_set(err, ERROR_NO_MEMORY, "run_prepared: no memory for the request");
	share(prepared, program);
	error = bind_buffers(prepared, program, choice, buffers, err);
	if (error)
		return error;
	if (bind_plans(prepared, program, plans) || value_share(bump, &prepared->reply, reply))
		return error_set(err, ERROR_NO_MEMORY, "run_prepared: no memory for the request");
	program->steps = steps;
	for (size_t i = 0; i < own->n_steps; i++) {
		steps[i] = own->steps[i];
		bind_step(&prepared->links[i], buffers, plans, &steps[i]);
	}
	bind_reply(prepared, program, buffers, reply);
	error = prepared_bind_placements(program, choice, err);
	if (!error && own->placements.is_run && placement_name_run(program, choice->name))
		error = error_set(err, ERROR_NO_MEMORY, "run_prepared: no memory for the request");
	return error;
}

void prepared_learn(struct prepared *prepared, struct program *program)
{
	size_t i = prepared->n_buffers;

	if (program->knows || prepared->constant_bytes == 0 || atomic_flag_test_and_set(&prepared->taken))
		return;
	for (struct buffer *at = program->buffers; at; at = at->next) {
		i--;
		if (at->lent) {
			prepared->constants[i] = at->base;
			at->base = NULL;
		}
	}
	atomic_store_explicit(&prepared->learnt, true, memory_order_release);
}

/* ---- run_prepared ---- */

/* Finds the call, and holds it as long as the program's bump allocator lives. */
static int take_tile(struct compiler *compiler, uint64_t handle, struct prepared **ret_prepared)
{
	struct prepared *prepared = prepared_find(compiler->program->memory, handle);

	if (!prepared)
		return error_set(compiler->err, ERROR_BAD_TILE,
				 "run_prepared: prepared: there is no prepared call %" PRIu64
				 ", allowed is the handle of one that is not released",
				 handle);
	if (bump_defer(compiler->program->bump, prepared_drop, prepared)) {
		prepared_drop(prepared);
		return compile_no_memory(compiler);
	}
	compiler->program->prepared = prepared;
	*ret_prepared = prepared;
	return 0;
}

int prepared_compile_run(struct compiler *compiler, uint32_t handle, const struct prepared_changes *changes)
{
	struct prepared *prepared = NULL;
	struct prepared_choice choice;
	uint64_t *to;
	int error = take_tile(compiler, handle, &prepared);

	if (error)
		return error;
	to = bump_alloc(compiler->program->bump, (2 * prepared->n_tiles + 1) * sizeof *to);
	if (!to)
		return compile_no_memory(compiler);
	error = prepared_choose(prepared, changes, to, to + prepared->n_tiles, "run_prepared", &choice, compiler->err);
	return error ? error : prepared_bind(prepared, compiler->program, &choice, compiler->reply, compiler->err);
}

int prepared_compile(struct compiler *compiler)
{
	struct prepared *prepared = NULL;
	struct prepared_choice choice;
	int error = take_tile(compiler, compiler->args.at[PREPARED_RUN_HANDLE].u64, &prepared);

	if (!error)
		error = prepared_read_choice(compiler, prepared, &choice);
	return error ? error : prepared_bind(prepared, compiler->program, &choice, compiler->reply, compiler->err);
}
