/* SPDX-License-Identifier: Apache-2.0 */
/* lib/fft's work on signals: one stage of all its chunks, once the plan is ready. */
#include <stdatomic.h>

#include "base/chunk.h"
#include "engine/steps/step.h"

/* First values: of several chunks CHUNK_AIM_NS each, which lib/fft aims at; of a single one what a byte takes. */
enum { BYTE_NS = 2 };

/* The state of one run. */
struct signal_run {
	struct step_run run; /* must be the first member: the callbacks cast back to us */
	struct signal_io io;
	size_t n_chunks;
	/* Of any chunk that failed. Relaxed: advance reads it when all chunks are done, which the scheduler orders. */
	atomic_int error;
};

static const struct fft_plan *plan_of(const struct bindings *bound, const struct step *step)
{
	return step->transform < 0 ? NULL : plans_plan(bound_transform(bound, step, 0));
}

static size_t chunks_of(const struct bindings *bound, const struct step *step)
{
	return step->signal.kind->chunks(step->signal.call, plan_of(bound, step));
}

/* A single chunk is seldom a full one. */
static uint64_t cost_ns(const struct bindings *bound, const struct step *step)
{
	uint64_t bytes = step->out->shape.bytes;

	for (unsigned i = 0; i < STEP_INPUTS; i++)
		bytes += step->in[i] ? step->in[i]->shape.bytes : 0;
	if (step->signal.kind->byte_ps)
		return (uint64_t)((double)bytes * step->signal.kind->byte_ps / 1000);
	if (chunks_of(bound, step) == 1 && bytes < CHUNK_AIM_NS / BYTE_NS)
		return bytes * BYTE_NS;
	return chunks_of(bound, step) * (uint64_t)CHUNK_AIM_NS;
}

static int begin_signal(struct step_run *run)
{
	struct signal_run *s = (struct signal_run *)run;
	const struct bindings *bound = run->bound;
	const struct step *step = run->step;
	const struct signal_kind *kind = step->signal.kind;

	if (kind->scratch_bytes &&
	    kind->scratch_bytes(step->signal.call, plan_of(bound, step)) > pool_scratch_bytes(run->engine->pool))
		return -ERROR_NOT_SUPPORTED;
	run->failure = step->signal.failure;
	s->io.plan = plan_of(bound, step);
	s->io.out = bound_base(bound, step->out);
	for (unsigned i = 0; i < sizeof s->io.in / sizeof *s->io.in; i++)
		s->io.in[i] = bound_base(bound, step->in[i]);
	s->n_chunks = chunks_of(bound, step);
	return 0;
}

static int advance_signal(struct step_run *run, size_t *ret_chunks)
{
	struct signal_run *s = (struct signal_run *)run;
	const int error = atomic_load_explicit(&s->error, memory_order_relaxed);

	if (error)
		return error;
	if (run->started || s->n_chunks == 0)
		return JOB_END;
	if (run->step->transform >= 0) {
		const int wait = step_await_plans(run);

		if (wait)
			return wait;
	}
	run->started = true;
	*ret_chunks = s->n_chunks;
	return JOB_STAGE;
}

static uint64_t run_chunk(struct step_run *run, size_t chunk, void *scratch)
{
	struct signal_run *s = (struct signal_run *)run;
	const int error = run->step->signal.kind->run(run->step->signal.call, &s->io, chunk, scratch);

	if (error)
		atomic_store_explicit(&s->error, error, memory_order_relaxed);
	return run->step->out->shape.bytes / 4 / s->n_chunks;
}

const struct step_ops step_signal = {
	.cost_row = COST_SIGNAL,
	.cost_ns = cost_ns,
	.run_bytes = sizeof(struct signal_run),
	.begin = begin_signal,
	.advance = advance_signal,
	.run_chunk = run_chunk,
};
