/* SPDX-License-Identifier: Apache-2.0 */
/* What draw_rejection.h does for a draw: which kernel, from which inputs, with which constants. */
#ifndef TRNSCI_DISTRIBUTIONS_DRAW_PLAN_H
#define TRNSCI_DISTRIBUTIONS_DRAW_PLAN_H

#include <stdbool.h>

#include "distributions/draw/draw.h"
#include "distributions/rows/dist_kernel.h"

/* What an input of a kernel holds for each sample: a word, or a standard normal made of words by Box and Muller. */
enum draw_input { INPUT_WORDS, INPUT_NORMALS };

enum { DRAW_INPUTS = DIST_PARAMETER_INPUT };

/* Everything that draw_rejection needs of a draw beside its stream. Plain data, on its caller's stack; constants point
 * into the draw's table, which must outlive it. */
struct draw_plan {
	dist_function *kernel;
	unsigned n_inputs; /* an attempt reads that many of the stream's draws, 1 to DRAW_INPUTS */
	unsigned first_draw; /* of attempt 0 */
	enum draw_input inputs[DRAW_INPUTS];
	struct dist_constants constants;
	bool affine; /* the kernel leaves x scale + shift to the caller */
	/* dirichlet, else NULL: the constants of component (sample mod n_components). The kernel's samples are then the
	 * float64 logarithms of gammas, whatever the dtype. */
	const struct gamma_constants *components;
	size_t n_components;
	bool per_sample; /* the kernel reads the parameters of each sample */
	bool as_float64; /* samples are float64, whatever the dtype: a stage of a compound draw */
};

/* Plans a prepared draw: not of bits, permutation or sphere, and of uniform and normal only what draw_direct_apply
 * rejects. */
void draw_plan_make(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *ret_plan);

/* Plans a draw of which some parameters are arrays. */
void draw_plan_per_sample(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *ret_plan);

#endif
