/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of a Gaussian random field: what they mean together, and which grid they ask for. */
#ifndef TRNSCI_ENGINE_COMPILE_DRAWS_FIELD_PARAMS_H
#define TRNSCI_ENGINE_COMPILE_DRAWS_FIELD_PARAMS_H

#include "distributions/fields/field_work.h"
#include "engine/compile/compiler.h"

/* Returns the shape: that of `shape`, or of the tile out (NULL: none), which gives its dtype where none was stated. */
struct shape field_read_shape(struct compiler *c, const struct buffer *out);

/* Reads and checks all parameters, and finds the grid. NULL: an error stands. */
const struct field *field_read(struct compiler *c, const struct shape *shape);

/* Reads the wave numbers that are asked for. */
void field_read_box(struct compiler *c, const struct field *field, struct field_box *box);

/* Returns what images add to covariances of the shape's points. */
double field_image_error(const struct field *field, const struct shape *shape);

/* Returns how far below 0 values of a spectrum count as 0, relative to the largest one; and what images may add. */
double field_tolerance(const struct field *field);

#endif
