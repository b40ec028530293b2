/* SPDX-License-Identifier: Apache-2.0 */
/* How long to poll before sleeping. Waking a thread that sleeps on another CPU takes some 20 us each way on a virtual
 * machine; one more poll takes 0.1 us.
 *
 * A wait that ended within the bound was worth spinning for, so the next wait may spin for the whole bound. A longer
 * wait halves the window, down to zero. A pause therefore costs at most twice the bound of CPU time, and an idle thread
 * none. Where waits last longer than the bound, but are not many times as long as a wake-up, the window follows them: the
 * next wait may spin twice as long as the last one took, up to a second bound. If other threads want this CPU, waits sleep
 * at once: a thread that spins yields the CPU for a scheduler slice of milliseconds, while a thread that is woken gets it
 * immediately. Measured on two CPUs beside a program that computes without end: without that rule, two clients in turn get through
 * 0.45 as many calls, and the 99th percentile of their shares is five times as long.
 *
 * A rest is a time, of at most 8 ms, not a number of waits: so it is over soon after that program, however long waits are.
 *
 * Spinning is also measured by its success. On a busy host a spinning thread may keep the one that it waits for from
 * its CPU, so whichever of spinning and sleeping has the shorter waits is used (explore.h). Without that, the p99 of 512 samples beside
 * jobs of 1 GiB is twice as long on two CPUs (bench: crowd). The modes are tried by counts: with tries every 8 ms in the mode that
 * sleeps it is three times as long, since spinning has the shorter mean there, and more waits that are very long. */
#ifndef TRNSCI_BASE_SPIN_H
#define TRNSCI_BASE_SPIN_H

#include <stdbool.h>
#include <stdint.h>

#include "base/explore.h"

enum spin_mode { SPIN_SLEEPS, SPIN_SPINS, SPIN_MODES };

struct spin {
	uint64_t most_ns;     /* the bound; 0: never spins */
	uint64_t longest_ns;  /* the bound where waits take longer; at least most_ns */
	bool for_several;     /* spin_init_for_several */
	bool for_batch;       /* spin_init_for_batch */
	uint64_t window_ns;   /* how long the next wait may spin */
	uint64_t began_ns;    /* start of this wait */
	unsigned polls;       /* in this wait */
	unsigned yield_at;    /* of these, the one before which the CPU is yielded next */
	uint64_t rest_ns;     /* the last rest after a long yield or a vain spin; doubled by one, lowered by others */
	uint64_t rest_end_ns; /* waits that begin before it sleep */
	struct explore modes; /* enum spin_mode */
	enum spin_mode mode;  /* of this wait */
	unsigned closed;      /* waits for several answers without a window */
};

/* Lets the other thread of this core run for some cycles. */
static inline void spin_pause(void)
{
#if defined(__x86_64__)
	__builtin_ia32_pause();
#elif defined(__aarch64__)
	__asm__ volatile("yield");
#endif
}

/* Sets the bound. The first wait sleeps. */
void spin_init(struct spin *spin, uint64_t most_ns);

/* The same for waits that may spin up to longest_ns where the ones before took longer than half the bound. */
void spin_init_following(struct spin *spin, uint64_t most_ns, uint64_t longest_ns);

/* Sets the bound for waits for the first of several answers that come together. To wake this thread costs the one that
 * answers more than the answers do, which no wait here can learn: so they spin unless other threads want this CPU, and
 * look again now and then whether that pays. */
void spin_init_for_several(struct spin *spin, uint64_t most_ns);

/* Sets the bound for waits for several answers that come together, of a thread that sleeps as cheaply as it spins. After a vain
 * spin, which takes as long as many of these answers, the next waits sleep: twice as many each time. */
void spin_init_for_batch(struct spin *spin, uint64_t most_ns);

/* Starts a wait. */
void spin_begin(struct spin *spin);

/* Returns whether to poll once more rather than sleep. Lets other threads of this CPU run meanwhile. */
bool spin_again(struct spin *spin);

/* Notes that a wait for a batch has found nothing as long as it spun, and sleeps. */
void spin_give_up(struct spin *spin);

/* Returns whether waits sleep at once for now, since spinning was in vain. */
static inline bool spin_is_vain(const struct spin *spin)
{
	return spin->began_ns < spin->rest_end_ns;
}

/* Ends the wait, which spun or slept, and sets the window of the next. */
void spin_end(struct spin *spin);

#endif
