/* SPDX-License-Identifier: Apache-2.0 */
/* Products of matrices, as chunks of lib/gemm.
 *
 * Chunks go in groups whose sums fit the memory between phases; mostly there is one phase and one group. */
#include "base/checked.h"
#include "engine/steps/step.h"

enum { WORK_BYTES = 32 << 20, SLOT_ALIGN = 64 }; /* WORK_BYTES: the most memory for sums between phases */

/* The state of one run: advance writes it, chunks only read it. */
struct multiply {
	struct step_run run; /* must be the first member: the callbacks cast back to us */
	struct gemm_call call; /* with the addresses */
	struct gemm_cut cut;
	size_t most;         /* chunks at once, where they keep sums between phases */
	size_t first, phase; /* what runs: chunks [first, first + most), in that phase */
};

static struct gemm_call call_of(const struct bindings *bound, const struct step *step)
{
	struct gemm_call call = step->gemm.call;

	call.a.at = bound_base(bound, step->in[0]);
	call.b.at = bound_base(bound, step->in[1]);
	call.c = bound_base(bound, step->out);
	return call;
}

static struct gemm_cut cut_of(const struct engine *engine, const struct step *step)
{
	return gemm_cut(step->gemm.precision, engine->features, &step->gemm.call);
}

/* Returns the bytes of a chunk's slot, which are 0 where there is one phase. */
static size_t slot_bytes(const struct gemm_cut *cut)
{
	return (gemm_slot_bytes(cut) + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN;
}

/* Returns how many chunks keep their sums at once. */
static size_t most_at_once(const struct gemm_cut *cut)
{
	const size_t each = slot_bytes(cut);

	return each ? size_min(WORK_BYTES / each, cut->chunks) : cut->chunks;
}

static uint64_t work_bytes(const struct bindings *bound, const struct step *step)
{
	const struct gemm_cut cut = cut_of(bound->engine, step);

	return most_at_once(&cut) * slot_bytes(&cut);
}

static uint64_t cost_ns(const struct bindings *bound, const struct step *step)
{
	const struct gemm_cut cut = cut_of(bound->engine, step);

	return (uint64_t)((double)(cut.chunks * cut.phases) * gemm_chunk_ns(&cut));
}

static int begin_product(struct step_run *run)
{
	struct multiply *m = (struct multiply *)run;

	m->call = call_of(run->bound, run->step);
	m->cut = cut_of(run->engine, run->step);
	m->most = most_at_once(&m->cut);
	return m->cut.chunks && gemm_scratch_bytes(&m->cut) > pool_scratch_bytes(run->engine->pool)
		       ? -ERROR_NOT_SUPPORTED
		       : 0;
}

static int advance_product(struct step_run *run, size_t *ret_chunks)
{
	struct multiply *m = (struct multiply *)run;

	if (run->started && ++m->phase == m->cut.phases) {
		m->phase = 0;
		m->first += m->most;
	}
	run->started = true;
	if (m->first >= m->cut.chunks)
		return JOB_END;
	*ret_chunks = size_min(m->most, m->cut.chunks - m->first);
	run->chunk_ns = (uint64_t)gemm_chunk_ns(&m->cut);
	return JOB_STAGE;
}

static uint64_t run_chunk(struct step_run *run, size_t chunk, void *scratch)
{
	const struct multiply *m = (const struct multiply *)run;
	void *slot = run->work ? run->work + chunk * slot_bytes(&m->cut) : NULL;

	gemm_run_chunk(&m->cut, &m->call, m->phase, m->first + chunk, slot, scratch);
	return run->step->out->shape.bytes / 4 / (m->cut.chunks * m->cut.phases);
}

const struct step_ops step_gemm = {
	.cost_row = COST_GEMM,
	.cost_ns = cost_ns,
	.work_bytes = work_bytes,
	.run_bytes = sizeof(struct multiply),
	.begin = begin_product,
	.advance = advance_product,
	.run_chunk = run_chunk,
};
