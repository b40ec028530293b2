/* SPDX-License-Identifier: Apache-2.0 */
/* Whole turns are dropped in integers: x = M 2^e, and of 1 / (2 pi) only 192 binary digits from digit e on count, since those
 * before give whole turns and those behind less than 2^-139 turns. No double is nearer to a multiple of 2 pi than 2^-62 turns
 * unless it is below pi. Source: M. Payne, R. Hanek, "Radian reduction for trigonometric functions", SIGNUM 18 (1983) 19. */
#include "math/angle.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { WORDS = 21, FRACTION_BITS = 52 };

/* The binary digits of 1 / (2 pi), 64 in each, behind 64 zeros. */
static const uint64_t per_turn[WORDS] = {
	0,
	0x28BE60DB9391054A, 0x7F09D5F47D4D3770, 0x36D8A5664F10E410, 0x7F9458EAF7AEF158,
	0x6DC91B8E909374B8, 0x01924BBA82746487, 0x3F877AC72C4A69CF, 0xBA208D7D4BAED121,
	0x3A671C09AD17DF90, 0x4E64758E60D4CE7D, 0x272117E2EF7E4A0E, 0xC7FE25FFF7816603,
	0xFBCBC462D6829B47, 0xDB4D9FB3C9F2C26D, 0xD3D18FD9A797FA8B, 0x5D49EEB1FAF97C5E,
	0xCF41CE7DE294A4BA, 0x9AFED7EC47E35742, 0x1580CC11BF1EDAEA, 0xFC33EF0826BD0D87,
};

/* Returns 64 digits from digit `at` on, at >= -64. */
static uint64_t digits_at(int at)
{
	const unsigned first = (unsigned)(at + 64) / 64, shift = (unsigned)(at + 64) % 64;

	return shift == 0 ? per_turn[first] : per_turn[first] << shift | per_turn[first + 1] >> (64 - shift);
}

/* Returns the fraction of a turn that M 2^e is, by 2^128, rounded down. */
static unsigned __int128 fraction_of_turn(uint64_t m, int e)
{
	const unsigned __int128 low = (unsigned __int128)m * digits_at(e + 128);
	const unsigned __int128 middle = (unsigned __int128)m * digits_at(e + 64) + (uint64_t)(low >> 64);
	const uint64_t high = m * digits_at(e) + (uint64_t)(middle >> 64);

	return (unsigned __int128)high << 64 | (uint64_t)middle;
}

/* Returns 2 pi a / 2^128 of a > 0, by a product of two doubles each. */
static double radians_of(unsigned __int128 a)
{
	const double turn = 0x1.921fb54442d18p2, turn_rest = 0x1.1a62633145c07p-52;
	int shift = 0;

	for (; !(a >> 127); a <<= 1)
		shift++;
	const double high = (double)(uint64_t)(a >> 75), low = ldexp((double)(uint64_t)(a << 53 >> 64), -64);
	const double product = high * turn, rest = fma(high, turn, -product);

	return ldexp(product + (fma(high, turn_rest, low * turn) + rest), 75 - 128 - shift);
}

double angle_reduce(double x)
{
	const double pi = 0x1.921fb54442d18p1;
	uint64_t bits;

	if (fabs(x) <= pi)
		return x;
	memcpy(&bits, &x, sizeof bits);
	const int e = (int)(bits >> FRACTION_BITS & 0x7FF) - 1023 - FRACTION_BITS;
	const uint64_t m = (bits & ((1ull << FRACTION_BITS) - 1)) | 1ull << FRACTION_BITS;
	const unsigned __int128 turn = fraction_of_turn(m, e), half = (unsigned __int128)1 << 127;
	const double angle = turn < half ? radians_of(turn) : -radians_of(-turn);

	return x < 0 ? -angle : angle;
}
