/* SPDX-License-Identifier: Apache-2.0 */
/* Reporting checks to the caller of the self-test. */
#include "report.h"

void selftest_report(struct selftest *test, struct trnsci_check check)
{
	static const struct trnsci_param none = {.kind = TRNSCI_PARAM_END};

	check.suite = test->suite;
	if (!check.detail)
		check.detail = "";
	if (!check.values)
		check.values = &none;
	test->failed += !check.passed;
	if (test->report)
		test->report(test->arg, &check);
}
