/* SPDX-License-Identifier: Apache-2.0 */
/* Random problems of the guru interface, in both precisions, against sums in long double: ranks 0 to 4, batches of 0 to 3 axes,
 * strides in any order with gaps and signs, split and interleaved, in place and not. TRNSCI_FULL=1: 10,000 of them; TRNSCI_SEED:
 * one. */
#include "both.h"

static void check_problems(void **state)
{
	const char *seed = getenv("TRNSCI_SEED");
	const uint64_t first = seed ? strtoull(seed, NULL, 0) : 0x5EED0000;
	const unsigned count = seed ? 1 : is_full() ? 5000 : 500;

	(void)state;
	for (uint64_t i = 0; i < count; i++) {
		fftw_check_random(first + i);
		fftwf_check_random(first + i);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(check_problems)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
