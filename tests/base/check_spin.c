/* SPDX-License-Identifier: Apache-2.0 */
/* Spinning is bounded, follows the traffic, and costs nothing when idle. Where no yield and no processor time is looked at,
 * waits pass by setting their beginning back: this thread may be off its CPU at any moment, but for less than MOST_NS. */
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>
#include <cmocka.h>

#include "base/spin.h"
#include "harness/wait.h"

#define MOST_NS UINT64_C(20000000000)

enum { REAL_MOST_NS = 20 * 1000 * 1000 };

static uint64_t clock_of(clockid_t clock)
{
	struct timespec now;

	clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Begins a wait that polls without a yield, which beside a busy thread lasts a slice. */
static void begin_wait(struct spin *spin)
{
	spin_begin(spin);
	spin->polls = 1;
}

/* Ends the wait as if it had taken length_ns. */
static void end_wait_after(struct spin *spin, uint64_t length_ns)
{
	spin->began_ns -= length_ns;
	spin_end(spin);
}

/* Waits for something that arrives after length_ns. */
static void wait_ns(struct spin *spin, uint64_t length_ns)
{
	spin_begin(spin);
	const uint64_t end = clock_of(CLOCK_MONOTONIC) + length_ns;

	while (clock_of(CLOCK_MONOTONIC) < end && spin_again(spin))
		;
	while (clock_of(CLOCK_MONOTONIC) < end)
		wait_as_slow_peer(1000);
	spin_end(spin);
}

/* Waits for something that has arrived already. The scheduler can make one such wait long, so it repeats until one was
 * short. */
static void wait_for_nothing(struct spin *spin)
{
	for (int i = 0; i == 0 || (spin->window_ns != spin->most_ns && i < 100); i++)
		wait_ns(spin, 0);
}

static void test_sleeps_at_first(void **state)
{
	struct spin spin;

	(void)state;
	spin_init(&spin, MOST_NS);
	spin_begin(&spin);
	assert_false(spin_again(&spin));
}

static void test_follows_the_traffic(void **state)
{
	struct spin spin;

	(void)state;
	spin_init(&spin, MOST_NS);
	begin_wait(&spin);
	end_wait_after(&spin, 0);
	assert_true(spin.window_ns == MOST_NS);
	begin_wait(&spin);
	assert_true(spin_again(&spin));
	end_wait_after(&spin, 0);
	for (uint64_t window = MOST_NS / 2; window >= 1000; window /= 2) {
		begin_wait(&spin);
		end_wait_after(&spin, MOST_NS + 1);
		assert_true(spin.window_ns == window);
		if (window < MOST_NS / 8)
			break;
	}
}

/* Where waits take longer than the bound, the window is twice the last one, up to the longest, and falls back with them. */
static void test_follows_longer_waits(void **state)
{
	static const struct {
		uint64_t took_ns, least_ns, most_ns;
	} waits[] = {
		{0, MOST_NS, MOST_NS},
		{MOST_NS * 11 / 10, MOST_NS * 22 / 10, MOST_NS * 24 / 10},
		{MOST_NS * 2, MOST_NS * 5 / 2, MOST_NS * 5 / 2},
		{0, MOST_NS, MOST_NS},
		{MOST_NS * 5 / 2 + 1, MOST_NS / 2, MOST_NS / 2},
	};
	struct spin spin;

	(void)state;
	spin_init_following(&spin, MOST_NS, MOST_NS * 5 / 2);
	for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
		begin_wait(&spin);
		end_wait_after(&spin, waits[i].took_ns);
		if (spin.window_ns < waits[i].least_ns || spin.window_ns > waits[i].most_ns)
			fail_msg("wait %zu: expected a window of %llu to %llu ns, got %llu", i,
				 (unsigned long long)waits[i].least_ns, (unsigned long long)waits[i].most_ns,
				 (unsigned long long)spin.window_ns);
	}
}

/* 15 halvings of 20 ms end below a microsecond. All these waits together spin for at most twice the bound. */
static void test_costs_nothing_when_idle(void **state)
{
	struct spin spin;
	uint64_t cpu_ns;

	(void)state;
	spin_init(&spin, REAL_MOST_NS);
	wait_for_nothing(&spin);
	cpu_ns = clock_of(CLOCK_THREAD_CPUTIME_ID);
	for (int i = 0; i < 15; i++)
		wait_ns(&spin, REAL_MOST_NS + 1);
	cpu_ns = clock_of(CLOCK_THREAD_CPUTIME_ID) - cpu_ns;
	assert_int_equal(spin.window_ns, 0);
	if (cpu_ns > 4 * (uint64_t)REAL_MOST_NS)
		fail_msg("expected at most %d ns of CPU time, got %llu", 4 * REAL_MOST_NS, (unsigned long long)cpu_ns);
	spin_begin(&spin);
	assert_false(spin_again(&spin));
}

