/* SPDX-License-Identifier: Apache-2.0 */
/* How tests wait. AWAIT polls until a condition holds, and fails at the deadline that all tests share; it depends on no
 * machine's speed. The functions below it let time itself pass, each for the one reason that its comment gives. No test
 * sleeps in another way: tests/rules/waits.sh. */
#ifndef TESTS_HARNESS_WAIT_H
#define TESTS_HARNESS_WAIT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "harness/sanitized.h"

enum { DEADLINE_S = SANITIZED ? 60 : 30, DEADLINE_MS = DEADLINE_S * 1000 };

struct waiting {
	const char *condition, *file;
	int line;
	uint64_t end_ns, nap_ns;
};

static inline uint64_t wait_now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline void wait_pause(uint64_t ns)
{
	struct timespec rest = {(time_t)(ns / 1000000000u), (long)(ns % 1000000000u)};

	while (nanosleep(&rest, &rest) < 0) /* a signal's handler has run */
		continue;
}

static inline struct waiting await_begin(const char *condition, const char *file, int line)
{
	return (struct waiting){condition, file, line, wait_now_ns() + DEADLINE_S * UINT64_C(1000000000), 1000};
}

static inline bool await_is_over(const struct waiting *waiting)
{
	return wait_now_ns() > waiting->end_ns;
}

/* Sleeps for longer each time, up to 2 ms. */
static inline void await_nap(struct waiting *waiting)
{
	wait_pause(waiting->nap_ns);
	waiting->nap_ns = waiting->nap_ns < 1000000 ? 2 * waiting->nap_ns : 2000000;
}

/* The same, and fails at the deadline. */
static inline void await_again(struct waiting *waiting)
{
	if (await_is_over(waiting)) {
		fprintf(stderr, "%s:%d: expected within %d s: %s\n", waiting->file, waiting->line, DEADLINE_S,
			waiting->condition);
#ifdef fail_msg /* cmocka */
		_fail(waiting->file, waiting->line);
#endif
		abort();
	}
	await_nap(waiting);
}

/* AWAIT(condition); or, to do something before each new look, AWAIT(condition) statement. */
#define AWAIT(awaited)                                                                                                 \
	for (struct waiting waiting_ = await_begin(#awaited, __FILE__, __LINE__); !(awaited); await_again(&waiting_))

/* A limit is a rate: what is allowed again comes back with the clock, by no event. */
static inline void wait_for_rate(unsigned ms)
{
	wait_pause(ms * UINT64_C(1000000));
}

/* A time limit runs out by the clock alone: it must, or must not although so much time has passed. */
static inline void wait_past_timeout(unsigned ms)
{
	wait_pause(ms * UINT64_C(1000000));
}

/* The processor time that somebody idle uses is measured over a stretch of time, in which nothing must happen. */
static inline void wait_idle(unsigned ms)
{
	wait_pause(ms * UINT64_C(1000000));
}

/* A process is struck (killed, stopped, cut off) at a moment that nobody chose: random, or likely to be amidst work. The
 * check must be right whatever the moment turns out to be. */
static inline void wait_to_strike(unsigned us)
{
	wait_pause(us * UINT64_C(1000));
}

/* A reader or sender that is slower than its peer: its delay is what the peer is tried with. */
static inline void wait_as_slow_peer(unsigned us)
{
	wait_pause(us * UINT64_C(1000));
}

#endif
