/* SPDX-License-Identifier: Apache-2.0 */
/* Adaptive spinning, with exponential backoff on a CPU that other threads want. */
#include "base/spin.h"

#include <sched.h>
#include <time.h>

enum {
	LEAST_NS = 1000, /* a shorter window counts as zero */
	YIELD_EVERY = 4, /* polls */
	/* A yield this long gave the CPU to another thread: longer than a reply, shorter than a slice. */
	LONG_YIELD_NS = 200000,
	BACKOFF_LEAST = 256, /* waits */
	BACKOFF_MOST = 4096,
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
	spin->polls = 0;
	if (spin->most_ns)
		spin->began_ns = now_ns();
}

/* Yields the CPU. If another thread kept it for its whole slice, the next waits sleep: a woken thread is scheduled at
 * once. */
static void yield_cpu(struct spin *spin, uint64_t since_ns)
{
	sched_yield();
	if (now_ns() - since_ns < LONG_YIELD_NS) {
		spin->backoff -= spin->backoff > 0;
		return;
	}
	spin->backoff = spin->backoff < BACKOFF_LEAST  ? BACKOFF_LEAST
			: spin->backoff < BACKOFF_MOST ? 2 * spin->backoff
						       : BACKOFF_MOST;
	spin->sleeps_left = spin->backoff;
}

/* The thread that will answer may need this very CPU, so yields before the first poll and every few polls. */
bool spin_again(struct spin *spin)
{
	uint64_t now;

	if (spin->window_ns == 0 || spin->sleeps_left)
		return false;
	now = now_ns();
	if (now - spin->began_ns >= spin->window_ns)
		return false;
	if (spin->polls++ % YIELD_EVERY == 0)
		yield_cpu(spin, now);
	return true;
}

void spin_end(struct spin *spin)
{
	if (spin->most_ns == 0)
		return;
	spin->sleeps_left -= spin->sleeps_left > 0;
	if (now_ns() - spin->began_ns <= spin->most_ns)
		spin->window_ns = spin->most_ns;
	else
		spin->window_ns = spin->window_ns / 2 < LEAST_NS ? 0 : spin->window_ns / 2;
}
