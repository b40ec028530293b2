/* SPDX-License-Identifier: Apache-2.0 */
/* From a draw to its plan (dist_plan.h), by the distribution's row. */
#ifndef TRNSCI_DISTRIBUTIONS_DRAW_PLAN_H
#define TRNSCI_DISTRIBUTIONS_DRAW_PLAN_H

#include "distributions/draw/draw.h"
#include "distributions/rows/dist_row.h"

/* Plans a prepared draw of a distribution whose row has a kernel for it; of uniform and normal only what draw_direct_apply
 * rejects. */
void draw_plan_make(const struct dist_kernel *kernels, const struct draw *draw, struct draw_plan *ret_plan);

#endif
