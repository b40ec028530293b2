/* SPDX-License-Identifier: Apache-2.0 */
/* Adaptive spinning, with rests on a CPU that other threads want. */
#include "base/spin.h"

#include <sched.h>

#include "base/backoff.h"
#include "base/clock.h"

enum {
	LEAST_NS = 1000,      /* a shorter window counts as zero */
	YIELD_OFTEN = 4,      /* polls, after a yield in which another thread ran */
	YIELD_RARELY = 16,    /* polls, after one that found none: it takes as long as one to three polls */
	VAIN_YIELD_NS = 1000, /* a shorter yield found none */
	/* A yield this long gave the CPU to another thread: longer than a reply, shorter than a slice. */
	LONG_YIELD_NS = 400000,
	REST_LEAST_NS = 500000, /* without spins, after a long yield or a vain spin for a batch */
	REST_MOST_NS = 8000000,
	RESTS_FADE = 256,  /* short yields, about, which undo a doubling of the rest */
	STRETCH = 2,       /* times the last wait, which the next one may spin */
	LATE = 2,          /* times the bound, within which one for several answers may spin again */
	REOPEN_EVERY = 32, /* waits without a window, after which one for several answers has one again */
	VAIN_NS = 20000,   /* window after a vain spin for a batch, which each that is not doubles: what waking a thread takes */
	UNTIL_TRIES = 128, /* waits before the other mode is tried */
	LONGEST = 10,      /* times the bound: a longer wait counts as so long */
};

void spin_init(struct spin *spin, uint64_t most_ns)
{
	spin_init_following(spin, most_ns, most_ns);
}

void spin_init_following(struct spin *spin, uint64_t most_ns, uint64_t longest_ns)
{
	*spin = (struct spin){.most_ns = most_ns, .longest_ns = longest_ns};
	explore_init(&spin->modes, SPIN_SPINS, UNTIL_TRIES);
}

void spin_init_for_several(struct spin *spin, uint64_t most_ns)
{
	spin_init(spin, most_ns);
	spin->for_several = true;
	spin->window_ns = most_ns;
}

void spin_init_for_batch(struct spin *spin, uint64_t most_ns)
{
	spin_init(spin, most_ns);
	spin->for_batch = true;
	spin->window_ns = most_ns;
}

void spin_begin(struct spin *spin)
{
	spin->polls = spin->yield_at = 0;
	spin->mode = explore_next(&spin->modes);
	if (spin->most_ns)
		spin->began_ns = now_ns();
}

/* The next waits sleep, twice as long as the last time. */
static void rest(struct spin *spin, uint64_t now)
{
	spin->rest_ns = backoff_next(spin->rest_ns, REST_LEAST_NS, REST_MOST_NS);
	spin->rest_end_ns = now + spin->rest_ns;
}

/* Yields the CPU. If another thread kept it for its whole slice, the next waits sleep: a woken thread is scheduled at
 * once. */
static void yield_cpu(struct spin *spin, uint64_t since_ns)
{
	uint64_t now;

	sched_yield();
	now = now_ns();
	spin->yield_at = spin->polls + (now - since_ns < VAIN_YIELD_NS ? YIELD_RARELY : YIELD_OFTEN);
	if (now - since_ns < LONG_YIELD_NS)
		spin->rest_ns -= spin->rest_ns / RESTS_FADE;
	else
		rest(spin, now);
}

/* The thread that will answer may need this very CPU, so yields before the first poll and every few polls. */
bool spin_again(struct spin *spin)
{
	uint64_t now;

	if (spin->window_ns == 0 || spin_is_vain(spin) || spin->mode == SPIN_SLEEPS)
		return false;
	now = now_ns();
	if (now - spin->began_ns >= spin->window_ns)
		return false;
	if (spin->polls == spin->yield_at)
		yield_cpu(spin, now);
	spin->polls++;
	return true;
}

/* A wait that has not spun says nothing. */
void spin_give_up(struct spin *spin)
{
	if (spin->polls > 0 && !spin_is_vain(spin)) {
		rest(spin, now_ns());
		spin->window_ns = spin->most_ns < VAIN_NS ? spin->most_ns : VAIN_NS;
	}
}

/* Learns from a wait in the mode that was chosen for it; others, which slept for want of a window, count for neither.
 */
static void learn(struct spin *spin, uint64_t took_ns)
{
	const uint64_t most_ns = LONGEST * spin->most_ns;

	explore_learn(&spin->modes, spin->mode, took_ns < most_ns ? took_ns : most_ns);
}

static void end_wait_for_batch(struct spin *spin)
{
	if (spin->polls > 0 && !spin_is_vain(spin)) {
		spin->rest_ns /= 2;
		spin->window_ns = spin->window_ns < spin->most_ns / 2 ? 2 * spin->window_ns : spin->most_ns;
	}
}

/* Returns the window after a wait that was worth spinning for. */
static uint64_t window_after(const struct spin *spin, uint64_t took_ns)
{
	const uint64_t wanted_ns = STRETCH * took_ns;

	if (wanted_ns <= spin->most_ns)
		return spin->most_ns;
	return wanted_ns < spin->longest_ns ? wanted_ns : spin->longest_ns;
}

/* Returns whether a wait that took so long was worth spinning for. */
static bool was_short(struct spin *spin, uint64_t took_ns)
{
	if (!spin->for_several)
		return took_ns <= spin->longest_ns;
	return took_ns <= LATE * spin->most_ns || (spin->window_ns == 0 && ++spin->closed % REOPEN_EVERY == 0);
}

void spin_end(struct spin *spin)
{
	uint64_t took_ns;

	if (spin->most_ns == 0)
		return;
	if (spin->for_batch) {
		end_wait_for_batch(spin);
		return;
	}
	took_ns = now_ns() - spin->began_ns;
	if (spin->window_ns > 0 && !spin_is_vain(spin) && !spin->for_several)
		learn(spin, took_ns);
	if (was_short(spin, took_ns))
		spin->window_ns = window_after(spin, took_ns);
	else
		spin->window_ns = spin->window_ns / 2 < LEAST_NS ? 0 : spin->window_ns / 2;
}
