/* SPDX-License-Identifier: Apache-2.0 */
/* What all kinds of plans share. Each kind's own file implements struct fft_kind. */
#include "fft/plan/plan.h"

#include <stdlib.h>

#include "base/checked.h"
#include "fft/plan/inner.h"

/* The most `work` that fft_run uses at once: more would leave the second-level cache between two phases. */
enum { SLICE_BYTES = 1 << 20 };

/* calloc: a plan that fails half-built can be freed by its kind, whose pointers are NULL. */
struct fft_plan *fft_plan_allocate(const struct fft_kind *kind, size_t size, uint64_t n, enum fft_precision precision,
				   uint32_t features)
{
	struct fft_plan *plan = calloc(1, size);

	if (!plan)
		return NULL;
	plan->kind = kind;
	plan->work_group = 1;
	plan->n = n;
	plan->precision = precision;
	plan->features = features;
	plan->ops = fft_select(features)->ops[precision];
	plan->bytes = size;
	return plan;
}

/* A ready plan stays ready: stepping it again does nothing. */
int fft_plan_step(struct fft_plan *plan)
{
	int rc;

	if (plan->ready)
		return 0;
	rc = plan->kind->step(plan);
	plan->ready = rc == 0;
	return rc;
}

void fft_plan_free(struct fft_plan *plan)
{
	if (!plan)
		return;
	plan->kind->release(plan);
	if (inner_give(plan->inner))
		fft_plan_free(plan->inner);
	free(plan);
}

/* Counts the inner plans, too, as if nobody shared them: a cache that frees this plan may free them. */
size_t fft_plan_bytes(const struct fft_plan *plan)
{
	return plan->bytes + (plan->inner ? fft_plan_bytes(plan->inner) : 0);
}

size_t fft_complex_in_bytes(const struct fft_plan *plan, bool inverse)
{
	(void)inverse;
	return fft_pair_bytes(plan);
}

size_t fft_count_per_chunk(double cost_ns)
{
	const double count = FFT_CHUNK_NS / cost_ns;

	return count < 1 ? 1 : (size_t)count;
}

void fft_plan_set_group(struct fft_plan *plan, size_t group)
{
	plan->group = group;
	plan->chunk = group * fft_count_per_chunk(plan->cost_ns * (double)group);
}

size_t fft_work_bytes(const struct fft_plan *plan, size_t batch)
{
	return plan->kind->work_bytes(plan, batch, FFT_REUSE_NONE);
}

size_t fft_work_bytes_reusing(const struct fft_plan *plan, size_t batch, enum fft_reuse reuse)
{
	return plan->kind->work_bytes(plan, batch, reuse);
}

size_t fft_work_group(const struct fft_plan *plan)
{
	return plan->work_group;
}

size_t fft_phases(const struct fft_plan *plan)
{
	return plan->kind->phases(plan);
}

size_t fft_chunks(const struct fft_plan *plan, size_t phase, size_t batch)
{
	return plan->kind->chunks(plan, phase, batch);
}

void fft_run_chunk(const struct fft_plan *plan, const struct fft_call *call, size_t phase, size_t chunk, void *scratch)
{
	plan->kind->run_chunk(plan, call, phase, chunk, scratch);
}

size_t fft_scratch_bytes(const struct fft_plan *plan)
{
	return fft_scratch_bytes_of(plan, SIZE_MAX);
}

size_t fft_scratch_bytes_of(const struct fft_plan *plan, size_t batch)
{
	return plan->kind->scratch_bytes(plan, batch);
}

size_t fft_in_bytes(const struct fft_plan *plan, bool inverse)
{
	return plan->kind->in_bytes(plan, inverse);
}

/* Half a spectrum is the side whose elements are larger. */
size_t fft_in_length(const struct fft_plan *plan, bool inverse)
{
	return fft_in_bytes(plan, inverse) > fft_in_bytes(plan, !inverse) ? plan->n / 2 + 1 : plan->n;
}

size_t fft_lanes_scratch_bytes(const struct fft_plan *plan)
{
	return size_max(fft_scratch_bytes(plan), plan->lanes_bytes);
}

bool fft_takes_columns(const struct fft_plan *plan)
{
	return plan->takes_columns;
}

bool fft_is_product(const struct fft_plan *plan)
{
	return plan->is_product;
}

/* Runs all phases of a part of a batch. The chunks of a phase are done in order, which any order equals. */
static void run_slice(const struct fft_plan *plan, const struct fft_call *call, void *scratch)
{
	const size_t phases = fft_phases(plan);

	for (size_t phase = 0; phase < phases; phase++) {
		const size_t chunks = fft_chunks(plan, phase, call->batch);

		for (size_t chunk = 0; chunk < chunks; chunk++)
			fft_run_chunk(plan, call, phase, chunk, scratch);
	}
}

/* A slice is as many transforms as have SLICE_BYTES of work. The memory that the caller gave is for the whole batch. */
void fft_run(const struct fft_plan *plan, const struct fft_call *call, void *scratch)
{
	struct fft_call slice;
	size_t work, most;

	if (!plan->is_long && call->batch <= plan->chunk) { /* most short transforms: one chunk */
		fft_run_chunk(plan, call, 0, 0, scratch);
		return;
	}
	work = fft_work_bytes(plan, 1);
	if (work == 0) {
		run_slice(plan, call, scratch);
		return;
	}
	slice = *call;
	most = (work > SLICE_BYTES ? 1 : SLICE_BYTES / work) * fft_work_group(plan);
	for (size_t b = 0; b < call->batch; b += slice.batch) {
		slice.batch = size_min(most, call->batch - b);
		slice.in = (const char *)call->in + b * call->in_distance * fft_in_bytes(plan, call->inverse);
		slice.out = (char *)call->out + b * call->out_distance * fft_in_bytes(plan, !call->inverse);
		run_slice(plan, &slice, scratch);
	}
}

/* One bound for all lengths; n is there for a bound that grows with it. */
double fft_error_bound(uint64_t n, enum fft_precision precision)
{
	(void)n;
	return precision == FFT_F32 ? 1e-6 : 1e-14;
}
