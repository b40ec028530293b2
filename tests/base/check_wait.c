/* SPDX-License-Identifier: Apache-2.0 */
/* Looks are bounded, follow the traffic, and cost nothing when idle. The clock is the test's: it advances by what each look, yield and
 * sleep takes, so what is counted depends on no machine. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include <cmocka.h>

#include "base/wait.h"

enum {
	BOUND_NS = 100000,
	LONGEST_NS = 250000,
	LOOK_NS = 100,
	SHORT_TURN_NS = 300000,
	SLICE_NS = 1400000,
	LOOKS = 128,
	FEW_LOOKS = 8,
	LEAST_WAITS = 100, /* of 10 us: a rest of 1 ms */
	MOST_WAITS = 6400,
};

static uint64_t clock_now_ns, yield_ns;
static unsigned yields;

int clock_gettime(clockid_t clock, struct timespec *now)
{
	(void)clock;
	*now = (struct timespec){(time_t)(clock_now_ns / 1000000000u), (long)(clock_now_ns % 1000000000u)};
	return 0;
}

int sched_yield(void)
{
	clock_now_ns += yield_ns;
	yields++;
	return 0;
}

static void begin(struct wait_history *history)
{
	clock_now_ns = UINT64_C(1000000000000);
	yield_ns = LOOK_NS;
	wait_init(history, BOUND_NS, LONGEST_NS);
}

/* Waits for something that comes after so long. Returns how long the thread looked for it. */
static uint64_t wait_for(struct wait_history *history, enum wait_for what, uint64_t length_ns)
{
	const uint64_t from_ns = clock_now_ns;
	uint64_t looked_ns;
	struct wait wait;
	bool looks = true;

	wait_begin(&wait, history, what);
	while (looks && clock_now_ns - from_ns < length_ns) {
		looks = wait_again(&wait);
		clock_now_ns += looks ? LOOK_NS : 0;
	}
	looked_ns = clock_now_ns - from_ns;
	if (clock_now_ns < from_ns + length_ns)
		clock_now_ns = from_ns + length_ns;
	wait_end(&wait, history, looks);
	return looked_ns;
}

static void sleeps_at_first(void **state)
{
	struct wait_history history;

	(void)state;
	begin(&history);
	assert_int_equal(wait_for(&history, WAIT_FOR_ONE, 1000), 0);
	assert_int_equal(wait_for(&history, WAIT_FOR_ONE, 1000), 1000);
}

/* The window halves with each wait beyond it, to nothing: then idle waits cost nothing. */
static void follows_the_traffic(void **state)
{
	struct wait_history history;
	uint64_t looked_ns = 0;

	(void)state;
	begin(&history);
	wait_for(&history, WAIT_FOR_ONE, 1000);
	assert_int_equal(history.window_ns[WAIT_FOR_ONE], BOUND_NS);
	for (uint64_t window_ns = BOUND_NS / 2; window_ns >= 1000; window_ns /= 2) {
		looked_ns += wait_for(&history, WAIT_FOR_ONE, LONGEST_NS + 1000);
		assert_int_equal(history.window_ns[WAIT_FOR_ONE], window_ns);
	}
	for (int i = 0; i < 100; i++)
		looked_ns += wait_for(&history, WAIT_FOR_ONE, LONGEST_NS + 1000);
	assert_int_equal(history.window_ns[WAIT_FOR_ONE], 0);
	if (looked_ns > 2 * BOUND_NS + 100 * LOOK_NS)
		fail_msg("expected looks for at most twice the bound, got %llu ns", (unsigned long long)looked_ns);
}

/* Where waits take longer than the bound, the window is twice the last one, up to the longest, and falls back with them. */
static void follows_longer_waits(void **state)
{
	static const struct {
		uint64_t took_ns, window_ns;
	} waits[] = {
		{1000, BOUND_NS}, {110000, 220000}, {200000, LONGEST_NS}, {1000, BOUND_NS}, {LONGEST_NS + 1000, BOUND_NS / 2},
	};
	struct wait_history history;

	(void)state;
	begin(&history);
	for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
		wait_for(&history, WAIT_FOR_ONE, waits[i].took_ns);
		assert_in_range(history.window_ns[WAIT_FOR_ONE], waits[i].window_ns, waits[i].window_ns + 2 * LOOK_NS);
	}
}

