/* SPDX-License-Identifier: Apache-2.0 */
/* The table of operations. The order of a row's parameters is that of engine/operations/params.h. */
#include "engine/operations/operations.h"

#include <float.h>
#include <limits.h>
#include <math.h>

#include "engine/operations/operation_details.h"
#include "engine/operations/operation_rows.h"
#include "engine/operations/params.h"
#include "dist/quasi/halton.h"
#include "dist/quasi/latin_hypercube.h"
#include "dist/quasi/lattice.h"
#include "dist/distributions/distribution.h"
#include "dist/quasi/sobol.h"
#include "fft/precision/precision.h"
#include "fft/signals/window.h"
#include "rng/generator.h"

#define ANY_U64 0, 0, false, NULL
#define ANY_F64 0, 0, false, NULL
#define NONE    0, 0, false, NULL

/* clang-format off */
#define U64_STYLE {"u64", PARAM_CHOICE, "", "uint", 0, 0, false, "uint|str", \
	"how the reply writes seeds, stream ids and positions: as integers or as decimal text"}
/* Of every method that makes a job: u64, and right behind it timeout_ms. */
#define JOB_PARAMS(u64) [u64] = U64_STYLE, \
	[(u64) + 1] = {"timeout_ms", PARAM_U64, "ms", "0", 0, 4294967295.0, false, NULL, \
		"the request fails with `timeout` if it is not done by then; 0: no timeout"}
#define OUT {"out", PARAM_TILE, "", "", NONE, "tile for the result, or {new: true} for a new tile; default: the reply carries the result"}

#define KEY_LAYOUT_HELP "trn24: 24 bits of the seed to each half of the key, as on Trainium; threefry4x32 and stream 0 only"

/* A distribution's own parameters follow behind. */
#define DRAW_PARAMS(shape_name, dtypes, fallback_dtype) \
	[DRAW_N] = {"n", PARAM_U64, "samples", "", ANY_U64, \
		"samples of the whole draw; default: those of shape or out"}, \
	[DRAW_SHAPE] = {shape_name, PARAM_SHAPE, "samples", "", NONE, "shape of the result; give it instead of n"}, \
	[DRAW_DTYPE] = {"dtype", PARAM_CHOICE, "", fallback_dtype, 0, 0, false, dtypes, \
		"type of a sample; if out is given, its dtype"}, \
	[DRAW_GENERATOR] = {"generator", PARAM_CHOICE, "", "threefry4x32", 0, 0, false, GENERATOR_CHOICES, \
		"generator of the stream's words"}, \
	[DRAW_SEED] = {"seed", PARAM_U64, "", "0", ANY_U64, "seed of the stream"}, \
	[DRAW_STREAM] = {"stream", PARAM_U64, "", "0", ANY_U64, "which of the seed's streams; Philox has 2^32"}, \
	[DRAW_KEY_LAYOUT] = {"key_layout", PARAM_CHOICE, "", "plain", 0, 0, false, "plain|trn24", KEY_LAYOUT_HELP}, \
	[DRAW_OFFSET] = {"offset", PARAM_U64, "samples", "0", ANY_U64, "samples of this dtype to skip"}, \
	[DRAW_POSITION] = {"position", PARAM_U64, "words", "0", ANY_U64, \
		"word at which the stream begins, a multiple of 4, such as the `next` of an earlier reply; offset counts on " \
		"from the first sample at or after it"}, \
	[DRAW_RANK] = {"rank", PARAM_U64, "", "0", ANY_U64, "which part of the draw to produce, below size"}, \
	[DRAW_SIZE] = {"size", PARAM_U64, "parts", "1", 1, 0x1p64, false, NULL, \
		"number of parts of the n samples"}, \
	[DRAW_OUT] = OUT, \
	JOB_PARAMS(DRAW_U64)

#define PARAMETER(name, type, unit, fallback, ...) {#name, PARAM_##type, unit, fallback, __VA_ARGS__},
#define DRAW_ROW(id, name, shape, dtypes, fallback, help) \
	static const struct param name##_params[] = { \
		DRAW_PARAMS(#shape, dtypes, fallback), \
		id##_PARAMETERS(PARAMETER) \
	};
DISTRIBUTION_ROWS(DRAW_ROW)

