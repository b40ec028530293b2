/* SPDX-License-Identifier: Apache-2.0 */
/* Creating plans: which axes there are, their tables, and the memory of a run. */
#include "fftw/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "fftw/plan_cache.h"
#include "fftw/plan_steps.h"
#include "fftw/team.h"

enum { DIRECT_BYTES = 128 << 10 }; /* of a problem that one call of lib/fft runs: beyond, its cut by axes is faster */

/* ---- axes ---- */

/* Returns whether a transform along an axis changes nothing. */
static bool is_identity(const struct problem *problem, unsigned i)
{
	if (problem->dims[i].n != 1)
		return false;
	if (problem->transform == TRANSFORM_R2R)
		return problem->kinds[i] <= 2;
	return problem->transform == TRANSFORM_C2C || i + 1 < problem->rank;
}

static int kind_of(const struct problem *problem, unsigned i)
{
	if (problem->transform == TRANSFORM_R2R)
		return problem->kinds[i];
	return problem->transform == TRANSFORM_C2C || i + 1 < problem->rank ? KIND_COMPLEX : KIND_REAL;
}

static void add_axis(struct builder *b, const struct dim *dim, int kind)
{
	struct axis *axis = &b->axes[b->n_axes++];
	const bool is_half = kind == KIND_REAL;

	*axis = (struct axis){.before = dim->n, .after = dim->n, .in = dim->in, .out = dim->out, .kind = kind};
	if (is_half)
		*(b->problem->transform == TRANSFORM_R2C ? &axis->after : &axis->before) = dim->n / 2 + 1;
}

/* Lists the axes that do something. A real transform has one at least. Strides count reals still. */
static void list_axes(struct builder *b)
{
	const struct problem *problem = b->problem;

	for (unsigned i = 0; i < problem->rank; i++)
		if (!is_identity(problem, i))
			add_axis(b, &problem->dims[i], kind_of(problem, i));
	if (b->n_axes == 0 && problem->rank == 0 && !b->is_same)
		add_axis(b, &(struct dim){1, 2, 2}, KIND_REAL);
	b->rank = b->n_axes;
	for (unsigned i = problem->rank; i < problem->rank + problem->n_batch; i++)
		if (problem->dims[i].n > 1)
			add_axis(b, &problem->dims[i], -1);
}

/* Sets the strides of arrays without gaps, in reals: the axes of the batch outermost. */
static void make_compact(struct builder *b)
{
	ptrdiff_t in = (ptrdiff_t)b->in_unit, out = (ptrdiff_t)b->out_unit;

	for (unsigned i = 0; i < b->n_axes; i++) {
		const unsigned at = i < b->rank ? b->rank - 1 - i : b->n_axes - 1 - (i - b->rank);

		b->compact[at] = b->axes[at];
		b->compact[at].in = in;
		b->compact[at].out = out;
		b->failed |= __builtin_mul_overflow(in, (ptrdiff_t)b->axes[at].before, &in) ||
			     __builtin_mul_overflow(out, (ptrdiff_t)b->axes[at].after, &out);
	}
	b->failed |= in > PTRDIFF_MAX / 64 || out > PTRDIFF_MAX / 64;
}

/* Finds in which order the parts of pairs lie, where that is one order. */
static bool is_exchanged(const struct builder *b)
{
	const struct arrays *at = &b->problem->arrays;

	if (b->problem->transform != TRANSFORM_C2C || builder_is_interleaved(b, at->in_re, at->in_im, false))
		return false;
	return builder_is_interleaved(b, at->in_re, at->in_im, true) || builder_is_interleaved(b, at->out_re, at->out_im, true);
}

static bool is_in_place(const struct arrays *at)
{
	return at->in_re == at->out_re || (at->in_im && (at->in_im == at->out_im || at->in_im == at->out_re)) ||
	       (at->out_im && at->in_re == at->out_im);
}

/* ---- one call ---- */

/* Returns whether a problem is some rows, one behind the other, of a transform that is not cut. */
static bool is_direct(const struct builder *b)
{
	const struct axis *row = &b->axes[0];
	const struct step *step = &b->plan->steps[0];
	const size_t reals = builder_count_elements(b, false) * b->in_unit + builder_count_elements(b, true) * b->out_unit;
	const size_t bytes = problem_real_bytes(b->problem) * reals;

	return b->plan->n_steps == 1 && !step->copies && b->rank == 1 && b->n_axes <= 2 && bytes <= 2 * DIRECT_BYTES &&
	       row->in == (ptrdiff_t)b->in_unit && row->out == (ptrdiff_t)b->out_unit && fft_phases(row->plan) == 1 &&
	       fft_work_bytes(row->plan, 1) == 0 && fft_scratch_bytes_of(row->plan, b->n_axes > 1 ? b->axes[1].before : 1) <= STACK_BYTES;
}

static void make_direct(struct builder *b)
{
	const struct axis *row = &b->axes[0], *batch = b->n_axes > 1 ? &b->axes[1] : NULL;
	struct plan *plan = b->plan;

	plan->direct = row->plan;
	plan->call = (struct fft_call){
		.in = plan->exchanged ? plan->problem.arrays.in_im : plan->problem.arrays.in_re,
		.out = plan->exchanged ? plan->problem.arrays.out_im : plan->problem.arrays.out_re,
		.in_stride = 1,
		.out_stride = 1,
		.in_distance = batch ? (size_t)batch->in / b->in_unit : row->before,
		.out_distance = batch ? (size_t)batch->out / b->out_unit : row->after,
		.batch = batch ? batch->before : 1,
		.inverse = b->problem->transform == TRANSFORM_C2R || plan->exchanged,
		.scale = 1,
	};
	plan->direct_is_chunk = fft_chunks(row->plan, 0, plan->call.batch) == 1;
}

