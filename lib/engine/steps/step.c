/* SPDX-License-Identifier: Apache-2.0 */
/* What the steps of all kinds share while they run. */
#include "engine/steps/step.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/memory/temp.h"

/* The learned cost of the step's kind of work, shared by all steps of that kind in the engine. */
struct cost *step_cost(struct engine *engine, const struct step *step)
{
	static_assert((int)COST_END <= (int)ENGINE_COSTS, "every row has a place");

	return &engine->costs[step->ops->cost_row + (step->ops->find_cost_row ? step->ops->find_cost_row(step) : 0)];
}

int step_cut(const struct bindings *bound, struct bump *bump, struct step *step)
{
	if (step->ops->work_bytes)
		step->work_bytes = step->ops->work_bytes(bound, step);
	if (!step->ops->cut)
		return 0;
	step->staged = step->ops->cut(bound, bump, step);
	if (!step->staged)
		return -ERROR_NO_MEMORY;
	step->work_bytes = step->staged->work_bytes;
	return 0;
}

uint64_t step_cost_ns(const struct bindings *bound, const struct step *step)
{
	return step->staged ? (uint64_t)step->staged->cost_ns : step->ops->cost_ns(bound, step);
}

/* Prepares what is the same in every run. */
static int begin_staged(struct step_run *run)
{
	const struct staged_work *work = run->step->staged;

	if (work->scratch_bytes > pool_scratch_bytes(run->engine->pool))
		return -ERROR_NOT_SUPPORTED;
	if (work->stages == 1)
		run->scratch_bytes = work->scratch_bytes;
	run->io.work = run->work;
	return 0;
}

/* Takes the plans when the state is made: they are held, so what was ready once stays ready. */
static void take_tables(struct step_run *run, const void **tables)
{
	for (unsigned i = 0; i < run->step->n_transforms; i++)
		tables[i] = plans_plan(bound_transform(run->bound, run->step, i));
	run->io.tables = tables;
}

/* A step that fails to begin is ended here; the caller has nothing to undo. */
int step_begin(const struct bindings *bound, const struct step *step, struct job *job, struct step_run **ret_run)
{
	const size_t bytes = step->ops->run_bytes ? step->ops->run_bytes : sizeof(struct step_run);
	struct step_run *run = calloc(1, bytes + step->n_transforms * sizeof(void *));
	int error = 0;

	if (!run)
		return -ERROR_NO_MEMORY;
	/* plan_finish drops steps without elements: sizes of the output may be divisors. */
	assert(step->out->shape.n > 0);
	run->engine = bound->engine;
	run->bound = bound;
	run->step = step;
	run->waiter.job = job;
	run->scratch_bytes = JOB_SCRATCH_ALL;
	take_tables(run, (const void **)((char *)run + bytes));
	if (step->work_bytes) {
		run->work = temp_alloc(bound->engine, step->work_bytes);
		error = run->work ? 0 : -ERROR_NO_MEMORY;
	}
	if (!error)
		error = step->staged ? begin_staged(run) : step->ops->begin ? step->ops->begin(run) : 0;
	if (error)
		step_end(run);
	else
		*ret_run = run;
	return error;
}

void step_rewind(struct step_run *run)
{
	run->started = false;
	run->stage = 0;
}

/* Returns 0 when all plans are ready, JOB_WAIT when the job will be woken, or the error with which building one failed. */
static int await_plans(struct step_run *run)
{
	for (; run->n_ready < run->step->n_transforms; run->n_ready++) {
		const int wait = plans_wait(run->engine->plans, bound_transform(run->bound, run->step, run->n_ready), &run->waiter);

		if (wait)
			return wait > 0 ? JOB_WAIT : wait;
	}
	return 0;
}

void step_place(struct step_run *run)
{
	run->stage = 0;
	for (unsigned i = 0; i < STAGED_INPUTS; i++)
		run->io.in[i] = bound_base(run->bound, run->step->in[i]);
	run->io.out = bound_base(run->bound, run->step->out);
	run->io.draws = run->step->placement >= 0 ? &run->bound->positions[run->step->placement].colored : NULL;
}

/* Describes the stage that begins. A single one is the same in every run. */
static void find_stage(struct step_run *run)
{
	const struct staged_work *work = run->step->staged;
	struct staged_stage stage;

	work->ops->find_stage(work, &run->io, run->stage, &stage);
	run->n_chunks = stage.chunks;
	run->chunk_ns = (uint64_t)stage.chunk_ns;
	run->chunk_words = run->step->out->shape.bytes / 4 / work->stages / stage.chunks;
}

static int advance_staged(struct step_run *run, size_t *ret_chunks)
{
	const struct step *step = run->step;
	const int error = atomic_load_explicit(&run->error, memory_order_relaxed);

	if (error)
		return error;
	if (run->started) {
		run->stage++;
	} else {
		const int wait = await_plans(run);

		if (wait)
			return wait;
		step_place(run);
		run->started = true;
	}
	if (step->ops->begin_stage)
		step->ops->begin_stage(run);
	if (run->stage == step->staged->stages)
		return JOB_END;
	if (step->staged->stages > 1 || run->n_chunks == 0)
		find_stage(run);
	*ret_chunks = run->n_chunks;
	return JOB_STAGE;
}

int step_advance(struct step_run *run, size_t *ret_chunks)
{
	return run->step->staged ? advance_staged(run, ret_chunks) : run->step->ops->advance(run, ret_chunks);
}

uint64_t step_run_chunk(struct step_run *run, size_t chunk, void *scratch)
{
	const struct staged_work *work = run->step->staged;
	int error;

	if (!work)
		return run->step->ops->run_chunk(run, chunk, scratch);
	error = work->ops->run_chunk(work, &run->io, run->stage, chunk, scratch);
	if (error)
		atomic_store_explicit(&run->error, error, memory_order_relaxed);
	return run->chunk_words;
}

void step_end(struct step_run *run)
{
	if (!run)
		return;
	if (run->n_ready < run->step->n_transforms)
		plans_unwait(run->engine->plans, bound_transform(run->bound, run->step, run->n_ready), &run->waiter);
	temp_free(run->engine, run->work, run->step->work_bytes);
	free(run);
}
