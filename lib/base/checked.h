/* SPDX-License-Identifier: Apache-2.0 */
/* Arithmetic that reports overflow. Each function returns true if the result does not fit; *ret is then undefined. */
#ifndef TRNSCI_BASE_CHECKED_H
#define TRNSCI_BASE_CHECKED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sums and products are of 64 bits: sizes of a client's arrays are 64-bit numbers. */
static inline bool add_overflows(uint64_t a, uint64_t b, uint64_t *ret)
{
	return __builtin_add_overflow(a, b, ret);
}

static inline bool mul_overflows(uint64_t a, uint64_t b, uint64_t *ret)
{
	return __builtin_mul_overflow(a, b, ret);
}

/* Rounds a up to a multiple of `multiple`, a power of two. */
static inline bool round_up_overflows(uint64_t a, uint64_t multiple, uint64_t *ret)
{
	if (__builtin_add_overflow(a, multiple - 1, ret))
		return true;
	*ret &= ~(multiple - 1);
	return false;
}

static inline size_t size_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

static inline size_t size_max(size_t a, size_t b)
{
	return a > b ? a : b;
}

#endif
