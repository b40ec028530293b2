/* SPDX-License-Identifier: Apache-2.0 */
/* multinomial: component after component a binomial number of what the ones before it have left. */
#ifndef TRNSCI_DISTRIBUTIONS_DRAW_MULTINOMIAL_H
#define TRNSCI_DISTRIBUTIONS_DRAW_MULTINOMIAL_H

#include "distributions/draw/draw.h"

/* Writes elements [begin, begin + n) of a prepared multinomial draw to out, at any alignment. */
void draw_multinomial_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n,
			   void *out);

#endif
