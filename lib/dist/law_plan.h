/* SPDX-License-Identifier: Apache-2.0 */
/* From a draw to what the sampler does for it: the kernel, its inputs, its constants. */
#ifndef TRNSCI_DIST_LAW_PLAN_H
#define TRNSCI_DIST_LAW_PLAN_H

#include "dist/draw.h"
#include "dist/law_kernel.h"

/* dirichlet's table. */
struct component_table {
	size_t n;
	struct gamma_constants components[];
};

enum law_input { INPUT_WORDS, INPUT_NORMALS };

enum { LAW_INPUTS = 6 };

struct law_plan {
	law_function *kernel;
	/* An attempt reads n_inputs draws. */
	unsigned n_inputs;
	enum law_input inputs[LAW_INPUTS];
	struct law_constants constants;
	/* Float32 samples x that become x scale + shift after the kernel. */
	bool affine;
	/* dirichlet: constants of component (sample mod n_components); samples are float64 logarithms of gammas. */
	const struct gamma_constants *components;
	size_t n_components;
};

/* The plan of a law that the sampler draws (not bits, permutation, sphere; uniform and normal only where a kernel here
 * makes them). draw has been prepared. */
void law_plan(const struct law_kernel *kernel, const struct draw *draw, struct law_plan *ret_plan);

struct gamma_constants law_gamma_constants(double shape);

#endif
