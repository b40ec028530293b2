/* SPDX-License-Identifier: Apache-2.0 */
/* A copy around the caches copies its bytes and no others, wherever it begins and ends. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "base/store_around.h"

enum { LINE = 64, MOST = 3 * LINE, GUARD = 0xee };

static void copies_exactly_its_bytes(void **state)
{
	static _Alignas(LINE) unsigned char from[MOST + LINE], to[MOST + 2 * LINE], expected[MOST + 2 * LINE];

	(void)state;
	for (size_t i = 0; i < sizeof from; i++)
		from[i] = (unsigned char)i;
	for (size_t begin = 0; begin < LINE; begin++)
		for (size_t bytes = 0; bytes <= MOST; bytes++) {
			const size_t in = (begin + bytes) % 17;

			memset(to, GUARD, sizeof to);
			memset(expected, GUARD, sizeof expected);
			memcpy(expected + begin, from + in, bytes);
			store_around_copy(to + begin, from + in, bytes);
			store_around_end();
			if (memcmp(to, expected, sizeof to) != 0)
				fail_msg("%zu bytes to byte %zu of a line: expected these and no others", bytes, begin);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_exactly_its_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
