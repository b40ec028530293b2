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
 * {dtype, shape, data}. */
int compile_parameter_arrays(struct compiler *compiler, const struct draw *draw, struct parameter_arrays *ret);

/* Refuses arrays without elements, unless there are no samples either. */
int compile_check_arrays(const struct compiler *compiler, const struct parameter_arrays *arrays, uint64_t samples);

/* Adds the step of a draw that writes `out`, with its arrays, if there are any. The caller sets the draw. */
int compile_draw_step(struct compiler *compiler, const struct parameter_arrays *arrays, struct buffer *out,
		      struct step **ret_step);

#endif
