/* SPDX-License-Identifier: Apache-2.0 */
/* The table of kinds, and what the steps of all kinds share while they run. */
#include "engine/steps/step.h"

#include <stdlib.h>

#include "engine/steps/kinds.h"
#include "engine/temp.h"

static const struct step_ops *const table[STEP_KINDS] = {
	[STEP_DRAW] = &step_draw,
	[STEP_POINTS] = &step_points,
	[STEP_BOX_MULLER] = &step_box_muller,
	[STEP_SCALE] = &step_scale,
	[STEP_ADD] = &step_add,
	[STEP_NOISE_ADD] = &step_noise_add,
	[STEP_CAST] = &step_cast,
	[STEP_RESIZE] = &step_resize,
	[STEP_FFT] = &step_fft,
	[STEP_GEMM] = &step_gemm,
	[STEP_TRACE] = &step_trace,
	[STEP_SIGNAL] = &step_signal,
};

const struct step_ops *step_ops(enum step_kind kind)
{
	return table[kind];
}

bool step_is_elementwise(const struct step *step)
{
	return table[step->kind]->fill;
}

static struct plan_entry *find_plan(const struct step *step)
{
	const struct step_ops *ops = table[step->kind];

	return ops->plan ? ops->plan(step) : NULL;
}

uint64_t step_cost_ns(const struct engine *engine, const struct step *step)
{
	struct plan_entry *plan = find_plan(step);

	if (plan && !plans_ready(engine->plans, plan))
		return UINT64_MAX;
	return table[step->kind]->cost_ns(engine, step);
}

uint64_t step_work_bytes(const struct engine *engine, const struct step *step)
{
	const struct step_ops *ops = table[step->kind];

	return ops->work_bytes ? ops->work_bytes(engine, step) : 0;
}

int step_begin(struct engine *engine, const struct step *step, struct job *job, struct step_run **ret_run)
{
	const struct step_ops *ops = table[step->kind];
	struct step_run *run = calloc(1, ops->run_bytes);
	int error = 0;

	if (!run)
		return -ERROR_NO_MEMORY;
	run->engine = engine;
	run->step = step;
	run->waiter.job = job;
	if (step->work_bytes) {
		run->work = temp_alloc(step->work_bytes);
		error = run->work ? 0 : -ERROR_NO_MEMORY;
	}
	if (!error && ops->begin)
		error = ops->begin(run);
	if (error)
		step_end(run);
	else
		*ret_run = run;
	return error;
}

int step_advance(struct step_run *run, size_t *ret_chunks)
{
	return table[run->step->kind]->advance(run, ret_chunks);
}

uint64_t step_run_chunk(struct step_run *run, size_t chunk, void *scratch)
{
	return table[run->step->kind]->run_chunk(run, chunk, scratch);
}

void step_end(struct step_run *run)
{
	struct plan_entry *plan;

	if (!run)
		return;
	plan = find_plan(run->step);
	if (plan)
		plans_unwait(run->engine->plans, plan, &run->waiter);
	temp_free(run->engine, run->work, run->step->work_bytes);
	free(run);
}
