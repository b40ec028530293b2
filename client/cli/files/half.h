/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of 16 bits. */
#ifndef TRNSCI_CLI_FILES_HALF_H
#define TRNSCI_CLI_FILES_HALF_H

#include <math.h>
#include <stdint.h>

#include <trnsci/trnsci.h>

/* The exact value of a float16 (TRNSCI_F16) or bfloat16 (TRNSCI_BF16). */
static inline double half_value(enum trnsci_dtype dtype, uint16_t bits)
{
	const int fraction_bits = dtype == TRNSCI_F16 ? 10 : 7, bias = dtype == TRNSCI_F16 ? 15 : 127;
	const int exponent = (bits & 0x7FFF) >> fraction_bits, fraction = bits & ((1 << fraction_bits) - 1);
	const int most = 2 * bias + 1;
	double size;

	if (exponent == most)
		size = fraction ? (double)NAN : (double)INFINITY;
	else if (exponent == 0)
		size = ldexp(fraction, 1 - bias - fraction_bits);
	else
		size = ldexp((1 << fraction_bits) + fraction, exponent - bias - fraction_bits);
	return bits & 0x8000 ? -size : size;
}

#endif
