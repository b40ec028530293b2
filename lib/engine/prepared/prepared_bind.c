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

/* Makes a copy of the first run, in the bump allocator of the compiler's. The acquire pairs with prepared_learn's release. */
static int copy_run(const struct prepared *prepared, struct compiler *compiler)
{
	struct run *run = compiler->first_run;

	run->program = &prepared->program;
	run->has_constants = atomic_load_explicit(&prepared->learnt, memory_order_acquire);
	return run_copy(&prepared->first, compiler->reply, run)
		       ? error_set(compiler->err, ERROR_NO_MEMORY, "run_prepared: no memory for the request")
		       : 0;
}

/* Takes the tiles that the run states, and gets memory for its results. Constants that an earlier run left are read where
 * they lie. */
static int bind_buffers(const struct prepared *prepared, struct compiler *compiler)
{
	const struct program *program = &prepared->program;
	struct run *run = compiler->first_run;
	int error = 0;

	for (size_t i = 0; i < program->n_buffers && !error; i++) {
		if (program->buffers[i]->kind == BUFFER_TILE)
			error = bind_tile(run, program->buffers[i], compiler->err);
		else if (program->buffers[i]->is_constant && run->has_constants)
			run->bound.base[i] = prepared->constants[i];
	}
	if (!error && run_get_results(run))
		error = error_set(compiler->err, ERROR_NO_MEMORY, "run_prepared: no memory for its results");
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
	struct bump *bump = compiler->first_run->bound.bump;
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
	int error = take_prepared(compiler, handle, &prepared);

	if (error)
		return error;
	*ret_prepared = prepared;
	error = copy_run(prepared, compiler);
	if (!error)
		error = prepared_change(prepared, changes, compiler->first_run, compiler->err);
	return error < 0 ? error : bind_buffers(prepared, compiler);
}

int prepared_compile(struct compiler *compiler, struct prepared **ret_prepared)
{
	struct prepared *prepared = NULL;
	int error = take_prepared(compiler, compiler->args.at[PREPARED_RUN_HANDLE].u64, &prepared);

	if (error)
		return error;
	*ret_prepared = prepared;
	error = copy_run(prepared, compiler);
	if (!error)
		error = prepared_read_changes(compiler, prepared, compiler->first_run);
	return error ? error : bind_buffers(prepared, compiler);
}
