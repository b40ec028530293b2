/* SPDX-License-Identifier: Apache-2.0 */
/* Radix selection from the highest byte down. Each pass keeps the keys whose byte is that of the wanted rank. */
#include "fft/signals/select.h"

#include <math.h>
#include <string.h>

#define SIGN (UINT64_C(1) << 63)

/* Floating-point bits are ordered as sign and magnitude. Setting the sign of positive numbers and inverting negative
 * ones gives the order of unsigned integers. */
uint64_t select_key(double x)
{
	uint64_t bits;

	x = isnan(x) ? (double)NAN : x;
	memcpy(&bits, &x, sizeof bits);
	return bits & SIGN ? ~bits : bits | SIGN;
}

static double key_value(uint64_t key)
{
	const uint64_t bits = key & SIGN ? key & ~SIGN : ~key;
	double x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

/* Counts the values of a byte, walks to the one that holds the rank, and drops the keys of all others. */
double select_value(const uint64_t *keys, uint64_t *scratch, size_t n, size_t rank)
{
	for (unsigned shift = 64; shift > 0;) {
		size_t counts[256] = {0}, kept = 0;
		unsigned byte = 0;

		shift -= 8;
		for (size_t i = 0; i < n; i++)
			counts[keys[i] >> shift & 255]++;
		while (rank >= counts[byte])
			rank -= counts[byte++];
		for (size_t i = 0; i < n; i++)
			if ((keys[i] >> shift & 255) == byte)
				scratch[kept++] = keys[i];
		keys = scratch;
		n = kept;
	}
	return key_value(keys[0]);
}
