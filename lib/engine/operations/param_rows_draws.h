/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the draws and of the quasi-random point sets. */
#ifndef TRNSCI_ENGINE_PARAM_ROWS_DRAWS_H
#define TRNSCI_ENGINE_PARAM_ROWS_DRAWS_H

#include <float.h>
#include <math.h>

#include "colored/colored_design.h"
#include "distributions/fields/field.h"
#include "distributions/layouts/layout.h"
#include "distributions/quasi/halton.h"
#include "distributions/quasi/latin_hypercube.h"
#include "distributions/quasi/lattice.h"
#include "distributions/quasi/sobol.h"
#include "distributions/rows/distribution.h"
#include "engine/operations/operation_rows.h"
#include "engine/operations/param_rows.h"
#include "rng/generator.h"

/* clang-format off */
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
	[DRAW_STREAM] = {"stream", PARAM_U64, "", "0", ANY_U64, "which of the seed's streams; philox4x32 and the generators of 2x32 have 2^32"}, \
	[DRAW_LAYOUT] = {"layout", PARAM_CHOICE, "", "plain", 0, 0, false, LAYOUT_CHOICES, REPLAY_HELP}, \
	[DRAW_DEVICE] = {"device", PARAM_CHOICE, "", "", 0, 0, false, DEVICE_CHOICES, \
		"torch_cuda: the card, which decides where the numbers of large arrays lie; give it or blocks"}, \
	[DRAW_BLOCKS] = {"blocks", PARAM_U64, "", "", 1, (double)(1 << 24), false, NULL, \
		"torch_cuda: blocks of 256 threads that the card holds: its processors times the threads of each by 256"}, \
	[DRAW_CALL_N] = {"call_n", PARAM_U64, "samples", "", ANY_U64, \
		"another framework's layout: samples of its whole call, of which offset and n are a part; default: n"}, \
	[DRAW_OFFSET] = {"offset", PARAM_U64, "samples", "0", ANY_U64, "samples of this dtype to skip"}, \
	[DRAW_POSITION] = {"position", PARAM_U64, "words", "0", ANY_U64, \
		"word at which the stream begins, a multiple of 4, such as the 'next' of an earlier reply; offset counts on " \
		"from the first sample at or after it that begins at a multiple of 4 words"}, \
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

#define COLORED_NUMBER 1e-100, 1e100, false, NULL
static const struct param colored_params[] = {
	DRAW_PARAMS("shape", "f32|f64", "f32"),
	[COLORED_COLOR] = {"color", PARAM_CHOICE, "", "pink", 0, 0, false, "white|pink|brown|blue|violet",
		"spectrum by name: exponent 0, 1, 2, -1 or -2; give exponent, psd or taps instead"},
	[COLORED_EXPONENT] = {"exponent", PARAM_F64, "", "", -4, 4, false, NULL, "density ~ 1/f^exponent"},
	[COLORED_FLAT_BELOW] = {"flat_below", PARAM_F64, "Hz", "", COLORED_NUMBER,
		"frequency below which the density of color or exponent is flat; default: fs / length"},
	[COLORED_PSD] = {"psd", PARAM_ANY, "", "", NONE,
		"a table: frequency, one-sided density in units^2/Hz, next frequency and so on, the frequencies increasing; interpolated in "
		"logarithms, flat beyond its ends"},
	[COLORED_TAPS] = {"taps", PARAM_ANY, "", "", NONE, "the filter itself: 1 to 2^20 numbers, used as given"},
	[COLORED_BAND] = {"band", PARAM_ANY, "Hz", "", NONE, "two frequencies: the density is 0 below the first and above the second"},
	[COLORED_FS] = {"fs", PARAM_F64, "Hz", "1", COLORED_NUMBER, "samples a second"},
	[COLORED_LENGTH] = {"length", PARAM_U64, "taps", "", COLORED_LEAST_TAPS, COLORED_MOST_TAPS, false, NULL,
		"taps of the filter that is designed; default: 4096, or as many as flat_below needs"},
	[COLORED_STD] = {"std", PARAM_F64, "", "", 1e-280, 1e280, false, NULL,
		"standard deviation of the noise; default: 1 for color and exponent, that of the table for psd and taps"},
	[COLORED_DENSITY] = {"density", PARAM_F64, "", "", 1e-300, 1e300, false, NULL,
		"mean of the one-sided density in units^2/Hz from 0 to fs / 2, or over band; give it instead of std"},
};

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
	[POINTS_STREAM] = {"stream", PARAM_U64, "", "0", ANY_U64, "which of the seed's streams; philox4x32 and the generators of 2x32 have 2^32"}, \
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

