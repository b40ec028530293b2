/* SPDX-License-Identifier: Apache-2.0 */
/* How much a chunk takes on. */
#include "fft/signals/signal.h"

#include "fft/plan/plan.h"

enum { GROUP_MAX = 64, GROUP_STEP = 16 };

bool signal_fits(const struct fft_plan *plan, size_t row_bytes, size_t scratch_bytes)
{
	const size_t own = row_bytes > SIGNAL_ROWS_BYTES ? row_bytes : SIGNAL_ROWS_BYTES;

	return fft_phases(plan) == 1 && fft_work_bytes(plan, 1) == 0 &&
	       fft_scratch_bytes(plan) + own + 64 <= scratch_bytes;
}

/* Of one transform with what is done to its elements, about a nanosecond each; a real plan's own figure, made for the
 * longest chunk, counts three. */
static double cost_of(const struct fft_plan *plan)
{
	const bool is_real = plan->inner && plan->inner->n <= plan->n;

	return (is_real ? plan->inner->cost_ns : plan->cost_ns) + (double)plan->n;
}

/* A multiple of the widest vector where there are that many: kernels take as many transforms at once. */
size_t signal_group(const struct fft_plan *plan, size_t transforms, size_t row_bytes)
{
	size_t group = fft_count_per_chunk(cost_of(plan) * (double)transforms);

	if (group > SIGNAL_ROWS_BYTES / row_bytes)
		group = SIGNAL_ROWS_BYTES / row_bytes;
	if (group > GROUP_MAX)
		group = GROUP_MAX;
	if (group > GROUP_STEP)
		group -= group % GROUP_STEP;
	return group ? group : 1;
}