#define POINTS_PARAMS(most_dims, scrambles, scramble_help) \
	[POINTS_N] = {"n", PARAM_U64, "points", "", ANY_U64, \
		"points of the whole set; default: those of out"}, \
	[POINTS_D] = {"d", PARAM_U64, "dimensions", NULL, 1, most_dims, false, NULL, "dimensions of a point"}, \
	[POINTS_DTYPE] = {"dtype", PARAM_CHOICE, "", "f64", 0, 0, false, "f32|f64", \
		"type of a coordinate; if out is given, its dtype; f32 is f64 truncated to 24 bits"}, \
	[POINTS_SCRAMBLING] = {"scramble", PARAM_CHOICE, "", "none", 0, 0, false, scrambles, scramble_help}, \
	[POINTS_GENERATOR] = {"generator", PARAM_CHOICE, "", "threefry4x32", 0, 0, false, GENERATOR_CHOICES, \
		"generator of the stream that scrambles"}, \
	[POINTS_SEED] = {"seed", PARAM_U64, "", "0", ANY_U64, "seed of that stream"}, \
	[POINTS_STREAM] = {"stream", PARAM_U64, "", "0", ANY_U64, "which of the seed's streams; Philox has 2^32"}, \
	[POINTS_RANK] = {"rank", PARAM_U64, "", "0", ANY_U64, "which part of the set to produce, below size"}, \
	[POINTS_SIZE] = {"size", PARAM_U64, "parts", "1", 1, 0x1p64, false, NULL, "number of parts of the n points"}, \
	[POINTS_OUT] = OUT, \
	JOB_PARAMS(POINTS_U64)

#define POINTS_SKIP [POINTS_OFFSET] = {"offset", PARAM_U64, "points", "0", ANY_U64, "points to skip"}

static const struct param sobol_params[] = {
	POINTS_PARAMS(SOBOL_DIMS, "none|owen|shift", "owen: nested flips of the digits; shift: the same flips for all points"),
	POINTS_SKIP,
	[POINTS_BITS] = {"bits", PARAM_CHOICE, "bits", "53", 0, 0, false, "53|32", "binary digits of a coordinate; there are 2^bits points"},
};
static const struct param halton_params[] = {
	POINTS_PARAMS(HALTON_DIMS, "none|owen|permutation",
		"owen: each digit permuted by those before it; permutation: by its place alone"),
	POINTS_SKIP,
};
static const struct param lattice_params[] = {
	POINTS_PARAMS(LATTICE_DIMS, "none|shift", "shift: all points moved by one, modulo 1"),
	POINTS_SKIP,
};
static const struct param lhs_params[] = {
	POINTS_PARAMS(LATIN_HYPERCUBE_DIMS, "none|jitter",
		"none: each point in the middle of its cells; jitter: anywhere in them, as scipy's and McKay's designs"),
	[POINTS_METHOD] = {"method", PARAM_CHOICE, "", "permutation", 0, 0, false, "permutation|feistel8",
		"how cells are permuted; permutation: as the draw permutation does; feistel8: as release 0.1 did, not uniform"},
};

static const struct param box_muller_params[] = {
	[BOX_MULLER_IN] = {"in", PARAM_TILE, "", NULL, NONE, "uniforms in [0, 1), an even number, f32 or f64"},
	[BOX_MULLER_OUT] = OUT,
	JOB_PARAMS(BOX_MULLER_U64),
};
static const struct param scale_params[] = {
	[SCALE_IN] = {"in", PARAM_TILE, "", NULL, NONE, "x: f32, f64, c64 or c128"},
	[SCALE_BY] = {"by", PARAM_F64, "", "1", ANY_F64, "factor"},
	[SCALE_PLUS] = {"plus", PARAM_F64, "", "0", ANY_F64, "added to the product (to its real part)"},
	[SCALE_OUT] = OUT,
	JOB_PARAMS(SCALE_U64),
};
static const struct param add_params[] = {
	[ADD_A] = {"a", PARAM_TILE, "", NULL, NONE, "first term: f32, f64, c64 or c128"},
	[ADD_B] = {"b", PARAM_TILE, "", NULL, NONE, "second term, of the dtype and shape of the first"},
	[ADD_OUT] = OUT,
	JOB_PARAMS(ADD_U64),
};