#define FIELD_PARAMS(shape_help, std_help) \
	[FIELD_SHAPE] = {"shape", PARAM_SHAPE, "points", "", NONE, shape_help}, \
	[FIELD_STD] = {"std", PARAM_F64, "", "", 0, DBL_MAX, false, NULL, std_help}, \
	[FIELD_MEAN] = {"mean", PARAM_F64, "", "0", ANY_F64, "added to all points"}, \
	[FIELD_DTYPE] = {"dtype", PARAM_CHOICE, "", "f32", 0, 0, false, "f32|f64", "type of a point; if out is given, its dtype"}, \
	[FIELD_GENERATOR] = {"generator", PARAM_CHOICE, "", "threefry4x32", 0, 0, false, GENERATOR_CHOICES, \
		"generator of the normals' words"}, \
	[FIELD_SEED] = {"seed", PARAM_U64, "", "0", ANY_U64, "seed of the normals' stream"}, \
	[FIELD_STREAM] = {"stream", PARAM_U64, "", "0", ANY_U64, "which of the seed's streams; philox4x32 and the generators of 2x32 have 2^32"}, \
	[FIELD_LAYOUT] = {"layout", PARAM_CHOICE, "", "plain", 0, 0, false, "plain|trn24", LAYOUT_HELP}, \
	[FIELD_OFFSET] = {"offset", PARAM_U64, "samples", "0", ANY_U64, "normals to skip"}, \
	[FIELD_POSITION] = {"position", PARAM_U64, "words", "0", ANY_U64, \
		"word at which the stream begins, a multiple of 4, such as the 'next' of an earlier reply"}, \
	[FIELD_OUT] = OUT, \
	JOB_PARAMS(FIELD_U64)

static const struct param field_params[] = {
	FIELD_PARAMS("points of the grid on each axis, 2 and up; default: those of out",
		"root of the expected variance, of a covariance of its value at distance 0; default: 1, of a table what it states"),
	[FIELD_EXPONENT_OF] = {"exponent", PARAM_F64, "", "", -100, 100, false, NULL, "the spectrum: P(k) ~ 1 / k^exponent, P(0) = 0"},
	[FIELD_SPECTRUM_TABLE] = {"spectrum", PARAM_ANY, "", "", NONE,
		"the spectrum as a table: k0, P(k0), k1, P(k1), ..., k increasing (radians by unit of spacing)"},
	[FIELD_COVARIANCE] = {"covariance", PARAM_CHOICE, "", "", 0, 0, false, "gaussian|exponential|matern|spherical",
		"the spectrum by the covariance, std^2 at distance 0"},
	[FIELD_NU] = {"nu", PARAM_F64, "", "", FIELD_NU_LEAST, FIELD_NU_MOST, false, NULL, "smoothness of matern"},
	[FIELD_LENGTH] = {"length", PARAM_ANY, "", "", NONE, "correlation length of a covariance: a number, or one for each axis"},
	[FIELD_SPACING] = {"spacing", PARAM_ANY, "", "", NONE, "distance of two points: a number, or one for each axis; default: 1"},
	[FIELD_PERIODIC] = {"periodic", PARAM_BOOL, "", "true", NONE,
		"false, of a covariance: the field is cut from a larger grid, so that its opposite edges are not neighbours"},
	[FIELD_APPROXIMATE] = {"approximate", PARAM_BOOL, "", "false", NONE,
		"without periodic: allow images on the largest grid where none is free of them; the reply's image_error bounds the effect"},
	[FIELD_RESULT] = {"result", PARAM_CHOICE, "", "field", 0, 0, false, "field|spectrum",
		"spectrum: nothing is drawn; the result is the spectrum at the grid's wave numbers, in float64"},
	[FIELD_PLANE] = {"plane", PARAM_ANY, "", "", NONE,
		"of a spectrum: an axis but the last and an index on it, as in 0,5; only the wave numbers there"},
};
static const struct param fractional_params[] = {
	FIELD_PARAMS("points of the one axis, 2 to 2^29; default: those of out", "root of a step's variance; default: 1"),
	[FRACTIONAL_HURST] = {"hurst", PARAM_F64, "", NULL, 0, 0x1.fffffffffffffp-1, true, NULL,
		"Hurst exponent, below 1: steps are independent at 0.5, alike above, opposed below"},
};
static const struct param surrogate_params[] = {
	[SURROGATE_IN] = {"in", PARAM_TILE, "", NULL, NONE, "signals, (..., samples): f32 or f64"},
	[SURROGATE_OUT] = OUT,
	[SURROGATE_GENERATOR] = {"generator", PARAM_CHOICE, "", "threefry4x32", 0, 0, false, GENERATOR_CHOICES,
		"generator of the phases' words"},
	[SURROGATE_SEED] = {"seed", PARAM_U64, "", "0", ANY_U64, "seed of the phases' stream"},
	[SURROGATE_STREAM] = {"stream", PARAM_U64, "", "0", ANY_U64, "which of the seed's streams; philox4x32 and the generators of 2x32 have 2^32"},
	[SURROGATE_LAYOUT] = {"layout", PARAM_CHOICE, "", "plain", 0, 0, false, "plain|trn24", LAYOUT_HELP},
	[SURROGATE_OFFSET] = {"offset", PARAM_U64, "samples", "0", ANY_U64, "uniforms to skip"},
	[SURROGATE_POSITION] = {"position", PARAM_U64, "words", "0", ANY_U64,
		"word at which the stream begins, a multiple of 4, such as the 'next' of an earlier reply"},
	JOB_PARAMS(SURROGATE_U64),
};
/* clang-format on */

#endif
