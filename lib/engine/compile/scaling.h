/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that scale transforms of float64 in float32 by powers of two (fft/scaling.h). */
#ifndef TRNSCI_ENGINE_COMPILE_SCALING_H
#define TRNSCI_ENGINE_COMPILE_SCALING_H

#include "engine/compile/compiler.h"

/* Adds the steps that write `in`, f64 or c128, into `out`, f32 or c64, padded or trimmed to its shape, each transform
 * over the axes of the mask scaled. Returns what scaling_steps_up takes as max_abs. */
struct buffer *scaling_steps_down(struct compiler *c, uint32_t axes, struct buffer *in, struct buffer *out);

/* Adds the step that undoes it, from float32 results to `out` of any width and the same shape, which may be `in`. */
void scaling_steps_up(struct compiler *c, uint32_t axes, struct buffer *in, struct buffer *max_abs, struct buffer *out);

#endif
