/* SPDX-License-Identifier: Apache-2.0 */
/* The size of chunks that transform rows. */
#include "fft/signals/signal.h"

#include "fft/plan/plan.h"

enum { ROWS_MAX = 64, ROWS_STEP = 16 }; /* 16: the float lanes of the widest vector */

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