/* ---- building ---- */

static void take_tables(struct builder *b)
{
	const bool half_last = b->problem->transform == TRANSFORM_C2R;

	for (unsigned i = 0; i < b->rank && !b->failed; i++) {
		struct axis *axis = &b->axes[half_last ? i : b->rank - 1 - i];

		axis->plan = plan_cache_take(axis->kind, size_max(axis->before, axis->after), b->problem->precision);
		b->plan->tables[b->plan->n_tables++] = axis->plan;
		b->failed |= !axis->plan;
	}
}

/* Estimates the operations of all transforms: 5 n log2 n of complex ones, half of it of reals. */
static double estimate_operations(const struct builder *b)
{
	const double each = b->problem->transform == TRANSFORM_C2C ? 5 : 2.5;
	const double elements = (double)size_max(builder_count_elements(b, false), builder_count_elements(b, true));
	double sum = 0;

	for (unsigned i = 0; i < b->rank; i++)
		sum += each * elements * log2((double)b->axes[i].before + 1);
	return sum;
}

static size_t round_line(size_t bytes)
{
	return (bytes + 63) / 64 * 64;
}

/* Allocates the memory of a run: each buffer that a step names. */
static void allocate_memory(struct builder *b)
{
	struct plan *plan = b->plan;
	const size_t real = problem_real_bytes(b->problem);
	uint64_t bytes = 0;

	for (const struct step *step = plan->steps; step < plan->steps + plan->n_steps; step++) {
		plan->scratch_bytes = size_max(plan->scratch_bytes, round_line(step->work->scratch_bytes));
		plan->work_bytes = size_max(plan->work_bytes, round_line(step->work->work_bytes));
		plan->cost_ns += step->work->cost_ns;
		if (step->to == MEMORY_A)
			plan->bytes_of[MEMORY_A] = round_line(builder_count_elements(b, false) * b->in_unit * real);
		if (step->to == MEMORY_B)
			plan->bytes_of[MEMORY_B] = round_line(builder_count_elements(b, true) * b->out_unit * real);
	}
	bytes = plan->scratch_bytes + plan->work_bytes + plan->bytes_of[MEMORY_A] + plan->bytes_of[MEMORY_B];
	if (bytes == 0 || plan->direct)
		return;
	plan->memory = aligned_alloc(64, bytes);
	b->failed |= !plan->memory;
}

static bool is_empty(const struct problem *problem)
{
	for (unsigned i = problem->rank; i < problem->rank + problem->n_batch; i++)
		if (problem->dims[i].n == 0)
			return true;
	return false;
}

/* Returns whether the kinds of a problem are those of FFTW. */
static bool is_valid(const struct builder *b)
{
	for (unsigned i = 0; b->problem->transform == TRANSFORM_R2R && i < b->problem->rank; i++)
		if (b->problem->kinds[i] < 0 || b->problem->kinds[i] >= KINDS_OF_REALS)
			return false;
	return true;
}

/* Returns whether half spectra are lost when they become reals, as with FFTW: those of several axes. */
static bool loses_input(const struct builder *b)
{
	return b->problem->transform == TRANSFORM_C2R && b->rank > 1 && !b->in_place;
}

static void build(struct builder *b)
{
	struct plan *plan = b->plan;

	list_axes(b);
	b->failed |= loses_input(b) && b->problem->preserves_in;
	make_compact(b);
	plan->exchanged = is_exchanged(b);
	take_tables(b);
	for (unsigned i = 0; i < b->n_axes; i++)
		b->compact[i].plan = b->axes[i].plan;
	if (b->failed)
		return;
	plan_add_steps(b);
	if (b->failed)
		return;
	plan->operations = estimate_operations(b);
	if (is_direct(b))
		make_direct(b);
	allocate_memory(b);
}

struct plan *plan_create(const struct problem *problem)
{
	const unsigned most = problem->rank + problem->n_batch + 1;
	struct plan *plan = calloc(1, sizeof *plan);
	struct builder b = {
		.problem = problem,
		.plan = plan,
		.axes = calloc(2 * most, sizeof *b.axes),
		.in_unit = problem_takes_complex(problem) ? 2 : 1,
		.out_unit = problem_gives_complex(problem) ? 2 : 1,
		.in_place = is_in_place(&problem->arrays),
	};

	if (!plan || !b.axes) {
		free(b.axes);
		free(plan);
		return NULL;
	}
	b.compact = b.axes + most;
	b.is_same = b.in_unit == b.out_unit;
	plan->problem = *problem;
	team_join(problem->threads);
	plan->problem.dims = NULL;
	plan->problem.kinds = NULL;
	plan->tables = calloc(most, sizeof *plan->tables);
	plan->steps = calloc(most + 3, sizeof *plan->steps);
	b.failed = !plan->tables || !plan->steps || !is_valid(&b);
	if (!b.failed && !is_empty(problem))
		build(&b);
	free(b.axes);
	if (!b.failed)
		return plan;
	plan_free(plan);
	return NULL;
}

void plan_free(struct plan *plan)
{
	if (!plan)
		return;
	team_leave(plan->problem.threads);
	for (unsigned i = 0; i < plan->n_tables; i++)
		plan_cache_give(plan->tables[i]);
	for (unsigned i = 0; i < plan->n_steps; i++)
		free(plan->steps[i].owned);
	free(plan->tables);
	free(plan->steps);
	free(plan->memory);
	free(plan);
}

double plan_cost_ns(const struct plan *plan)
{
	return plan->cost_ns;
}

double plan_count_operations(const struct plan *plan)
{
	return plan->operations;
}
