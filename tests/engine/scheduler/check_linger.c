/* SPDX-License-Identifier: Apache-2.0 */
/* A thread without work stays awake while work comes soon. The test sets the times. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_zero_never_lingers),
		cmocka_unit_test(test_long_waits_close_the_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
