/* SPDX-License-Identifier: Apache-2.0 */
/* The frequencies of a transform's bins, and lengths that transform fast. */
#include <trnsci/trnsci.h>

#include "fft/plan/grid.h"

int trnsci_fftfreq(uint64_t n, double spacing, bool real, double *ret_frequencies)
{
	const uint64_t bins = real ? n / 2 + 1 : n;

	if (n == 0 || !(spacing != 0))
		return -TRNSCI_OUT_OF_RANGE;
	for (uint64_t k = 0; k < bins; k++)
		ret_frequencies[k] = fft_frequency(n, k, spacing, real);
	return 0;
}

uint64_t trnsci_next_fast_length(uint64_t n, bool real)
{
	return fft_fast_length(n, real);
}
