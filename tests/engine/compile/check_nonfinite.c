/* SPDX-License-Identifier: Apache-2.0 */
/* Inf and NaN in transforms of reals: what PROTOCOL.md says of them, with every instruction set. */
#include <math.h>

#include "engine/harness.h"

enum { ROWS = 19, HURT = 7, LONGEST = 4099 };

static const size_t lengths[] = {1, 2, 3, 4, 5, 6, 8, 9, 12, 15, 16, 25, 30, 31, 64, 97, 100, 105, 128, 250, 1009, 1155, 1024, 4096, LONGEST};

/* Half spectra of ROWS rows of n ones and a few others, the sample `at` of row HURT being `sample`. */
static const struct value *spectra(struct fixture *fixture, size_t n, bool wide, size_t at, double sample, const char *precision,
				   struct call **ret_call)
{
	static double x[ROWS * LONGEST];
	static float narrow[ROWS * LONGEST];
	struct call *call = call_new();
	struct value array = value_map();

	for (size_t i = 0; i < ROWS * n; i++)
		x[i] = (double)(i * 7919 % 101) / 32 - 1.5;
	x[HURT * n + at] = sample;
	for (size_t i = 0; i < ROWS * n; i++)
		narrow[i] = (float)x[i];
	assert_int_equal(value_put(call->bump, &array, "dtype", value_string(wide ? "f64" : "f32")), 0);
	assert_int_equal(value_put(call->bump, &array, "shape", LIST(call, ROWS, (int64_t)n)), 0);
	assert_int_equal(value_put(call->bump, &array, "data",
				   wide ? value_bytes(x, ROWS * n * sizeof *x) : value_bytes(narrow, ROWS * n * sizeof *narrow)), 0);
	put(call, "in", array);
	put(call, "real", value_bool(true));
	if (precision)
		put(call, "precision", value_string(precision));
	*ret_call = call;
	return value_get(call_run(call, fixture->memory, "fft"), "data");
}

static double part_of(const struct value *data, bool wide, size_t i)
{
	return wide ? ((const double *)(const void *)data->bytes.at)[i] : (double)((const float *)(const void *)data->bytes.at)[i];
}

/* Bins 0 and n/2 of the row are real, bin 0 the sum; the other rows are those without the sample. */
static void check_one(struct fixture *fixture, size_t n, bool wide, size_t at, double sample, const char *precision)
{
	const size_t bins = n / 2 + 1;
	struct call *with, *without;
	const struct value *x = spectra(fixture, n, wide, at, sample, precision, &with);
	const struct value *y = spectra(fixture, n, wide, at, 1, precision, &without);
	const size_t row = y->bytes.size / ROWS, hurt = HURT * bins * 2;
	const bool wide_out = y->bytes.size == ROWS * bins * 2 * sizeof(double);

	if (part_of(x, wide_out, hurt + 1) != 0 || (n % 2 == 0 && part_of(x, wide_out, hurt + 2 * (n / 2) + 1) != 0))
		fail_msg("n %zu %s %s, %g at %zu: bins 0 and n/2 have imaginary parts %g and %g", n, wide ? "f64" : "f32",
			 precision ? precision : "", sample, at, part_of(x, wide_out, hurt + 1),
			 part_of(x, wide_out, hurt + 2 * (n / 2) + 1));
	for (size_t i = 0; i < ROWS; i++)
		if (i != HURT && memcmp(x->bytes.at + i * row, y->bytes.at + i * row, row) != 0)
			fail_msg("n %zu %s %s, %g at %zu: row %zu is another, too", n, wide ? "f64" : "f32", precision ? precision : "",
				 sample, at, i);
	call_free(with);
	call_free(without);
}

static void test_real_transforms(void **state)
{
	size_t count;
	const struct cpu_level *levels = cpu_levels(&count);
	const double samples[] = {(double)INFINITY, -(double)INFINITY, (double)NAN};

	(void)state;
	for (size_t level = 0; level < count; level++) {
		struct fixture fixture = fixture_open_with(1, cpu_level_usable(&levels[level]), 0, NULL);

		for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
			for (size_t s = 0; s < 3; s++)
				for (int wide = 0; wide < 2; wide++) {
					check_one(&fixture, lengths[i], wide, 0, samples[s], NULL);
					check_one(&fixture, lengths[i], wide, lengths[i] / 2, samples[s], NULL);
					check_one(&fixture, lengths[i], wide, lengths[i] - 1, samples[s], NULL);
				}
		fixture_close(&fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_real_transforms)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
