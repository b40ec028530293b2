/* SPDX-License-Identifier: Apache-2.0 */
/* trnsci_selftest: runs a suite by its name. */
#include <string.h>

#include "suites.h"

static const struct {
	const char *name;
	int (*run)(struct selftest *test);
} suites[] = {
	{"kernels", selftest_kernels}, {"distributions", selftest_distributions}, {"fft", selftest_fft},
	{"psum", selftest_psum},       {"byte_tiles", selftest_byte_tiles},
};

static int read_options(const struct trnsci_param *options, struct selftest *test)
{
	for (; options && options->kind != TRNSCI_PARAM_END; options++) {
		if (!options->name || strcmp(options->name, "samples") != 0 || options->kind != TRNSCI_PARAM_U64)
			return -TRNSCI_UNKNOWN_PARAMETER;
		test->samples = options->value.u64;
	}
	return 0;
}

int trnsci_selftest(const char *suite, const struct trnsci_param *options,
		    void (*report)(void *arg, const struct trnsci_check *check), void *arg)
{
	struct selftest test = {.suite = suite, .report = report, .arg = arg};
	int r = read_options(options, &test);

	if (r < 0)
		return r;
	for (size_t i = 0; suite && i < sizeof suites / sizeof *suites; i++)
		if (strcmp(suites[i].name, suite) == 0) {
			r = suites[i].run(&test);
			return r < 0 ? r : test.failed;
		}
	return -TRNSCI_NOT_FOUND;
}
