/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms between n real numbers and the n/2 + 1 complex ones that hold their spectrum.
 *
 * The plan is a struct fft_plan and everything in fft.h but fft_plan_create works on it unchanged: stepping, phases,
 * units, scratch, work, freeing. Only the two sides of a call differ:
 *
 *   forward  in: n reals, in_stride and in_distance counted in reals; out: n/2 + 1 complex (counted in complex)
 *            X[k] = scale * sum over j of x[j] exp(-2 pi i j k / n),  k = 0 .. n/2
 *   inverse  in: n/2 + 1 complex; out: n reals, out_stride and out_distance counted in reals
 *            x[j] = scale * sum over k < n of X[k] exp(+2 pi i j k / n), X[n - k] = conj X[k]; the imaginary parts of
 *            X[0] and (n even) X[n/2] count as 0
 *
 * n/2 is rounded down. Even n costs one complex transform of n/2 and a pass over the result; odd n = r m, with r the
 * largest of 13, 11, 7, 5, 3 that divides it, (r + 1) / 2 complex ones of m and a pass; other n a complex one of n,
 * by convolution two of at least 2 n - 1: no less than complex input takes, since a chirp makes reals complex.
 * Input and output must not overlap.
 *
 * A Hermitian plan is the same with the other sign, and so with exchanged sides:
 *
 *   forward  in: n/2 + 1 complex; out: n reals, x[j] = scale * sum over k < n of X[k] exp(-2 pi i j k / n)
 *   inverse  in: n reals; out: n/2 + 1 complex, X[k] = scale * sum over j of x[j] exp(+2 pi i j k / n) */
#ifndef TRNSCI_FFT_REAL_H
#define TRNSCI_FFT_REAL_H

#include "fft/fft.h"

/* As fft_plan_create. */
int fft_plan_create_real(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan);
int fft_plan_create_hermitian(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan);

#endif
