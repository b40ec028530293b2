/* SPDX-License-Identifier: Apache-2.0 */
/* Cutting a problem into passes and groups of passes, and its stages. */
#include "fft/axes/axes.h"

#include "fft/axes/axes_core.h"

size_t fft_axes_bytes(unsigned rank)
{
	return sizeof(struct fft_axes) + rank * sizeof(struct fft_pass);
}

/* Returns whether two arrays do not overlap. */
static bool are_apart(const struct fft_problem *problem, enum array from, enum array to)
{
	return from != to && (from == ARRAY_WORK || to == ARRAY_WORK || problem->apart);
}

/* Cuts a pass as one that runs alone. */
static void cut_alone(const struct layout *layout, unsigned transform, struct fft_pass *pass)
{
	pass->from = layout_from(layout, transform);
	pass->to = layout_to(layout, transform);
	pass->apart = are_apart(layout->problem, pass->from, pass->to);
	pass->kept = transform + 1 < layout->problem->rank ? FFT_KEPT_SHARED : FFT_KEPT_UNKNOWN;
	pass->count = 1;
	pass->between_bytes = 0;
	layout_pass(layout, UINT32_MAX, transform, pass);
	pass->all = pass->calls * pass->batch;
	cut_pass(layout, layout->machine->scratch_bytes, pass);
}

/* Adds a group of passes to the work. */
static void add_group(const struct layout *layout, const struct fft_pass *pass, struct fft_axes *axes)
{
	const uint64_t bytes = cut_work_bytes(layout, pass);

	for (const struct fft_pass *at = pass; at < pass + pass->count; at++) {
		axes->work.scratch_bytes =
			size_max(axes->work.scratch_bytes, pass->between_bytes + cut_scratch_bytes(layout, at));
		axes->work.cost_ns += at->cost_ns;
		if (at->from == ARRAY_WORK || at->to == ARRAY_WORK)
			axes->array_bytes = layout->array_bytes;
	}
	axes->has_long |= !pass->piece;
	axes->work.stages += pass->stages;
	axes->work.work_bytes = bytes > axes->work.work_bytes ? bytes : axes->work.work_bytes;
}

/* Finds the group that begins with a pass, which was cut alone: as many as are faster slab by slab. Returns its end. */
static unsigned find_group(struct layout *layout, struct fft_axes *axes, unsigned first)
{
	unsigned end = first + 1;

	while (end < axes->rank && slabs_cut(layout, axes, first, end + 1))
		end++;
	if (end < axes->rank) { /* what was tried and is slower */
		for (unsigned i = first; i <= end; i++)
			cut_alone(layout, i, &axes->pass[i]);
		if (end - first > 1)
			slabs_cut(layout, axes, first, end);
	}
	return end;
}

/* Returns the pass whose stages a stage is among, and its number there. */
static const struct fft_pass *find_pass(const struct fft_axes *axes, size_t *stage)
{
	const struct fft_pass *pass = axes->pass;

	for (; *stage >= pass->stages; pass += pass->count)
		*stage -= pass->stages;
	return pass;
}

static size_t count_chunks(const struct fft_pass *pass, const struct fft_plan *plan, size_t stage)
{
	if (pass->count > 1)
		return (pass->n_slabs + pass->slabs_at_once - 1) / pass->slabs_at_once;
	if (!pass->piece)
		return long_chunks(pass, plan, stage);
	return (pass->calls + pass->at_once - 1) / pass->at_once * pass->pieces;
}

static void find_stage(const struct staged_work *work, const struct staged_io *io, size_t stage, struct staged_stage *ret_stage)
{
	const struct fft_pass *pass = find_pass((const struct fft_axes *)work, &stage);
	double cost_ns = 0;

	for (const struct fft_pass *at = pass; at < pass + pass->count; at++)
		cost_ns += at->cost_ns;
	if (!pass->piece)
		cost_ns *= (double)long_batch(pass, stage) / (double)pass->all / (double)pass->phases;
	ret_stage->chunks = count_chunks(pass, io->tables[pass->transform], stage);
	ret_stage->chunk_ns = cost_ns / (double)ret_stage->chunks;
}

/* Returns where an array of a run begins. */
static char *find_array(const struct staged_io *io, enum array array)
{
	return array == ARRAY_IN ? (char *)(uintptr_t)io->in[0] : array == ARRAY_OUT ? io->out : io->work;
}

static int run_chunk(const struct staged_work *work, const struct staged_io *io, size_t stage, size_t chunk, void *scratch)
{
	const struct fft_axes *axes = (const struct fft_axes *)work;
	const struct fft_pass *pass = find_pass(axes, &stage);
	const struct pass_io at = {
		.plan = io->tables[pass->transform],
		.in = find_array(io, pass->from),
		.out = find_array(io, pass[pass->count - 1].to),
		.work = io->work ? io->work + axes->array_bytes : NULL,
	};

	if (pass->count > 1)
		slabs_run_chunk(pass, io, at.in, at.out, chunk, scratch);
	else if (pass->piece)
		short_run_chunk(pass, &at, chunk, scratch);
	else
		long_run_chunk(pass, &at, stage, chunk, scratch);
	return 0;
}

void fft_axes_cut(const struct fft_problem *problem, const struct fft_machine *machine, struct fft_axes *axes)
{
	static const struct staged_work_ops ops = {find_stage, run_chunk};
	struct layout layout;

	layout_find(problem, machine, &layout);
	axes->work = (struct staged_work){.ops = &ops};
	axes->rank = problem->rank;
	axes->has_long = false;
	axes->array_bytes = 0;
	for (unsigned i = 0; i < problem->rank; i++)
		cut_alone(&layout, i, &axes->pass[i]);
	for (unsigned i = 0; i < problem->rank; i += axes->pass[i].count) {
		find_group(&layout, axes, i);
		add_group(&layout, &axes->pass[i], axes);
	}
	axes->work.work_bytes += axes->array_bytes;
}

const struct staged_work *fft_axes_work(const struct fft_axes *axes)
{
	return &axes->work;
}

bool fft_axes_has_long(const struct fft_axes *axes)
{
	return axes->has_long;
}

bool fft_axes_begins_long(const struct fft_axes *axes, size_t stage, struct fft_long *ret_long)
{
	const struct fft_pass *pass = find_pass(axes, &stage);

	if (stage > 0 || pass->piece)
		return false;
	ret_long->transform = pass->transform;
	ret_long->batch = pass->all;
	ret_long->bytes = pass->all * (pass->in.n * pass->in.size + pass->out.n * pass->out.size) + axes->work.work_bytes;
	return true;
}

bool fft_axes_ends_long(const struct fft_axes *axes, size_t stage)
{
	size_t first = 0;

	for (const struct fft_pass *pass = axes->pass; first < stage; pass += pass->count) {
		first += pass->stages;
		if (first == stage)
			return !pass->piece;
	}
	return false;
}
