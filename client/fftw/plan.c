/* SPDX-License-Identifier: Apache-2.0 */
/* Creating plans: which axes there are, what lies where lib/fft/axes takes it, and the steps that follow. */
#include "fftw/plan.h"

#include <assert.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "engine/scheduler/cpus.h"
#include "fftw/plan_cache.h"
#include "fftw/plan_core.h"
#include "fftw/team.h"

enum { DIRECT_BYTES = 128 << 10 }; /* of a problem that one call of lib/fft runs: beyond, its cut by axes is faster */

/* An axis on both sides: elements and strides, these in elements too. `plan` is that of a transform along it. */
struct axis {
	size_t before, after;
	ptrdiff_t in, out;
	const struct fft_plan *plan;
	int kind;
};

/* A plan in the making. Its axes are those to transform, in the order of the problem, and those of the batch. */
struct builder {
	const struct problem *problem;
	struct plan *plan;
	unsigned rank, n_axes;
	struct axis *axes;
	struct axis *compact; /* the same with the strides of buffers */
	size_t in_unit, out_unit; /* reals of an element */
	bool is_same;             /* elements of both sides are the same */
	bool in_place;
	bool failed;
};

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

/* Returns the elements of a side, all axes together. */
static size_t count_elements(const struct builder *b, bool out)
{
	size_t count = 1;

	for (unsigned i = 0; i < b->n_axes; i++)
		count *= out ? b->axes[i].after : b->axes[i].before;
	return count;
}

/* ---- where elements lie ---- */

static ptrdiff_t stride_of(const struct axis *axis, bool out)
{
	return out ? axis->out : axis->in;
}

static size_t length_of(const struct axis *axis, bool out)
{
	return out ? axis->after : axis->before;
}

/* Returns whether lib/fft can address a side: elements at positive strides. */
static bool is_addressable(const struct builder *b, bool out)
{
	const size_t unit = out ? b->out_unit : b->in_unit;

	for (unsigned i = 0; i < b->n_axes; i++)
		if (length_of(&b->axes[i], out) > 1 &&
		    (stride_of(&b->axes[i], out) <= 0 || (size_t)stride_of(&b->axes[i], out) % unit != 0))
			return false;
	return true;
}

/* Returns whether no two places of a side are the same, which is seen where each axis steps over those nearer; `taken` reals belong
 * to each place, and axis `except` to the places. */
static bool is_nested(const struct builder *b, bool out, size_t taken, unsigned except)
{
	for (size_t last = 0;;) {
		size_t nearest = SIZE_MAX, extent = 0;

		for (unsigned i = 0; i < b->n_axes; i++) {
			const size_t stride = (size_t)stride_of(&b->axes[i], out), n = length_of(&b->axes[i], out);

			if (i == except || n == 1 || stride < last || (stride == last && stride > 0))
				continue;
			if (stride == nearest)
				return false;
			if (stride < nearest) {
				nearest = stride;
				extent = (n - 1) * stride;
			}
		}
		if (nearest == SIZE_MAX)
			return true;
		if (nearest < taken)
			return false;
		last = nearest;
		taken += extent;
	}
}

/* Returns whether all axes but one have the same strides on both sides. */
static bool has_same_strides(const struct builder *b, unsigned except)
{
	for (unsigned i = 0; i < b->n_axes; i++)
		if (i != except && b->axes[i].before > 1 && b->axes[i].in != b->axes[i].out)
			return false;
	return true;
}

/* Returns whether transforms in place write only where their own input lies: the same elements at the same strides, or rows of reals
 * and of half a spectrum that begin together and have their room. */
static bool fits_in_place(const struct builder *b)
{
	const unsigned last = b->rank - 1;
	const struct axis *row = &b->axes[last];
	size_t room;

	if (b->is_same)
		return has_same_strides(b, UINT32_MAX) && is_nested(b, false, b->in_unit, UINT32_MAX);
	if (row->in < 0 || row->out < 0 || !has_same_strides(b, last))
		return false;
	room = size_max((row->before - 1) * (size_t)row->in + b->in_unit, (row->after - 1) * (size_t)row->out + b->out_unit);
	return is_nested(b, false, room, last);
}

/* Returns whether complex numbers of a side are pairs, in this order. */
static bool is_interleaved(const struct builder *b, const char *re, const char *im, bool exchanged)
{
	const size_t real = problem_real_bytes(b->problem);

	return exchanged ? re == im + real : im == re + real;
}

/* Finds in which order the parts of pairs lie, where that is one order. */
static bool is_exchanged(const struct builder *b)
{
	const struct arrays *at = &b->problem->arrays;

	if (b->problem->transform != TRANSFORM_C2C || is_interleaved(b, at->in_re, at->in_im, false))
		return false;
	return is_interleaved(b, at->in_re, at->in_im, true) || is_interleaved(b, at->out_re, at->out_im, true);
}

