/* SPDX-License-Identifier: Apache-2.0 */
/* Adaptive spinning. */
#include "base/spin.h"

#include <sched.h>
#include <time.h>

enum {
	LEAST_NS = 1000, /* a shorter window is none */
	YIELD_EVERY = 4,
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

/* The one that is waited for may be on this very CPU, so it is let go before the first look and now and then. */
bool spin_again(struct spin *spin)
{
	if (spin->window_ns == 0 || now_ns() - spin->began_ns >= spin->window_ns)
		return false;
	if (spin->looks++ % YIELD_EVERY == 0)
		sched_yield();
	return true;
}

void spin_end(struct spin *spin)
{
	if (spin->most_ns == 0)
		return;
	if (now_ns() - spin->began_ns <= spin->most_ns)
		spin->window_ns = spin->most_ns;
	else
		spin->window_ns = spin->window_ns / 2 < LEAST_NS ? 0 : spin->window_ns / 2;
}
