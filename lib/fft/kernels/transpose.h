/* SPDX-License-Identifier: Apache-2.0 */
/* Small panels of complex numbers, turned by way of the first cache, and rows of them, copied. */
#ifndef TRNSCI_FFT_TRANSPOSE_H
#define TRNSCI_FFT_TRANSPOSE_H

#include "fft/fft.h"

/* Results from here on are written around the caches, where the CPU can: they would not stay there, and what they
 * overwrite need not be read. The bytes are the same. */
enum { TRANSPOSE_STREAM_BYTES = 16 << 20 };

/* to[column][row] = from[row][column], for `rows` by `columns` complex numbers; steps from one row of each to its next
 * are in bytes. Rows of `to` are written in sequence: so they should be the longer ones. stream: around the caches;
 * transpose_end before another thread may look. */
void transpose_pairs(enum fft_precision precision, const char *from, size_t from_step, char *to, size_t to_step,
		     size_t rows, size_t columns, bool stream);

/* to[column][row] = from[row][column], for elements of 4, 8 or 16 bytes at any steps, of which the one along the longer
 * side may pass by the caches: its lines are asked for ahead. features: of the kernels that may be used. */
void transpose_elements(uint32_t features, size_t size, const char *from, size_t from_step, char *to, size_t to_step,
			size_t rows, size_t columns);

/* Complex numbers in sequence, around the caches. */
void transpose_stream(const char *from, char *to, size_t bytes);
void transpose_end(void);

#endif