static bool is_readable(const struct builder *b)
{
	const struct arrays *at = &b->problem->arrays;

	return (!problem_takes_complex(b->problem) || is_interleaved(b, at->in_re, at->in_im, b->plan->exchanged)) &&
	       is_addressable(b, false);
}

static bool is_writable(const struct builder *b)
{
	const struct arrays *at = &b->problem->arrays;

	return (!problem_gives_complex(b->problem) || is_interleaved(b, at->out_re, at->out_im, b->plan->exchanged)) &&
	       is_addressable(b, true) && is_nested(b, true, b->out_unit, UINT32_MAX);
}

static bool is_in_place(const struct arrays *at)
{
	return at->in_re == at->out_re || (at->in_im && (at->in_im == at->out_im || at->in_im == at->out_re)) ||
	       (at->out_im && at->in_re == at->out_im);
}

/* ---- steps ---- */

static struct step *add_step(struct builder *b, enum memory from, enum memory to)
{
	struct step *step = &b->plan->steps[b->plan->n_steps++];

	*step = (struct step){.from = from, .to = to};
	return step;
}

static ptrdiff_t stride_in(const struct builder *b, unsigned i, enum memory memory, bool out)
{
	return stride_of(memory == MEMORY_A || memory == MEMORY_B ? &b->compact[i] : &b->axes[i], out);
}

/* Copies the elements of a side: between the caller's array and a buffer, or to the output where elements are the same. */
static void add_copy(struct builder *b, enum memory from, enum memory to)
{
	const bool out = from == MEMORY_B || (from == MEMORY_A && b->is_same);
	const bool is_complex = (out ? b->out_unit : b->in_unit) == 2;
	struct dim *dims = malloc((b->n_axes + 1) * sizeof *dims);
	struct step *step = add_step(b, from, to);
	struct copy *copy = NULL;

	for (unsigned i = 0; dims && i < b->n_axes; i++)
		dims[i] = (struct dim){length_of(&b->axes[i], out), stride_in(b, i, from, from != MEMORY_IN),
				       stride_in(b, i, to, to == MEMORY_OUT)};
	if (dims)
		copy = copy_create(dims, b->n_axes, problem_real_bytes(b->problem), is_complex);
	free(dims);
	if (!copy) {
		b->failed = true;
		return;
	}
	step->owned = copy;
	step->copies = true;
	step->work = copy_work(copy);
}

static struct fft_machine machine;

static void find_machine(void)
{
	machine = (struct fft_machine){1, TEAM_SCRATCH_BYTES, cpus_cache_bytes(), cpus_have_victim_l3()};
}

/* Adds the transforms along some axes. The others are the batch. */
static void add_transforms(struct builder *b, enum memory from, enum memory to, struct fft_problem *problem)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	struct step *step = add_step(b, from, to);
	struct fft_axes *axes = malloc(fft_axes_bytes(problem->rank));
	struct fft_machine team;

	if (!axes) {
		b->failed = true;
		return;
	}
	problem->inverse = b->problem->transform == TRANSFORM_C2R || b->plan->exchanged;
	pthread_once(&once, find_machine);
	team = machine;
	team.threads = b->problem->threads;
	fft_axes_cut(problem, &team, axes);
	step->owned = axes;
	step->work = fft_axes_work(axes);
}

/* Adds all transforms as one problem. What a buffer has may be lost, and the half spectra of several axes, as FFTW says. */
static void add_problem(struct builder *b, enum memory from, enum memory to)
{
	const bool half_last = b->problem->transform == TRANSFORM_C2R;
	const bool in_place = from == to || (from == MEMORY_IN && to == MEMORY_OUT && b->in_place);
	struct fft_along along[FFT_AXES_MAX];
	struct fft_axis batch[FFT_AXES_MAX];
	struct fft_problem problem = {.along = along, .batch = batch, .rank = b->rank, .n_batch = b->n_axes - b->rank};

	for (unsigned i = 0; i < b->n_axes; i++) {
		const unsigned at = i >= b->rank ? i : half_last ? i : b->rank - 1 - i;
		const size_t in = (size_t)stride_in(b, at, from, from == MEMORY_OUT) / b->in_unit;
		const size_t out = (size_t)stride_in(b, at, to, true) / b->out_unit;

		if (i < b->rank)
			along[i] = (struct fft_along){b->axes[at].plan, in, out, 1};
		else
			batch[i - b->rank] = (struct fft_axis){b->axes[at].before, in, out};
	}
	problem.apart = !in_place;
	problem.overwrites_in = half_last || from != MEMORY_IN;
	add_transforms(b, from, to, &problem);
	b->plan->steps[b->plan->n_steps - 1].tables = (const void *const *)b->plan->tables;
}

