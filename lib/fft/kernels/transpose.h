/* SPDX-License-Identifier: Apache-2.0 */
/* Transposes of small panels of complex numbers. */
#ifndef TRNSCI_FFT_TRANSPOSE_H
#define TRNSCI_FFT_TRANSPOSE_H

#include "fft/fft.h"

/* Results of at least this size are stored around the caches, where the CPU can: they would not stay there, and the
 * memory that they overwrite need not be read. The bytes are the same. */
enum { TRANSPOSE_STREAM_BYTES = 16 << 20 };

/* Computes to[column][row] = from[row][column] for `rows` by `columns` complex numbers. Steps from row to row are in
 * bytes. Rows of `to` are written in sequence, so they should be the longer ones. With `stream`, stores go around the
 * caches: call store_around_end before another thread reads them. */
void transpose_pairs(enum fft_precision precision, const char *from, size_t from_step, char *to, size_t to_step,
		     size_t rows, size_t columns, bool stream);

/* Computes to[column][row] = from[row][column] for elements of 4, 8 or 16 bytes at any steps. It prefetches along the
 * longer side. `features` are those of the kernels that may be used. */
void transpose_elements(uint32_t features, size_t size, const char *from, size_t from_step, char *to, size_t to_step,
			size_t rows, size_t columns);

#endif
