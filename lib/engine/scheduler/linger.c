/* SPDX-License-Identifier: Apache-2.0 */
/* A window that opens with short waits and closes with long ones. */
#include "engine/scheduler/linger.h"

#include <sched.h>

#include "base/clock.h"
#include "base/spin.h"

enum {
	LEAST_NS = 2000, /* a shorter window counts as none */
	GIVE_EVERY = 4,  /* looks */
	LATE = 2,        /* times most_ns, within which work may come for the next wait to linger: asleep, a wait is longer */
};

void linger_begin(struct linger *linger, uint64_t most_ns, uint64_t at_ns)
{
	if (linger->most_ns != most_ns)
		linger->window_ns = linger->most_ns = most_ns;
	linger->began_ns = at_ns;
	linger->looks = 0;
}

/* Who answers may need this very CPU, so it is given away before the first look and every few looks. */
bool linger_again(struct linger *linger, uint64_t *at_ns)
{
	if (*at_ns - linger->began_ns >= linger->window_ns)
		return false;
	if (linger->looks++ % GIVE_EVERY == 0)
		sched_yield();
	else
		spin_pause();
	*at_ns = now_ns();
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
