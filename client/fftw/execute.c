/* SPDX-License-Identifier: Apache-2.0 */
/* Running plans. */
#include <sched.h>
#include <stdalign.h>
#include <stdlib.h>

#include "base/fpenv.h"
#include "fftw/plan.h"
#include "fftw/plan_core.h"
#include "fftw/team.h"

/* ---- one call of lib/fft ---- */

static void run_call(const struct plan *plan, const struct fft_call *call)
{
	alignas(64) char scratch[STACK_BYTES];

	if (plan->direct_is_chunk)
		fft_run_chunk(plan->direct, call, 0, 0, scratch);
	else
		fft_run(plan->direct, call, scratch);
}

static void run_direct(const struct plan *plan, const struct fft_call *call)
{
	struct fpenv_saved saved;

	if (fpenv_is_entered()) {
		run_call(plan, call);
		return;
	}
	saved = fpenv_enter();
	run_call(plan, call);
	fpenv_leave(saved);
}

static void run_direct_with(const struct plan *plan, const void *in, void *out)
{
	struct fft_call call = plan->call;

	call.in = in;
	call.out = out;
	run_direct(plan, &call);
}

/* ---- steps ---- */

/* The memory of a run, part by part, and whose it is. */
struct run {
	char *block;
	bool is_own;
	struct arrays arrays;
	char *scratch, *work, *buffers[MEMORIES];
};

/* Takes the plan's memory, or allocates as much; without memory it waits for the plan's. */
static void begin_run(const struct plan *plan, struct run *run)
{
	struct plan *changed = (struct plan *)plan;
	const size_t bytes = plan->scratch_bytes + plan->work_bytes + plan->bytes_of[MEMORY_A] + plan->bytes_of[MEMORY_B];

	run->is_own = false;
	run->block = plan->memory;
	while (bytes > 0 && atomic_flag_test_and_set_explicit(&changed->is_used, memory_order_acquire)) {
		run->block = aligned_alloc(64, bytes);
		run->is_own = run->block;
		if (run->is_own)
			break;
		run->block = plan->memory;
		sched_yield();
	}
	run->scratch = run->block;
	run->work = run->block + plan->scratch_bytes;
	run->buffers[MEMORY_A] = run->work + plan->work_bytes;
	run->buffers[MEMORY_B] = run->buffers[MEMORY_A] + plan->bytes_of[MEMORY_A];
}

static void end_run(const struct plan *plan, struct run *run)
{
	if (run->is_own)
		free(run->block);
	else if (plan->memory)
		atomic_flag_clear_explicit(&((struct plan *)plan)->is_used, memory_order_release);
}

/* Returns where the real or the imaginary parts of a side lie; those of buffers are interleaved. */
static char *find_part(const struct plan *plan, const struct run *run, enum memory memory, bool imaginary)
{
	const size_t real = problem_real_bytes(&plan->problem);

	if (memory == MEMORY_IN)
		return imaginary ? run->arrays.in_im : run->arrays.in_re;
	if (memory == MEMORY_OUT)
		return imaginary ? run->arrays.out_im : run->arrays.out_re;
	return run->buffers[memory] + (imaginary != plan->exchanged ? real : 0);
}

/* Returns where the elements of a side begin. */
static char *find_elements(const struct plan *plan, const struct run *run, enum memory memory)
{
	if (memory == MEMORY_IN)
		return plan->exchanged ? run->arrays.in_im : run->arrays.in_re;
	if (memory == MEMORY_OUT)
		return plan->exchanged ? run->arrays.out_im : run->arrays.out_re;
	return run->buffers[memory];
}

static void run_alone(const struct staged_work *work, const struct staged_io *io, void *scratch)
{
	const struct fpenv_saved saved = fpenv_enter();
	struct staged_stage stage;

	for (size_t at = 0; at < work->stages; at++) {
		work->ops->find_stage(work, io, at, &stage);
		for (size_t chunk = 0; chunk < stage.chunks; chunk++)
			work->ops->run_chunk(work, io, at, chunk, scratch);
	}
	fpenv_leave(saved);
}

static void run_step(const struct plan *plan, const struct run *run, const struct step *step)
{
	struct staged_io io = {.tables = step->tables, .work = run->work};

	if (step->copies) {
		io.in[0] = find_part(plan, run, step->from, false);
		io.in[1] = find_part(plan, run, step->from, true);
		io.out = find_part(plan, run, step->to, false);
		io.work = find_part(plan, run, step->to, true);
	} else {
		io.in[0] = find_elements(plan, run, step->from);
		io.out = find_elements(plan, run, step->to);
	}
	if (plan->problem.threads == 1 || !team_run(plan->problem.threads, step->work, &io))
		run_alone(step->work, &io, run->scratch);
}

void plan_execute_arrays(const struct plan *plan, const struct arrays *arrays)
{
	struct run run = {.arrays = *arrays};

	if (plan->direct) {
		run_direct_with(plan, find_elements(plan, &run, MEMORY_IN), find_elements(plan, &run, MEMORY_OUT));
		return;
	}
	begin_run(plan, &run);
	for (unsigned i = 0; i < plan->n_steps; i++)
		run_step(plan, &run, &plan->steps[i]);
	end_run(plan, &run);
}

void plan_execute(const struct plan *plan)
{
	if (plan->direct)
		run_direct(plan, &plan->call);
	else
		plan_execute_arrays(plan, &plan->problem.arrays);
}

void plan_execute_interleaved(const struct plan *plan, void *in, void *out)
{
	const size_t real = problem_real_bytes(&plan->problem);
	const bool is_backward = plan->problem.is_backward;
	struct arrays arrays = {in, NULL, out, NULL};

	if (plan->direct) {
		run_direct_with(plan, in, out);
		return;
	}
	if (problem_takes_complex(&plan->problem)) {
		arrays.in_re = (char *)in + (is_backward ? real : 0);
		arrays.in_im = (char *)in + (is_backward ? 0 : real);
	}
	if (problem_gives_complex(&plan->problem)) {
		arrays.out_re = (char *)out + (is_backward ? real : 0);
		arrays.out_im = (char *)out + (is_backward ? 0 : real);
	}
	plan_execute_arrays(plan, &arrays);
}
