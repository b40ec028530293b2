/* SPDX-License-Identifier: Apache-2.0 */
/* The suites of the self-test; one file each. */
#ifndef TRNSCI_CLIENT_SELFTEST_SELFTEST_H
#define TRNSCI_CLIENT_SELFTEST_SELFTEST_H

#include <trnsci/trnsci.h>

struct selftest {
	const char *suite;
	uint64_t samples; /* the option; 0: the suite's default */
	void (*report)(void *arg, const struct trnsci_check *check);
	void *arg;
	int failed;
};

/* Reports a row of the suite and counts it when it failed. The row's suite is set here; detail and values may be NULL.
 */
void selftest_report(struct selftest *test, struct trnsci_check row);

/* Each returns 0, whatever failed, or a negative error when it could not go on. */
int selftest_kernels(struct selftest *test);
int selftest_distributions(struct selftest *test);
int selftest_fft(struct selftest *test);
int selftest_psum(struct selftest *test);
int selftest_byte_tiles(struct selftest *test);

#endif
