/* SPDX-License-Identifier: Apache-2.0 */
/* Real transforms whose spectrum is n real numbers, and the discrete Hartley transform:
 *
 *   R2HC   y[k] = scale * Re X[k], y[n - k] = scale * Im X[k], where X is the spectrum (real.h), k = 0 .. n/2; the imaginary parts
 *          of X[0] and (n even) X[n/2], which are 0, have no place
 *   HC2R   the reverse: x[j] = scale * sum over k < n of X[k] exp(+2 pi i j k / n)
 *   DHT    y[k] = scale * sum over j of x[j] (cos(2 pi j k / n) + sin(2 pi j k / n)) = scale * (Re X[k] - Im X[k])
 *
 * The plan is a struct fft_plan. Both sides have n reals and may be the same memory. A call's `inverse` is ignored. */
#ifndef TRNSCI_FFT_PACKED_H
#define TRNSCI_FFT_PACKED_H

#include "fft/fft.h"

enum fft_packed { FFT_R2HC, FFT_HC2R, FFT_DHT };

/* Creates a plan as fft_plan_create does. */
int fft_plan_create_packed(enum fft_packed packed, uint64_t n, enum fft_precision precision, uint32_t features,
			   struct fft_plan **ret_plan);

#endif
