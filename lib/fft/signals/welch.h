/* SPDX-License-Identifier: Apache-2.0 */
/* Power spectra and cross spectra by Welch's method (IEEE Trans. Audio Electroacoust. 15, 1967): the mean, or the
 * median, over the squared spectra of overlapping segments, as scipy.signal.welch and csd define them.
 *
 * Squares are added in float64, in parts of a fixed number of segments and these in groups of WELCH_FAN: the order
 * follows from the lengths alone. */
#ifndef TRNSCI_FFT_WELCH_H
#define TRNSCI_FFT_WELCH_H

#include "fft/signals/frames.h"

enum { WELCH_FAN = 64, WELCH_MEDIAN_MOST = 16384 };

struct welch {
	struct frames frames; /* segments; their n is the transform's, window_n the segment's */
	bool crosses;         /* conj(X) Y of two signals; else |X|^2 */
	bool median;
	bool onesided, density;
	double fs, divisor; /* what a sum is divided by: segments, or a median's bias */
	uint64_t out_bins, out_stride;
	uint64_t parts; /* of a row, in the step at hand */
};

/* Complex numbers of a segment's spectrum, and segments that are added to make one part. */
uint64_t welch_spectrum(const struct welch *welch);
uint64_t welch_part(const struct welch *welch);

/* The expectation of the median of n values of a chi-squared distribution with 2 degrees of freedom, in units of their
 * mean (Allen and others, FINDCHIRP, appendix B). */
double welch_median_bias(uint64_t n);

/* Bytes that a segment (or two) and its spectrum take in scratch. */
size_t welch_row_bytes(const struct welch *welch);

/* in[0]: signals; in[1]: window; in[2]: the second signals, where it crosses; out: (rows, parts, spectrum) float64, or
 * complex. */
extern const struct signal_kind welch_segments;
/* in[0]: spectra (rows, count, spectrum); in[1]: the second; out: as above. */
extern const struct signal_kind welch_squares;
/* in[0]: (rows, parts, spectrum); out: (rows, parts / WELCH_FAN rounded up, spectrum), sums of as many. */
extern const struct signal_kind welch_sums;
/* in[0]: window; out: struct welch_window for each SIGNAL_PIECE of it. */
struct welch_window {
	double sum, squares;
};
extern const struct signal_kind welch_window_sums;
/* in[0]: (rows, parts, spectrum), one part (all segments, of the median); in[1]: the window's sums; out: the result. */
extern const struct signal_kind welch_result;

#endif
