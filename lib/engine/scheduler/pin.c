/* SPDX-License-Identifier: Apache-2.0 */
/* Pinning with exponential backoff. */
#include "engine/scheduler/pin.h"

#include "engine/scheduler/cpus.h"

#define LOST_NS       (1000 * 1000ull)      /* a chunk computes for 250 us at most */
#define REST_LEAST_NS (5 * 1000 * 1000ull) /* a few turns of the scheduler: what lasts longer doubles it */
#define REST_MOST_NS  (4000 * 1000 * 1000ull)
#define CALM_RESTS    4 /* after so many times the last rest without a loss, it is forgotten */

void pin_begin(struct pin *pin, pthread_t thread, const cpu_set_t *cpus, unsigned index)
{
	*pin = (struct pin){.cpus = cpus, .thread = thread, .index = index};
	cpus_pin(thread, cpus, index);
}

static void let_go(struct pin *pin, uint64_t at_ns)
{
	const bool again = at_ns - pin->change_ns < CALM_RESTS * pin->rest_ns;

	pin->rest_ns = again ? 2 * pin->rest_ns : REST_LEAST_NS;
	if (pin->rest_ns > REST_MOST_NS)
		pin->rest_ns = REST_MOST_NS;
	pin->change_ns = at_ns + pin->rest_ns;
	pin->is_free = true;
	if (pin->cpus)
		cpus_unpin(pin->thread, pin->cpus);
}

void pin_note_time(struct pin *pin, uint64_t took_ns, uint64_t at_ns)
{
	const bool is_free = atomic_load_explicit(&pin->is_free, memory_order_relaxed);

	if (!is_free && took_ns >= LOST_NS) {
		let_go(pin, at_ns);
	} else if (is_free && at_ns >= pin->change_ns) {
		pin->is_free = false;
		pin->change_ns = at_ns;
		if (pin->cpus)
			cpus_pin(pin->thread, pin->cpus, pin->index);
	}
}

bool pin_has_lost(const struct pin *pin, uint64_t at_ns)
{
	return atomic_load_explicit(&pin->is_free, memory_order_relaxed) &&
	       at_ns < atomic_load_explicit(&pin->change_ns, memory_order_relaxed);
}
