/* SPDX-License-Identifier: Apache-2.0 */
/* Cosine and sine transforms of types I to IV of n real numbers, with the definitions and factors of scipy.fft:
 *
 *   DCT I    y[k] = x[0] + (-1)^k x[n-1] + 2 sum over 0 < j < n-1 of x[j] cos(pi j k / (n - 1))        n >= 2
 *   DCT II   y[k] = 2 sum over j of x[j] cos(pi (2j + 1) k / 2n)
 *   DCT III  y[k] = x[0] + 2 sum over j > 0 of x[j] cos(pi j (2k + 1) / 2n)
 *   DCT IV   y[k] = 2 sum over j of x[j] cos(pi (2j + 1) (2k + 1) / 4n)
 *   DST I    y[k] = 2 sum over j of x[j] sin(pi (j + 1) (k + 1) / (n + 1))
 *   DST II   y[k] = 2 sum over j of x[j] sin(pi (2j + 1) (k + 1) / 2n)
 *   DST III  y[k] = (-1)^k x[n-1] + 2 sum over j < n-1 of x[j] sin(pi (j + 1) (2k + 1) / 2n)
 *   DST IV   y[k] = 2 sum over j of x[j] sin(pi (2j + 1) (2k + 1) / 4n)
 *
 * each times scale. III undoes II up to the factor 2n; I and IV undo themselves up to 2 (n -+ 1) and 2n. With
 * `orthogonal`, some elements at the ends get a factor sqrt 2 or its inverse, so that with scale 1 / sqrt(2n) (type I:
 * 1 / sqrt(2 (n -+ 1))) the matrix is orthogonal. These are: DCT I x and y at 0 and n-1, DCT II y[0], DST II y[n-1],
 * III the same of x.
 *
 * The plan is a struct fft_plan. Both sides have n reals and may be the same memory. A call's `inverse` is ignored. */
#ifndef TRNSCI_FFT_SERIES_H
#define TRNSCI_FFT_SERIES_H

#include "fft/fft.h"

enum fft_series { FFT_DCT1, FFT_DCT2, FFT_DCT3, FFT_DCT4, FFT_DST1, FFT_DST2, FFT_DST3, FFT_DST4, FFT_SERIES };

#define FFT_SERIES_MAX_LENGTH (UINT64_C(1) << 27)

/* Creates a plan as fft_plan_create does, for n from fft_series_least to FFT_SERIES_MAX_LENGTH. */
int fft_plan_create_series(enum fft_series series, bool orthogonal, uint64_t n, enum fft_precision precision,
			   uint32_t features, struct fft_plan **ret_plan);

/* Returns the least n: 2 for DCT I, else 1. */
uint64_t fft_series_least(enum fft_series series);

/* Returns the factor that a transform and its inverse type give together: 2 n, or 2 (n -+ 1) for type I. */
uint64_t fft_series_period(enum fft_series series, uint64_t n);

/* Returns the type that undoes this one, up to fft_series_period. */
enum fft_series fft_series_inverse(enum fft_series series);

#endif
