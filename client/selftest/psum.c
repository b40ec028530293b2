/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of accumulation in bfloat16: reports the error of known mistakes; nothing can fail. */
#include "selftest/proofs/psum.h"
#include "suites.h"

enum { TRANSFORMS = 64 };

int selftest_psum(struct selftest *test)
{
	static const uint64_t lengths[] = {64, 128, 256};

	for (enum psum psum = 0; psum < PSUMS; psum++)
		for (unsigned i = 0; i < sizeof lengths / sizeof *lengths; i++) {
			double error;
			const int r = psum_error(psum, (size_t)lengths[i], TRANSFORMS, &error);

			if (r < 0)
				return r;
			selftest_report(test,
					(struct trnsci_check){.subject = psum_name(psum),
							      .name = "error",
							      .values = (struct trnsci_param[]){trnsci_param_u64("n", lengths[i]),
												trnsci_param_f64("error", error),
												trnsci_param_end()},
							      .passed = true});
		}
	return 0;
}
