/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling the distribution of a draw. */
#ifndef TRNSCI_ENGINE_COMPILE_DRAW_DISTRIBUTION_H
#define TRNSCI_ENGINE_COMPILE_DRAW_DISTRIBUTION_H

#include "engine/compile/compiler.h"

/* The numbers of a list parameter. */
struct list {
	const void *at; /* float64; of any alignment where they lie in the request */
	double *own;    /* to be freed; NULL: they lie in the request */
	size_t n;
};

/* Reads an array of numbers, or bytes that are float64. *ret is zero before. */
void compile_list(struct compiler *c, unsigned param, struct list *ret);

/* Reads and checks the parameters of draw->distribution, whose dtype is set, and builds its table, or leaves it to the
 * program's deferred build where it takes long. Parameters that are arrays are checked sample by sample instead. A
 * permutation has as many items as samples (default): the caller sets them once their number is known. */
void compile_distribution(struct compiler *c, struct draw *draw);

#endif
