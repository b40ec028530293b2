/* SPDX-License-Identifier: Apache-2.0 */
/* Small panels of complex numbers, turned by way of the first cache. */
#ifndef TRNSCI_FFT_TRANSPOSE_H
#define TRNSCI_FFT_TRANSPOSE_H

#include "fft/fft.h"

/* to[column][row] = from[row][column], for `rows` by `columns` complex numbers; steps from one row of each to its next
 * are in bytes. Rows of `to` are written in sequence: so they should be the longer ones. */
void transpose_pairs(enum fft_precision precision, const char *from, size_t from_step, char *to, size_t to_step,
		     size_t rows, size_t columns);

#endif
