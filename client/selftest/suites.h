/* SPDX-License-Identifier: Apache-2.0 */
/* The suites of the self-test, one file each. They return 0, even if checks failed, or a negative error if they could
 * not run to their end. */
#ifndef TRNSCI_CLIENT_SELFTEST_SUITES_H
#define TRNSCI_CLIENT_SELFTEST_SUITES_H

#include "report.h"

int selftest_kernels(struct selftest *test);
int selftest_distributions(struct selftest *test);
int selftest_fft(struct selftest *test);
int selftest_psum(struct selftest *test);
int selftest_byte_tiles(struct selftest *test);

#endif