/* The order of operands is add's. */
#define REPEATED "of the same dtype, and of its shape, its last dimensions or one element"
static const struct param subtract_params[] = {
	[ADD_A] = {"a", PARAM_TILE, "", NULL, NONE, "first operand: f32, f64, c64 or c128"},
	[ADD_B] = {"b", PARAM_TILE, "", NULL, NONE, "second operand, " REPEATED},
	[ADD_OUT] = OUT,
	JOB_PARAMS(ADD_U64),
};
static const struct param factors_params[] = {
	[ADD_A] = {"a", PARAM_TILE, "", NULL, NONE, "first operand: f32, f64, c64 or c128"},
	[ADD_B] = {"b", PARAM_TILE, "", NULL, NONE, "second operand, " REPEATED "; beside a complex one also real of its width"},
	[ADD_OUT] = OUT,
	JOB_PARAMS(ADD_U64),
};

#define UNARY_PARAMS(name, in_help) \
	static const struct param name##_params[] = { \
		[UNARY_IN] = {"in", PARAM_TILE, "", NULL, NONE, in_help}, \
		[UNARY_OUT] = OUT, \
		JOB_PARAMS(UNARY_U64), \
	}
UNARY_PARAMS(any_elements, "x: f32, f64, c64 or c128");
UNARY_PARAMS(real_elements, "x: f32 or f64");
UNARY_PARAMS(complex_elements, "x: c64 or c128");

static const struct param clip_params[] = {
	[CLIP_IN] = {"in", PARAM_TILE, "", NULL, NONE, "x: f32 or f64"},
	[CLIP_LOW] = {"low", PARAM_F64, "", "-inf", -(double)INFINITY, (double)INFINITY, false, NULL, "least value of the result"},
	[CLIP_HIGH] = {"high", PARAM_F64, "", "inf", -(double)INFINITY, (double)INFINITY, false, NULL, "greatest value of the result"},
	[CLIP_OUT] = OUT,
	JOB_PARAMS(CLIP_U64),
};
static const struct param where_params[] = {
	[WHERE_CONDITION] = {"condition", PARAM_TILE, "", NULL, NONE, "i8, f32 or f64, of a's shape, its last dimensions or one element"},
	[WHERE_ABOVE] = {"above", PARAM_F64, "", "", -(double)INFINITY, (double)INFINITY, false, NULL,
		"the condition holds where its element is greater than this; default: where it is not 0"},
	[WHERE_A] = {"a", PARAM_TILE, "", NULL, NONE, "elements where the condition holds: f32, f64, c64 or c128"},
	[WHERE_B] = {"b", PARAM_TILE, "", NULL, NONE, "the other elements, " REPEATED},
	[WHERE_OUT] = OUT,
	JOB_PARAMS(WHERE_U64),
};
static const struct param reduce_params[] = {
	[REDUCE_IN] = {"in", PARAM_TILE, "", NULL, NONE, "x: f32, f64, c64 or c128; of max f32 or f64"},
	[REDUCE_AXES] = {"axes", PARAM_AXES, "", "", -8, 7, false, NULL,
		"axes along which elements are joined, which follow one another; default: all"},
	[REDUCE_OUT] = OUT,
	JOB_PARAMS(REDUCE_U64),
};

static const struct param noise_add_params[] = {
	[NOISE_IN] = {"in", PARAM_TILE, "", NULL, NONE, "x: f32, f64, c64 or c128"},
	[NOISE_SIGMA] = {"sigma", PARAM_F64, "", "1", ANY_F64, "factor of the noise"},
	[NOISE_NOISE] = {"noise", PARAM_ANY, "", "", NONE,
		"map {op: a distribution, its parameters, seed, stream, offset}; default: standard normals. Integers "
		"become numbers of in's width; the components of vectors are elements that follow one another"},
	[NOISE_OUT] = OUT,
	JOB_PARAMS(NOISE_U64),
};

#define TRANSFORM_LENGTH {"length", PARAM_SHAPE, "elements", "", -1, 0x1p30, false, NULL, \
	"length of the transform: the input is padded with zeros or trimmed; a number for the last of the axes, " \
	"or an array with one for each axis; -1: unchanged"}

