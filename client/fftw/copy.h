/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between arrays of any strides, as staged work: what lib/fft/axes does not read or write where it lies. */
#ifndef TRNSCI_FFTW_COPY_H
#define TRNSCI_FFTW_COPY_H

#include "base/staged_work.h"
#include "fftw/problem.h"

struct copy;

/* Creates a copy of `count` axes, whose strides count reals of real_bytes. Runs name the real parts in[0] and out, and with
 * `is_complex` the imaginary parts in[1] and `work`. Returns NULL without memory. */
struct copy *copy_create(const struct dim *dims, unsigned count, size_t real_bytes, bool is_complex);
void copy_free(struct copy *copy);
const struct staged_work *copy_work(const struct copy *copy);

#endif
