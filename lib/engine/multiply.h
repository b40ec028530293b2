/* SPDX-License-Identifier: Apache-2.0 */
/* Steps that are products of matrices, as units of lib/gemm. */
#ifndef TRNSCI_ENGINE_MULTIPLY_H
#define TRNSCI_ENGINE_MULTIPLY_H

#include "engine/program.h"
#include "gemm/gemm.h"

/* A step that runs; the owner's memory. */
struct multiply {
	struct engine *engine;
	const struct step *step;
	struct gemm_call call;
	struct gemm_cut cut;
	size_t most; /* units at once, where they keep sums between phases */
	char *work;
	/* What runs: */
	bool started;
	size_t first, phase;
};

/* Buffers have their memory. -ERROR_NO_MEMORY; -ERROR_NOT_SUPPORTED when a thread's scratch is too small. */
int multiply_begin(struct engine *engine, const struct step *step, struct multiply *ret_multiply);
/* As job_ops. */
int multiply_advance(struct multiply *multiply, size_t *ret_units);
uint64_t multiply_run(const struct multiply *multiply, size_t unit, void *scratch);
void multiply_end(struct multiply *multiply);

/* Memory that the step needs between its phases; about the nanoseconds that it takes on one core. */
uint64_t multiply_work_bytes(const struct engine *engine, const struct step *step);
uint64_t multiply_cost(const struct engine *engine, const struct step *step);

#endif
