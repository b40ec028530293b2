/* SPDX-License-Identifier: Apache-2.0 */
/* Adaptive spinning. */
#include "base/spin.h"

#include <sched.h>
#include <time.h>

enum {
	LEAST_NS = 1000, /* a shorter window is none */
	YIELD_EVERY = 4,
	LONG_NS = 200000, /* of a yield: more than an answer takes, less than another's turn at the CPU */
	CROWDED_LEAST = 256,
	CROWDED_MOST = 4096,
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void spin_init(struct spin *spin, uint64_t most_ns)
{
	*spin = (struct spin){.most_ns = most_ns};
}

void spin_begin(struct spin *spin)
{
	spin->looks = 0;
	if (spin->most_ns)
		spin->began_ns = now_ns();
}

/* After a long one the CPU is another's, too, and a yield costs its whole turn: a sleeper is let in at once. */
static void yield(struct spin *spin, uint64_t since_ns)
{
	sched_yield();
	if (now_ns() - since_ns < LONG_NS) {
		spin->crowded -= spin->crowded > 0;
		return;
	}
	spin->crowded = spin->crowded < CROWDED_LEAST  ? CROWDED_LEAST
			: spin->crowded < CROWDED_MOST ? 2 * spin->crowded
						       : CROWDED_MOST;
	spin->asleep = spin->crowded;
}

/* The one that is waited for may be on this very CPU, so it is let go before the first look and now and then. */
bool spin_again(struct spin *spin)
{
	uint64_t now;

	if (spin->window_ns == 0 || spin->asleep)
		return false;
	now = now_ns();
	if (now - spin->began_ns >= spin->window_ns)
		return false;
	if (spin->looks++ % YIELD_EVERY == 0)
		yield(spin, now);
	return true;
}

void spin_end(struct spin *spin)
{
	if (spin->most_ns == 0)
		return;
	spin->asleep -= spin->asleep > 0;
	if (now_ns() - spin->began_ns <= spin->most_ns)
		spin->window_ns = spin->most_ns;
	else
		spin->window_ns = spin->window_ns / 2 < LEAST_NS ? 0 : spin->window_ns / 2;
}
