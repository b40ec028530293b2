/* SPDX-License-Identifier: Apache-2.0 */
/* Pinning with exponential backoff. */
#include "engine/scheduler/pin.h"

#include "base/backoff.h"
#include "base/chunk.h"
#include "engine/scheduler/cpus.h"

#define LOST_NS       (4 * CHUNK_MOST_NS)
#define LONG_YIELD_NS (400 * 1000ull)       /* longer than a client's or the loop's turn, shorter than a slice */
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
	const bool again = at_ns - pin->until_ns < CALM_RESTS * pin->rest_ns;

	pin->rest_ns = backoff_next(again ? pin->rest_ns : 0, REST_LEAST_NS, REST_MOST_NS);
	pin->until_ns = at_ns + pin->rest_ns;
	pin->is_free = true;
	if (pin->cpus)
		cpus_unpin(pin->thread, pin->cpus);
}

static void note_loss(struct pin *pin, bool lost, uint64_t at_ns)
{
	const bool is_free = atomic_load_explicit(&pin->is_free, memory_order_relaxed);

	if (!is_free && lost) {
		let_go(pin, at_ns);
	} else if (is_free && at_ns >= pin->until_ns) {
		pin->is_free = false;
		if (pin->cpus)
			cpus_pin(pin->thread, pin->cpus, pin->index);
	}
}

void pin_note_time(struct pin *pin, uint64_t took_ns, uint64_t at_ns)
{
	note_loss(pin, took_ns >= LOST_NS, at_ns);
}

void pin_note_yield(struct pin *pin, uint64_t took_ns, uint64_t at_ns)
{
	note_loss(pin, took_ns >= LONG_YIELD_NS, at_ns);
}

bool pin_has_lost(const struct pin *pin, uint64_t at_ns)
{
	return atomic_load_explicit(&pin->is_free, memory_order_relaxed) &&
	       at_ns < atomic_load_explicit(&pin->until_ns, memory_order_relaxed);
}
