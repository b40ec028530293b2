/* SPDX-License-Identifier: Apache-2.0 */
/* A problem as FFTW's callers state it: axes to transform, axes of the batch, where real and imaginary parts lie.
 *
 * All strides count reals, so that interleaved and split complex numbers are one thing. A backward transform is a forward one with
 * real and imaginary parts exchanged on both sides. */
#ifndef TRNSCI_FFTW_PROBLEM_H
#define TRNSCI_FFTW_PROBLEM_H

#include <stdbool.h>
#include <stddef.h>

#include "fft/fft.h"

/* The numbers of the last eleven are those of FFTW's r2r kinds. */
enum { KINDS_OF_REALS = 11 };

enum problem_transform { TRANSFORM_C2C, TRANSFORM_R2C, TRANSFORM_C2R, TRANSFORM_R2R };

struct dim {
	size_t n;
	ptrdiff_t in, out;
};

/* Where a run reads and writes. Sides of reals have no imaginary part: NULL. */
struct arrays {
	char *in_re, *in_im, *out_re, *out_im;
};

struct problem {
	enum fft_precision precision;
	enum problem_transform transform;
	unsigned rank, n_batch;
	const struct dim *dims; /* rank to transform, then n_batch */
	const int *kinds;       /* of reals, for each axis to transform */
	struct arrays arrays;
	bool is_backward;  /* arrays of pairs are given with the imaginary parts first */
	bool preserves_in; /* the input must stay as it is, unless it is the output */
	unsigned threads;
};

static inline bool problem_takes_complex(const struct problem *problem)
{
	return problem->transform == TRANSFORM_C2C || problem->transform == TRANSFORM_C2R;
}

static inline bool problem_gives_complex(const struct problem *problem)
{
	return problem->transform == TRANSFORM_C2C || problem->transform == TRANSFORM_R2C;
}

static inline size_t problem_real_bytes(const struct problem *problem)
{
	return problem->precision == FFT_F32 ? sizeof(float) : sizeof(double);
}

#endif
