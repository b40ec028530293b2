/* SPDX-License-Identifier: Apache-2.0 */
/* The setting `weights`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>

#include "daemon/weights.h"

static void test_reads_rules(void **state)
{
	const char *const text = "uid:1000=4,gid:50=2,uid:0=1000";

	(void)state;
	assert_int_equal(weights_check(text, NULL), 0);
	assert_int_equal(weights_of(text, 1000, 0), 4);
	assert_int_equal(weights_of(text, 7, 50), 2);
	assert_int_equal(weights_of(text, 1000, 50), 4);
	assert_int_equal(weights_of(text, 0, 50), 1000);
	assert_int_equal(weights_of(text, 7, 7), 1);
	assert_int_equal(weights_check("", NULL), 0);
	assert_int_equal(weights_of("", 0, 0), 1);
}

static void test_refuses_others(void **state)
{
	static const char *const wrong[] = {"uid", "uid:", "uid:1", "uid:1=", "uid:1=0", "uid:1=1001", "uid:root=2", "1=2",
					    "uid:1=2;uid:2=3", "uid:4294967296=1", "uid:1=-1", "gid:1 = 2"};
	struct error err;

	(void)state;
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
		if (weights_check(wrong[i], &err) != -ERROR_OUT_OF_RANGE)
			fail_msg("\"%s\" was taken", wrong[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_reads_rules),
		cmocka_unit_test(test_refuses_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
