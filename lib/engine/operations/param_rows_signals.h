/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of signal processing: short-time transforms, convolution, spectra, windows. */
#ifndef TRNSCI_ENGINE_PARAM_ROWS_SIGNALS_H
#define TRNSCI_ENGINE_PARAM_ROWS_SIGNALS_H

#include "distributions/rows/distribution.h"
#include "engine/operations/param_rows.h"
#include "fft/signals/welch.h"

/* clang-format off */
#define WINDOW_PARAMS(at, fallback) \
	[at + WINDOW_NAME] = {"window", PARAM_CHOICE, "", fallback, 0, 0, false, WINDOW_CHOICES, \
		"window by name, periodic"}, \
	[at + WINDOW_PARAMETER] = {"window_parameter", PARAM_F64, "", "", ANY_F64, WINDOW_PARAMETER_HELP}, \
	[at + WINDOW_VALUES] = {"window_values", PARAM_TILE, "", "", NONE, "the window itself, instead of a name: f32 or f64"}
#define WINDOW_PARAMETER_HELP \
	"kaiser: beta [12]; gaussian: std (samples); exponential: tau (samples) [1]; tukey: alpha [0.5]; general_hamming: alpha"

#define STFT_PARAMS(in_help, onesided_help, layout_help) \
	[STFT_IN] = {"in", PARAM_TILE, "", NULL, NONE, in_help}, \
	[STFT_OUT] = OUT, \
	[STFT_N_FFT] = {"n_fft", PARAM_U64, "samples", NULL, 1, 0x1p30, false, NULL, "length of a frame's transform"}, \
	[STFT_HOP_LENGTH] = {"hop_length", PARAM_U64, "samples", "", 1, 0x1p30, false, NULL, \
		"samples from one frame to the next; default: n_fft / 4, rounded down, at least 1"}, \
	[STFT_WIN_LENGTH] = {"win_length", PARAM_U64, "samples", "", 1, 0x1p30, false, NULL, \
		"length of the window, which is centred in a frame; default: n_fft"}, \
	WINDOW_PARAMS(STFT_WINDOW, "boxcar"), \
	[STFT_CENTER] = {"center", PARAM_BOOL, "", "true", NONE, \
		"frame f is centred at f hop_length: the signal is padded by n_fft / 2 at both ends"}, \
	[STFT_NORMALIZED] = {"normalized", PARAM_BOOL, "", "false", NONE, "spectra are scaled by 1/sqrt(n_fft)"}, \
	[STFT_ONESIDED] = {"onesided", PARAM_BOOL, "", "", NONE, onesided_help}, \
	[STFT_LAYOUT] = {"layout", PARAM_CHOICE, "", "bins_frames", 0, 0, false, "bins_frames|frames_bins", layout_help}, \
	JOB_PARAMS(STFT_U64)

static const struct param stft_params[] = {
	STFT_PARAMS("signals, (..., samples): f32, f64, c64 or c128",
		"n_fft / 2 + 1 bins instead of n_fft; default: true for real signals",
		"shape of the result: (..., bins, frames), or (..., frames, bins), which is written faster"),
	[STFT_PAD_MODE] = {"pad_mode", PARAM_CHOICE, "", "reflect", 0, 0, false, "reflect|constant|replicate|circular",
		"values beyond the ends of the signal; constant: zeros"},
};
static const struct param istft_params[] = {
	STFT_PARAMS("spectra, (..., bins, frames), or as layout states: c64 or c128",
		"the input has n_fft / 2 + 1 bins; default: by its shape",
		"shape of the input: (..., bins, frames), or (..., frames, bins)"),
	[ISTFT_LENGTH] = {"length", PARAM_U64, "samples", "", 1, 0x1p40, false, NULL,
		"samples of the result, which is cut or padded with zeros; default: all that the frames cover, without the padding"},
	[ISTFT_RETURN_COMPLEX] = {"return_complex", PARAM_BOOL, "", "false", NONE, "the signal is complex; excludes onesided"},
};
#define AXIS {"axis", PARAM_INT, "", "-1", -8, 7, false, NULL, "axis of the signals; negative: from the end"}

#define CONVOLVE_PARAMS(b_help) \
	[CONVOLVE_A] = {"a", PARAM_TILE, "", NULL, NONE, "first signals: f32, f64, c64 or c128"}, \
	[CONVOLVE_B] = {"b", PARAM_TILE, "", NULL, NONE, b_help}, \
	[CONVOLVE_OUT] = OUT, \
	[CONVOLVE_MODE] = {"mode", PARAM_CHOICE, "", "full", 0, 0, false, "full|same|valid", \
		"full: every overlap; same: the middle part, as long as a; valid: complete overlaps only"}, \
	[CONVOLVE_AXIS] = AXIS, \
	JOB_PARAMS(CONVOLVE_U64)

