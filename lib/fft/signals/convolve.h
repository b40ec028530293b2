/* SPDX-License-Identifier: Apache-2.0 */
/* Convolution along one axis by transforms: out[i] = sum over j of signal[start + i - j] kernel[j], zeros outside.
 *
 * A long signal is cut into overlapping blocks (overlap-save: A. Oppenheim and R. Schafer, "Discrete-Time Signal
 * Processing", section 8.7.3). A block of `block` elements gives block - kernel + 1 results that no wrap-around
 * reaches. A short signal is one block. convolve_cut chooses the block's length by the lengths and the dtype
 * alone. A correlation is the convolution with the second signal reversed and conjugated. */
#ifndef TRNSCI_FFT_CONVOLVE_H
#define TRNSCI_FFT_CONVOLVE_H

#include "fft/signals/signal.h"

enum { CONVOLVE_DIMS = 8 };

/* The signal or the kernel: rows along an axis. */
struct convolve_side {
	uint64_t n, stride;               /* elements of the axis, and their distance in elements */
	uint64_t row_step[CONVOLVE_DIMS]; /* rows to skip for the next index of a dimension of the result; 0: the same
					     row serves all */
	bool reversed;                    /* and conjugated: for a correlation */
};

struct convolve {
	enum fft_precision precision;
	bool is_complex;
	struct convolve_side signal, kernel; /* the kernel is at most as long as the signal */
	unsigned n_dims;                     /* of the result without its axis */
	uint64_t dims[CONVOLVE_DIMS];
	uint64_t rows, kernels; /* of the result; different kernels */
	uint64_t start, n_out, out_stride;
	/* Set by convolve_cut: */
	uint64_t block, step; /* elements of a transform, and results of it that are kept */
	bool one_block;       /* it begins with the signal's first element */
	uint64_t blocks;      /* of a row */
};

/* Chooses the blocks. Returns 0, or -ERROR_OUT_OF_RANGE if a transform would be longer than FFT_MAX_LENGTH. */
int convolve_cut(struct convolve *convolve);

/* Returns the complex numbers of a block's spectrum. */
static inline uint64_t convolve_bins(const struct convolve *convolve)
{
	return convolve->is_complex ? convolve->block : convolve->block / 2 + 1;
}

/* Returns the bytes that a block and its spectrum take in scratch. */
size_t convolve_row_bytes(const struct convolve *convolve);

/* Pads the kernels with zeros. in[0]: the kernels; out: (kernels, block). Their spectra are (kernels, bins). */
extern const struct signal_kind convolve_kernels;
/* Convolves with whole blocks in scratch. in[0]: signals; in[1]: the kernels' spectra; out: the result. */
extern const struct signal_kind convolve_blocks;

/* The same in three steps, for blocks too long for scratch. in[0]: signals; out: (rows, blocks, block). */
extern const struct signal_kind convolve_frames;
/* in[0]: spectra of these; in[1]: the kernels'; out: their products. */
extern const struct signal_kind convolve_products;
/* in[0]: (rows, blocks, block), transformed back; out: the result. */
extern const struct signal_kind convolve_results;

#endif
