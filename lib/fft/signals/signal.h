/* SPDX-License-Identifier: Apache-2.0 */
/* Work on signals as chunks: each kind is a row of functions over a description of a call of its own.
 *
 * The chunks of a call are independent, may run at once on any threads in any order, and take at most about 250 us. An
 * operation is one such call, or several with transforms between them; the bytes of both ways are the same. */
#ifndef TRNSCI_FFT_SIGNAL_H
#define TRNSCI_FFT_SIGNAL_H

#include "fft/fft.h"

struct signal_io {
	const struct fft_plan *plan; /* of the kinds that transform; else NULL */
	const char *in[3];
	char *out;
};

struct signal_kind {
	size_t (*chunks)(const void *call, const struct fft_plan *plan);
	/* A thread's own memory, aligned to 64; NULL for none. */
	size_t (*scratch_bytes)(const void *call, const struct fft_plan *plan);
	/* A chunk. 0, or a negative error, which ends the whole. */
	int (*run)(const void *call, const struct signal_io *io, size_t chunk, void *scratch);
	unsigned byte_ps; /* about what a byte of inputs and output costs; 0: unknown, chunks are full */
};

/* Elements that a chunk of plain loops takes. */
enum { SIGNAL_PIECE = 16384 };

/* Room that a chunk's own rows may take in scratch, beside the plan's. */
enum { SIGNAL_ROWS_BYTES = 320 << 10 };

/* Whether transforms of the plan can be part of a chunk: they have one phase and scratch suffices. */
bool signal_fits(const struct fft_plan *plan, size_t row_bytes, size_t scratch_bytes);

/* Rows that a chunk transforms, each in so many transforms, read and written in so many bytes of scratch. */
size_t signal_group(const struct fft_plan *plan, size_t transforms, size_t row_bytes);

/* Bytes of an element. */
static inline size_t signal_bytes(enum fft_precision precision, bool is_complex)
{
	return (precision == FFT_F32 ? sizeof(float) : sizeof(double)) << is_complex;
}

/* Where row r begins in an array whose axis of n elements has that stride, in elements. */
static inline size_t signal_row(uint64_t r, uint64_t n, uint64_t stride)
{
	return (size_t)(r / stride * n * stride + r % stride);
}

static inline size_t signal_pieces(uint64_t n, uint64_t piece)
{
	return (size_t)((n + piece - 1) / piece);
}

#endif
