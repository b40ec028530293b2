/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of smooth lengths that several others have as their inner ones: the convolutions of a thousand lengths need a dozen.
 *
 * The process has one list of them. A plan enters it when it is ready, so whoever finds one only reads it, and leaves it with its
 * last user. Any thread. */
#ifndef TRNSCI_FFT_INNER_H
#define TRNSCI_FFT_INNER_H

#include "fft/fft.h"

/* Returns a ready plan with one more user, or NULL if there is none. */
struct fft_plan *inner_take(uint64_t n, enum fft_precision precision, uint32_t features);
/* Lets others use a ready plan of these, unless they do already or use an equal one. */
void inner_add(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan *plan);
/* Ends a use of any inner plan. Returns whether it was the last one: free the plan then. Accepts NULL. */
bool inner_give(const struct fft_plan *plan);

#endif
