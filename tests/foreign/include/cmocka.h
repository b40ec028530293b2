/* SPDX-License-Identifier: Apache-2.0 */
/* As much of cmocka as the tests of lib/ need, for CPUs whose cmocka is not at hand: the first failure ends the
 * program. Found before the real one when the tests are built for such a CPU. */
#ifndef TRNSCI_TESTS_FOREIGN_CMOCKA_H
#define TRNSCI_TESTS_FOREIGN_CMOCKA_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct CMUnitTest {
	const char *name;
	void (*run)(void **state);
};

#define cmocka_unit_test(function) {#function, function}

#define fail_msg(...)                                                                                                  \
	do {                                                                                                           \
		fflush(stdout);                                                                                        \
		fprintf(stderr, "%s:%d: ", __FILE__, __LINE__);                                                        \
		fprintf(stderr, __VA_ARGS__);                                                                          \
		fputc('\n', stderr);                                                                                   \
		exit(1);                                                                                               \
	} while (0)

#define assert_true(condition)                                                                                         \
	do {                                                                                                           \
		if (!(condition))                                                                                      \
			fail_msg("expected: %s", #condition);                                                          \
	} while (0)

#define assert_false(condition)	   assert_true(!(condition))
#define assert_non_null(pointer)   assert_true((pointer) != NULL)
#define assert_null(pointer)	   assert_true((pointer) == NULL)
#define assert_int_equal(a, b)	   assert_true((unsigned long long)(a) == (unsigned long long)(b))
#define assert_int_not_equal(a, b) assert_true((unsigned long long)(a) != (unsigned long long)(b))
#define assert_string_equal(a, b)  assert_true(strcmp(a, b) == 0)
#define assert_memory_equal(a, b, size) assert_true(memcmp(a, b, size) == 0)
#define assert_in_range(x, low, high) assert_true((x) >= (low) && (x) <= (high))

#define skip() return

#define cmocka_run_group_tests(tests, setup, teardown) run_tests(tests, sizeof(tests) / sizeof *(tests))

static inline int run_tests(const struct CMUnitTest *tests, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		void *state = NULL;

		tests[i].run(&state);
		printf("ok %zu - %s\n", i + 1, tests[i].name);
	}
	printf("1..%zu\n", count);
	return 0;
}

#endif