/* Waits for the first of several answers look from the start, keep their window when they last twice as long as it, lose it when they
 * last longer, and get it back. */
static void looks_for_several(void **state)
{
	struct wait_history history;
	int waits = 0;

	(void)state;
	begin(&history);
	for (int i = 0; i < 2 * 128; i++)
		assert_true(wait_for(&history, WAIT_FOR_SEVERAL, 2 * BOUND_NS - 1000) >= BOUND_NS);
	while (history.window_ns[WAIT_FOR_SEVERAL] > 0 && waits++ < 100)
		wait_for(&history, WAIT_FOR_SEVERAL, 2 * BOUND_NS + 1000);
	assert_int_equal(history.window_ns[WAIT_FOR_SEVERAL], 0);
	for (waits = 0; history.window_ns[WAIT_FOR_SEVERAL] == 0 && waits < 100; waits++)
		wait_for(&history, WAIT_FOR_SEVERAL, 2 * BOUND_NS + 1000);
	assert_int_equal(history.window_ns[WAIT_FOR_SEVERAL], BOUND_NS);
}

/* Waits for a batch look from the start. After a vain window some sleep, for twice as long each time, and the next window is short;
 * those that are not in vain bring both back. */
static void vain_windows_for_a_batch_become_rare(void **state)
{
	uint64_t rest_ns = 500000;
	struct wait_history history;

	(void)state;
	begin(&history);
	assert_true(wait_for(&history, WAIT_FOR_BATCH, 1000) >= 1000);
	for (int i = 0; i < 12; i++) {
		assert_true(wait_for(&history, WAIT_FOR_BATCH, BOUND_NS + 1000) > 0); /* in vain */
		assert_true(history.windows.length_ns == rest_ns && history.window_ns[WAIT_FOR_BATCH] == 20000);
		assert_int_equal(wait_for(&history, WAIT_FOR_BATCH, 1000), 0);
		assert_true(wait_sleeps_for_batch(&history));
		clock_now_ns += rest_ns;
		rest_ns = 2 * rest_ns < 8000000 ? 2 * rest_ns : 8000000;
	}
	for (int i = 0; i < 40; i++)
		assert_true(wait_for(&history, WAIT_FOR_BATCH, 1000) >= 1000);
	assert_int_equal(history.window_ns[WAIT_FOR_BATCH], BOUND_NS);
	assert_false(wait_sleeps_for_batch(&history));
	wait_for(&history, WAIT_FOR_BATCH, BOUND_NS + 1000);
	assert_int_equal(history.windows.length_ns, 500000);
}

/* ---- the mode with the shorter waits ---- */

/* A wait that took as long as its mode says. */
static enum wait_mode wait_in_mode(struct wait_history *history, const uint64_t lengths_ns[WAIT_MODES])
{
	struct wait wait;

	history->window_ns[WAIT_FOR_ONE] = BOUND_NS;
	wait_begin(&wait, history, WAIT_FOR_ONE);
	wait_again(&wait);
	clock_now_ns = wait.began_ns + lengths_ns[wait.mode];
	wait_end(&wait, history, wait.mode == WAIT_LOOKS);
	return wait.mode;
}

static unsigned count_waits_until(struct wait_history *history, enum wait_mode mode, const uint64_t lengths_ns[WAIT_MODES])
{
	unsigned waits = 0;

	for (; waits < 20000 && history->modes.way != mode; waits++)
		wait_in_mode(history, lengths_ns);
	return waits;
}

/* It is found, whichever it is, and found again when that changes. */
static void chooses_the_shorter_waits(void **state)
{
	const uint64_t lengths_ns[2][WAIT_MODES] = {{[WAIT_SLEEPS] = BOUND_NS / 20, [WAIT_LOOKS] = 5 * BOUND_NS},
						    {[WAIT_SLEEPS] = 5 * BOUND_NS, [WAIT_LOOKS] = BOUND_NS / 20}};
	struct wait_history history;

	(void)state;
	begin(&history);
	for (int i = 0; i < 4; i++) {
		const enum wait_mode best = i % 2 ? WAIT_LOOKS : WAIT_SLEEPS;

		count_waits_until(&history, best, lengths_ns[i % 2]);
		assert_int_equal(history.modes.way, best);
	}
}

/* However long and however clearly a mode was the worse one, a few hundred waits of other work find that it is the better one now,
 * though it is little better. */
