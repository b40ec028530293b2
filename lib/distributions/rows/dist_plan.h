/* SPDX-License-Identifier: Apache-2.0 */
/* A draw, and what is run for it: which kernel, from which inputs, with which constants. */
#ifndef TRNSCI_DISTRIBUTIONS_DIST_PLAN_H
#define TRNSCI_DISTRIBUTIONS_DIST_PLAN_H

#include "base/dtype.h"
#include "distributions/rows/dist_constants.h"
#include "distributions/rows/distribution.h"
#include "rng/stream.h"

struct draw_arrays;
struct dist_kernel;
struct layout_call;

struct draw {
	enum distribution distribution;
	enum dtype dtype; /* one that dist_has_dtype accepts */
	struct stream stream;
	union dist_value parameters[DIST_PARAMETERS]; /* in the order of the distribution's row */
	const void *table; /* built by draw_prepare and owned by its caller; NULL for most distributions */
	const struct draw_arrays *arrays; /* the parameters that are arrays (draw_arrays.h); NULL: all are numbers */
	const struct layout_call *layout; /* of another framework (layouts/layout.h); NULL: the stream's own */
};

/* What an input of a kernel holds for each sample: a word, or a standard normal made of words by Box and Muller. */
enum draw_input { INPUT_WORDS = 'w', INPUT_NORMALS = 'n' };

enum { DRAW_INPUTS = DIST_PARAMETER_INPUT };

/* Everything that draw_rejection needs of a draw beside its stream. Plain data, on its caller's stack; constants point
 * into the draw's table, which must outlive it. */
struct draw_plan {
	const struct dist_kernel *kernels; /* of which it is one */
	dist_function *kernel;
	const char *reads; /* the inputs of an attempt, which is that many of the stream's draws: 1 to DRAW_INPUTS of enum draw_input */
	unsigned n_inputs; /* their number */
	unsigned first_draw; /* of attempt 0 */
	struct dist_constants constants;
	bool affine; /* the kernel leaves x scale + shift to the caller */
	/* dirichlet, else NULL: the constants of component (sample mod n_components). The kernel's samples are then the
	 * float64 logarithms of gammas, whatever the dtype. */
	const struct gamma_constants *components;
	size_t n_components;
	bool per_sample; /* the kernel reads the parameters of each sample */
	bool as_float64; /* samples are float64, whatever the dtype: a stage of a compound draw */
};

/* Computes a plan's constants from the draw's numbers, and chooses another kernel and other inputs than its row's where these
 * decide it. */
typedef void dist_planner(const struct draw *draw, struct draw_plan *plan);

/* The parameters of n samples, n a multiple of DIST_PAD, in a stage of a compound draw. */
struct stage_args {
	const struct dist_kernel *kernels;
	size_t n;
	double *own[DIST_PARAMETERS]; /* the draw's */
	double *made;                 /* by the stage before */
	double *ret[DIST_PARAMETERS]; /* the stage's */
	struct dist_constants *constants;
};

/* Computes a stage's parameters. Returns false if the stage is not needed; `made` then holds what follows from that. */
typedef bool dist_stage_function(const struct stage_args *args);

#endif
