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

uint64_t step_work_bytes(const struct bindings *bound, const struct step *step)
{
	return step->ops->work_bytes ? step->ops->work_bytes(bound, step) : 0;
}

/* Returns the state of a step that joined, or with 0 the first one's. */
static struct step_run *state_at(struct step_run *run, size_t i)
{
	return (struct step_run *)((char *)run + i * run->step->ops->run_bytes);
}

/* A step that fails to begin is ended here; the caller has nothing to undo. */
int step_begin(const struct bindings *bound, const struct step *steps, size_t count, struct job *job,
	       struct step_run **ret_run)
{
	struct step_run *run = calloc(count, steps->ops->run_bytes);
	int error = 0;

	if (!run)
		return -ERROR_NO_MEMORY;
	run->step = steps;
	run->count = count;
	for (size_t i = 0; i < count; i++) {
		struct step_run *at = state_at(run, i);

		/* plan_finish drops steps without elements: sizes of the output may be divisors. */
		assert(steps[i].out->shape.n > 0);
		at->engine = bound->engine;
		at->bound = bound;
		at->step = &steps[i];
		at->waiter.job = job;
		at->scratch_bytes = JOB_SCRATCH_ALL;
	}
	if (steps->work_bytes) {
		run->work = temp_alloc(bound->engine, steps->work_bytes);
		error = run->work ? 0 : -ERROR_NO_MEMORY;
	}
	if (!error && steps->ops->begin)
		error = steps->ops->begin(run);
	if (error)
		step_end(run);
	else
		*ret_run = run;
	return error;
}

int step_advance(struct step_run *run, size_t *ret_chunks)
{
	return run->step->ops->advance(run, ret_chunks);
}

uint64_t step_run_chunk(struct step_run *run, size_t chunk, void *scratch)
{
	return run->step->ops->run_chunk(run, chunk, scratch);
}

void step_end(struct step_run *run)
{
	if (!run)
		return;
	for (size_t i = 0; i < run->count; i++)
		if (run->step[i].transform >= 0)
			plans_unwait(run->engine->plans, bound_transform(run->bound, &run->step[i]),
				     &state_at(run, i)->waiter);
	temp_free(run->engine, run->work, run->step->work_bytes);
	free(run);
}
