/* SPDX-License-Identifier: Apache-2.0 */
/* A moving ratio of measured time to first value. */
#include "engine/scheduler/cost.h"

enum { WEIGHT_FASTER = 4, WEIGHT_SLOWER = 16 };

void cost_learn(struct cost *cost, uint64_t ns, uint64_t took_ns)
{
	const int64_t old = atomic_load_explicit(&cost->ratio, memory_order_relaxed);
	int64_t ratio;

	if (ns == 0)
		return;
	ratio = took_ns / ns >= COST_MOST / COST_UNIT ? COST_MOST : (int64_t)(took_ns * COST_UNIT / ns);
	if (old && ratio > 2 * old) /* it has lost its CPU meanwhile */
		ratio = 2 * old;
	if (old)
		ratio = old + (ratio - old) / (ratio < old ? WEIGHT_FASTER : WEIGHT_SLOWER);
	if (ratio < COST_LEAST)
		ratio = COST_LEAST;
	if (ratio != old)
		atomic_store_explicit(&cost->ratio, (uint32_t)ratio, memory_order_relaxed);
}