static const struct param fft_params[] = {
	[FFT_IN] = {"in", PARAM_TILE, "", NULL, NONE, "array of shape (..., N): f32, f64, c64 or c128"},
	[FFT_OUT] = OUT,
	[FFT_LENGTH] = TRANSFORM_LENGTH,
	[FFT_AXES] = {"axes", PARAM_AXES, "", "-1", -8, 7, false, NULL, "axes to transform; negative: from the end"},
	[FFT_INVERSE] = {"inverse", PARAM_BOOL, "", "false", NONE, "the inverse transform"},
	[FFT_REAL] = {"real", PARAM_BOOL, "", "false", NONE,
		"real to half a spectrum, (..., N) to (..., N/2+1), over the last of the axes; with inverse back to real"},
	[FFT_NORM] = {"norm", PARAM_CHOICE, "", "backward", 0, 0, false, "backward|ortho|forward",
		"which direction is scaled by 1/N; ortho: both by 1/sqrt(N)"},
	[FFT_PRECISION] = {"precision", PARAM_CHOICE, "", "", 0, 0, false, PRECISION_CHOICES,
		"arithmetic: fast is float32, kahan and double are float64; the others, products with the matrix for up to "
		"256 elements, use one of these for longer ones; default: fast or double, by the input"},
	[FFT_TARGET_ERROR] = {"target_error", PARAM_F64, "relative L2", "", 0, 1, true, NULL,
		"instead of precision: the cheapest whose bound (Precision modes) is at most this"},
	[FFT_DTYPE] = {"dtype", PARAM_CHOICE, "", "", 0, 0, false, "complex64|complex128",
		"dtype of the result (real results: of the same width); the last step rounds to it"},
	JOB_PARAMS(FFT_U64),
	[FFT_HERMITIAN] = {"hermitian", PARAM_BOOL, "", "false", NONE,
		"as numpy.fft.hfft: half of a conjugate-symmetric signal, (..., N/2+1), to real (..., N), over the "
		"last of the axes; with inverse back to half"},
};

static const struct param shift_params[] = {
	[SHIFT_IN] = {"in", PARAM_TILE, "", NULL, NONE, "array: f32, f64, c64 or c128"},
	[SHIFT_OUT] = OUT,
	[SHIFT_AXES] = {"axes", PARAM_AXES, "", "", -8, 7, false, NULL, "axes to shift; default: all"},
	[SHIFT_INVERSE] = {"inverse", PARAM_BOOL, "", "false", NONE, "shift back, which differs where a length is odd"},
	JOB_PARAMS(SHIFT_U64),
};

/* The order is fft's. */
static const struct param series_params[] = {
	[FFT_IN] = {"in", PARAM_TILE, "", NULL, NONE, "array of shape (..., N): f32 or f64; of c64 and c128 each part alone"},
	[FFT_OUT] = OUT,
	[FFT_LENGTH] = TRANSFORM_LENGTH,
	[FFT_AXES] = {"axes", PARAM_AXES, "", "-1", -8, 7, false, NULL, "axes to transform; negative: from the end"},
	[FFT_INVERSE] = {"inverse", PARAM_BOOL, "", "false", NONE, "the inverse of that type, with its factor"},
	[SERIES_TYPE] = {"type", PARAM_CHOICE, "", "2", 0, 0, false, "1|2|3|4", "which of the four transforms"},
	[FFT_NORM] = {"norm", PARAM_CHOICE, "", "backward", 0, 0, false, "backward|ortho|forward",
		"which direction is scaled by 1/2N (type 1: 2(N-1), of the sine 2(N+1)); ortho: both by its root"},
	[FFT_PRECISION] = {"precision", PARAM_CHOICE, "", "", 0, 0, false, "fast|kahan|double",
		"arithmetic: fast is float32, kahan and double are float64; default: fast or double, by the input"},
	[FFT_TARGET_ERROR] = {"target_error", PARAM_F64, "relative L2", "", 0, 1, true, NULL,
		"instead of precision: the cheapest whose bound (Precision modes) is at most this"},
	[FFT_DTYPE] = {"dtype", PARAM_CHOICE, "", "", 0, 0, false, "f32|f64",
		"width of the result; the last step rounds to it"},
	JOB_PARAMS(FFT_U64),
	[SERIES_ORTHOGONALIZE] = {"orthogonalize", PARAM_CHOICE, "", "auto", 0, 0, false, "auto|no|yes",
		"factors of sqrt 2 at the ends, which make it orthogonal; auto: with norm ortho"},
};

#define OP_CHOICES "none|transpose|conjugate_transpose|conjugate"

