/* SPDX-License-Identifier: Apache-2.0 */
/* How short transforms along one axis run, whole ones in one chunk: where they lie, in a copy, or by panels (fft_axis.h). */
#ifndef TRNSCI_ENGINE_STEPS_FFT_SHORT_H
#define TRNSCI_ENGINE_STEPS_FFT_SHORT_H

#include "engine/steps/fft_axis.h"

/* Returns how many pieces a call's transforms are cut into. */
size_t fft_short_pieces(const struct transform *t);

/* Runs transforms [first, first + batch) of each of the calls [call, call + calls). Scratch has room for t->piece transforms
 * of t->calls calls, or for any number of rows. */
void fft_short_run(const struct transform *t, size_t call, size_t calls, size_t first, size_t batch, void *scratch);

#endif