static const struct param convolve_params[] = {
	CONVOLVE_PARAMS("second signals: one dimension, or as many as a; except along the axis, each size is that of a or 1"),
};
static const struct param correlate_params[] = {
	CONVOLVE_PARAMS("second signals, which are conjugated; dimensions as for convolve"),
};

#define WELCH_PARAMS(in_help) \
	[WELCH_IN] = {"in", PARAM_TILE, "", NULL, NONE, in_help}, \
	[WELCH_OUT] = OUT, \
	WINDOW_PARAMS(WELCH_WINDOW, "hann"), \
	[WELCH_FS] = {"fs", PARAM_F64, "Hz", "1", RANGE_POSITIVE, NULL, "samples in a second"}, \
	[WELCH_NPERSEG] = {"nperseg", PARAM_U64, "samples", "", 1, 0x1p30, false, NULL, \
		"length of a segment, at most that of a signal; default: that of window_values, or 256"}, \
	[WELCH_NOVERLAP] = {"noverlap", PARAM_U64, "samples", "", 0, 0x1p30, false, NULL, \
		"samples that neighbouring segments share; default: nperseg / 2"}, \
	[WELCH_NFFT] = {"nfft", PARAM_U64, "samples", "", 1, 0x1p30, false, NULL, \
		"length of the transform: segments are padded with zeros; default: nperseg"}, \
	[WELCH_DETREND] = {"detrend", PARAM_CHOICE, "", "constant", 0, 0, false, "none|constant|linear", \
		"subtract from each segment: nothing, its mean, or its least-squares line"}, \
	[WELCH_ONESIDED] = {"onesided", PARAM_BOOL, "", "", NONE, \
		"nfft / 2 + 1 bins, doubled except at 0 and nfft / 2; default: true for real signals"}, \
	[WELCH_SCALING] = {"scaling", PARAM_CHOICE, "", "density", 0, 0, false, "density|spectrum", \
		"density: power per hertz; spectrum: power of a sinusoid"}, \
	[WELCH_AVERAGE] = {"average", PARAM_CHOICE, "", "mean", 0, 0, false, "mean|median|sums|none", \
		"average over segments; median: with its bias removed, at most 16384 segments; sums: no result yet, but sums " \
		"that the call for the signal's next piece goes on with; none: each segment's own spectrum, a spectrogram"}, \
	[WELCH_SUMS] = {"sums", PARAM_TILE, "", "", NONE, \
		"result of average = sums for the pieces before: the segments count together, with the bytes of one whole signal"}, \
	[WELCH_SEGMENTS] = {"segments", PARAM_U64, "segments", "0", 0, WELCH_SEGMENTS_MOST, false, NULL, \
		"how many are in sums: segments of the reply that came with it; the piece begins so many times " \
		"nperseg - noverlap into the signal"}, \
	[WELCH_AXIS] = AXIS, \
	JOB_PARAMS(WELCH_U64)

static const struct param welch_params[] = {
	WELCH_PARAMS("signals: f32, f64, c64 or c128"),
};
static const struct param csd_params[] = {
	WELCH_PARAMS("first signals, x: f32, f64, c64 or c128; the result is the mean of conj(X) Y"),
	[CSD_SECOND] = {"y", PARAM_TILE, "", NULL, NONE, "second signals, of the shape of the first"},
};

static const struct param window_params[] = {
	[NAMED_N] = {"n", PARAM_U64, "samples", NULL, 1, 0x1p30, false, NULL, "length of the window"},
	[NAMED_WINDOW] = {"window", PARAM_CHOICE, "", "hann", 0, 0, false, WINDOW_CHOICES, "window by name"},
	[NAMED_PARAMETER] = {"window_parameter", PARAM_F64, "", "", ANY_F64, WINDOW_PARAMETER_HELP},
	[NAMED_SYMMETRIC] = {"symmetric", PARAM_BOOL, "", "false", NONE,
		"symmetric; false: periodic, the first n values of the symmetric window of n + 1"},
	[NAMED_DTYPE] = {"dtype", PARAM_CHOICE, "", "f64", 0, 0, false, "f32|f64", "type of an element"},
	[NAMED_OUT] = OUT,
	JOB_PARAMS(NAMED_U64),
};
/* clang-format on */

#endif
