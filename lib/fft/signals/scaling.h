/* SPDX-License-Identifier: Apache-2.0 */
/* Scaling by powers of two around float32 transforms of float64 input.
 *
 * float32 holds neither 1e-60 nor 1e40. So each transform (over all of its axes) is multiplied by the power of two that
 * brings its largest finite part to [0.5, 1), and then rounded to float32. Its result is multiplied by the inverse
 * power. Both are exact, so a relative error bound holds over float64's range. The exponent depends on the transform's
 * own elements only.
 *
 * The steps are scaling_find, repeated over its own result until one number for each transform is left; scaling_down;
 * the transforms; scaling_up. */
#ifndef TRNSCI_FFT_SCALING_H
#define TRNSCI_FFT_SCALING_H

#include "fft/signals/signal.h"
#include "gemm/kernel.h"

enum { SCALING_MAX_DIMS = 8 };

/* A call over arrays of `ndim` axes. An item is one transform: the elements along the axes of the mask. */
struct scaling {
	const struct gemm_vectors *vectors;
	unsigned ndim, reals;            /* reals: parts of an element, 1 or 2 */
	bool to_complex;                 /* of scaling_down: real elements become complex */
	uint32_t axes;                   /* bit i: axis i is transformed */
	bool wide;                       /* of scaling_up: the result is float64 */
	uint64_t from[SCALING_MAX_DIMS]; /* in[0] */
	uint64_t to[SCALING_MAX_DIMS];   /* the part that scaling_find reads, at most `from`; else the shape of out */
};

/* Returns the number of items. */
uint64_t scaling_items(const struct scaling *s);

/* Returns how many numbers scaling_find gives for each item. */
uint64_t scaling_parts(const struct scaling *s);

/* in[0]: float64; out: for each item the largest finite magnitudes of its parts, float64 (items, parts). */
extern const struct signal_kind scaling_find;

/* in[0]: float64, in[1]: one magnitude an item; out: float32, padded with zeros or trimmed to `to`. */
extern const struct signal_kind scaling_down;

/* in[0]: float32, in[1] as above; out: float64 or float32 of the same shape, which may be in[0]. */
extern const struct signal_kind scaling_up;

#endif
