/* SPDX-License-Identifier: Apache-2.0 */
/* Roots of unity for the references, which are sums over them: sines in long double cost more than all else of a sum.
 */
#ifndef TESTS_ENGINE_ROOTS_H
#define TESTS_ENGINE_ROOTS_H

#include <assert.h>
#include <complex.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

/* Returns exp(2 pi i m / n) for m below n, good until the next call with another n. One thread. */
static inline const long double complex *roots_of_unity(size_t n)
{
	static long double complex *roots;
	static size_t count;

	if (n == count)
		return roots;
	free(roots);
	roots = malloc(n * sizeof *roots);
	assert(roots);
	for (size_t m = 0; m < n; m++) {
		const long double angle = 2 * 3.141592653589793238462643383279502884L * (long double)m / (long double)n;

		roots[m] = cosl(angle) + I * sinl(angle);
	}
	count = n;
	return roots;
}

#endif
