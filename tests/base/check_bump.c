/* SPDX-License-Identifier: Apache-2.0 */
/* A cache of allocators keeps those of several requests in flight, and no more than it has room for. */
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

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(several)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
