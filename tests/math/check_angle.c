/* SPDX-License-Identifier: Apache-2.0 */
/* Angles less whole turns, against 400 digits of mpmath: x - 2 pi floor(x / (2 pi) + 1/2). */
#include "math/angle.h"

#include <inttypes.h>
#include <math.h>

#include "rng/support.h"

static const struct {
	double x, reduced;
} rows[] = {
	{0.0, 0.0},
	{5e-324, 5e-324},
	{1.0, 1.0},
	{3.141592653589793, 3.141592653589793},
	{3.1415926535897936, -3.141592653589793},
	{3.2, -3.0831853071795865},
	{6.283185307179586, -2.4492935982947064e-16},
	{6.283185307179587, 6.432490598706546e-16},
	{100.0, -0.5309649148733836},
	{1025.0, 0.8407949297274042},
	{1000000.0, -0.357564167085735},
	{4503599627370496.0, 2.07777121530127},
	{9007199254740994.0, -0.12764287657704645},
	{1e+16, 2.2474252491623665},
	{1e+22, -1.020177392559087},
	{1e+100, -0.3904858431921256},
	{1e+300, -2.1838724841522326},
	{5.319372648326541e+255, 1.5707963267948966},
	{5.319372648326541e+24, 0.4687435838102978},
	{1.7e+308, -0.6375843085080845},
	{1.7976931348623157e+308, 3.136630678439006},
};

static void known_angles(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int sign = -1; sign <= 1; sign += 2) {
			const double got = sign * angle_reduce(sign * rows[i].x), error = fabs(got - rows[i].reduced);

			if (!(error <= 0x1.8p-53 * fabs(rows[i].reduced)))
				fail_msg("%.17g: expected %.17g, got %.17g", rows[i].x, rows[i].reduced, got);
		}
}

/* A double and the next power of two of it are reduced alike: 2 (x mod 2 pi) mod 2 pi = 2 x mod 2 pi. */
static void doubled_angles_agree(void **state)
{
	const double turn = 0x1.921fb54442d18p2;
	uint64_t seed = case_seed();

	(void)state;
	for (int i = 0; i < 200000; i++) {
		const uint64_t word = next_case(&seed);
		const double x = ldexp((double)(word >> 11 | 1ull << 52), (int)(word % 1000) - 50), once = angle_reduce(x);
		double error = fabs(2 * once - angle_reduce(2 * x));

		error = fmin(error, fabs(error - turn));
		if (!(fabs(once) <= 0x1.921fb54442d18p1 && error < 2e-15))
			fail_msg("%a: %.17g and doubled %.17g, seed %" PRIu64, x, once, angle_reduce(2 * x), seed);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_angles),
		cmocka_unit_test(doubled_angles_agree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
