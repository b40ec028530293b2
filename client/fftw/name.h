/* SPDX-License-Identifier: Apache-2.0 */
/* The names and types of one precision: FFTW_SINGLE makes the files that include this those of libfftw3f. */
#ifndef TRNSCI_FFTW_NAME_H
#define TRNSCI_FFTW_NAME_H

#include "fftw/fftw3.h"
#include "fftw/plan.h"

#ifdef FFTW_SINGLE
#define X(name) fftwf_##name
#define F77_NAME(name) sfftw_##name
#define R float
#define PRECISION FFT_F32
#else
#define X(name) fftw_##name
#define F77_NAME(name) dfftw_##name
#define R double
#define PRECISION FFT_F64
#endif
#define C X(complex)

#define EXPORT __attribute__((visibility("default")))

static inline struct plan *plan_of(const X(plan) p)
{
	return (struct plan *)p;
}

/* Returns the threads that new plans use. */
unsigned X(threads_of_plans)(void);

#endif
