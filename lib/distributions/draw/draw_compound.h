/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions whose parameter is itself a random number: negative_binomial, f, noncentral_chisquare, noncentral_f.
 *
 * The second stage's attempts read the stream's draws from DRAW_SECOND_STAGE on. */
#ifndef TRNSCI_DISTRIBUTIONS_DRAW_COMPOUND_H
#define TRNSCI_DISTRIBUTIONS_DRAW_COMPOUND_H

#include "distributions/draw/draw.h"

/* The first draw of the second stage: more than the first stage reads, at most 64 attempts (DRAW_MAX_ATTEMPTS) of 6. */
enum { DRAW_SECOND_STAGE = 1024 };

/* Writes samples [begin, begin + n) to out, at any alignment. */
void draw_compound_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n, void *out);

#endif
