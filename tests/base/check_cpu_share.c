/* SPDX-License-Identifier: Apache-2.0 */
/* When waits yield the CPU: always while yields are short, and less and less often while another program keeps the CPU. The clock and
 * the yields are the test's own, so nothing depends on the machine. */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <cmocka.h>

#include "base/cpu_share.h"

enum { SHORT_NS = 300000, SLICE_NS = 1400000, WAIT_NS = 10000, LEAST_WAITS = 100, MOST_WAITS = 6400 /* a rest of 1 and of 64 ms */ };

static uint64_t time_ns, yield_ns;
static unsigned yields;

int clock_gettime(clockid_t clock, struct timespec *ret_time)
{
	(void)clock;
	*ret_time = (struct timespec){(time_t)(time_ns / 1000000000), (long)(time_ns % 1000000000)};
	return 0;
}

int sched_yield(void)
{
	time_ns += yield_ns;
	yields++;
	return 0;
}

/* Waits of one yield each, of such a length, or asleep for WAIT_NS. Returns how many of them yielded. */
static unsigned wait_often(struct cpu_share *share, unsigned waits, uint64_t length_ns)
{
	yields = 0;
	yield_ns = length_ns;
	for (unsigned i = 0; i < waits; i++) {
		if (!cpu_share_begin(share)) {
			time_ns += WAIT_NS;
			continue;
		}
		const bool again = cpu_share_yield(share);

		assert_int_equal(again, share->rest_end_ns == 0);
	}
	return yields;
}

static void short_yields(void **state)
{
	struct cpu_share share = {0};

	(void)state;
	assert_int_equal(wait_often(&share, 100000, SHORT_NS), 100000);
}

/* Behind the first long one, and each that follows soon, waits do without for twice as long. */
static void slices(void **state)
{
	struct cpu_share share = {0};

	(void)state;
	for (unsigned waits = LEAST_WAITS; waits <= MOST_WAITS; waits *= 2)
		assert_int_equal(wait_often(&share, 1 + waits, SLICE_NS), 1);
	assert_int_equal(wait_often(&share, 10 * (1 + MOST_WAITS), SLICE_NS), 10);
}

/* A crowd's own long turn, once in a while, changes nothing. */
static void seldom_long(void **state)
{
	struct cpu_share share = {0};

	(void)state;
	for (int i = 0; i < 100; i++) {
		assert_int_equal(wait_often(&share, 200, SHORT_NS), 200);
		assert_int_equal(wait_often(&share, 1, SLICE_NS), 1);
	}
}

/* When the other program has gone, yields are back within 64 ms, and its rests are forgotten. */
static void again(void **state)
{
	struct cpu_share share = {0};
	uint64_t gone_ns;

	(void)state;
	wait_often(&share, 100000, SLICE_NS);
	gone_ns = time_ns;
	while (wait_often(&share, 1, SHORT_NS) == 0)
		assert_true(time_ns - gone_ns < 65000000);
	assert_int_equal(wait_often(&share, 5000, SHORT_NS), 5000);
	assert_int_equal(wait_often(&share, 1, SLICE_NS), 1); /* forgotten */
	assert_int_equal(wait_often(&share, 1 + LEAST_WAITS, SLICE_NS), 1);
	assert_int_equal(wait_often(&share, 1, SLICE_NS), 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(short_yields), cmocka_unit_test(slices), cmocka_unit_test(seldom_long),
					   cmocka_unit_test(again)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