/* Waits for the first of several answers spin from the start, keep their window when they last twice as long as it, lose it when
 * they last longer, and get it back. */
static void test_spins_for_several(void **state)
{
	struct spin spin;
	int waits = 0;

	(void)state;
	spin_init_for_several(&spin, MOST_NS);
	for (int i = 0; i < 2 * 128; i++) { /* longer than any series of tries */
		spin.rest_end_ns = 0;
		begin_wait(&spin);
		assert_true(spin_again(&spin));
		end_wait_after(&spin, MOST_NS);
	}
	while (spin.window_ns > 0 && waits++ < 100) {
		begin_wait(&spin);
		end_wait_after(&spin, 2 * MOST_NS + 1);
	}
	assert_true(spin.window_ns == 0);
	for (waits = 0; spin.window_ns == 0 && waits < 100; waits++) {
		begin_wait(&spin);
		end_wait_after(&spin, 2 * MOST_NS + 1);
	}
	assert_true(spin.window_ns == MOST_NS);
}

/* A wait for a batch that polls, if it may, once: in vain or not. Returns whether it has polled. */
static bool wait_for_batch(struct spin *spin, bool in_vain)
{
	const bool polls = !spin_is_vain(spin);

	begin_wait(spin);
	if (!polls) {
		assert_false(spin_again(spin));
		spin->polls = 0;
	}
	if (in_vain)
		spin_give_up(spin);
	spin_end(spin);
	return polls;
}

/* Returns how long the next waits sleep, and lets that time pass. */
static uint64_t pass_rest(struct spin *spin)
{
	if (!spin_is_vain(spin))
		return 0;
	assert_false(wait_for_batch(spin, true));
	spin->rest_end_ns = 0;
	return spin->rest_ns;
}

/* Waits for a batch spin from the start. After a vain spin some sleep, for twice as long each time, and the next window is short;
 * spins that were not in vain bring both back. */
static void test_vain_spins_for_a_batch_become_rare(void **state)
{
	const uint64_t least_ns = 500000, most_ns = 8000000;
	uint64_t last_ns = 0;
	struct spin spin;

	(void)state;
	spin_init_for_batch(&spin, MOST_NS);
	for (int i = 0; i < 100; i++)
		assert_true(wait_for_batch(&spin, false));
	for (int i = 0; i < 12; i++) {
		assert_true(wait_for_batch(&spin, true));
		const uint64_t rest_ns = pass_rest(&spin);

		assert_true(spin.window_ns < MOST_NS / 100);
		if (rest_ns != (i == 0 ? least_ns : 2 * last_ns < most_ns ? 2 * last_ns : most_ns))
			fail_msg("expected a rest of twice %llu ns, at most 8 ms, got %llu", (unsigned long long)last_ns,
				 (unsigned long long)rest_ns);
		last_ns = rest_ns;
	}
	for (int i = 0; i < 40; i++)
		assert_true(wait_for_batch(&spin, false));
	assert_true(spin.window_ns == MOST_NS);
	assert_true(wait_for_batch(&spin, true));
	assert_true(pass_rest(&spin) == least_ns);
}

/* A wait that took length_ns as far as the thread can see. Waits are as long as the mode in which they are made says. */
static void wait_in_mode(struct spin *spin, const uint64_t lengths_ns[SPIN_MODES])
{
	spin->window_ns = MOST_NS;
	spin->rest_end_ns = 0;
	begin_wait(spin);
	const bool spins = spin_again(spin);

	end_wait_after(spin, lengths_ns[spins ? SPIN_SPINS : SPIN_SLEEPS]);
}

static unsigned count_waits_until(struct spin *spin, enum spin_mode mode, const uint64_t lengths_ns[SPIN_MODES])
{
	unsigned waits = 0;

	while (waits < 20000 && spin->modes.way != mode) {
		wait_in_mode(spin, lengths_ns);
		waits++;
	}
	return waits;
}

/* The mode with the shorter waits is found, whichever it is, and found again when that changes. */
static void test_chooses_the_shorter_waits(void **state)
{
	const uint64_t lengths_ns[2][SPIN_MODES] = {{[SPIN_SLEEPS] = MOST_NS / 20, [SPIN_SPINS] = 5 * MOST_NS},
						    {[SPIN_SLEEPS] = 5 * MOST_NS, [SPIN_SPINS] = MOST_NS / 20}};
	struct spin spin;

	(void)state;
	spin_init(&spin, MOST_NS);
	for (int i = 0; i < 4; i++) {
		const enum spin_mode best = i % 2 ? SPIN_SPINS : SPIN_SLEEPS;

		count_waits_until(&spin, best, lengths_ns[i % 2]);
		assert_int_equal(spin.modes.way, best);
	}
}

/* However long and however clearly a mode was the worse one, a few hundred waits of other work find that it is the better one now,
 * though it is little better. */
