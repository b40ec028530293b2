/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of prepared calls as requests: copies of the first run, with tiles and results of their own. */
#include "engine/prepared/prepared.h"
#include "engine/prepared/prepared_core.h"
#include "engine/program/placement.h"

#include <inttypes.h>
#include <string.h>

/* Takes the tile of a buffer, and sets its address. */
static int bind_tile(struct run *run, const struct buffer *buffer, struct error *err)
{
	const struct shape *shape = &buffer->shape;
	char has[SHAPE_TEXT], needs[SHAPE_TEXT];
	struct tile *tile;
	int error = tile_take(run->program->memory, run->handles[buffer->index], buffer->context, buffer->param, &tile, err);

	if (error)
		return error;
	if (!shape_equal(&tile->shape, shape)) {
		error = error_set(err, ERROR_BAD_SHAPE, "%s: %s: the tile is %s, allowed is %s, for which it was compiled",
				  buffer->context, buffer->param, shape_text(&tile->shape, has), shape_text(shape, needs));
		tile_give(run->program->memory, tile);
		return error;
	}
	run->tiles[buffer->index] = tile;
	run->bound.base[buffer->index] = tile_base(tile);
	return 0;
}

/* Gives a buffer of the run its address. A constant that an earlier run left is read where it lies. */
static int bind_buffer(const struct prepared *prepared, struct run *run, const struct prepared_choice *choice,
		       const struct buffer *buffer, struct error *err)
{
	if (buffer->kind == BUFFER_TILE)
		return bind_tile(run, buffer, err);
	if (buffer->kind == BUFFER_CALLER)
		run->bound.base[buffer->index] = choice->memory ? choice->memory[buffer->handle] : NULL;
	if (buffer->is_constant && run->has_constants)
		run->bound.base[buffer->index] = prepared->constants[buffer->index];
	return 0;
}

/* Makes the run, in its own bump allocator. The acquire pairs with prepared_learn's release. */
static int bind_run(const struct prepared *prepared, struct run *run, const struct prepared_choice *choice,
		    struct value *reply, struct error *err)
{
	const struct program *program = &prepared->program;
	int error = 0;

	run->program = program;
	run->has_constants = atomic_load_explicit(&prepared->learnt, memory_order_acquire);
	if (run_copy(&prepared->first, reply, run))
		return error_set(err, ERROR_NO_MEMORY, "run_prepared: no memory for the request");
	run->choice = choice->placement;
	for (size_t i = 0; choice->tiles && i < prepared->n_tiles; i++)
		if (prepared->tiles[i].buffer >= 0)
			run->handles[prepared->tiles[i].buffer] = (uint32_t)choice->tiles[i];
	for (size_t i = 0; i < program->n_buffers && !error; i++)
		error = bind_buffer(prepared, run, choice, program->buffers[i], err);
	if (!error && run_get_results(run))
		error = error_set(err, ERROR_NO_MEMORY, "run_prepared: no memory for its results");
	if (!error && program->placements.is_run && run_name_stream(run, choice->name))
		error = error_set(err, ERROR_NO_MEMORY, "run_prepared: no memory for the request");
	return error;
}

void prepared_learn(struct prepared *prepared, struct run *run)
{
	if (run->has_constants || prepared->constant_bytes == 0 || atomic_flag_test_and_set(&prepared->taken))
		return;
	for (size_t i = 0; i < run->program->n_buffers; i++)
		if (run->program->buffers[i]->is_constant) {
			prepared->constants[i] = run->bound.base[i];
			run->bound.base[i] = NULL;
		}
	atomic_store_explicit(&prepared->learnt, true, memory_order_release);
}

/* Finds the call, and holds it as long as the run's bump allocator lives. */
static int take_prepared(struct compiler *compiler, uint64_t handle, struct prepared **ret_prepared)
{
	struct bump *bump = compiler->first_run->bump;
	struct prepared *prepared = prepared_find(compiler->program->memory, handle);

	if (!prepared)
		return error_set(compiler->err, ERROR_BAD_TILE,
				 "run_prepared: prepared: there is no prepared call %" PRIu64
				 ", allowed is the handle of one that is not released",
				 handle);
	if (bump_defer(bump, prepared_drop, prepared)) {
		prepared_drop(prepared);
		return compile_no_memory(compiler);
	}
	*ret_prepared = prepared;
	return 0;
}

int prepared_compile_run(struct compiler *compiler, uint32_t handle, const struct prepared_changes *changes,
			 struct prepared **ret_prepared)
{
	struct prepared *prepared = NULL;
	struct prepared_choice choice;
	uint64_t *to;
	int error = take_prepared(compiler, handle, &prepared);

	if (error)
		return error;
	*ret_prepared = prepared;
	to = bump_alloc(compiler->first_run->bump, (2 * prepared->n_tiles + 1) * sizeof *to);
	if (!to)
		return compile_no_memory(compiler);
	error = prepared_choose(prepared, changes, to, to + prepared->n_tiles, "run_prepared", &choice, compiler->err);
	return error ? error : bind_run(prepared, compiler->first_run, &choice, compiler->reply, compiler->err);
}

int prepared_compile(struct compiler *compiler, struct prepared **ret_prepared)
{
	struct prepared *prepared = NULL;
	struct prepared_choice choice;
	int error = take_prepared(compiler, compiler->args.at[PREPARED_RUN_HANDLE].u64, &prepared);

	if (error)
		return error;
	*ret_prepared = prepared;
	error = prepared_read_choice(compiler, prepared, &choice);
	return error ? error : bind_run(prepared, compiler->first_run, &choice, compiler->reply, compiler->err);
}
