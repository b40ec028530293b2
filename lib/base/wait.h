/* SPDX-License-Identifier: Apache-2.0 */
/* How long to look for what another thread will do, before sleeping: waking a thread that sleeps on another CPU takes some 20 us
 * each way on a virtual machine, one more look 0.1 us. wait_again() decides, from what the waits before have shown; a history of
 * them has each session, and the daemon's loop.
 *
 * A wait has three parts, of which each may be empty, and sleeps after them:
 *
 *     looks at memory   some us, without a look at the clock: as many as the caller asks for, few if they found nothing the last
 *                       time, all of them again in one of 16 waits. A yield among them where the caller asks for it
 *     turns             yields, in a crowd that takes turns: each of many threads that wait for one another gives its CPU away and
 *                       has it back within microseconds, where waking a thread takes three to twenty. For a millisecond at most
 *     the window        looks at everything, with a yield now and then
 *
 * A wait that ended within the bound was worth its looks, so the next window is the whole bound. A longer wait halves the window,
 * down to zero. A pause therefore costs at most twice the bound of CPU time, and an idle thread none. Where waits last longer than
 * the bound, but are not many times as long as a wake-up, the window follows them: the next one is twice as long as the last wait,
 * up to a second bound.
 *
 * If other programs want this CPU, waits sleep at once for some time, a rest: a thread that spins yields the CPU for a scheduler
 * slice of milliseconds, while a thread that is woken gets it immediately. Measured on two CPUs beside a program that computes
 * without end: without rests two clients in turn get through 0.45 as many calls, and the 99th percentile of their shares is five
 * times as long. A rest is a time, not a number of waits: so it is over soon after that program, however long waits are.
 *
 * The window is also measured by its success. On a busy host a thread that looks may keep the one that it waits for from its CPU,
 * so whichever of looking and sleeping has the shorter waits is used (explore.h). Without that, the p99 of 512 samples beside jobs
 * of 1 GiB is twice as long on two CPUs (bench: crowd). The modes are tried by counts: with tries every 8 ms in the mode that
 * sleeps it is three times as long, since looking has the shorter mean there, and more waits that are very long. */
#ifndef TRNSCI_BASE_WAIT_H
#define TRNSCI_BASE_WAIT_H

#include <stdbool.h>
#include <stdint.h>

#include "base/explore.h"

/* What is waited for. The first of several answers that come together: to wake this thread costs the one that answers more than
 * the answers do, which no wait here can learn, so the window stays open unless other programs want this CPU or answers are late.
 * A batch of answers, to a thread that sleeps as cheaply as it looks: after a vain window, which takes as long as many of these
 * answers, waits sleep for some time. */
enum wait_for { WAIT_FOR_ONE, WAIT_FOR_SEVERAL, WAIT_FOR_BATCH, WAIT_FOR_KINDS };

enum wait_mode { WAIT_SLEEPS, WAIT_LOOKS, WAIT_MODES };

/* A time without what was in vain, doubled where it is in vain again. */
struct wait_rest {
	uint64_t length_ns, end_ns; /* 0: there was none */
};

/* Looks at memory whose success decides how many there are the next time. */
struct wait_looks {
	bool found;
	unsigned waits;
};

/* Begin with wait_init. One thread's at a time. */
struct wait_history {
	uint64_t most_ns;    /* the bound; 0: waits sleep at once */
	uint64_t longest_ns; /* the bound where waits take longer; at least most_ns */
	struct wait_looks looks[2], before_yield;
	struct wait_rest cpu;     /* others want it */
	struct wait_rest turns;   /* long ones: a program that computes, and no crowd */
	unsigned short_turns;     /* since the last long one */
	struct wait_rest windows; /* vain ones, for a batch */
	uint64_t began_ns;        /* the last window */
	uint64_t window_ns[WAIT_FOR_KINDS];
	unsigned closed;      /* waits for several without a window */
	struct explore modes; /* enum wait_mode, of waits for one */
};

/* One wait, of one thread. */
struct wait {
	enum wait_for what;
	enum wait_mode mode;
	unsigned looks;         /* at memory that are left */
	int which_looks;        /* of the history; -1: none */
	unsigned before_yield;  /* looks that are left before those and a yield */
	bool learns_before_yield, yields;
	bool takes_turns;
	bool in_window;         /* the parts before it are over */
	uint64_t window_ns, rest_end_ns;
	uint64_t began_ns;      /* the turns, then the window */
	unsigned polls;         /* in the window */
	unsigned yield_at;      /* of these, the one before which the CPU is yielded next */
	unsigned short_turns, short_yields;
	uint64_t long_turn_ns, long_yield_ns; /* when one ended; 0: none */
};

/* Sets the bounds. The first window for one answer is empty. */
void wait_init(struct wait_history *history, uint64_t most_ns, uint64_t longest_ns);

/* Begins a wait, from its window. */
void wait_begin(struct wait *wait, const struct wait_history *history, enum wait_for what);
/* Puts looks at memory before the window: `most` of them, or `few` if the last ones of this kind (0 or 1) found nothing. */
void wait_look_first(struct wait *wait, struct wait_history *history, int which, unsigned most, unsigned few);
/* Puts a yield before these looks, and up to `most` looks before the yield as long as they find something. */
void wait_yield_first(struct wait *wait, struct wait_history *history, unsigned most);
/* Puts turns before the window, unless they were long. */
void wait_take_turns(struct wait *wait, const struct wait_history *history);

/* Returns whether to look once more rather than sleep. Lets other threads of this CPU run meanwhile. It needs no history: so another
 * thread may have that. */
bool wait_again(struct wait *wait);

/* Returns whether the next look is to be at memory alone: the window has not begun. */
static inline bool wait_is_brief(const struct wait *wait)
{
	return wait->before_yield > 0 || wait->yields || wait->looks > 0 || wait->takes_turns;
}

/* Ends the wait, which found something or slept, and learns from it. */
void wait_end(const struct wait *wait, struct wait_history *history, bool found);

/* Returns whether waits for a batch sleep at once for now. */
bool wait_sleeps_for_batch(const struct wait_history *history);

/* Gives the CPU away for a turn, unless the last ones were long. */
void wait_give_turn(struct wait_history *history);

#endif
