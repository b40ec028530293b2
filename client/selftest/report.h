/* SPDX-License-Identifier: Apache-2.0 */
/* A run of one suite of the self-test, and how it reports. */
#ifndef TRNSCI_CLIENT_SELFTEST_REPORT_H
#define TRNSCI_CLIENT_SELFTEST_REPORT_H

#include <trnsci/trnsci.h>

struct selftest {
	const char *suite;
	uint64_t samples;                                            /* how many to draw; 0: the suite's default */
	void (*report)(void *arg, const struct trnsci_check *check); /* the caller's; may be NULL */
	void *arg;
	int failed; /* checks */
};

/* Reports a check and counts it if it failed. Sets the check's suite; its detail and values may be NULL. */
void selftest_report(struct selftest *test, struct trnsci_check check);

#endif
