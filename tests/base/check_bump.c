/* SPDX-License-Identifier: Apache-2.0 */
/* A cache of allocators keeps those of several requests in flight, and no more than it has room for; a small one grows as others do. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/bump.h"

enum { MANY = 2 * BUMP_CACHED };

static unsigned count_cached(const struct bump_cache *cache)
{
	unsigned n = 0;

	for (size_t i = 0; i < BUMP_CACHED; i++)
		n += atomic_load(&cache->free[i]) != NULL;
	return n;
}

static void several(void **state)
{
	struct bump_cache cache = {NULL};
	struct bump *bumps[MANY];

	(void)state;
	for (unsigned i = 0; i < MANY; i++) {
		bumps[i] = bump_new_cached(&cache);
		assert_non_null(bumps[i]);
		memset(bump_alloc(bumps[i], 20000), 1, 20000);
	}
	for (unsigned i = 0; i < MANY; i++) {
		bump_free(bumps[i]);
		assert_int_equal(count_cached(&cache), i < BUMP_CACHED ? i + 1 : BUMP_CACHED);
	}
	for (unsigned i = 0; i < BUMP_CACHED; i++) {
		struct bump *again = bump_new_cached(&cache);
		const size_t empty = bump_bytes(again);

		assert_int_equal(count_cached(&cache), BUMP_CACHED - 1);
		assert_in_range(empty, 8000, 8200);
		bump_free(again);
	}
	bump_cache_free(&cache);
	assert_int_equal(count_cached(&cache), 0);
}

static void small(void **state)
{
	enum { PIECES = 1000 };
	struct bump *bump = bump_new_small();
	uint64_t *at[PIECES];

	(void)state;
	assert_non_null(bump);
	assert_in_range(bump_bytes(bump), 900, 1032);
	for (uint64_t i = 0; i < PIECES; i++) {
		at[i] = bump_alloc(bump, (i % 9 + 1) * sizeof *at[i]);
		assert_true((uintptr_t)at[i] % _Alignof(max_align_t) == 0);
		for (uint64_t k = 0; k <= i % 9; k++)
			at[i][k] = i;
	}
	for (uint64_t i = 0; i < PIECES; i++)
		assert_true(at[i][0] == i && at[i][i % 9] == i);
	bump_free(bump);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(several), cmocka_unit_test(small)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