static void test_learns_other_work_soon(void **state)
{
	const uint64_t before_ns[SPIN_MODES] = {[SPIN_SLEEPS] = MOST_NS / 20, [SPIN_SPINS] = 10 * MOST_NS},
		       after_ns[SPIN_MODES] = {[SPIN_SLEEPS] = MOST_NS / 2, [SPIN_SPINS] = MOST_NS / 3};
	struct spin spin;
	unsigned waits;

	(void)state;
	spin_init(&spin, MOST_NS);
	for (int i = 0; i < 30000; i++)
		wait_in_mode(&spin, before_ns);
	assert_int_equal(spin.modes.way, SPIN_SLEEPS);
	waits = count_waits_until(&spin, SPIN_SPINS, after_ns);
	if (waits > 1100)
		fail_msg("expected spinning again after at most 1100 waits, got %u", waits);
}

/* A series of tries is over as soon as its first waits have shown that it is in vain. */
static void test_ends_vain_tries_early(void **state)
{
	const uint64_t lengths_ns[SPIN_MODES] = {[SPIN_SLEEPS] = 9 * MOST_NS, [SPIN_SPINS] = MOST_NS};
	unsigned in_row = 0, most = 0;
	struct spin spin;

	(void)state;
	spin_init(&spin, MOST_NS);
	for (int i = 0; i < 5000; i++) {
		wait_in_mode(&spin, lengths_ns);
		in_row = spin.mode == SPIN_SLEEPS ? in_row + 1 : 0;
		most = in_row > most ? in_row : most;
	}
	assert_int_equal(most, 1);
}

/* Of the other mode's waits there are the fewer, the longer it was worse. */
static void test_tries_the_worse_mode_seldom(void **state)
{
	const uint64_t lengths_ns[SPIN_MODES] = {[SPIN_SLEEPS] = 5 * MOST_NS, [SPIN_SPINS] = MOST_NS / 20};
	unsigned tries = 0;
	struct spin spin;

	(void)state;
	spin_init(&spin, MOST_NS);
	for (int waits = 0; waits < 40000; waits++) {
		wait_in_mode(&spin, lengths_ns);
		tries += waits >= 20000 && spin.mode == SPIN_SLEEPS;
	}
	if (tries == 0 || tries > 40)
		fail_msg("expected 1 to 40 waits of 20000 in the worse mode, got %u", tries);
}

static void test_off(void **state)
{
	struct spin spin;

	(void)state;
	spin_init(&spin, 0);
	for (int i = 0; i < 3; i++) {
		spin_begin(&spin);
		assert_false(spin_again(&spin));
		spin_end(&spin);
	}
}

static atomic_bool over;

static void *keep_busy(void *arg)
{
	while (!over)
		;
	return arg;
}

/* Beside a thread that never yields on the only CPU, some yield soon lasts a scheduler slice. The next waits then
 * sleep, and after these one spins again. */
static void test_sleeps_beside_a_busy_thread(void **state)
{
	cpu_set_t all, one;
	pthread_t other;
	struct spin spin;
	int waits;

	(void)state;
	sched_getaffinity(0, sizeof all, &all);
	CPU_ZERO(&one);
	CPU_SET((unsigned)sched_getcpu(), &one);
	assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
	assert_int_equal(pthread_create(&other, NULL, keep_busy, NULL), 0);
	spin_init(&spin, MOST_NS);
	for (waits = 0; waits < 10000 && !spin_is_vain(&spin); waits++) {
		spin.window_ns = MOST_NS;
		spin_begin(&spin);
		spin_again(&spin);
	}
	over = true;
	pthread_join(other, NULL);
	sched_setaffinity(0, sizeof all, &all);
	if (!spin_is_vain(&spin))
		fail_msg("expected a long yield beside a busy thread, got none in %d waits", waits);
	spin.rest_end_ns += MOST_NS; /* this thread may be off its CPU for longer than a rest */
	spin.window_ns = MOST_NS;
	begin_wait(&spin);
	assert_false(spin_again(&spin));
	spin_end(&spin);
	spin.rest_end_ns = 0;
	spin.window_ns = MOST_NS;
	begin_wait(&spin);
	assert_true(spin_again(&spin));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sleeps_at_first),
		cmocka_unit_test(test_follows_the_traffic),
		cmocka_unit_test(test_follows_longer_waits),
		cmocka_unit_test(test_costs_nothing_when_idle),
		cmocka_unit_test(test_chooses_the_shorter_waits), cmocka_unit_test(test_spins_for_several),
		cmocka_unit_test(test_vain_spins_for_a_batch_become_rare),
		cmocka_unit_test(test_tries_the_worse_mode_seldom),
		cmocka_unit_test(test_learns_other_work_soon),
		cmocka_unit_test(test_ends_vain_tries_early),
		cmocka_unit_test(test_off),
		cmocka_unit_test(test_sleeps_beside_a_busy_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
