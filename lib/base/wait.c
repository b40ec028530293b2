/* SPDX-License-Identifier: Apache-2.0 */
/* Looks, turns and windows, and rests from them. */
#include "base/wait.h"

#include <sched.h>

#include "base/backoff.h"
#include "base/clock.h"
#include "base/spin.h"

enum {
	TRY_EVERY = 16,       /* waits with few looks, after which one has all */
	LEAST_NS = 1000,      /* a shorter window counts as zero */
	YIELD_OFTEN = 4,      /* polls, after a yield in which another thread ran */
	YIELD_RARELY = 16,    /* polls, after one that found none: it takes as long as one to three polls */
	VAIN_YIELD_NS = 1000, /* a shorter yield found none */
	/* A yield this long gave the CPU to another program: longer than a reply, shorter than a slice. */
	LONG_YIELD_NS = 400000,
	REST_LEAST_NS = 500000, /* after a long yield or a vain window for a batch */
	REST_MOST_NS = 8000000,
	RESTS_FADE = 256,  /* short yields, about, which undo a doubling of the rest */
	STRETCH = 2,       /* times the last wait, which the next window may be */
	LATE = 2,          /* times the bound, within which a wait for several was worth its window */
	REOPEN_EVERY = 32, /* waits without a window, after which one for several has one again */
	VAIN_NS = 20000,   /* window after a vain one for a batch, which each that is not doubles: what waking a thread takes */
	UNTIL_TRIES = 128, /* waits before the other mode is tried */
	LONGEST = 10,      /* times the bound: a longer wait counts as so long */
	TURNS_NS = 1000000, /* of a wait; as long a turn was no crowd's: more than those of 64 clients and of the daemon between them */
	TURNS_OFTEN = 64, /* short turns between two long ones, at most: a crowd has a long one now and then by itself */
	TURNS_REST_LEAST_NS = 1000000,
	/* Each costs a slice of 3 ms beside a program that computes: with 8 ms, 2 clients there get through 0.63 to 0.76 as much. */
	TURNS_REST_MOST_NS = 64000000,
	TURNS_FORGET = 4096, /* short turns: a long one costs as much as thousands of them save */
};

void wait_init(struct wait_history *history, uint64_t most_ns, uint64_t longest_ns)
{
	*history = (struct wait_history){.most_ns = most_ns, .longest_ns = longest_ns};
	history->window_ns[WAIT_FOR_SEVERAL] = history->window_ns[WAIT_FOR_BATCH] = most_ns;
	explore_init(&history->modes, WAIT_LOOKS, UNTIL_TRIES);
}

/* ---- beginning ---- */

static uint64_t later(uint64_t a_ns, uint64_t b_ns)
{
	return a_ns > b_ns ? a_ns : b_ns;
}

static uint64_t rest_end_ns(const struct wait_history *history, enum wait_for what)
{
	return what == WAIT_FOR_BATCH ? later(history->cpu.end_ns, history->windows.end_ns) : history->cpu.end_ns;
}

void wait_begin(struct wait *wait, const struct wait_history *history, enum wait_for what)
{
	*wait = (struct wait){
		.what = what,
		.mode = what == WAIT_FOR_ONE ? (enum wait_mode)explore_next(&history->modes) : WAIT_LOOKS,
		.which_looks = -1,
		.window_ns = history->window_ns[what],
		.rest_end_ns = rest_end_ns(history, what),
	};
}

void wait_look_first(struct wait *wait, struct wait_history *history, int which, unsigned most, unsigned few)
{
	struct wait_looks *looks = &history->looks[which];

	wait->looks = looks->found || ++looks->waits % TRY_EVERY == 0 ? most : few;
	wait->which_looks = which;
}

/* Others of this CPU may have as much to take: now and then they get it at once. */
void wait_yield_first(struct wait *wait, struct wait_history *history, unsigned most)
{
	struct wait_looks *looks = &history->before_yield;
	const bool tries = ++looks->waits % TRY_EVERY == 0;

	wait->before_yield = looks->found != tries ? most : 0;
	wait->learns_before_yield = wait->before_yield > 0;
	wait->yields = true;
}

