/* SPDX-License-Identifier: Apache-2.0 */
/* What known mistakes cost is what is known of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "selftest/proofs/psum.h"

static void test_costs(void **unused)
{
	static const size_t lengths[3] = {64, 128, 256};
	static const double least[PSUMS][3] = {
		[PSUM_BF16] = {1e-3, 1e-3, 1e-3},        [PSUM_ANGLES] = {0.18, 0.37, 0.68},
		[PSUM_ACCUMULATOR] = {5e-3, 6e-3, 7e-3}, [PSUM_OZAKI] = {1e-6, 1e-6, 1e-6},
		[PSUM_PRODUCTS] = {1e-3, 1e-3, 1e-3},
	};
	static const double most[PSUMS][3] = {
		[PSUM_BF16] = {2.5e-3, 2.5e-3, 2.5e-3},  [PSUM_ANGLES] = {0.24, 0.47, 0.84},
		[PSUM_ACCUMULATOR] = {2e-2, 2e-2, 3e-2}, [PSUM_OZAKI] = {5e-6, 5e-6, 5e-6},
		[PSUM_PRODUCTS] = {2e-3, 2e-3, 2e-3},
	};

	(void)unused;
	for (enum psum p = 0; p < PSUMS; p++)
		for (unsigned i = 0; i < 3; i++) {
			double error;

			assert_int_equal(psum_error(p, lengths[i], 8, &error), 0);
			print_message("# %s, n = %zu: %.2g\n", psum_name(p), lengths[i], error);
			if (!(error >= least[p][i] && error <= most[p][i]))
				fail_msg("%s, n = %zu: error %.3g, expected %.3g to %.3g", psum_name(p), lengths[i],
					 error, least[p][i], most[p][i]);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_costs)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
