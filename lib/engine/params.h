/* SPDX-License-Identifier: Apache-2.0 */
/* Where each parameter stands in its operation's row, so that code that has bound one reads it without a search. */
#ifndef TRNSCI_ENGINE_PARAMS_H
#define TRNSCI_ENGINE_PARAMS_H

/* Of every draw; a law's own parameters follow, in the order of dist/laws.h. */
enum {
	DRAW_N,
	DRAW_SHAPE,
	DRAW_DTYPE,
	DRAW_GENERATOR,
	DRAW_SEED,
	DRAW_STREAM,
	DRAW_KEY_LAYOUT,
	DRAW_OFFSET,
	DRAW_RANK,
	DRAW_SIZE,
	DRAW_OUT,
	DRAW_U64,
	DRAW_COMMON,
};

enum {
	POINTS_N,
	POINTS_D,
	POINTS_DTYPE,
	POINTS_SCRAMBLING,
	POINTS_GENERATOR,
	POINTS_SEED,
	POINTS_STREAM,
	POINTS_RANK,
	POINTS_SIZE,
	POINTS_OUT,
	POINTS_U64,
	POINTS_OFFSET, /* not of a Latin hypercube */
	POINTS_BITS,   /* of Sobol */
};

enum { BOX_MULLER_IN, BOX_MULLER_OUT, BOX_MULLER_U64 };
enum { SCALE_IN, SCALE_BY, SCALE_PLUS, SCALE_OUT, SCALE_U64 };
enum { ADD_A, ADD_B, ADD_OUT, ADD_U64 };

enum {
	FFT_IN,
	FFT_OUT,
	FFT_LENGTH,
	FFT_AXES,
	FFT_INVERSE,
	FFT_REAL,
	FFT_NORM,
	FFT_PRECISION,
	FFT_TARGET_ERROR,
	FFT_DTYPE,
	FFT_U64,
};

enum { RUN_STEPS, RUN_RESULTS, RUN_GENERATOR, RUN_SEED, RUN_STREAM, RUN_KEY_LAYOUT, RUN_OFFSET, RUN_U64 };
enum { TILE_DTYPE, TILE_SHAPE, TILE_SCOPE, TILE_U64 };
enum { FREE_TILE, FREE_SCOPE, FREE_U64 };
enum { DERIVE_GENERATOR, DERIVE_SEED, DERIVE_STREAM, DERIVE_LABEL, DERIVE_FOLD_IN, DERIVE_SPLIT, DERIVE_U64 };
enum { PING_PAYLOAD, PING_U64 };

/* The most parameters that a row may have. */
enum { PARAMS_MAX = 24 };

#endif
