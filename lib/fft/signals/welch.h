/* SPDX-License-Identifier: Apache-2.0 */
/* Power spectra and cross spectra by Welch's method: the mean or the median of the squared spectra of overlapping
 * segments, as scipy.signal.welch and csd define them, or these spectra themselves, as spectrogram does.
 *
 * Squares are added in float64: first within parts of a fixed number of segments, then WELCH_FAN parts at a time. The
 * order follows from the lengths alone. Source: P. Welch, "The use of fast Fourier transform for the estimation of
 * power spectra", IEEE Trans. Audio Electroacoust. 15 (1967). */
#ifndef TRNSCI_FFT_WELCH_H
#define TRNSCI_FFT_WELCH_H

#include "fft/signals/frames.h"

enum { WELCH_FAN = 64, WELCH_MEDIAN_MOST = 16384 };

/* Sums that a later call goes on with: (rows, WELCH_LEVELS, spectrum). Level 0 is the part that lacks segments, level k the
 * sum of the whole parts of level k - 1 that lack others up to WELCH_FAN. A part of the last level has 64^7 segments or
 * more, beyond WELCH_SEGMENTS_MOST. */
enum { WELCH_LEVELS = 8 };
#define WELCH_SEGMENTS_MOST 0x1p42

struct welch {
	struct frames frames; /* n is the length of a transform, window_n that of a segment */
	bool crosses;         /* two signals: conj(X) Y; else |X|^2 */
	bool apart;           /* segments are not added up: each is a part */
	bool median;          /* of them; else, apart, each has a spectrum in the result */
	bool onesided, density;
	double fs, divisor; /* samples per second; the number of segments added up, or a median's bias */
	uint64_t out_bins, out_stride;
	uint64_t before; /* segments of earlier calls, which come first */
	/* In the current step: how often parts were added up, the segments of a part, and the parts of a row. The first part
	 * may have been begun by an earlier call. */
	unsigned level;
	uint64_t part, parts;
};

/* Returns the complex numbers of a segment's spectrum. */
uint64_t welch_spectrum(const struct welch *welch);

/* Set level, part and parts: of the segments' own sums, and of those that welch_sums makes of `welch`. */
void welch_first_level(struct welch *welch);
void welch_next_level(struct welch *welch);

/* Returns the expected median of n values of a chi-squared distribution with 2 degrees of freedom, relative to their
 * mean (B. Allen and others, "FINDCHIRP", Phys. Rev. D 85 (2012), appendix B). */
double welch_median_bias(uint64_t n);

/* Returns the bytes that a segment (or one of each signal) and its spectrum take in scratch. */
size_t welch_row_bytes(const struct welch *welch);

/* in[0]: signals; in[1]: window; in[2]: the second signals of a cross spectrum; out: (rows, parts, spectrum) of
 * float64, or complex128 if it crosses. */
extern const struct signal_kind welch_segments;
/* in[0]: spectra (rows, count, spectrum); in[1]: those of the second signals; out: as above. */
extern const struct signal_kind welch_squares;
/* Goes on with the first part. in[0]: sums of earlier calls; out: as above, before welch_segments or welch_squares. */
extern const struct signal_kind welch_begun;
/* Adds WELCH_FAN parts. in[0]: (rows, parts, spectrum); in[1]: sums of earlier calls; out: the parts of the next level. */
extern const struct signal_kind welch_sums;
/* Stores what a later call goes on with, of the next level (and of level 0). in: as welch_sums; out: its sums. */
extern const struct signal_kind welch_kept;
/* in[0]: window; out: struct welch_window for each SIGNAL_PIECE elements of it. */
struct welch_window {
	double sum, squares;
};
extern const struct signal_kind welch_window_sums;
/* in[0]: (rows, parts, spectrum), with one part, or all that are apart; in[1]: the window's sums; out: the result. */
extern const struct signal_kind welch_result;

#endif
