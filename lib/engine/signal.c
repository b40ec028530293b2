/* SPDX-License-Identifier: Apache-2.0 */
/* One stage: all units of the step, once its plan is ready. */
#include "engine/signal.h"

enum { UNIT_NS = 100 * 1000, BYTE_NS = 2 };

static const struct fft_plan *plan_of(const struct step *step)
{
	return step->signal.plan ? plans_plan(step->signal.plan) : NULL;
}

static size_t units_of(const struct step *step)
{
	return step->out->shape.n ? step->signal.kind->units(step->signal.call, plan_of(step)) : 0;
}

/* A single unit is seldom a full one. */
uint64_t signal_cost(const struct engine *engine, const struct step *step)
{
	uint64_t bytes = step->out->shape.bytes;

	if (step->signal.plan && !plans_ready(engine->plans, step->signal.plan))
		return UINT64_MAX;
	for (unsigned i = 0; i < STEP_INPUTS; i++)
		bytes += step->in[i] ? step->in[i]->shape.bytes : 0;
	if (units_of(step) == 1 && bytes < UNIT_NS / BYTE_NS)
		return bytes * BYTE_NS;
	return units_of(step) * (uint64_t)UNIT_NS;
}

int signal_begin(struct engine *engine, const struct step *step, struct signal_state *ret_run)
{
	const struct signal_kind *kind = step->signal.kind;

	if (kind->scratch_bytes &&
	    kind->scratch_bytes(step->signal.call, plan_of(step)) > pool_scratch_bytes(engine->pool))
		return -ERROR_NOT_SUPPORTED;
	ret_run->engine = engine;
	ret_run->step = step;
	ret_run->io.plan = plan_of(step);
	ret_run->io.out = step->out->base;
	for (unsigned i = 0; i < STEP_INPUTS; i++)
		ret_run->io.in[i] = step->in[i] ? step->in[i]->base : NULL;
	ret_run->n_units = units_of(step);
	return 0;
}

int signal_advance(struct signal_state *run, struct plan_waiter *waiter, size_t *ret_units)
{
	const int error = atomic_load_explicit(&run->error, memory_order_relaxed);

	if (error)
		return error;
	if (run->started || run->n_units == 0)
		return JOB_END;
	if (run->step->signal.plan) {
		const int wait = plans_wait(run->engine->plans, run->step->signal.plan, waiter);

		if (wait)
			return wait < 0 ? wait : JOB_WAIT;
	}
	run->started = true;
	*ret_units = run->n_units;
	return JOB_STAGE;
}

uint64_t signal_run(struct signal_state *run, size_t unit, void *scratch)
{
	const int error = run->step->signal.kind->run(run->step->signal.call, &run->io, unit, scratch);

	if (error)
		atomic_store_explicit(&run->error, error, memory_order_relaxed);
	return run->step->out->shape.bytes / 4 / run->n_units;
}
