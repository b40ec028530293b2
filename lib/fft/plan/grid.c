/* SPDX-License-Identifier: Apache-2.0 */
/* Frequencies and fast lengths. */
#include "fft/plan/grid.h"

#include <stddef.h>

#include "fft/fft.h"

double fft_frequency(uint64_t n, uint64_t k, double spacing, bool real)
{
	const double step = 1 / ((double)n * spacing);

	return (!real && k >= (n + 1) / 2 ? -(double)(n - k) : (double)k) * step;
}

/* Lowers *best to the least number >= n that is `product` times powers of 2 and of the primes from primes[which] on. */
static void search_smooth(uint64_t n, uint64_t product, unsigned which, uint64_t *best)
{
	static const uint8_t primes[] = {3, 5, 7, 11, 13};

	for (uint64_t least = product; least < *best; least *= 2)
		if (least >= n) {
			*best = least;
			break;
		}
	for (unsigned i = which; i < sizeof primes; i++)
		if (product * primes[i] < *best)
			search_smooth(n, product * primes[i], i, best);
}

uint64_t fft_fast_length(uint64_t n, bool real)
{
	uint64_t best = 2 * FFT_MAX_LENGTH;

	if (n < 1 || n > FFT_MAX_LENGTH)
		return 0;
	/* An even length is twice any smooth one. */
	search_smooth(real ? n / 2 + n % 2 : n, 1, 0, &best);
	best *= real ? 2 : 1;
	return best <= FFT_MAX_LENGTH ? best : 0;
}
