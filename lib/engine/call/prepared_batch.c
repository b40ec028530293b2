/* SPDX-License-Identifier: Apache-2.0 */
/* Short draws, by the run that the prepared call keeps for runs in place. */
#include "engine/call/prepared_batch.h"

#include "engine/call/prepared_core.h"
#include "engine/call/placement.h"
#include "engine/scheduler/pool_caller.h"

static void open_batch(struct prepared_batch *batch)
{
	pthread_mutex_lock(&batch->session->lock);
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
	prepared = prepared_get_locked(batch->session, handle);
	return prepared && prepared->kept && prepared->kept->short_draw &&
			       !atomic_load_explicit(&prepared->kept->busy, memory_order_acquire)
		       ? prepared
		       : NULL;
}

/* Sets what a run states, and holds its tile as after a run in place. */
static bool set_run(const struct prepared *prepared, const struct prepared_changes *changes)
{
	struct inline_run *kept = prepared->kept;
	const int changed = prepared_change(prepared, changes, &kept->run, NULL);

	if (changed < 0)
		return false;
	if (kept->short_draw == SHORT_DRAW_REPLY || (!changed && tile_holder_has(&kept->holder)))
		return true;
	if (prepared_take_tiles_locked(prepared))
		return false;
	tile_holder_end(prepared->plan.session, &kept->holder);
	return true;
}

static void fill_draw(struct prepared_batch *batch, const struct run *run)
{
	const struct step *step = run->plan->steps;
	const void *const none[STEP_INPUTS] = {NULL};

	step->ops->fill(&run->bound, step, 0, step->out->shape.n, none, run->bound.base[0]);
	batch->runs++;
	batch->words += step->out->shape.bytes / 4;
}

/* Any failure only means that the run is done in another way, which reports it. */
bool prepared_batch_run(struct prepared_batch *batch, uint32_t handle, const struct prepared_changes *changes,
			struct draw_position *ret_position)
{
	struct prepared *prepared = find_idle(batch, handle);
	struct run *run = prepared ? &prepared->kept->run : NULL;

	if (!run || prepared->kept->short_draw != SHORT_DRAW_TILE || !set_run(prepared, changes) || placement_find(run, NULL))
		return false;
	fill_draw(batch, run);
	*ret_position = run->bound.positions[0].at;
	return true;
}

const struct value *prepared_batch_reply(struct prepared_batch *batch, uint32_t handle, const struct prepared_changes *changes)
{
	struct prepared *prepared = find_idle(batch, handle);
	struct run *run = prepared ? &prepared->kept->run : NULL;

	if (!run || !set_run(prepared, changes) || placement_seek(run, NULL))
		return NULL;
	run_name_tiles(run);
	fill_draw(batch, run);
	return run->reply;
}

void prepared_batch_end(struct prepared_batch *batch, uint64_t took_ns)
{
	if (!batch->is_open)
		return;
	batch->is_open = false;
	fpenv_leave(batch->saved);
	pthread_mutex_unlock(&batch->session->lock);
	if (batch->runs)
		pool_count_alone(batch->session->engine->pool, batch->runs, batch->words, took_ns);
}
