/* SPDX-License-Identifier: Apache-2.0 */
/* Probabilities as shares of the 2^64 words. */
#ifndef TRNSCI_DISTRIBUTIONS_WORD_SHARE_H
#define TRNSCI_DISTRIBUTIONS_WORD_SHARE_H

#include <math.h>
#include <stdint.h>

/* Returns p 2^64, p in [0, 1], rounded to the nearest integer below 2^64. */
static inline uint64_t word_share(double p)
{
	const double scaled = rint(ldexp(p, 64));

	return scaled >= 0x1p64 ? UINT64_MAX : (uint64_t)scaled;
}

#endif