/* Adds the transform along one axis of buffers: the axes before it are one of the batch, and those behind it another. */
static void add_one(struct builder *b, unsigned i, unsigned table, enum memory from, enum memory to)
{
	const bool out = to == MEMORY_B && from == to;
	struct fft_axis batch[2] = {{1, 1, 1}, {1, 1, 1}};
	const struct axis *axis = &b->compact[i];
	const size_t in_unit = out ? b->out_unit : b->in_unit, out_unit = to == MEMORY_B ? b->out_unit : b->in_unit;
	struct fft_along along = {axis->plan, (size_t)stride_of(axis, out) / in_unit, (size_t)stride_of(axis, to == MEMORY_B) / out_unit, 1};
	struct fft_problem problem = {.along = &along, .batch = batch, .rank = 1, .n_batch = 2, .apart = from != to, .overwrites_in = true};

	/* Inside: as many elements as the axis is strided; outside: the rest. */
	batch[0].n = along.in_stride;
	batch[1].in_stride = along.in_stride * length_of(axis, out);
	batch[1].out_stride = along.out_stride * length_of(axis, to == MEMORY_B);
	batch[1].n = count_elements(b, out) / batch[1].in_stride;
	add_transforms(b, from, to, &problem);
	b->plan->steps[b->plan->n_steps - 1].tables = (const void *const *)&b->plan->tables[table];
}

/* More axes than lib/fft takes at once: one by one, in buffers. */
static void add_one_by_one(struct builder *b)
{
	const bool half_last = b->problem->transform == TRANSFORM_C2R;
	enum memory at = MEMORY_A;

	add_copy(b, MEMORY_IN, MEMORY_A);
	for (unsigned i = 0; i < b->rank; i++) {
		const unsigned axis = half_last ? i : b->rank - 1 - i;
		const enum memory to = b->axes[axis].kind == KIND_REAL ? MEMORY_B : at;

		add_one(b, axis, i, at, to);
		at = to;
	}
	add_copy(b, at, MEMORY_OUT);
}

/* Adds the steps of a problem without transforms. */
static void add_plain_copy(struct builder *b)
{
	if (b->in_place && b->problem->arrays.in_im == b->problem->arrays.out_im && has_same_strides(b, UINT32_MAX))
		return;
	if (!b->in_place) {
		add_copy(b, MEMORY_IN, MEMORY_OUT);
		return;
	}
	add_copy(b, MEMORY_IN, MEMORY_A);
	add_copy(b, MEMORY_A, MEMORY_OUT);
}

static void add_steps(struct builder *b)
{
	const bool overwrites = b->problem->transform == TRANSFORM_C2R && b->rank > 1;
	const bool writable = is_writable(b);
	bool readable = is_readable(b);

	if (readable && writable && b->in_place && !fits_in_place(b))
		readable = false;
	if (readable && overwrites && !is_nested(b, false, b->in_unit, UINT32_MAX))
		readable = false;
	if (b->rank == 0) {
		add_plain_copy(b);
	} else if (b->n_axes > FFT_AXES_MAX) {
		add_one_by_one(b);
	} else if (readable && writable) {
		add_problem(b, MEMORY_IN, MEMORY_OUT);
	} else if (writable && b->is_same && !b->in_place) {
		add_copy(b, MEMORY_IN, MEMORY_OUT);
		add_problem(b, MEMORY_OUT, MEMORY_OUT);
	} else if (writable) {
		add_copy(b, MEMORY_IN, MEMORY_A);
		add_problem(b, MEMORY_A, MEMORY_OUT);
	} else if (readable) {
		add_problem(b, MEMORY_IN, MEMORY_B);
		add_copy(b, MEMORY_B, MEMORY_OUT);
	} else {
		const enum memory result = b->is_same ? MEMORY_A : MEMORY_B;

		add_copy(b, MEMORY_IN, MEMORY_A);
		add_problem(b, MEMORY_A, result);
		add_copy(b, result, MEMORY_OUT);
	}
}

/* ---- one call ---- */

/* Returns whether a problem is some rows, one behind the other, of a transform that is not cut. */
static bool is_direct(const struct builder *b)
{
	const struct axis *row = &b->axes[0];
	const struct step *step = &b->plan->steps[0];
	const size_t bytes = problem_real_bytes(b->problem) * (count_elements(b, false) * b->in_unit + count_elements(b, true) * b->out_unit);

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
	const double elements = (double)size_max(count_elements(b, false), count_elements(b, true));
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
			plan->bytes_of[MEMORY_A] = round_line(count_elements(b, false) * b->in_unit * real);
		if (step->to == MEMORY_B)
			plan->bytes_of[MEMORY_B] = round_line(count_elements(b, true) * b->out_unit * real);
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
	add_steps(b);
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
