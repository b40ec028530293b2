/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting calls, and the size of chunks that transform rows. */
#include "fft/signals/signal.h"

#include "base/chunk.h"
#include "fft/plan/plan.h"

enum { ROWS_MAX = 64, ROWS_STEP = 16 }; /* 16: the float lanes of the widest vector */

/* First values: of several chunks CHUNK_AIM_NS each; of a single one what a byte takes. */
enum { BYTE_NS = 2 };

/* What a chunk takes is not known before it runs. */
static void find_stage(const struct staged_work *work, const struct staged_io *io, size_t stage, struct staged_stage *ret_stage)
{
	(void)io;
	(void)stage;
	*ret_stage = (struct staged_stage){.chunks = ((const struct signal_work *)work)->chunks};
}

static int run_chunk(const struct staged_work *work, const struct staged_io *io, size_t stage, size_t chunk, void *scratch)
{
	const struct signal_work *signal = (const struct signal_work *)work;

	(void)stage;
	return signal->kind->run(signal->call, io, chunk, scratch);
}

/* A single chunk is seldom a full one. */
static double estimate_cost_ns(const struct signal_kind *kind, size_t chunks, uint64_t bytes)
{
	if (kind->byte_ps)
		return (double)bytes * kind->byte_ps / 1000;
	if (chunks == 1 && bytes < CHUNK_AIM_NS / BYTE_NS)
		return (double)bytes * BYTE_NS;
	return (double)chunks * CHUNK_AIM_NS;
}

void signal_cut(const struct signal_kind *kind, const void *call, const struct fft_plan *plan, uint64_t bytes,
		struct signal_work *ret_work)
{
	static const struct staged_work_ops ops = {find_stage, run_chunk};
	const size_t chunks = kind->chunks(call, plan);

	*ret_work = (struct signal_work){.work = {.ops = &ops,
						  .stages = chunks > 0,
						  .scratch_bytes = kind->scratch_bytes ? kind->scratch_bytes(call, plan) : 0,
						  .cost_ns = estimate_cost_ns(kind, chunks, bytes)},
					 .kind = kind,
					 .call = call,
					 .chunks = chunks};
}

bool signal_fits(const struct fft_plan *plan, size_t row_bytes, size_t scratch_bytes)
{
	const size_t own = row_bytes > SIGNAL_ROWS_BYTES ? row_bytes : SIGNAL_ROWS_BYTES;

	return fft_phases(plan) == 1 && fft_work_bytes(plan, 1) == 0 &&
	       fft_scratch_bytes(plan) + own + 64 <= scratch_bytes;
}

/* Estimates a transform and the work on its elements, about 1 ns each. A real plan's own estimate counts 3 ns each,
 * which is right for its longest chunks only, so this adds to the inner plan's. */
static double estimate_ns(const struct fft_plan *plan)
{
	const bool is_real = plan->inner && plan->inner->n <= plan->n;

	return (is_real ? plan->inner->cost_ns : plan->cost_ns) + (double)plan->n;
}

/* Rounds down to a multiple of the widest vector, because kernels take as many transforms at once. */
size_t signal_rows_per_chunk(const struct fft_plan *plan, size_t transforms, size_t row_bytes)
{
	size_t rows = fft_count_per_chunk(estimate_ns(plan) * (double)transforms);

	if (rows > SIGNAL_ROWS_BYTES / row_bytes)
		rows = SIGNAL_ROWS_BYTES / row_bytes;
	if (rows > ROWS_MAX)
		rows = ROWS_MAX;
	if (rows > ROWS_STEP)
		rows -= rows % ROWS_STEP;
	return rows ? rows : 1;
}
