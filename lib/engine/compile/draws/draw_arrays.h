/* SPDX-License-Identifier: Apache-2.0 */
/* Compiling a draw's parameters that are arrays. */
#ifndef TRNSCI_ENGINE_COMPILE_DRAW_ARRAYS_H
#define TRNSCI_ENGINE_COMPILE_DRAW_ARRAYS_H

#include "engine/compile/compiler.h"

/* The arrays among a draw's parameters. */
struct parameter_arrays {
	struct step_arrays arrays;
	struct buffer *buffers[DIST_PARAMETERS]; /* of arrays.parameters[k] */
};

/* Finds the buffers of the bound parameters that are arrays: {tile: a handle, or the name of an earlier step} or
 * {dtype, shape, data}. *found is zero before. */
void compile_parameter_arrays(struct compiler *c, const struct draw *draw, struct parameter_arrays *found);

/* Refuses arrays without elements, unless there are no samples either. */
void compile_check_arrays(struct compiler *c, const struct parameter_arrays *found, uint64_t samples);

/* Adds the step of a draw that writes `out`, with its arrays, if there are any. The caller sets the draw. */
struct step *compile_draw_step(struct compiler *c, const struct parameter_arrays *found, struct buffer *out);

#endif
