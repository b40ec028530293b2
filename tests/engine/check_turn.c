/* SPDX-License-Identifier: Apache-2.0 */
/* Turns between clients, by their weights, and between a client's own jobs. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "engine/turn.h"

enum { ROUNDS = 3 };

static void expect_order(struct turns *turns, struct job *const *expected, size_t count)
{
	for (int round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < count; i++)
			if (turn_next(turns) != expected[i])
				fail_msg("round %d, unit %zu: not the job whose turn it is", round, i);
}

static void test_nobody(void **state)
{
	struct turns turns = {0};

	(void)state;
	assert_null(turn_next(&turns));
}

static void test_alike_without_weights(void **state)
{
	struct turns turns = {0};
	struct turn a = {0}, b = {0};
	struct job a1 = {.turn = &a}, a2 = {.turn = &a}, b1 = {.turn = &b};

	(void)state;
	turn_enter(&turns, &a1);
	turn_enter(&turns, &a2);
	turn_enter(&turns, &b1);
	expect_order(&turns, (struct job *[]){&a1, &b1, &a2, &b1}, 4);
}

static void test_by_weight(void **state)
{
	struct turns turns = {0};
	struct turn a = {.weight = 3}, b = {.weight = 1}, c = {.weight = 2};
	struct job a1 = {.turn = &a}, a2 = {.turn = &a}, b1 = {.turn = &b}, c1 = {.turn = &c};

	(void)state;
	turn_enter(&turns, &a1);
	turn_enter(&turns, &b1);
	turn_enter(&turns, &c1);
	expect_order(&turns, (struct job *[]){&a1, &a1, &a1, &b1, &c1, &c1}, 6);
	turn_enter(&turns, &a2);
	expect_order(&turns, (struct job *[]){&a1, &a2, &a1, &b1, &c1, &c1, &a2, &a1, &a2, &b1, &c1, &c1}, 12);
}

/* A client that leaves in the middle of its turn begins a whole one when it is back, behind the others. */
static void test_leaves_and_comes_back(void **state)
{
	struct turns turns = {0};
	struct turn a = {.weight = 3}, b = {0};
	struct job a1 = {.turn = &a}, b1 = {.turn = &b};

	(void)state;
	turn_enter(&turns, &a1);
	turn_enter(&turns, &b1);
	assert_ptr_equal(turn_next(&turns), &a1);
	turn_leave(&turns, &a1);
	turn_enter(&turns, &a1);
	expect_order(&turns, (struct job *[]){&b1, &a1, &a1, &a1}, 4);
	turn_leave(&turns, &a1);
	turn_leave(&turns, &b1);
	assert_null(turn_next(&turns));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nobody),
		cmocka_unit_test(test_alike_without_weights),
		cmocka_unit_test(test_by_weight),
		cmocka_unit_test(test_leaves_and_comes_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
