/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms between n real numbers and the n/2 + 1 complex ones that hold their spectrum.
 *
 * Everything in fft.h but fft_plan_create works on these plans. Only the two sides of a call differ:
 *
 *   forward  in: n reals, in_stride and in_distance counted in reals; out: n/2 + 1 complex (counted in complex)
 *            X[k] = scale * sum over j of x[j] exp(-2 pi i j k / n),  k = 0 .. n/2
 *   inverse  in: n/2 + 1 complex; out: n reals, out_stride and out_distance counted in reals
 *            x[j] = scale * sum over k < n of X[k] exp(+2 pi i j k / n), X[n - k] = conj X[k]; the imaginary parts of
 *            X[0] and (n even) X[n/2] count as 0
 *
 * n/2 is rounded down. Input and output do not overlap, or both sides of each transform begin at one address and no two transforms
 * share a place, with strides of 1. The cost:
 *
 *   n even                       one complex transform of n/2, and a pass over its result
 *   n = r m, r odd, r <= 13      (r + 1) / 2 complex transforms of m, and a pass; r is the largest such divisor
 *   other n                      one complex transform of n. Bluestein's chirp is complex, so real input saves nothing
 *
 * A Hermitian plan has the other sign in the exponent, and so exchanged sides:
 *
 *   forward  in: n/2 + 1 complex; out: n reals, x[j] = scale * sum over k < n of X[k] exp(-2 pi i j k / n)
 *   inverse  in: n reals; out: n/2 + 1 complex, X[k] = scale * sum over j of x[j] exp(+2 pi i j k / n)
 *
 * A packed plan has n reals on both sides, which may be the same memory, and only its forward direction:
 *
 *   R2HC   y[k] = scale * Re X[k], y[n - k] = scale * Im X[k], k = 0 .. n/2; the imaginary parts of X[0] and (n even) X[n/2], which
 *          are 0, have no place
 *   HC2R   the reverse: x[j] = scale * sum over k < n of X[k] exp(+2 pi i j k / n)
 *   DHT    y[k] = scale * sum over j of x[j] (cos(2 pi j k / n) + sin(2 pi j k / n)) = scale * (Re X[k] - Im X[k]) */
#ifndef TRNSCI_FFT_REAL_H
#define TRNSCI_FFT_REAL_H

#include "fft/fft.h"

/* Create a plan as fft_plan_create does. */
int fft_plan_create_real(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan);
int fft_plan_create_hermitian(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan);

enum fft_packed { FFT_R2HC, FFT_HC2R, FFT_DHT };

int fft_plan_create_packed(enum fft_packed packed, uint64_t n, enum fft_precision precision, uint32_t features,
			   struct fft_plan **ret_plan);

#endif