static const struct param gemm_params[] = {
	[PRODUCT_A] = {"a", PARAM_TILE, "", NULL, NONE, "matrices (..., rows, columns), or a row: f32, f64, c64 or c128"},
	[PRODUCT_B] = {"b", PARAM_TILE, "", NULL, NONE,
		"matrices, or a column; leading dimensions are those of a; if one of the two has none, it is used for all"},
	[PRODUCT_C] = {"c", PARAM_TILE, "", "", NONE, "addend, of the result's shape; may be out"},
	[PRODUCT_OUT] = OUT,
	[PRODUCT_OP_A] = {"op_a", PARAM_CHOICE, "", "none", 0, 0, false, OP_CHOICES, "operation on a"},
	[PRODUCT_OP_B] = {"op_b", PARAM_CHOICE, "", "none", 0, 0, false, OP_CHOICES, "operation on b"},
	[PRODUCT_ALPHA] = {"alpha", PARAM_F64, "", "1", ANY_F64, "factor of the product"},
	[PRODUCT_ALPHA_IM] = {"alpha_im", PARAM_F64, "", "0", ANY_F64, "its imaginary part"},
	[PRODUCT_BETA] = {"beta", PARAM_F64, "", "0", ANY_F64, "factor of c"},
	[PRODUCT_BETA_IM] = {"beta_im", PARAM_F64, "", "0", ANY_F64, "its imaginary part"},
	[PRODUCT_PRECISION] = {"precision", PARAM_CHOICE, "", "", 0, 0, false,
		"fast|double|bf16|ozaki|ozaki6|ozaki_hq|ozaki_fp64",
		"arithmetic: fast is float32, double float64, the others bfloat16 or sums of it; default: by the input"},
	JOB_PARAMS(PRODUCT_U64),
};

static const struct param trace_params[] = {
	[TRACE_IN] = {"in", PARAM_TILE, "", NULL, NONE, "square matrix: f32 or f64"},
	[TRACE_OUT] = {"out", PARAM_TILE, "", "", NONE,
		"tile of two f64 for the estimate and its standard error; the reply states both, too"},
	[TRACE_METHOD] = {"method", PARAM_CHOICE, "", "hutchinson", 0, 0, false, "hutchinson|hutchpp",
		"hutchinson: the mean of x' A x; hutchpp: exact where the matrix is largest, hutchinson on the rest"},
	[TRACE_PROBES] = {"probes", PARAM_U64, "products", "64", 1, 65536, false, NULL,
		"products with the matrix; hutchpp needs at least 3, one third each for its sketch, for what that spans, and for the rest"},
	[TRACE_DISTRIBUTION] = {"distribution", PARAM_CHOICE, "", "rademacher", 0, 0, false, "rademacher|normal",
		"distribution of a probe's components; component c of probe i is sample i n + c, in the matrix's dtype"},
	[TRACE_GENERATOR] = {"generator", PARAM_CHOICE, "", "threefry4x32", 0, 0, false, GENERATOR_CHOICES,
		"generator of the probes' words"},
	[TRACE_SEED] = {"seed", PARAM_U64, "", "0", ANY_U64, "seed of the probes' stream"},
	[TRACE_STREAM] = {"stream", PARAM_U64, "", "0", ANY_U64, "which of the seed's streams; Philox has 2^32"},
	[TRACE_KEY_LAYOUT] = {"key_layout", PARAM_CHOICE, "", "plain", 0, 0, false, "plain|trn24", KEY_LAYOUT_HELP},
	[TRACE_OFFSET] = {"offset", PARAM_U64, "samples", "0", ANY_U64, "samples of the distribution that are skipped"},
	[TRACE_RANK] = {"rank", PARAM_U64, "", "0", ANY_U64, "which part of the probes to use, below size"},
	[TRACE_SIZE] = {"size", PARAM_U64, "parts", "1", 1, 65536, false, NULL,
		"number of parts of hutchinson's probes; their estimates' mean, weighted by probes, is the estimate of all"},
	JOB_PARAMS(TRACE_U64),
};

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
	[WELCH_AVERAGE] = {"average", PARAM_CHOICE, "", "mean", 0, 0, false, "mean|median", \
		"average over segments; median: with its bias removed, at most 16384 segments"}, \
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

