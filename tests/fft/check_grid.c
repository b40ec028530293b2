/* SPDX-License-Identifier: Apache-2.0 */
/* Fast lengths against a search one by one; frequencies against their definition. */
#include "fft/plan/grid.h"

#include "fft/plan/factor.h"
#include "fixture.h"

static uint64_t next_by_one(uint64_t n, bool real)
{
	while (!factor_is_smooth(n) || (real && n % 2))
		n++;
	return n;
}

static void check_fast_lengths(void **state)
{
	uint64_t random = fixture_seed;

	(void)state;
	for (uint64_t n = 1; n <= 5000; n++)
		for (unsigned real = 0; real < 2; real++)
			if (fft_fast_length(n, real) != next_by_one(n, real))
				fail_msg("n=%llu real=%u: expected %llu, got %llu", (unsigned long long)n, real,
					 (unsigned long long)next_by_one(n, real),
					 (unsigned long long)fft_fast_length(n, real));
	for (unsigned i = 0; i < 50; i++) {
		const uint64_t n = 1 + fixture_next(&random) % (UINT64_C(1) << 24);

		assert_int_equal(fft_fast_length(n, i % 2), next_by_one(n, i % 2));
	}
	assert_int_equal(fft_fast_length(0, false), 0);
	assert_int_equal(fft_fast_length(FFT_MAX_LENGTH, false), FFT_MAX_LENGTH);
	assert_int_equal(fft_fast_length(FFT_MAX_LENGTH - 1, true), FFT_MAX_LENGTH);
	assert_int_equal(fft_fast_length(FFT_MAX_LENGTH + 1, false), 0);
}

static void check_frequencies(void **state)
{
	static const double odd[] = {0, 1, 2, -2, -1}, even[] = {0, 1, 2, -3, -2, -1};

	(void)state;
	for (uint64_t k = 0; k < 5; k++)
		assert_true(fft_frequency(5, k, 0.5, false) == odd[k] * (1 / 2.5));
	for (uint64_t k = 0; k < 6; k++)
		assert_true(fft_frequency(6, k, 2, false) == even[k] * (1 / 12.0));
	assert_true(fft_frequency(6, 3, 1, true) == 3 * (1 / 6.0));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(check_fast_lengths),
		cmocka_unit_test(check_frequencies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
