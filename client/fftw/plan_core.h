/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by what creates plans (plan.c, plan_steps.c) and what runs them (execute.c). */
#ifndef TRNSCI_FFTW_PLAN_CORE_H
#define TRNSCI_FFTW_PLAN_CORE_H

#include <stdatomic.h>

#include "fft/axes/axes.h"
#include "fft/fft.h"
#include "fftw/copy.h"
#include "fftw/problem.h"

enum memory { MEMORY_IN, MEMORY_OUT, MEMORY_A, MEMORY_B, MEMORIES };

enum { STACK_BYTES = 40 << 10 }; /* of scratch that a direct run takes from the stack */

struct step {
	const struct staged_work *work;
	enum memory from, to;
	bool copies; /* real and imaginary parts apart; else elements */
	const void *const *tables;
	void *owned; /* struct copy or struct fft_axes */
};

struct plan {
	/* One chunk of one transform of lib/fft, or some rows of it, runs by this call alone. */
	const struct fft_plan *direct;
	bool direct_is_chunk; /* one chunk */
	struct fft_call call;

	struct problem problem; /* without its axes and kinds */
	bool exchanged;         /* interleaved numbers have their imaginary parts first, on both sides and in buffers */
	unsigned n_tables, n_steps; /* without steps, a run does nothing */
	const struct fft_plan **tables; /* in the order of the transforms */
	struct step *steps;
	double cost_ns, operations;
	/* A run's memory: scratch, work, A, B. */
	size_t scratch_bytes, work_bytes, bytes_of[MEMORIES];
	char *memory; /* of one run at a time; NULL: none is needed */
	atomic_flag is_used;
};

#endif
