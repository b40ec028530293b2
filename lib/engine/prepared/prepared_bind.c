/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of prepared calls: their choice of streams and tiles, and a program of their own that shares all else. */
#include "engine/prepared/prepared.h"
#include "engine/prepared/prepared_core.h"
#include "engine/program/placement.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "rng/derive.h"

/* ---- what a run states ---- */

static int refuse_param(const struct prepared *prepared, const char *param, const char *context, struct error *err)
{
	return error_set(err, ERROR_UNKNOWN_PARAMETER, "%s: %s: the prepared %s has no such parameter", context, param,
			 prepared->operation->name);
}

static int refuse_given(const struct prepared *prepared, unsigned foreign, const char *context, struct error *err)
{
	const char *param = foreign & PREPARED_SEED	  ? "seed"
			    : foreign & PREPARED_STREAM	  ? "stream"
			    : foreign & PREPARED_OFFSET	  ? "offset"
			    : foreign & PREPARED_POSITION ? "position"
							  : NULL;

	if (param)
		return refuse_param(prepared, param, context, err);
	return error_set(err, ERROR_OUT_OF_RANGE, "%s: given: bits 0x%x mean nothing, allowed are 0x%x", context, foreign,
			 prepared->takes);
}

static int by_number(const void *a, const void *b)
{
	const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

int prepared_check_tiles(const struct prepared *prepared, const uint64_t *to, uint64_t *sorted, const char *context,
			 struct error *err)
{
	const size_t n = prepared->n_tiles;

	memcpy(sorted, to, n * sizeof *to);
	qsort(sorted, n, sizeof *sorted, by_number);
	for (size_t i = 1; i < n; i++)
		if (sorted[i] == sorted[i - 1])
			return error_set(err, ERROR_BAD_TILE,
					 "%s: tiles: tile %" PRIu64 " would stand for two, allowed is for one", context,
					 sorted[i]);
	return 0;
}

static int choose_tiles(const struct prepared *prepared, const struct prepared_changes *changes, uint64_t *to,
			uint64_t *sorted, const char *context, struct error *err)
{
	if (changes->n_tiles > prepared->n_tiles)
		return error_set(err, ERROR_BAD_TILE, "%s: tiles: got %zu, allowed are the %zu that the prepared %s names",
				 context, changes->n_tiles, prepared->n_tiles, prepared->operation->name);
	for (size_t i = 0; i < prepared->n_tiles; i++)
		to[i] = i < changes->n_tiles && changes->tiles[i] ? changes->tiles[i] : prepared->tiles[i].handle;
	return prepared_check_tiles(prepared, to, sorted, context, err);
}

int prepared_choose(const struct prepared *prepared, const struct prepared_changes *changes, uint64_t *to,
		    uint64_t *sorted, const char *context, struct prepared_choice *ret, struct error *err)
{
	const unsigned foreign = changes->given & ~prepared->takes;

	if (foreign)
		return refuse_given(prepared, foreign, context, err);
	if (changes->only_tiles && prepared->replies)
		return error_set(err, ERROR_NOT_SUPPORTED,
				 "%s: prepared: the %s has results in its reply, allowed in a queue are results in tiles",
				 context, prepared->operation->name);
	ret->placement = prepared->choice;
	ret->has_offset = changes->given & PREPARED_OFFSET;
	ret->name = changes->given ? NULL : prepared->name;
	ret->tiles = changes->n_tiles ? to : NULL;
	ret->memory = changes->memory;
	if (prepared->names_memory && !changes->memory)
		return error_set(err, ERROR_MISSING_PARAMETER, "%s: memory: missing", context);
	if (changes->given & PREPARED_SEED)
		ret->placement.seed = changes->seed;
	if (changes->given & PREPARED_STREAM)
		ret->placement.stream = changes->stream;
	if (ret->has_offset)
		ret->placement.offset = changes->offset;
	if (changes->given & PREPARED_POSITION)
		ret->placement.position = changes->position;
	return changes->n_tiles ? choose_tiles(prepared, changes, to, sorted, context, err) : 0;
}

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

/* Its address; what it holds from here on, program_end gives back. */
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

static int bind_plans(const struct prepared *prepared, struct program *program, struct plan_entry **plans)
{
	for (size_t i = 0; i < prepared->n_plans; i++)
		if (program_plan(program, prepared->plans[i], &plans[i]))
			return -ERROR_NO_MEMORY;
	return 0;
}

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

/* Points begin where the run states it. */
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

/* A run's draws share their placements, which its ranges and its own choice decide; that of a single operation states
 * all. */
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

static struct value *map_of(struct value *reply, int step)
{
	return step < 0 ? reply : &((struct value *)value_get(reply, "steps"))->array.at[step];
}

/* Where results lie, which tiles they are, and where a trace writes what it finds. */
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

/* The parts of a program that are as the prepared call has them. */
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

/* Holds the prepared call as long as the program's bump allocator lives. */
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

/* A place of its own, instead of one that the run would take of a named stream. */
static bool states_place(const struct arg *at)
{
	return at[PREPARED_RUN_GENERATOR].given || at[PREPARED_RUN_SEED].given || at[PREPARED_RUN_STREAM].given ||
	       at[PREPARED_RUN_LABEL].given || at[PREPARED_RUN_OFFSET].given;
}

/* What the call itself cannot be given, cannot be changed. */
static int check_stated(const struct prepared *prepared, const struct args *args, struct error *err)
{
	static const struct {
		unsigned param;
		const char *needs;
	} rows[] = {{PREPARED_RUN_GENERATOR, "generator"}, {PREPARED_RUN_LABEL, "seed"}};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (args->at[rows[i].param].given &&
		    !operation_param(prepared->operation, rows[i].needs, strlen(rows[i].needs)))
			return refuse_param(prepared, rows[i].needs, args->context, err);
	if (!args->at[PREPARED_RUN_NAME].given)
		return 0;
	if (!prepared->program.placements.is_run)
		return bind_error(args, PREPARED_RUN_NAME, err, ERROR_OUT_OF_RANGE,
				  "the prepared %s has no such parameter, allowed for a prepared run",
				  prepared->operation->name);
	if (states_place(args->at))
		return bind_error(args, PREPARED_RUN_NAME, err, ERROR_OUT_OF_RANGE,
				  "given beside generator, seed, stream, label or offset, allowed is one of them");
	return 0;
}

static int fold_label(struct compiler *compiler, struct stream_choice *choice)
{
	const struct value *label = compiler->args.at[PREPARED_RUN_LABEL].value;
	struct stream stream = {choice->generator, choice->seed, choice->stream};

	if (!stream_id_fits(&stream))
		return bind_error(&compiler->args, PREPARED_RUN_STREAM, compiler->err, ERROR_OUT_OF_RANGE,
				  "got %" PRIu64 ", which the call's generator does not have", stream.stream);
	derive_label(&stream, label->bytes.at, label->bytes.size, &stream);
	choice->seed = stream.seed;
	choice->stream = stream.stream;
	return 0;
}

/* A handle, in the place of the tile of that position; nil: as prepared; or a pair: one tile instead of another. */
static int read_tile(struct compiler *compiler, const struct prepared *prepared, const struct value *value, size_t i,
		     uint64_t *to)
{
	uint64_t from, handle;
	size_t place = i;

	if (value->kind == VALUE_NIL)
		return 0;
	if (value->kind == VALUE_ARRAY && value->array.count == 2 && value_to_u64(&value->array.at[0], &from) &&
	    value_to_u64(&value->array.at[1], &handle))
		for (place = 0; place < prepared->n_tiles && prepared->tiles[place].handle != from;)
			place++;
	else if (!value_to_u64(value, &handle))
		return bind_error(&compiler->args, PREPARED_RUN_TILES, compiler->err, ERROR_WRONG_TYPE,
				  "element %zu: takes a tile's handle, nil, or a pair of handles", i);
	if (place >= prepared->n_tiles)
		return bind_error(&compiler->args, PREPARED_RUN_TILES, compiler->err, ERROR_BAD_TILE,
				  "element %zu: the prepared %s names no such tile, allowed are the %zu that it does", i,
				  prepared->operation->name, prepared->n_tiles);
	to[place] = handle <= UINT32_MAX ? handle : 0;
	return 0;
}

static int read_tiles(struct compiler *compiler, const struct prepared *prepared, const uint64_t **ret_tiles)
{
	const struct arg *arg = &compiler->args.at[PREPARED_RUN_TILES];
	const size_t n = prepared->n_tiles;
	uint64_t *to;
	int error = 0;

	if (!arg->given)
		return 0;
	if (arg->value->kind != VALUE_ARRAY || arg->value->array.count > 2 * n + 1)
		return bind_error(&compiler->args, PREPARED_RUN_TILES, compiler->err, ERROR_WRONG_TYPE,
				  "takes an array of tiles, allowed are the %zu that the prepared %s names", n,
				  prepared->operation->name);
	to = bump_alloc(compiler->program->bump, (2 * n + 1) * sizeof *to);
	if (!to)
		return compile_no_memory(compiler);
	for (size_t i = 0; i < n; i++)
		to[i] = prepared->tiles[i].handle;
	for (size_t i = 0; i < arg->value->array.count && !error; i++)
		error = read_tile(compiler, prepared, &arg->value->array.at[i], i, to);
	if (!error)
		error = prepared_check_tiles(prepared, to, to + n, compiler->args.context, compiler->err);
	*ret_tiles = to;
	return error;
}

static int read_choice(struct compiler *compiler, const struct prepared *prepared, struct prepared_choice *ret)
{
	const struct arg *at = compiler->args.at;
	const struct prepared_changes changes = {
		.given = (at[PREPARED_RUN_SEED].given ? PREPARED_SEED : 0u) |
			 (at[PREPARED_RUN_STREAM].given ? PREPARED_STREAM : 0u) |
			 (at[PREPARED_RUN_OFFSET].given ? PREPARED_OFFSET : 0u),
		.seed = at[PREPARED_RUN_SEED].u64,
		.stream = at[PREPARED_RUN_STREAM].u64,
		.offset = at[PREPARED_RUN_OFFSET].u64,
	};
	int error = prepared_choose(prepared, &changes, NULL, NULL, compiler->args.context, ret, compiler->err);

	if (!error)
		error = check_stated(prepared, &compiler->args, compiler->err);
	if (error)
		return error;
	if (at[PREPARED_RUN_GENERATOR].given)
		ret->placement.generator = at[PREPARED_RUN_GENERATOR].choice;
	if (at[PREPARED_RUN_U64].given)
		ret->placement.text = at[PREPARED_RUN_U64].choice != 0;
	if (states_place(at) || at[PREPARED_RUN_NAME].given)
		ret->name = at[PREPARED_RUN_NAME].value;
	if (at[PREPARED_RUN_LABEL].given)
		error = fold_label(compiler, &ret->placement);
	return error ? error : read_tiles(compiler, prepared, &ret->tiles);
}

int prepared_compile(struct compiler *compiler)
{
	struct prepared *prepared = NULL;
	struct prepared_choice choice;
	int error = take_tile(compiler, compiler->args.at[PREPARED_RUN_HANDLE].u64, &prepared);

	if (!error)
		error = read_choice(compiler, prepared, &choice);
	return error ? error : prepared_bind(prepared, compiler->program, &choice, compiler->reply, compiler->err);
}
