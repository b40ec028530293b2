/* SPDX-License-Identifier: Apache-2.0 */
/* The faster of two ways is found and kept, the other one tried seldom, and found when it becomes the faster one. */
#include "base/explore.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

enum { FIRST = 8, ENOUGH = 3000 };

/* Returns how many of so many times took the first way. */
static unsigned take(struct explore *ways, const uint64_t lengths_ns[2], unsigned times)
{
	unsigned first = 0;

	for (unsigned i = 0; i < times; i++) {
		const unsigned way = explore_next(ways);

		explore_learn(ways, way, lengths_ns[way]);
		first += way == 0;
	}
	return first;
}

static void finds_the_faster(void **state)
{
	static const uint64_t lengths_ns[2][2] = {{1000, 1100}, {1100, 1000}};

	(void)state;
	for (unsigned begin = 0; begin < 2; begin++)
		for (unsigned faster = 0; faster < 2; faster++) {
			struct explore ways;

			explore_init(&ways, begin, FIRST);
			assert_int_equal(explore_next(&ways), begin);
			take(&ways, lengths_ns[faster], 2 * FIRST);
			assert_int_equal(ways.way, faster);
			take(&ways, lengths_ns[faster], ENOUGH);
			assert_int_equal(ways.way, faster);
		}
}

static void finds_it_again(void **state)
{
	static const uint64_t before_ns[2] = {1000, 9000}, after_ns[2] = {1000, 900};
	struct explore ways;

	(void)state;
	explore_init(&ways, 1, FIRST);
	take(&ways, before_ns, 20 * ENOUGH);
	assert_int_equal(ways.way, 0);
	take(&ways, after_ns, 1100);
	assert_int_equal(ways.way, 1);
}

/* A try takes as long as many of the other way, so one is enough to know. */
static void tries_the_slower_seldom(void **state)
{
	static const uint64_t lengths_ns[2] = {1000, 20000};
	struct explore ways;

	(void)state;
	explore_init(&ways, 0, FIRST);
	take(&ways, lengths_ns, ENOUGH);
	assert_in_range(10 * ENOUGH - take(&ways, lengths_ns, 10 * ENOUGH), 1, 10 * ENOUGH / 1000);
}

/* The first time of all finds its caches cold, which does not make the other way the faster one. */
static void forgets_a_cold_start(void **state)
{
	static const uint64_t lengths_ns[2] = {1000, 1050};
	struct explore ways;

	(void)state;
	explore_init(&ways, 0, FIRST);
	explore_learn(&ways, explore_next(&ways), 1000000);
	take(&ways, lengths_ns, 2 * FIRST);
	assert_int_equal(ways.way, 0);
}

/* Several that run at once may end after the series to which they belong. */
static void takes_late_ends(void **state)
{
	static const uint64_t lengths_ns[2] = {1000, 2000};
	struct explore ways;

	(void)state;
	explore_init(&ways, 0, FIRST);
	take(&ways, lengths_ns, ENOUGH);
	assert_int_equal(explore_next(&ways), 0);
	for (int i = 0; i < 100; i++)
		explore_learn(&ways, 1, 1);
	assert_int_equal(ways.way, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_the_faster),
		cmocka_unit_test(finds_it_again),
		cmocka_unit_test(tries_the_slower_seldom),
		cmocka_unit_test(forgets_a_cold_start),
		cmocka_unit_test(takes_late_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
