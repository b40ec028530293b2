/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of all kinds of steps; each stands in the file of its kind. */
#ifndef TRNSCI_ENGINE_STEPS_KINDS_H
#define TRNSCI_ENGINE_STEPS_KINDS_H

#include "engine/steps/step.h"

extern const struct step_ops step_draw, step_points, step_box_muller, step_scale, step_add, step_noise_add, step_cast,
	step_resize, step_fft, step_gemm, step_trace, step_signal;

/* For the kinds that need a plan: 0 when it is ready, JOB_WAIT when the job will be woken, or the error with which
 * building it failed. */
static inline int step_await_plan(struct step_run *run)
{
	const int wait = plans_wait(run->engine->plans, run->step->plan, &run->waiter);

	return wait > 0 ? JOB_WAIT : wait;
}

#endif
