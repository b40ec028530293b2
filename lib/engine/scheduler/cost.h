/* SPDX-License-Identifier: Apache-2.0 */
/* Costs learned from chunks as they run: what work of one kind takes, of what its built-in first value says.
 *
 * They decide where work is done, never what it gives. Any thread; a lost update is one chunk less learned from. */
#ifndef TRNSCI_ENGINE_COST_H
#define TRNSCI_ENGINE_COST_H

#include <stdatomic.h>
#include <stdint.h>

/* Zero: nothing was learned yet. */
struct cost {
	_Atomic uint32_t ratio; /* in units of 1 / COST_UNIT */
};

enum { COST_UNIT = 1024, COST_LEAST = COST_UNIT / 64, COST_MOST = 16 * COST_UNIT };

/* Returns the time to expect of work whose first value is ns. cost may be NULL. */
static inline uint64_t cost_expect(const struct cost *cost, uint64_t ns)
{
	const uint32_t ratio = cost ? atomic_load_explicit(&cost->ratio, memory_order_relaxed) : 0;

	return ratio == 0 || ns > UINT64_MAX / COST_MOST ? ns : ns * ratio / COST_UNIT;
}

/* Work whose first value is ns took took_ns. Faster chunks weigh more: what makes one slow is mostly not the work. */
void cost_learn(struct cost *cost, uint64_t ns, uint64_t took_ns);

#endif
