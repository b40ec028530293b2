/* SPDX-License-Identifier: Apache-2.0 */
/* What known mistakes in bfloat16 cost, for the self-test's report. */
#include <trnsci/trnsci.h>

#include "fft/psum.h"

enum { TRANSFORMS = 64 };

int trnsci_psum(void (*report)(void *arg, const struct trnsci_psum *row), void *arg)
{
	static const uint64_t lengths[] = {64, 128, 256};

	for (enum psum psum = 0; psum < PSUMS; psum++)
		for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
			struct trnsci_psum row = {.what = psum_name(psum), .n = lengths[i]};
			const int r = psum_error(psum, (size_t)row.n, TRANSFORMS, &row.error);

			if (r < 0)
				return r;
			report(arg, &row);
		}
	return 0;
}
