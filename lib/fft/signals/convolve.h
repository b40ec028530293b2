/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution along one axis by transforms: out[i] = sum over j of signal[start + i - j] kernel[j], zeros outside.
 *
 * Long signals go block by block (overlap-save: a block of `block` elements gives block - kernel + 1 results that no
 * wrap-around reaches), short ones whole. Which, and the block's length, is a fixed function of lengths, dtype and
 * instruction set: convolve_cut. A correlation is the convolution with the second signal reversed and conjugated. */
#ifndef TRNSCI_FFT_CONVOLVE_H
#define TRNSCI_FFT_CONVOLVE_H

#include "fft/signals/signal.h"

enum { CONVOLVE_DIMS = 8 };

/* One of the two sides: rows along an axis. */
struct convolve_side {
	uint64_t n, stride;               /* elements of the axis, and their distance */
	uint64_t row_step[CONVOLVE_DIMS]; /* rows from one index of a dimension of the result's rows to the next; 0: the
					   * same row serves all */
	bool turned;                      /* reversed and conjugated */
};

struct convolve {
	enum fft_precision precision;
	bool is_complex;
	struct convolve_side signal, kernel; /* the kernel is not the longer one */
	unsigned n_dims;                     /* of the result without its axis */
	uint64_t dims[CONVOLVE_DIMS];
	uint64_t rows, kernels; /* of the result; different kernels */
	uint64_t start, n_out, out_stride;
	/* Set by convolve_cut: */
	uint64_t block, step; /* elements of a transform, and results that it gives */
	bool whole;           /* all is one block, whose first element is the signal's */
	uint64_t blocks;      /* of a row */
};

/* -ERROR_OUT_OF_RANGE when a transform would be longer than FFT_MAX_LENGTH. */
int convolve_cut(struct convolve *convolve, uint32_t features);

/* Complex numbers of a block's spectrum. */
static inline uint64_t convolve_bins(const struct convolve *convolve)
{
	return convolve->is_complex ? convolve->block : convolve->block / 2 + 1;
}

/* Bytes that a block and its spectrum take in scratch. */
size_t convolve_row_bytes(const struct convolve *convolve);

/* in[0]: the kernels; out: (kernels, block), padded with zeros, whose spectra are (kernels, bins). */
extern const struct signal_kind convolve_kernels;
/* in[0]: signals; in[1]: the kernels' spectra; out: the result. */
extern const struct signal_kind convolve_blocks;

/* The same in steps. in[0]: signals; out: (rows, blocks, block). */
extern const struct signal_kind convolve_frames;
/* in[0]: spectra of these; in[1]: the kernels'; out: their products. */
extern const struct signal_kind convolve_products;
/* in[0]: (rows, blocks, block), transformed back; out: the result. */
extern const struct signal_kind convolve_results;

#endif
