/* SPDX-License-Identifier: Apache-2.0 */
/* Short-time Fourier transforms and their inverses, with the meaning of torch.stft and torch.istft.
 *
 * Forward: X[k][f] = scale * sum over i of window[i] x[f hop - pad + i] exp(-2 pi i k / n). Inverse: every frame is
 * transformed back, windowed and added; then each sample is divided by the sum of the squared windows over it (D.
 * Griffin and J. Lim, IEEE Trans. ASSP 32 (1984), section II). Frames are added in their order, so chunks do not change
 * the sums. */
#ifndef TRNSCI_FFT_STFT_H
#define TRNSCI_FFT_STFT_H

#include "fft/signals/frames.h"

struct stft {
	struct frames frames; /* the inverse uses rows, count, n, hop, pad and the window's place */
	bool is_complex;      /* the signal; else the plan is one of reals */
	uint64_t bins;        /* n / 2 + 1, or n */
	bool frames_first;    /* spectra are (rows, count, bins) instead of (rows, bins, count) */
	double scale;
	uint64_t length; /* of an inverse's result */
};

/* Returns the complex numbers of a spectrum as the plan gives it: n, or n / 2 + 1. */
static inline uint64_t stft_spectrum(const struct stft *stft)
{
	return stft->is_complex ? stft->frames.n : stft->frames.n / 2 + 1;
}

/* Return the bytes that a frame, its spectrum, or both take in scratch. */
size_t stft_frame_bytes(const struct stft *stft);
size_t stft_spectrum_bytes(const struct stft *stft);
static inline size_t stft_row_bytes(const struct stft *stft)
{
	return stft_frame_bytes(stft) + stft_spectrum_bytes(stft);
}

/* in[0]: signals; in[1]: window; out: spectra. */
extern const struct signal_kind stft_forward;
/* in[0]: (rows, count, stft_spectrum), from plans; out: spectra. */
extern const struct signal_kind stft_store;

/* in[0]: spectra; in[1]: window; out: signals (rows, length). */
extern const struct signal_kind stft_inverse;
/* Returns whether stft_inverse pays: it transforms the frames at the ends of a chunk twice, so few may overlap. */
bool stft_inverse_fits(const struct stft *stft);
/* in[0]: spectra; out: (rows, count, stft_spectrum), for plans. */
extern const struct signal_kind stft_gather;
/* in[0]: frames (rows, count, n), transformed back; in[1]: window; out: signals. */
extern const struct signal_kind stft_add;
/* in[1]: window. Fails with -ERROR_OUT_OF_RANGE if the squared windows over a sample sum to STFT_LEAST or less. */
extern const struct signal_kind stft_check;
#define STFT_LEAST 1e-11

/* Returns how many samples the frames reach, from the first kept one on. */
uint64_t stft_reach(const struct stft *stft);

#endif
