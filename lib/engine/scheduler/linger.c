/* SPDX-License-Identifier: Apache-2.0 */
/* A window that opens with short waits and closes with long ones; rests with exponential backoff. */
#include "engine/scheduler/linger.h"

#include <sched.h>

#include "base/clock.h"
#include "base/spin.h"

#define LONG_GIFT_NS  (400 * 1000ull)       /* longer than a client's or the loop's turn, shorter than a slice */
#define REST_LEAST_NS (5 * 1000 * 1000ull)  /* a few turns of the scheduler: what lasts longer doubles it */
#define REST_MOST_NS  (4000 * 1000 * 1000ull)
#define LEAST_NS      2000 /* a shorter window counts as none */

enum {
	GIVE_EVERY = 4, /* looks */
	LATE = 2,       /* times most_ns, within which work may come for the next wait to linger: asleep, a wait is longer */
	CALM_RESTS = 4, /* after so many times the last rest, it is forgotten */
};

void linger_begin(struct linger *linger, uint64_t most_ns, uint64_t at_ns)
{
	if (linger->most_ns != most_ns)
		linger->window_ns = linger->most_ns = most_ns;
	linger->began_ns = at_ns;
	linger->looks = 0;
}

bool linger_rests(const struct linger *linger, uint64_t at_ns)
{
	return at_ns < atomic_load_explicit(&linger->rests_until_ns, memory_order_relaxed);
}

void linger_note_yield(struct linger *linger, uint64_t took_ns, uint64_t at_ns)
{
	const uint64_t until_ns = atomic_load_explicit(&linger->rests_until_ns, memory_order_relaxed);
	const bool again = at_ns - until_ns < CALM_RESTS * linger->rest_ns;

	if (took_ns < LONG_GIFT_NS)
		return;
	linger->rest_ns = again ? 2 * linger->rest_ns : REST_LEAST_NS;
	if (linger->rest_ns > REST_MOST_NS)
		linger->rest_ns = REST_MOST_NS;
	atomic_store_explicit(&linger->rests_until_ns, at_ns + linger->rest_ns, memory_order_relaxed);
}

/* Who answers may need this very CPU, so it is given away before the first look and every few looks. */
bool linger_again(struct linger *linger, uint64_t *at_ns)
{
	const uint64_t before_ns = *at_ns;

	if (before_ns - linger->began_ns >= linger->window_ns || linger_rests(linger, before_ns))
		return false;
	if (linger->looks++ % GIVE_EVERY == 0)
		sched_yield();
	else
		spin_pause();
	*at_ns = now_ns();
	linger_note_yield(linger, *at_ns - before_ns, *at_ns);
	return true;
}

void linger_open(struct linger *linger)
{
	linger->window_ns = linger->most_ns;
}

void linger_end(struct linger *linger, uint64_t at_ns)
{
	if (at_ns - linger->began_ns <= LATE * linger->most_ns)
		linger->window_ns = linger->most_ns;
	else
		linger->window_ns = linger->window_ns / 2 < LEAST_NS ? 0 : linger->window_ns / 2;
}