#define STREAM_NAME_HELP "named stream from which this run reserves words for all draws that state no seed and stream"
static const struct param run_params[] = {
	[RUN_STEPS] = {"steps", PARAM_ANY, "", NULL, NONE,
		"array of at most 256 maps: op, its parameters, and as, the name by which later steps use its output"},
	[RUN_RESULTS] = {"results", PARAM_ANY, "", "", NONE, "array of the names of steps whose outputs the reply carries"},
	[RUN_GENERATOR] = {"generator", PARAM_CHOICE, "", "threefry4x32", 0, 0, false, GENERATOR_CHOICES,
		"generator of draws that state none"},
	[RUN_SEED] = {"seed", PARAM_U64, "", "0", ANY_U64, "seed of draws that state none"},
	[RUN_STREAM] = {"stream", PARAM_U64, "", "0", ANY_U64, "stream of draws that state none"},
	[RUN_KEY_LAYOUT] = {"key_layout", PARAM_CHOICE, "", "plain", 0, 0, false, "plain|trn24", KEY_LAYOUT_HELP},
	[RUN_OFFSET] = {"offset", PARAM_U64, "words", "0", ANY_U64,
		"position of the first draw, rounded up to a multiple of 4; the `next` of an earlier reply continues it"},
	[RUN_NAME] = {"stream_name", PARAM_TEXT, "", "", NONE, STREAM_NAME_HELP},
	JOB_PARAMS(RUN_U64),
};
static const struct param prepare_params[] = {
	[PREPARE_METHOD] = {"method", PARAM_TEXT, "", NULL, NONE, "the call's method: run, stream_draw, or any step of a run"},
	[PREPARE_PARAMS] = {"params", PARAM_ANY, "", "", NONE, "map of the call's parameters"},
	[PREPARE_MAX_BYTES] = {"max_bytes", PARAM_U64, "bytes", "", ANY_U64,
		"refuse with `limit` what would hold more; default: the session's share of work memory"},
	[PREPARE_U64] = U64_STYLE,
};
#define INSTEAD ", instead of what the call states"
#define PREPARED_HANDLE {"prepared", PARAM_U64, "", NULL, 1, 4294967295.0, false, NULL, "handle that prepare gave"}
static const struct param run_prepared_params[] = {
	[PREPARED_RUN_HANDLE] = PREPARED_HANDLE,
	[PREPARED_RUN_GENERATOR] = {"generator", PARAM_CHOICE, "", "", 0, 0, false, GENERATOR_CHOICES, "generator" INSTEAD},
	[PREPARED_RUN_SEED] = {"seed", PARAM_U64, "", "", ANY_U64, "seed" INSTEAD},
	[PREPARED_RUN_STREAM] = {"stream", PARAM_U64, "", "", ANY_U64, "stream" INSTEAD},
	[PREPARED_RUN_LABEL] = {"label", PARAM_TEXT, "", "", NONE,
		"text that is folded into seed and stream, as derive does; the reply states the new seed and stream"},
	[PREPARED_RUN_OFFSET] = {"offset", PARAM_U64, "", "", ANY_U64, "offset in the call's own unit" INSTEAD},
	[PREPARED_RUN_NAME] = {"stream_name", PARAM_TEXT, "", "", NONE, STREAM_NAME_HELP " (a prepared run only)"},
	[PREPARED_RUN_TILES] = {"tiles", PARAM_ANY, "", "", NONE,
		"array: element i is the tile to use instead of the i-th tile that the call names (nil: that one), or a pair of "
		"handles: the second is used instead of the first"},
	JOB_PARAMS(PREPARED_RUN_U64),
};
static const struct param release_params[] = {
	[RELEASE_PREPARED] = PREPARED_HANDLE,
	[RELEASE_U64] = U64_STYLE,
};

