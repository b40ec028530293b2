/* SPDX-License-Identifier: Apache-2.0 */
/* Short transforms along several axes, slab by slab.
 *
 * The elements of an array that share their places along the first axes lie side by side, as a slab. Transforms along the
 * other axes stay inside it. So consecutive ones run on one slab after the other, all axes of each while a near cache
 * holds it, and memory is read and written once for all of them:
 *
 *     shape (a, b, c), axes 2 and 1:  a slabs of b c elements, each transformed along its rows, then its columns
 *
 * Each element goes through the same transforms in the same order as axis by axis, so its bytes are the same. */
#ifndef TRNSCI_ENGINE_STEPS_FFT_SLABS_H
#define TRNSCI_ENGINE_STEPS_FFT_SLABS_H

#include "engine/steps/fft_axis.h"

/* Returns whether so many steps, each of which transforms what the one before has written, are faster slab by slab. */
bool fft_slabs_fuse(const struct bindings *bound, const struct step *steps, size_t count);

/* Cuts the array into slabs and chunks of them. t is the first of t->run.count states; fft_axis_cut has set all of them. */
void fft_slabs_cut(struct transform *t);

size_t fft_slabs_chunks(const struct transform *t);
void fft_slabs_run(const struct transform *t, size_t chunk, void *scratch);

#endif
