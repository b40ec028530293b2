/* SPDX-License-Identifier: Apache-2.0 */
/* What FFTW makes, in long double, of the signals that the tests transform. */
#ifndef TRNSCI_TESTS_FFT_REFERENCE_H
#define TRNSCI_TESTS_FFT_REFERENCE_H

#include <fftw3.h>

#include "fixture.h"

/* Fills x, the n samples that the plan reads, with the signal of that length, and runs and destroys the plan. */
static inline void reference_run(fftwl_plan plan, long double *x, size_t n)
{
	uint64_t state = fixture_seed + n;

	for (size_t i = 0; i < n; i++)
		x[i] = fixture_sample(&state);
	fftwl_execute(plan);
	fftwl_destroy_plan(plan);
}

#endif
