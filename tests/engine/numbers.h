/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers for tests, the same in each run: Knuth's multiplicative congruence. */
#ifndef TESTS_ENGINE_NUMBERS_H
#define TESTS_ENGINE_NUMBERS_H

#include <stdint.h>

static uint64_t noise_state = 20261121;

/* In [-1, 1). */
static inline double random_number(void)
{
	noise_state = noise_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (double)(int64_t)noise_state / 0x1p63;
}

#endif