static void learns_other_work_soon(void **state)
{
	const uint64_t before_ns[WAIT_MODES] = {[WAIT_SLEEPS] = BOUND_NS / 20, [WAIT_LOOKS] = 10 * BOUND_NS},
		       after_ns[WAIT_MODES] = {[WAIT_SLEEPS] = BOUND_NS / 2, [WAIT_LOOKS] = BOUND_NS / 3};
	struct wait_history history;
	unsigned waits;

	(void)state;
	begin(&history);
	for (int i = 0; i < 30000; i++)
		wait_in_mode(&history, before_ns);
	assert_int_equal(history.modes.way, WAIT_SLEEPS);
	waits = count_waits_until(&history, WAIT_LOOKS, after_ns);
	if (waits > 1100)
		fail_msg("expected looks again after at most 1100 waits, got %u", waits);
}

/* A series of tries is over as soon as its first waits have shown that it is in vain. */
static void ends_vain_tries_early(void **state)
{
	const uint64_t lengths_ns[WAIT_MODES] = {[WAIT_SLEEPS] = 9 * BOUND_NS, [WAIT_LOOKS] = BOUND_NS};
	unsigned in_row = 0, most = 0;
	struct wait_history history;

	(void)state;
	begin(&history);
	for (int i = 0; i < 5000; i++) {
		in_row = wait_in_mode(&history, lengths_ns) == WAIT_SLEEPS ? in_row + 1 : 0;
		most = in_row > most ? in_row : most;
	}
	assert_int_equal(most, 1);
}

/* Of the other mode's waits there are the fewer, the longer it was worse. */
static void tries_the_worse_mode_seldom(void **state)
{
	const uint64_t lengths_ns[WAIT_MODES] = {[WAIT_SLEEPS] = 5 * BOUND_NS, [WAIT_LOOKS] = BOUND_NS / 20};
	unsigned tries = 0;
	struct wait_history history;

	(void)state;
	begin(&history);
	for (int waits = 0; waits < 40000; waits++) {
		const bool sleeps = wait_in_mode(&history, lengths_ns) == WAIT_SLEEPS;

		tries += waits >= 20000 && sleeps;
	}
	assert_in_range(tries, 1, 40);
}

static void is_off(void **state)
{
	struct wait_history history;
	struct wait wait;

	(void)state;
	wait_init(&history, 0, 0);
	for (int i = 0; i < 3; i++) {
		wait_begin(&wait, &history, WAIT_FOR_ONE);
		assert_false(wait_again(&wait));
		wait_end(&wait, &history, false);
	}
}

/* ---- looks at memory ---- */

/* Returns at which look before the window it ended: the one that finds something, or the last one; `finds` 0: none does. */
static unsigned look_first(struct wait_history *history, bool several, unsigned finds)
{
	struct wait wait;
	unsigned n = 0;

	wait_begin(&wait, history, WAIT_FOR_ONE);
	wait_look_first(&wait, history, 0, LOOKS, FEW_LOOKS);
	if (several)
		wait_yield_first(&wait, history, LOOKS);
	yields = 0;
	while (wait_is_brief(&wait) && wait_again(&wait) && ++n != finds)
		;
	if (!finds)
		wait_again(&wait);
	wait_end(&wait, history, finds);
	return n;
}

/* All of them while they find something, few if they do not, and all again in one of 16 waits. */
static void looks_at_memory_while_it_pays(void **state)
{
	struct wait_history history;
	unsigned all = 0;

	(void)state;
	begin(&history);
	while (look_first(&history, false, LOOKS) != LOOKS)
		assert_true(++all < 16);
	for (int i = 0; i < 100; i++)
		assert_int_equal(look_first(&history, false, LOOKS), LOOKS);
	assert_int_equal(look_first(&history, false, 0), LOOKS);
	all = 0;
	for (int i = 0; i < 160; i++)
		all += look_first(&history, false, 0) == LOOKS;
	assert_int_equal(all, 10);
}

/* A yield stands before them, and looks before that as long as these find something: but one wait of 16 yields at once. */
static void yields_first_for_several(void **state)
{
	struct wait_history history;
	unsigned at_once = 0;

	(void)state;
	begin(&history);
	for (int i = 0; i < 16; i++) /* looks before the yield are tried */
		look_first(&history, true, 1);
	assert_true(history.before_yield.found);
	for (int i = 0; i < 160; i++) {
		look_first(&history, true, 1);
		at_once += yields;
	}
	assert_int_equal(at_once, 10);
	look_first(&history, true, 0);
	look_first(&history, true, 0);
	assert_false(history.before_yield.found);
}

