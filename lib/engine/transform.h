/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that are not element-wise: resizing, and transforms along one axis. Each is a segment of its own. */
#ifndef TRNSCI_ENGINE_TRANSFORM_H
#define TRNSCI_ENGINE_TRANSFORM_H

#include "engine/program.h"

struct transform;

/* Starts the step: it is then advanced and run like a job, with the same answers, until JOB_END. Buffers have their
 * memory. -ERROR_NO_MEMORY. */
int transform_begin(struct engine *engine, const struct step *step, struct job *job, struct transform **ret_transform);
int transform_advance(struct transform *transform, size_t *ret_units);
uint64_t transform_run(struct transform *transform, size_t unit, void *scratch);
/* Also in the midst of it, when no unit runs. Accepts NULL. */
void transform_end(struct transform *transform);

/* Memory that an FFT step needs between its phases. */
uint64_t transform_work_bytes(const struct engine *engine, const struct step *step);

/* About the nanoseconds that the step takes on one core; UINT64_MAX when its plan is not ready. */
uint64_t transform_cost(const struct engine *engine, const struct step *step);

#endif
