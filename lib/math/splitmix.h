/* SPDX-License-Identifier: Apache-2.0 */
/* SplitMix64's hash (G. L. Steele, D. Lea, C. H. Flood, OOPSLA 2014). */
#ifndef TRNSCI_MATH_SPLITMIX_H
#define TRNSCI_MATH_SPLITMIX_H

#include <stdint.h>

/* The step from one state to the next: 2^64 over the golden ratio. */
#define SPLITMIX_STEP UINT64_C(0x9E3779B97F4A7C15)

/* Returns the finaliser's hash of x, a bijection of 64-bit numbers. */
static inline uint64_t splitmix_hash(uint64_t x)
{
	x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9;
	x = (x ^ x >> 27) * 0x94D049BB133111EB;
	return x ^ x >> 31;
}

#endif
