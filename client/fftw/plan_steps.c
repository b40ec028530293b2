/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a plan: what lies where lib/fft/axes takes it, and the copies and transforms that follow. */
#include "fftw/plan_steps.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/checked.h"
#include "engine/scheduler/cpus.h"
#include "fftw/plan_cache.h"
#include "fftw/team.h"

/* ---- where elements lie ---- */

/* Returns whether lib/fft can address a side: elements at positive strides. */
static bool is_addressable(const struct builder *b, bool out)
{
	const size_t unit = out ? b->out_unit : b->in_unit;

	for (unsigned i = 0; i < b->n_axes; i++)
		if (axis_length(&b->axes[i], out) > 1 &&
		    (axis_stride(&b->axes[i], out) <= 0 || (size_t)axis_stride(&b->axes[i], out) % unit != 0))
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
			const size_t stride = (size_t)axis_stride(&b->axes[i], out), n = axis_length(&b->axes[i], out);

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

static bool is_readable(const struct builder *b)
{
	const struct arrays *at = &b->problem->arrays;

	return (!problem_takes_complex(b->problem) || builder_is_interleaved(b, at->in_re, at->in_im, b->plan->exchanged)) &&
	       is_addressable(b, false);
}

static bool is_writable(const struct builder *b)
{
	const struct arrays *at = &b->problem->arrays;

	return (!problem_gives_complex(b->problem) || builder_is_interleaved(b, at->out_re, at->out_im, b->plan->exchanged)) &&
	       is_addressable(b, true) && is_nested(b, true, b->out_unit, UINT32_MAX);
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
	return axis_stride(memory == MEMORY_A || memory == MEMORY_B ? &b->compact[i] : &b->axes[i], out);
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
		dims[i] = (struct dim){axis_length(&b->axes[i], out), stride_in(b, i, from, from != MEMORY_IN),
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
	struct fft_along along = {axis->plan, (size_t)axis_stride(axis, out) / in_unit,
				  (size_t)axis_stride(axis, to == MEMORY_B) / out_unit, 1};
	struct fft_problem problem = {.along = &along, .batch = batch, .rank = 1, .n_batch = 2, .apart = from != to, .overwrites_in = true};

	/* Inside: as many elements as the axis is strided; outside: the rest. */
	batch[0].n = along.in_stride;
	batch[1].in_stride = along.in_stride * axis_length(axis, out);
	batch[1].out_stride = along.out_stride * axis_length(axis, to == MEMORY_B);
	batch[1].n = builder_count_elements(b, out) / batch[1].in_stride;
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

void plan_add_steps(struct builder *b)
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
