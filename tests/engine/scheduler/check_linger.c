/* SPDX-License-Identifier: Apache-2.0 */
/* A thread without work stays awake while work comes soon, and rests from that while another program wants its CPU. The test
 * sets the times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/scheduler/linger.h"

#define US UINT64_C(1000)
#define MS UINT64_C(1000000)

static bool looks_after(struct linger *linger, uint64_t ns)
{
	uint64_t at_ns = linger->began_ns + ns;

	return linger_again(linger, &at_ns);
}

static void wait_for(struct linger *linger, uint64_t *at_ns, uint64_t ns)
{
	linger_begin(linger, 100 * US, *at_ns);
	*at_ns += ns;
	linger_end(linger, *at_ns);
}

static void test_zero_never_lingers(void **state)
{
	struct linger linger = {0};

	(void)state;
	linger_begin(&linger, 0, 5 * MS);
	assert_false(looks_after(&linger, 0));
	linger_end(&linger, 5 * MS);
	assert_false(looks_after(&linger, 0));
}

static void test_long_waits_close_the_window(void **state)
{
	struct linger linger = {0};
	uint64_t at = 0;

	(void)state;
	linger_begin(&linger, 100 * US, at);
	assert_false(looks_after(&linger, 100 * US));
	for (int i = 0; i < 3; i++) {
		const uint64_t before = linger.window_ns;

		wait_for(&linger, &at, 10 * MS);
		assert_int_equal(linger.window_ns, before / 2);
	}
	for (int i = 0; i < 10; i++)
		wait_for(&linger, &at, 10 * MS);
	assert_int_equal(linger.window_ns, 0);
	wait_for(&linger, &at, 200 * US);
	assert_int_equal(linger.window_ns, 100 * US);
	for (int i = 0; i < 13; i++)
		wait_for(&linger, &at, 10 * MS);
	linger_open(&linger);
	assert_int_equal(linger.window_ns, 100 * US);
}

static void test_rests_from_a_wanted_cpu(void **state)
{
	struct linger linger = {0};
	uint64_t at = 1000 * MS, rest = 0;

	(void)state;
	linger_begin(&linger, 100 * US, at);
	linger_note_yield(&linger, 100 * US, at);
	assert_false(linger_rests(&linger, at));
	for (int i = 0; i < 12; i++) {
		linger_note_yield(&linger, 3 * MS, at);
		assert_true(linger_rests(&linger, at));
		assert_false(looks_after(&linger, at - linger.began_ns));
		assert_true(linger.rest_ns >= rest && linger.rest_ns <= 4000 * MS);
		assert_true(i >= 3 || linger.rest_ns > rest);
		rest = linger.rest_ns;
		assert_true(linger_rests(&linger, at + rest - 1));
		assert_false(linger_rests(&linger, at + rest));
		at += rest;
	}
	linger_note_yield(&linger, 3 * MS, at + 5 * rest);
	assert_true(linger.rest_ns < rest);
}

/* Bursts of a client that come now and then, each a slice long: most of the time between them is not rested. */
static void test_forgets_single_bursts(void **state)
{
	struct linger linger = {0};
	uint64_t at = 1000 * MS;

	(void)state;
	linger_begin(&linger, 100 * US, at);
	for (int i = 0; i < 12; i++, at += 40 * MS) {
		linger_note_yield(&linger, 3 * MS, at);
		assert_true(linger_rests(&linger, at));
		assert_false(linger_rests(&linger, at + 10 * MS));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zero_never_lingers),
		cmocka_unit_test(test_long_waits_close_the_window),
		cmocka_unit_test(test_rests_from_a_wanted_cpu),
		cmocka_unit_test(test_forgets_single_bursts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
