/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's side of a real transform: the bins of its spectrum, as complex numbers at a stride or packed in n reals. */
#ifndef TRNSCI_FFT_BINS_H
#define TRNSCI_FFT_BINS_H

#include "fft/plan/wrapper.h"

/* Returns whether a contiguous row of complex numbers holds the bins: then nothing need be copied. */
static inline bool fft_bins_are_pairs(const struct fft_plan *plan, size_t stride)
{
	return stride == 1 && fft_wrapped_of(plan)->bins == FFT_BINS_COMPLEX;
}

/* Copy bins [begin, end) between the caller's side, at a stride, and a row of complex numbers. */
void fft_bins_load(const struct fft_plan *plan, const char *in, size_t stride, size_t begin, size_t end, char *row);
void fft_bins_store(const struct fft_plan *plan, const char *row, size_t begin, size_t end, char *out, size_t stride);

/* Returns the bytes of an element of the input: a side of reals, which a packed spectrum is, counts in halves of pairs. */
size_t fft_real_in_bytes(const struct fft_plan *plan, bool inverse);

#endif
