/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling the distribution of a draw. */
#ifndef TRNSCI_ENGINE_COMPILE_DRAW_DISTRIBUTION_H
#define TRNSCI_ENGINE_COMPILE_DRAW_DISTRIBUTION_H

#include "engine/compile/compiler.h"

/* Reads and checks the parameters of draw->distribution, whose dtype is set, and builds its table, or leaves it to the
 * program's deferred build where it takes long. Parameters that are arrays are checked sample by sample instead. A
 * permutation has as many items as samples (default): the caller sets them once their number is known. */
void compile_distribution(struct compiler *c, struct draw *draw);

#endif
