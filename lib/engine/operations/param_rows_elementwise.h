/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the operations on elements, and of reductions. */
#ifndef TRNSCI_ENGINE_PARAM_ROWS_ELEMENTWISE_H
#define TRNSCI_ENGINE_PARAM_ROWS_ELEMENTWISE_H

#include <math.h>

#include "engine/operations/param_rows.h"

/* clang-format off */
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
#define REPEATED "of the same dtype, and of its shape, its last dimensions or one element"
static const struct param terms_params[] = {
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
/* clang-format on */

#endif