static const struct param tile_params[] = {
	[TILE_DTYPE] = {"dtype", PARAM_CHOICE, "", NULL, 0, 0, false, "i8|i32|i64|u32|u64|f32|f64|c64|c128|f16|bf16",
		"type of an element"},
	[TILE_SHAPE] = {"shape", PARAM_SHAPE, "elements", NULL, 1, 0, false, NULL, "shape, 1 to 8 dimensions"},
	[TILE_SCOPE] = {"scope", PARAM_U64, "", "0", 0, 4294967295.0, false, NULL, "group number: all tiles of a scope can be freed at once"},
	[TILE_U64] = U64_STYLE,
	[TILE_OFFSET] = {"offset", PARAM_U64, "bytes", "", ANY_U64,
		"offset of the tile in its arena: a multiple of 64 behind all other tiles there; default: anywhere"},
	[TILE_ARENA] = {"arena", PARAM_U64, "", "1", 1, 4294967295.0, false, NULL, "handle of the arena in which offset lies"},
};
static const struct param free_params[] = {
	[FREE_TILE] = {"tile", PARAM_TILE, "", "", NONE, "handle of the tile to free"},
	[FREE_SCOPE] = {"scope", PARAM_U64, "", "", 0, 4294967295.0, false, NULL, "free all tiles of this scope instead"},
	[FREE_U64] = U64_STYLE,
};
static const struct param ping_params[] = {
	[PING_PAYLOAD] = {"payload", PARAM_ANY, "", "", NONE, "any value; the reply returns it"},
	[PING_U64] = U64_STYLE,
};
static const struct param derive_params[] = {
	[DERIVE_GENERATOR] = {"generator", PARAM_CHOICE, "", "threefry4x32", 0, 0, false, GENERATOR_CHOICES,
		"generator of the stream and of those derived from it"},
	[DERIVE_SEED] = {"seed", PARAM_U64, "", "0", ANY_U64, "seed of the stream"},
	[DERIVE_STREAM] = {"stream", PARAM_U64, "", "0", ANY_U64, "which of the seed's streams; Philox has 2^32"},
	[DERIVE_LABEL] = {"label", PARAM_TEXT, "", "", NONE, "text to fold in first"},
	[DERIVE_FOLD_IN] = {"fold_in", PARAM_U64, "", "", ANY_U64, "number to fold in after the label"},
	[DERIVE_SPLIT] = {"split", PARAM_U64, "streams", "", 1, 65536, false, NULL,
		"number of children, returned as an array; a larger split has the same first children"},
	[DERIVE_U64] = U64_STYLE,
};
static const struct param plain_params[] = {U64_STYLE};
static const struct param arena_params[] = {
	[ARENA_BYTES] = {"bytes", PARAM_U64, "bytes", NULL, 1, 0x1p62, false, NULL, "size of the arena, rounded up to pages"},
	[ARENA_RESERVE] = {"reserve", PARAM_U64, "bytes", "0", 0, 4096, false, NULL,
		"bytes at its end that hold no tile: the client's own, emptied first when the session ends"},
	[ARENA_U64] = U64_STYLE,
};
static const struct param arena_free_params[] = {
	[ARENA_FREE_ARENA] = {"arena", PARAM_U64, "", NULL, 1, 4294967295.0, false, NULL, "handle of an arena that holds no tile"},
	[ARENA_FREE_U64] = U64_STYLE,
};
static const struct param queue_params[] = {
	{"entries", PARAM_U64, "entries", "256", 1, 4096, false, NULL, "most runs at once, rounded up to a power of two of at least 16"},
	U64_STYLE,
};
#define NOISE_MAP "map {op: a distribution, its parameters, dtype, generator, seed, stream, offset}; default: standard normals"
static const struct param ring_attach_params[] = {
	[RING_NOISE] = {"noise", PARAM_ANY, "", "", NONE, NOISE_MAP},
	[RING_SAMPLES] = {"samples", PARAM_U64, "samples", "65536", 1, 4294967296.0, false, NULL,
		"capacity of the ring, rounded up to a power of two that fills pages"},
	[RING_NAME] = {"name", PARAM_TEXT, "", "", NONE,
		"named stream to draw from, reserved in ranges of the ring's capacity; noise must then state no stream"},
	[RING_U64] = U64_STYLE,
};
#define BROADCAST_PARAMS \
	[BROADCAST_NAME] = {"name", PARAM_TEXT, "", NULL, NONE, "name of the broadcast: 1 to 64 printable ASCII letters"}, \
	[BROADCAST_U64] = U64_STYLE
static const struct param broadcast_create_params[] = {
	BROADCAST_PARAMS,
	[BROADCAST_NOISE] = {"noise", PARAM_ANY, "", "", NONE, NOISE_MAP},
	[BROADCAST_SAMPLES] = {"samples", PARAM_U64, "samples", "65536", 1, 4294967296.0, false, NULL,
		"samples that readers may lag behind, rounded up to a power of two that fills pages"},
	[BROADCAST_RATE] = {"rate", PARAM_F64, "samples per second", "0", 0, 1e9, false, NULL,
		"rate at which samples are published; 0: by broadcast_publish only"},
	[BROADCAST_MODE] = {"mode", PARAM_TEXT, "octal", "0600", NONE, "who may read it, by the permissions of a file: owner, the owner's group, others"},
	[BROADCAST_STREAM] = {"stream_name", PARAM_TEXT, "", "", NONE,
		"named stream to draw from, reserved in ranges of the capacity; noise must then state no stream"},
};
static const struct param broadcast_publish_params[] = {
	BROADCAST_PARAMS,
	[BROADCAST_N] = {"n", PARAM_U64, "samples", NULL, 1, 4294967296.0, false, NULL, "samples to publish, at most the capacity"},
};
static const struct param broadcast_name_params[] = {BROADCAST_PARAMS};
static const struct param ring_detach_params[] = {
	[RING_HANDLE] = {"ring", PARAM_U64, "", NULL, 0, 4294967295.0, false, NULL, "handle of the ring"},
	U64_STYLE,
};
static const struct param disconnect_params[] = {
	{"id", PARAM_U64, "", NULL, ANY_U64, "id of the session"},
	U64_STYLE,
};
static const struct param cancel_params[] = {
	{"msgid", PARAM_U64, "", NULL, 0, 4294967295.0, false, NULL, "id of the request to cancel"},
	U64_STYLE,
};