/* ---- turns ---- */

/* Waits of one turn of such a length, or asleep for 10 us. Returns how many of them yielded. */
static unsigned take_turns(struct wait_history *history, unsigned waits, uint64_t length_ns)
{
	yield_ns = length_ns;
	yields = 0;
	for (unsigned i = 0; i < waits; i++) {
		const unsigned before = yields;

		wait_give_turn(history);
		if (yields == before)
			clock_now_ns += 10000;
	}
	return yields;
}

static void takes_short_turns(void **state)
{
	struct wait_history history;

	(void)state;
	begin(&history);
	assert_int_equal(take_turns(&history, 100000, SHORT_TURN_NS), 100000);
}

/* Behind the first long one, and each that follows soon, waits do without for twice as long. */
static void rests_from_slices(void **state)
{
	struct wait_history history;

	(void)state;
	begin(&history);
	for (unsigned waits = LEAST_WAITS; waits <= MOST_WAITS; waits *= 2)
		assert_int_equal(take_turns(&history, 1 + waits, SLICE_NS), 1);
	assert_int_equal(take_turns(&history, 10 * (1 + MOST_WAITS), SLICE_NS), 10);
}

/* A crowd's own long turn, once in a while, changes nothing. */
static void allows_a_long_turn_now_and_then(void **state)
{
	struct wait_history history;

	(void)state;
	begin(&history);
	for (int i = 0; i < 100; i++) {
		assert_int_equal(take_turns(&history, 200, SHORT_TURN_NS), 200);
		assert_int_equal(take_turns(&history, 1, SLICE_NS), 1);
	}
}

/* When the other program has gone, turns are back within 64 ms, and its rests are forgotten. */
static void takes_turns_again(void **state)
{
	struct wait_history history;
	uint64_t gone_ns;

	(void)state;
	begin(&history);
	take_turns(&history, 100000, SLICE_NS);
	gone_ns = clock_now_ns;
	while (take_turns(&history, 1, SHORT_TURN_NS) == 0)
		assert_true(clock_now_ns - gone_ns < 65000000);
	assert_int_equal(take_turns(&history, 5000, SHORT_TURN_NS), 5000);
	assert_int_equal(take_turns(&history, 1, SLICE_NS), 1); /* forgotten */
	assert_int_equal(take_turns(&history, 1 + LEAST_WAITS, SLICE_NS), 1);
	assert_int_equal(take_turns(&history, 1, SLICE_NS), 1);
}

/* A wait of the crowd yields for a millisecond, and goes on to its window. */
static void turns_of_a_wait_end(void **state)
{
	struct wait_history history;
	struct wait wait;

	(void)state;
	begin(&history);
	wait_for(&history, WAIT_FOR_ONE, 1000);
	wait_begin(&wait, &history, WAIT_FOR_ONE);
	wait_take_turns(&wait, &history);
	yield_ns = 10000;
	for (yields = 0; wait_is_brief(&wait);)
		assert_true(wait_again(&wait));
	assert_in_range(yields, 100, 101);
	assert_true(wait.in_window);
	wait_end(&wait, &history, true);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sleeps_at_first),
		cmocka_unit_test(follows_the_traffic),
		cmocka_unit_test(follows_longer_waits),
		cmocka_unit_test(looks_for_several),
		cmocka_unit_test(vain_windows_for_a_batch_become_rare),
		cmocka_unit_test(chooses_the_shorter_waits),
		cmocka_unit_test(learns_other_work_soon),
		cmocka_unit_test(ends_vain_tries_early),
		cmocka_unit_test(tries_the_worse_mode_seldom),
		cmocka_unit_test(is_off),
		cmocka_unit_test(looks_at_memory_while_it_pays),
		cmocka_unit_test(yields_first_for_several),
		cmocka_unit_test(takes_short_turns),
		cmocka_unit_test(rests_from_slices),
		cmocka_unit_test(allows_a_long_turn_now_and_then),
		cmocka_unit_test(takes_turns_again),
		cmocka_unit_test(turns_of_a_wait_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
