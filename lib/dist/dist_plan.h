/* SPDX-License-Identifier: Apache-2.0 */
/* From a draw to what the sampler does for it: the kernel, its inputs, its constants. */
#ifndef TRNSCI_DIST_DIST_PLAN_H
#define TRNSCI_DIST_DIST_PLAN_H

#include "dist/draw.h"
#include "dist/dist_kernel.h"

/* dirichlet's table. */
struct component_table {
	size_t n;
	struct gamma_constants components[];
};

enum dist_input { INPUT_WORDS, INPUT_NORMALS };

enum { DIST_INPUTS = 6 };

struct dist_plan {
	dist_function *kernel;
	/* An attempt reads n_inputs draws. */
	unsigned n_inputs;
	enum dist_input inputs[DIST_INPUTS];
	struct dist_constants constants;
	/* Float32 samples x that become x scale + shift after the kernel. */
	bool affine;
	/* dirichlet: constants of component (sample mod n_components); samples are float64 logarithms of gammas. */
	const struct gamma_constants *components;
	size_t n_components;
};

/* The plan of a distribution that the sampler draws (not bits, permutation, sphere; uniform and normal only where a
 * kernel here makes them). draw has been prepared. */
void dist_plan(const struct dist_kernel *kernel, const struct draw *draw, struct dist_plan *ret_plan);

struct gamma_constants dist_gamma_constants(double shape);

#endif
