/* SPDX-License-Identifier: Apache-2.0 */
/* Random problems of the guru interface, in both precisions, against sums in long double: ranks 0 to 4, batches of 0 to 3 axes,
 * strides in any order with gaps and signs, split and interleaved, in place and not. TRNSCI_FULL=1: 10,000 of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "reference.h"
#include "fftw3.h"

enum { RANDOM_AXES = 8 };
enum random_call { CALL_DFT, CALL_R2C, CALL_C2R, CALL_R2R };

static const char *const random_names[] = {"dft", "r2c", "c2r", "r2r"};

#define P(name) fftw_##name
#define REAL double
#define BOUND 1e-14L
#include "random_body.h"
#undef P
#undef REAL
#undef BOUND
#define P(name) fftwf_##name
#define REAL float
#define BOUND 1e-6L
#include "random_body.h"

static void check_problems(void **state)
{
	const char *full = getenv("TRNSCI_FULL"), *seed = getenv("TRNSCI_SEED");
	const uint64_t first = seed ? strtoull(seed, NULL, 0) : 0x5EED0000;
	const unsigned count = seed ? 1 : full && *full && strcmp(full, "0") != 0 ? 5000 : 500;

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