void wait_take_turns(struct wait *wait, const struct wait_history *history)
{
	wait->takes_turns = history->turns.end_ns == 0 || now_ns() >= history->turns.end_ns;
}

/* ---- deciding ---- */

/* Yields the CPU, until others have had theirs. */
static bool take_turn(struct wait *wait)
{
	const uint64_t from_ns = now_ns();
	uint64_t now;

	if (wait->began_ns == 0)
		wait->began_ns = from_ns;
	if (from_ns - wait->began_ns >= TURNS_NS)
		return false;
	sched_yield();
	now = now_ns();
	if (now - from_ns >= TURNS_NS)
		wait->long_turn_ns = now;
	else
		wait->short_turns++;
	return true;
}

/* If another program kept the CPU for its whole slice, this wait sleeps, as the next ones do. */
static void yield_cpu(struct wait *wait, uint64_t since_ns)
{
	uint64_t now;

	sched_yield();
	now = now_ns();
	wait->yield_at = wait->polls + (now - since_ns < VAIN_YIELD_NS ? YIELD_RARELY : YIELD_OFTEN);
	if (now - since_ns < LONG_YIELD_NS)
		wait->short_yields++;
	else
		wait->long_yield_ns = now;
}

static void open_window(struct wait *wait, uint64_t now)
{
	wait->in_window = true;
	wait->began_ns = now;
}

static bool rests(const struct wait *wait)
{
	return wait->began_ns < wait->rest_end_ns || wait->long_yield_ns;
}

/* The thread that will answer may need this very CPU, so yields before the first poll and every few polls. */
static bool poll_again(struct wait *wait)
{
	uint64_t now;

	if (wait->window_ns == 0 || rests(wait) || wait->mode == WAIT_SLEEPS)
		return false;
	now = now_ns();
	if (now - wait->began_ns >= wait->window_ns)
		return false;
	if (wait->polls == wait->yield_at)
		yield_cpu(wait, now);
	wait->polls++;
	return true;
}

/* Returns whether looks at memory were left. */
static bool look_again(struct wait *wait)
{
	if (wait->before_yield > 0) {
		wait->before_yield--;
		spin_pause();
	} else if (wait->yields) {
		wait->yields = false;
		sched_yield();
	} else if (wait->looks > 0) {
		wait->looks--;
		spin_pause();
	} else {
		return false;
	}
	return true;
}

bool wait_again(struct wait *wait)
{
	if (look_again(wait))
		return true;
	if (wait->takes_turns && take_turn(wait))
		return true;
	wait->takes_turns = false;
	if (!wait->in_window)
		open_window(wait, now_ns());
	return poll_again(wait);
}

/* ---- learning ---- */

static void begin_rest(struct wait_rest *rest, uint64_t now, uint64_t least_ns, uint64_t most_ns)
{
	rest->length_ns = backoff_next(rest->length_ns, least_ns, most_ns);
	rest->end_ns = now + rest->length_ns;
}

/* Learns from turns of which the last one may have been long. */
static void learn_turns(struct wait_history *history, unsigned n_short, uint64_t long_turn_ns)
{
	history->turns.end_ns = 0;
	history->short_turns += n_short;
	if (long_turn_ns == 0)
		return;
	if (history->short_turns < TURNS_OFTEN)
		begin_rest(&history->turns, long_turn_ns, TURNS_REST_LEAST_NS, TURNS_REST_MOST_NS);
	else if (history->short_turns >= TURNS_FORGET)
		history->turns.length_ns = 0;
	history->short_turns = 0;
}

static void learn_yields(const struct wait *wait, struct wait_history *history)
{
	const unsigned n = wait->short_yields < RESTS_FADE ? wait->short_yields : RESTS_FADE;

	history->cpu.length_ns -= history->cpu.length_ns / RESTS_FADE * n;
	if (wait->long_yield_ns)
		begin_rest(&history->cpu, wait->long_yield_ns, REST_LEAST_NS, REST_MOST_NS);
}