#define STREAM_PARAMS \
	[STREAM_NAME] = {"name", PARAM_TEXT, "", NULL, NONE, \
		"name of the stream: 1 to 64 of A-Z a-z 0-9 _ . : / -, the first a letter, a digit or _"}, \
	JOB_PARAMS(STREAM_U64)

static const struct param stream_create_params[] = {
	STREAM_PARAMS,
	[STREAM_CREATE_GENERATOR] = {"generator", PARAM_CHOICE, "", "threefry4x32", 0, 0, false, GENERATOR_CHOICES,
		"generator of the stream's words"},
	[STREAM_CREATE_SEED] = {"seed", PARAM_U64, "", "", ANY_U64,
		"seed of the stream; default: the random seed of the daemon's state"},
	[STREAM_CREATE_STREAM] = {"stream", PARAM_U64, "", "", ANY_U64,
		"which of the seed's streams, one that no name has had; default: the next of a counter that never goes back"},
	[STREAM_CREATE_MODE] = {"mode", PARAM_TEXT, "octal", "0640", NONE,
		"who may show (4) and draw (2), by the permissions of a file: owner, group, others; only owner and root delete and "
		"advance"},
	[STREAM_CREATE_GROUP] = {"group", PARAM_U64, "gid", "", 0, 4294967295.0, false, NULL,
		"group of the stream, one of the client's; default: the client's first"},
};
static const struct param stream_draw_params[] = {
	STREAM_PARAMS,
	[STREAM_DRAW_DRAW] = {"draw", PARAM_ANY, "", NULL, NONE,
		"map {op: a distribution, n, dtype, out, its parameters}; the stream sets its position"},
	[STREAM_DRAW_RESERVE] = {"reserve", PARAM_BOOL, "", "false", NONE,
		"only reserve: the reply states the reservation, and the distribution's own method draws it, in parts or ranks"},
};
static const struct param stream_name_params[] = {STREAM_PARAMS};
static const struct param stream_advance_params[] = {
	STREAM_PARAMS,
	[STREAM_ADVANCE_BY] = {"by", PARAM_U64, "words", "", ANY_U64,
		"words to skip from the next draw's position, rounded up to a multiple of 4"},
	[STREAM_ADVANCE_TO] = {"to", PARAM_U64, "words", "", ANY_U64,
		"position of the next draw, instead of by; rounded up likewise, at least the current one"},
};
static const struct param stream_list_params[] = {
	[STREAM_LIST_AFTER] = {"after", PARAM_TEXT, "", "", NONE, "list names after this one, such as the `after` of an earlier reply"},
	JOB_PARAMS(STREAM_LIST_U64),
	[STREAM_LIST_LIMIT] = {"limit", PARAM_U64, "streams", "256", 1, 1024, false, NULL, "maximum number of streams in one reply"},
};

static const struct operation rows[] = {
#define METHOD_ROW(name, class, start, effect, parameters, help) \
	{#name, sizeof #name - 1, METHOD_##class, START_##start, EFFECT_##effect, help, DETAILS_##name, parameters##_params, \
	 sizeof parameters##_params / sizeof *parameters##_params},
#define ROW(name, class, parameters, compile, help) METHOD_ROW(name, class, COMPILED, NONE, parameters, help)
#define DRAW(id, name, shape, dtypes, fallback, help) METHOD_ROW(name, DRAW, COMPILED, NONE, name, help)
	OPERATION_ROWS(METHOD_ROW, ROW, DRAW)
#undef DRAW
#undef ROW
#undef METHOD_ROW
};
/* clang-format on */

enum { N_ROWS = sizeof rows / sizeof *rows };

const struct operation *operations(size_t *ret_count)
{
	*ret_count = N_ROWS;
	return rows;
}
