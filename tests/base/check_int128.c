/* SPDX-License-Identifier: Apache-2.0 */
/* Integers of 128 bits: read from every kind of value, and written as text. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "base/int128.h"

/* Checks that value reads as expected, or is rejected where expected is NULL. */
static void assert_reads(struct value value, const char *expected)
{
	char text[INT128_TEXT_BYTES];
	int128 x = 77;
	const bool read = value_to_int128(&value, &x);

	if (read != (expected != NULL))
		fail_msg("expected %s, got %s", expected ? expected : "a rejection", read ? int128_text(x, text) : "an integer");
	if (expected && strcmp(int128_text(x, text), expected) != 0)
		fail_msg("expected %s, got %s", expected, text);
	if (!read)
		assert_true(x == 77);
}

static void test_every_kind(void **state)
{
	(void)state;
	assert_reads(value_uint(0), "0");
	assert_reads(value_uint(UINT64_MAX), "18446744073709551615");
	assert_reads(value_int(INT64_MIN), "-9223372036854775808");
	assert_reads(value_real(0x1p53 - 1), "9007199254740991");
	assert_reads(value_real(1 - 0x1p53), "-9007199254740991");
	assert_reads(value_real(-0.0), "0");
	assert_reads(value_real(0x1p53), NULL);
	assert_reads(value_real(-0x1p53), NULL);
	assert_reads(value_real(-3), "-3");
	assert_reads(value_real(0x1.0000000000001p64), NULL);
	assert_reads(value_real(0.5), NULL);
	assert_reads(value_real((double)NAN), NULL);
	assert_reads(value_real(-(double)INFINITY), NULL);
	assert_reads(value_nil(), NULL);
	assert_reads(value_bool(true), NULL);
}

static void test_text(void **state)
{
	static const char *const good[][2] = {
		{"0", "0"},
		{"-0", "0"},
		{"007", "7"},
		{"-9223372036854775808", "-9223372036854775808"},
		{"18446744073709551615", "18446744073709551615"},
		{"18446744073709551616", "18446744073709551616"},
		{"0x10", "16"},
		{"0xffffffffffffffff", "18446744073709551615"},
	};
	static const char *const bad[] = {
		"",
		"-",
		"+1",
		" 1",
		"1 ",
		"1.0",
		"--1",
		"-0x1",
		"18446744073709551617",
		"-9223372036854775809",
		"99999999999999999999999999999999999999999999999",
	};

	(void)state;
	for (size_t i = 0; i < sizeof good / sizeof *good; i++)
		assert_reads(value_string(good[i][0]), good[i][1]);
	for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
		assert_reads(value_string(bad[i]), NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_kind), cmocka_unit_test(test_text)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
