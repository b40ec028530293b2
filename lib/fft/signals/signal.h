/* SPDX-License-Identifier: Apache-2.0 */
/* Work on signals, as staged work of one stage. Each kind of work is a row of functions and has its own structure that describes
 * a call.
 *
 * The chunks of a call are independent, may run at once on any threads in any order, and take at most CHUNK_MOST_NS
 * each. An operation is one such call, or several with transforms between them. Both ways give the same bytes. */
#ifndef TRNSCI_FFT_SIGNAL_H
#define TRNSCI_FFT_SIGNAL_H

#include "base/staged_work.h"
#include "fft/fft.h"

struct signal_kind {
	/* Returns the number of chunks. The plan need not be ready. */
	size_t (*chunks)(const void *call, const struct fft_plan *plan);
	/* Returns the bytes of a thread's scratch, aligned to 64. NULL: none. */
	size_t (*scratch_bytes)(const void *call, const struct fft_plan *plan);
	/* Runs a chunk. Returns 0, or a negative error that ends the call. */
	int (*run)(const void *call, const struct staged_io *io, size_t chunk, void *scratch);
	unsigned byte_ps; /* about the picoseconds for a byte of inputs and output; 0: unknown, assume full chunks */
};

/* A call that was cut: one stage. Its table is the plan of kinds that transform. */
struct signal_work {
	struct staged_work work; /* first */
	const struct signal_kind *kind;
	const void *call; /* the caller's, while it is used */
	size_t chunks;
};

/* Cuts a call, whose inputs and output have so many bytes. plan: NULL for kinds that do not transform. */
void signal_cut(const struct signal_kind *kind, const void *call, const struct fft_plan *plan, uint64_t bytes,
		struct signal_work *ret_work);

/* Returns the plan of a run. */
static inline const struct fft_plan *signal_io_plan(const struct staged_io *io)
{
	return io->tables[0];
}

/* Elements of a chunk that is a plain loop. */
enum { SIGNAL_PIECE = 16384 };

/* Bytes of scratch for a chunk's own rows, beside the plan's scratch. */
enum { SIGNAL_ROWS_BYTES = 320 << 10 };

/* Returns whether a chunk can run whole transforms of the plan: they have one phase, and scratch_bytes suffice. */
bool signal_fits(const struct fft_plan *plan, size_t row_bytes, size_t scratch_bytes);

/* Returns how many rows a chunk takes, at least 1. Each needs `transforms` transforms and row_bytes of scratch. */
size_t signal_rows_per_chunk(const struct fft_plan *plan, size_t transforms, size_t row_bytes);

/* Returns the bytes of an element. */
static inline size_t signal_bytes(enum fft_precision precision, bool is_complex)
{
	return (precision == FFT_F32 ? sizeof(float) : sizeof(double)) << is_complex;
}

/* Returns where row r begins, in elements, in an array whose axis of n elements has that stride. */
static inline size_t signal_row(uint64_t r, uint64_t n, uint64_t stride)
{
	return (size_t)(r / stride * n * stride + r % stride);
}

/* Returns n / piece, rounded up. */
static inline size_t signal_count_pieces(uint64_t n, uint64_t piece)
{
	return (size_t)((n + piece - 1) / piece);
}

#endif