/* Learns from a wait that was made in its mode; others, which slept for want of a window, count for neither. */
static void learn_mode(const struct wait *wait, struct wait_history *history, uint64_t took_ns)
{
	const uint64_t most_ns = LONGEST * history->most_ns;

	if (wait->window_ns > 0 && !rests(wait))
		explore_learn(&history->modes, wait->mode, took_ns < most_ns ? took_ns : most_ns);
}

/* A wait that has not polled says nothing. */
static void learn_batch(const struct wait *wait, struct wait_history *history, bool found)
{
	uint64_t *const window_ns = &history->window_ns[WAIT_FOR_BATCH];

	if (wait->polls == 0 || rests(wait))
		return;
	if (found) {
		history->windows.length_ns /= 2;
		*window_ns = *window_ns < history->most_ns / 2 ? 2 * *window_ns : history->most_ns;
	} else {
		begin_rest(&history->windows, now_ns(), REST_LEAST_NS, REST_MOST_NS);
		*window_ns = history->most_ns < VAIN_NS ? history->most_ns : VAIN_NS;
	}
}

/* Returns the window after a wait that was worth one. */
static uint64_t window_after(const struct wait_history *history, uint64_t took_ns)
{
	const uint64_t wanted_ns = STRETCH * took_ns;

	if (wanted_ns <= history->most_ns)
		return history->most_ns;
	return wanted_ns < history->longest_ns ? wanted_ns : history->longest_ns;
}

static void learn_one(const struct wait *wait, struct wait_history *history, uint64_t took_ns)
{
	uint64_t *const window_ns = &history->window_ns[WAIT_FOR_ONE];

	learn_mode(wait, history, took_ns);
	if (took_ns <= history->longest_ns)
		*window_ns = window_after(history, took_ns);
	else
		*window_ns = *window_ns / 2 < LEAST_NS ? 0 : *window_ns / 2;
}

static void learn_several(struct wait_history *history, uint64_t took_ns)
{
	uint64_t *const window_ns = &history->window_ns[WAIT_FOR_SEVERAL];

	if (took_ns <= LATE * history->most_ns || (*window_ns == 0 && ++history->closed % REOPEN_EVERY == 0))
		*window_ns = history->most_ns;
	else
		*window_ns = *window_ns / 2 < LEAST_NS ? 0 : *window_ns / 2;
}

static void learn_window(const struct wait *wait, struct wait_history *history, bool found)
{
	learn_yields(wait, history);
	if (wait->what == WAIT_FOR_BATCH)
		learn_batch(wait, history, found);
	else if (wait->what == WAIT_FOR_SEVERAL)
		learn_several(history, now_ns() - wait->began_ns);
	else
		learn_one(wait, history, now_ns() - wait->began_ns);
	history->began_ns = wait->began_ns;
}

void wait_end(const struct wait *wait, struct wait_history *history, bool found)
{
	if (history->most_ns == 0)
		return;
	if (wait->which_looks >= 0)
		history->looks[wait->which_looks].found = found && !wait->in_window;
	if (wait->learns_before_yield)
		history->before_yield.found = found && wait->yields;
	if (wait->short_turns || wait->long_turn_ns)
		learn_turns(history, wait->short_turns, wait->long_turn_ns);
	if (wait->in_window)
		learn_window(wait, history, found);
}

bool wait_sleeps_for_batch(const struct wait_history *history)
{
	return history->began_ns < rest_end_ns(history, WAIT_FOR_BATCH);
}

void wait_give_turn(struct wait_history *history)
{
	struct wait wait = {.began_ns = 0};

	wait_take_turns(&wait, history);
	if (wait.takes_turns && take_turn(&wait))
		learn_turns(history, wait.short_turns, wait.long_turn_ns);
}
