/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that fields, fractional noise and surrogates are made of. */
#ifndef TRNSCI_ENGINE_COMPILE_DRAWS_FIELD_STEPS_H
#define TRNSCI_ENGINE_COMPILE_DRAWS_FIELD_STEPS_H

#include "distributions/fields/fractional.h"
#include "engine/compile/compiler.h"

/* Draws standard numbers of a distribution into out. first: the first of the parameters that state its stream, which have the order of
 * these. Returns the draw's placement. */
int field_add_draw(struct compiler *c, const char *distribution, unsigned first, unsigned u64, struct buffer *out);
int field_add_normals(struct compiler *c, struct buffer *out);

/* Transforms over all axes, between reals and half a spectrum. */
void field_add_transform(struct compiler *c, bool inverse, struct buffer *in, struct buffer *out);

/* Adds a task over n elements. second: the transform of the covariance, for FRACTIONAL_WEIGH. */
void field_add_task(struct compiler *c, enum fractional_task task, uint64_t n, bool wide, struct buffer *in, struct buffer *second,
		    struct buffer *out);

/* Adds the mean to all points, the last step. */
void field_add_mean(struct compiler *c, struct buffer *out);

/* Adds a temporary of these sizes. */
struct buffer *field_add_temp(struct compiler *c, const struct shape *sizes, enum dtype dtype);

/* Keeps the text of an error that only a run can find. */
const char *field_keep_text(struct compiler *c, const char *text);

#endif
