/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test's one function: suites by name, one type of row, options by name. */
#include <string.h>

#include <trnsci/trnsci.h>

#include "both.h"

struct rows {
	size_t count, unnamed;
	uint64_t n;
	bool has_steps;
};

static void count_rows(void *arg, const struct trnsci_check *row)
{
	struct rows *rows = arg;

	rows->count++;
	rows->unnamed += strcmp(row->suite, "byte_tiles") != 0 || !*row->subject || !*row->name || !row->detail;
	rows->has_steps |= strcmp(row->subject, "steps") == 0;
	for (const struct trnsci_param *at = row->values; at->kind != TRNSCI_PARAM_END; at++)
		if (strcmp(at->name, "n_words") == 0)
			rows->n = at->value.u64;
}

static void rows_carry_named_values(void **state)
{
	struct rows rows = {0};

	(void)state;
	assert_int_equal(trnsci_selftest("byte_tiles", NULL, count_rows, &rows), 0);
	assert_true(rows.count > 6 && rows.has_steps);
	assert_int_equal(rows.unnamed, 0);
	assert_int_equal(rows.n, 128 * 512);
	assert_int_equal(trnsci_selftest("byte_tiles", NULL, NULL, NULL), 0);
}

static void unknown_names_are_refused(void **state)
{
	const struct trnsci_param unknown[] = {trnsci_param_u64("sample", 5), trnsci_param_end()};
	const struct trnsci_param wrong[] = {trnsci_param_text("samples", "5"), trnsci_param_end()};

	(void)state;
	assert_int_equal(trnsci_selftest("distribution", NULL, NULL, NULL), -TRNSCI_NOT_FOUND);
	assert_int_equal(trnsci_selftest(NULL, NULL, NULL, NULL), -TRNSCI_NOT_FOUND);
	assert_int_equal(trnsci_selftest("distributions", unknown, NULL, NULL), -TRNSCI_UNKNOWN_PARAMETER);
	assert_int_equal(trnsci_selftest("distributions", wrong, NULL, NULL), -TRNSCI_UNKNOWN_PARAMETER);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_carry_named_values),
		cmocka_unit_test(unknown_names_are_refused),
	};

	return cmocka_run_group_tests_name("client/selftest", tests, NULL, NULL);
}
