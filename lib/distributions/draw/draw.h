/* SPDX-License-Identifier: Apache-2.0 */
/* A draw: a distribution with its parameters, a dtype and a stream, and the kernels that can make its samples.
 *
 * Sample k is a pure function of (stream, k, parameters), so any part of a draw can be made by any thread, in any
 * order.
 *
 *     draw_prepare   checks the parameters and builds the table, once
 *     draw_fill      makes samples: chooses one of the ways below
 *       draw_direct        bits, uniform and normal of 32 or 64 bits: whole groups of words, straight into the output
 *       draw_rejection      one word or several for each sample, kernels that may reject; what to run is a draw_plan
 *         draw_plan        parameters become a kernel, its inputs and its constants; draw_arrays: where each sample has its own
 *       draw_compound      two stages of attempts: the first one's samples are parameters of the second
 *       draw_vectors       dirichlet, sphere and, by draw_multinomial, multinomial: whole vectors
 *       draw_permutation   permutations: a shuffle of few items, a bijection of many */
#ifndef TRNSCI_DISTRIBUTIONS_DRAW_H
#define TRNSCI_DISTRIBUTIONS_DRAW_H

#include <stddef.h>
#include <stdint.h>

#include "distributions/rows/dist_plan.h"

/* The bytes of a group: the four words that one evaluation of the generator gives, so 4 samples of 32 bits or 2 of 64.
 */
enum {
	DRAW_GROUP_BYTES = STREAM_GROUP_WORDS * sizeof(uint32_t),
};

/* The variants of all kernels that a set of CPU features allows. Plain data: select once, then share between threads.
 */
struct draw_kernels {
	const struct rng_kernel *generators[GENERATOR_COUNT];
	const struct uniform_kernel *uniform;
	const struct box_muller_kernel *box_muller;
	const struct dist_kernel *distributions;
	const struct feistel_kernel *feistel;
	const struct algebra_kernel *algebra;
	const struct layout_kernel *layouts;
};

/* Selects the fastest kernels that need nothing beyond these CPU_ features. */
void draw_select(uint32_t features, struct draw_kernels *ret_kernels);

/* Returns how many 32-bit words of the stream a sample takes: 1 for dtypes of at most 32 bits, else 2. */
unsigned draw_words_per_sample(enum dtype dtype);

/* Returns the bytes that the draw's table takes, 0 without one. */
size_t draw_table_bytes(const struct draw *draw);

/* Returns the components of a sample: 1, except for sphere, and for dirichlet and multinomial, whose draw must have its
 * table. */
size_t draw_components(const struct draw *draw);

#endif
