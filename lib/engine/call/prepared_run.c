/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of prepared calls as requests: copies of the first run, with tiles and results of their own. */
#include "engine/call/prepared.h"
#include "engine/call/prepared_core.h"

#include <inttypes.h>

/* Takes the tile of a buffer, and sets its address. */
static int bind_tile(struct run *run, const struct buffer *buffer, struct error *err)
{
	const struct shape *shape = &buffer->shape;
	char has[SHAPE_TEXT], needs[SHAPE_TEXT];
	struct tile *tile;
	int error = tile_take(run->plan->session, run->handles[buffer->index], buffer->context, buffer->param, &tile, err);

	if (error)
		return error;
	if (!shape_equal(&tile->shape, shape)) {
		error = error_set(err, ERROR_BAD_SHAPE, "%s: %s: the tile is %s, allowed is %s, for which it was compiled",
				  buffer->context, buffer->param, shape_text(&tile->shape, has), shape_text(shape, needs));
		tile_give(run->plan->session, tile);
		return error;
	}
	run->tiles[buffer->index] = tile;
	run->bound.base[buffer->index] = tile_base(tile);
	return 0;
}

int prepared_bind(const struct prepared *prepared, struct run *run, struct error *err)
{
	const struct plan *plan = &prepared->plan;
	int error = 0;

	for (size_t i = 0; i < plan->n_buffers && !error; i++) {
		if (plan->buffers[i]->kind == BUFFER_TILE)
			error = bind_tile(run, plan->buffers[i], err);
		else if (plan->buffers[i]->is_constant && run->has_constants)
			run->bound.base[i] = prepared->constants[i];
	}
	if (!error && run_get_results(run))
		error = error_set(err, ERROR_NO_MEMORY, "run_prepared: no memory for its results");
	if (!error)
		run_name_tiles(run);
	return error;
}

void prepared_learn(struct prepared *prepared, struct run *run)
{
	if (run->has_constants || prepared->constant_bytes == 0 || atomic_flag_test_and_set(&prepared->taken))
		return;
	for (size_t i = 0; i < run->plan->n_buffers; i++)
		if (run->plan->buffers[i]->is_constant) {
			prepared->constants[i] = run->bound.base[i];
			run->bound.base[i] = NULL;
		}
	atomic_store_explicit(&prepared->learnt, true, memory_order_release);
}

/* The acquire pairs with prepared_learn's release. */
int prepared_copy_run(struct engine_session *session, uint64_t handle, struct value *reply, struct run *run,
		      struct prepared **ret_prepared, struct error *err)
{
	struct prepared *prepared = prepared_find(session, handle);

	if (!prepared)
		return error_set(err, ERROR_BAD_TILE,
				 "run_prepared: prepared: there is no prepared call %" PRIu64
				 ", allowed is the handle of one that is not released",
				 handle);
	if (bump_defer(run->bound.bump, prepared_drop, prepared)) {
		prepared_drop(prepared);
		return error_set(err, ERROR_NO_MEMORY, "run_prepared: no memory for the request");
	}
	*ret_prepared = prepared;
	run->plan = &prepared->plan;
	run->has_constants = atomic_load_explicit(&prepared->learnt, memory_order_acquire);
	return run_copy(&prepared->first, reply, run)
		       ? error_set(err, ERROR_NO_MEMORY, "run_prepared: no memory for the request")
		       : 0;
}
