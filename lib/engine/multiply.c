/* SPDX-License-Identifier: Apache-2.0 */
/* Units go in groups whose sums fit the memory between phases; mostly there is one phase and one group. */
#include "engine/multiply.h"

#include "base/checked.h"
#include "engine/temp.h"

enum { WORK_BYTES = 32 << 20, SLOT_ALIGN = 64 };

static struct gemm_call call_of(const struct step *step)
{
	struct gemm_call call = step->gemm.call;

	call.a.at = step->in[0]->base;
	call.b.at = step->in[1]->base;
	call.c = step->out->base;
	return call;
}

static struct gemm_cut cut_of(const struct engine *engine, const struct step *step)
{
	return gemm_cut(step->gemm.precision, engine->features, &step->gemm.call);
}

static size_t slot_bytes(const struct gemm_cut *cut)
{
	return (gemm_slot_bytes(cut) + SLOT_ALIGN - 1) / SLOT_ALIGN * SLOT_ALIGN;
}

static size_t most_at_once(const struct gemm_cut *cut)
{
	const size_t each = slot_bytes(cut);

	return each ? size_min(WORK_BYTES / each, cut->units) : cut->units;
}

uint64_t multiply_work_bytes(const struct engine *engine, const struct step *step)
{
	const struct gemm_cut cut = cut_of(engine, step);

	return most_at_once(&cut) * slot_bytes(&cut);
}

uint64_t multiply_cost(const struct engine *engine, const struct step *step)
{
	const struct gemm_cut cut = cut_of(engine, step);

	return (uint64_t)((double)(cut.units * cut.phases) * gemm_unit_ns(&cut));
}

int multiply_begin(struct engine *engine, const struct step *step, struct multiply *ret_multiply)
{
	struct multiply m = {.engine = engine, .step = step, .call = call_of(step), .cut = cut_of(engine, step)};

	m.most = most_at_once(&m.cut);
	if (m.cut.units && gemm_scratch_bytes(&m.cut) > pool_scratch_bytes(engine->pool))
		return -ERROR_NOT_SUPPORTED;
	if (step->gemm.work_bytes) {
		m.work = temp_alloc(step->gemm.work_bytes);
		if (!m.work)
			return -ERROR_NO_MEMORY;
	}
	*ret_multiply = m;
	return 0;
}

int multiply_advance(struct multiply *m, size_t *ret_units)
{
	if (m->started && ++m->phase == m->cut.phases) {
		m->phase = 0;
		m->first += m->most;
	}
	m->started = true;
	if (m->first >= m->cut.units)
		return JOB_END;
	*ret_units = size_min(m->most, m->cut.units - m->first);
	return JOB_STAGE;
}

uint64_t multiply_run(const struct multiply *m, size_t unit, void *scratch)
{
	void *slot = m->work ? m->work + unit * slot_bytes(&m->cut) : NULL;

	gemm_run_unit(&m->cut, &m->call, m->phase, m->first + unit, slot, scratch);
	return m->step->out->shape.bytes / 4 / (m->cut.units * m->cut.phases);
}

void multiply_end(struct multiply *m)
{
	if (m->step)
		temp_free(m->engine, m->work, m->step->gemm.work_bytes);
}
