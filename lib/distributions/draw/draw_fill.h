/* SPDX-License-Identifier: Apache-2.0 */
/* Making samples of any distribution: the entry that callers outside this folder use. */
#ifndef TRNSCI_DISTRIBUTIONS_DRAW_FILL_H
#define TRNSCI_DISTRIBUTIONS_DRAW_FILL_H

#include "distributions/draw/draw.h"

/* Writes elements [begin, begin + n) to out, n elements of the draw's dtype at any alignment. An element is a sample, or
 * one component of a vector.
 *
 * The draw has been prepared (draw_prepare.h), or its parameters are known to be valid and it needs no table. The caller
 * has checked that the elements lie within the stream (stream_span) and that the stream exists (stream_id_fits), and is
 * inside fpenv_enter. Uses at most 80 KiB of stack. Any thread. */
void draw_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n, void *out);

#endif
