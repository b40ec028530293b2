/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that are lib/fft's work on signals. */
#ifndef TRNSCI_ENGINE_SIGNAL_H
#define TRNSCI_ENGINE_SIGNAL_H

#include <stdatomic.h>

#include "engine/program.h"

/* A step that runs; the owner's memory. */
struct signal_state {
	struct engine *engine;
	const struct step *step;
	struct signal_io io;
	size_t n_units;
	bool started;
	atomic_int error; /* a unit's */
};

/* Buffers have their memory. -ERROR_NOT_SUPPORTED when a thread's scratch is too small. */
int signal_begin(struct engine *engine, const struct step *step, struct signal_state *ret_run);
/* As job_ops; waiter: the job's, for the plan. */
int signal_advance(struct signal_state *run, struct plan_waiter *waiter, size_t *ret_units);
uint64_t signal_run(struct signal_state *run, size_t unit, void *scratch);

/* About the nanoseconds that the step takes on one core; UINT64_MAX when its plan is not ready. */
uint64_t signal_cost(const struct engine *engine, const struct step *step);

#endif
