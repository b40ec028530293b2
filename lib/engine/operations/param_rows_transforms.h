/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the transforms, of products of matrices and of the estimate of a trace. */
#ifndef TRNSCI_ENGINE_PARAM_ROWS_TRANSFORMS_H
#define TRNSCI_ENGINE_PARAM_ROWS_TRANSFORMS_H

#include "engine/operations/param_rows.h"
#include "fft/precision/precision.h"
#include "rng/generator.h"

/* clang-format off */
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
	[TRACE_STREAM] = {"stream", PARAM_U64, "", "0", ANY_U64, "which of the seed's streams; philox4x32 and the generators of 2x32 have 2^32"},
	[TRACE_LAYOUT] = {"layout", PARAM_CHOICE, "", "plain", 0, 0, false, "plain|trn24", LAYOUT_HELP},
	[TRACE_OFFSET] = {"offset", PARAM_U64, "samples", "0", ANY_U64, "samples of the distribution that are skipped"},
	[TRACE_RANK] = {"rank", PARAM_U64, "", "0", ANY_U64, "which part of the probes to use, below size"},
	[TRACE_SIZE] = {"size", PARAM_U64, "parts", "1", 1, 65536, false, NULL,
		"number of parts of hutchinson's probes; their estimates' mean, weighted by probes, is the estimate of all"},
	JOB_PARAMS(TRACE_U64),
};
/* clang-format on */

#endif
