/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms along one axis as calls of lib/fft.
 *
 * The transforms along the last axis are one call; those along an inner one are a call for each place before the axis,
 * whose transforms lie side by side with the stride of all that follows. Short transforms are cut into chunks of about
 * 128 KiB, of many rows up to 1 MiB; on an inner axis a chunk turns a panel, at least a line wide, into rows of scratch
 * and back, so that each line of memory is touched once and the transforms are those of rows; columns that a vector
 * kernel takes as its lanes are transformed where they lie, or in a copy of their rows where these are far apart. Long
 * ones run phase by phase in the chunks of lib/fft, as many transforms at once as the memory between phases allows;
 * columns become rows of that memory in a phase before, and columns again in one after. */
#include <string.h>

#include "base/checked.h"
#include "engine/steps/fft_axis.h"
#include "fft/kernels/transpose.h"

enum { LINE_FAR_NS = 20 }; /* to read a line that another core has written, of many at once (Sapphire Rapids) */

static int begin_transform(struct step_run *run)
{
	fft_axis_cut((struct transform *)run);
	return 0;
}

/* Returns how many transforms of the current call run now. */
static size_t batch_now(const struct transform *t)
{
	return size_min(t->most, t->axis.batch - t->first);
}

/* Of a long transform: the plan's, and where it is a column one before and one after. */
static size_t phases(const struct transform *t)
{
	return fft_phases(t->plan) + (t->row_in ? 2 : 0);
}

/* In which columns become rows, or rows columns: the side whose columns these are; else NULL. */
static const struct side *turning(const struct transform *t)
{
	if (t->piece || !t->row_in)
		return NULL;
	return t->phase == 0 ? &t->axis.in : t->phase + 1 == phases(t) ? &t->axis.out : NULL;
}

/* Elements of each column that a chunk turns. */
static size_t turned_at_once(const struct transform *t, const struct side *side)
{
	const size_t fit = UNIT_BYTES / (side->size * batch_now(t)) / VECTOR * VECTOR;

	return fit ? fit : VECTOR;
}

/* On to the next phase, the next transforms of the call, the next call. False after the last. */
static bool step_on(struct transform *t)
{
	if (t->piece)
		return false;
	if (++t->phase < phases(t))
		return true;
	t->phase = 0;
	t->first += batch_now(t);
	if (t->first < t->axis.batch)
		return true;
	t->first = 0;
	return ++t->call < t->axis.calls;
}

/* Returns how many pieces a call's short transforms are cut into. */
static size_t pieces(const struct transform *t)
{
	return (t->axis.batch + t->piece - 1) / t->piece;
}

/* Returns the chunks of the stage that begins now. */
static size_t stage_chunks(const struct transform *t)
{
	const struct side *side = turning(t);

	if (side)
		return (side->n + turned_at_once(t, side) - 1) / turned_at_once(t, side);
	if (!t->piece)
		return fft_chunks(t->plan, t->phase - (t->row_in ? 1 : 0), batch_now(t));
	return (t->axis.calls + t->calls - 1) / t->calls * pieces(t);
}

/* Returns the first value of a chunk's time: the stage's part of the step's, evenly over its chunks. */
static uint64_t find_chunk_ns(const struct transform *t)
{
	const double all = (double)(t->axis.calls * t->axis.batch);
	const double part = t->piece ? 1 : (double)batch_now(t) / all / (double)phases(t);

	return (uint64_t)(t->cost_ns * part / (double)t->n_chunks);
}

/* Waits for the plan; it is held, so what was ready once stays ready. */
static int get_ready(struct transform *t)
{
	const int wait = step_await_plan(&t->run);

	if (wait)
		return wait;
	if (fft_scratch_bytes(t->plan) > pool_scratch_bytes(t->run.engine->pool))
		return -ERROR_NOT_SUPPORTED;
	if (t->piece && !t->row_in && !t->pitch)
		t->run.scratch_bytes = fft_scratch_bytes(t->plan);
	t->is_ready = true;
	return 0;
}

/* Each phase of a transform that stays in the cache of one core reads what the one before has written: with other threads, from
 * their caches. */
static uint64_t find_far_ns(const struct transform *t)
{
	const struct step *step = t->run.step;
	const uint64_t in = step->in[0]->shape.bytes, out = step->out->shape.bytes;

	if (t->piece || in + out + step->work_bytes > t->run.engine->near_bytes)
		return 0;
	return (in > out ? in : out) / LINE_BYTES * LINE_FAR_NS;
}

/* Finds the chunks of the stage that begins. That of short transforms is the same in every run. */
static void cut_stage(struct transform *t)
{
	if (t->piece && t->n_chunks)
		return;
	t->n_chunks = stage_chunks(t);
	t->run.chunk_ns = find_chunk_ns(t);
	t->run.far_ns = find_far_ns(t);
}

/* step_ops.advance: waits for the plan, then one stage for all short transforms, or one for each phase of each batch.
 */
static int advance_transform(struct step_run *run, size_t *ret_chunks)
{
	struct transform *t = (struct transform *)run;

	if (!run->started) {
		const int error = t->is_ready ? 0 : get_ready(t);

		if (error)
			return error;
		if (run->step->out->shape.n == 0)
			return JOB_END;
		run->started = true;
	} else if (!step_on(t)) {
		return JOB_END;
	}
	cut_stage(t);
	*ret_chunks = t->n_chunks;
	return JOB_STAGE;
}

/* Transforms [first, first + batch) of a call, where they lie. */
static struct fft_call call_of(const struct transform *t, size_t call, size_t first, size_t batch)
{
	const struct side *in = &t->axis.in, *out = &t->axis.out;

	return (struct fft_call){
		.in = t->run.step->in[0]->base + (call * in->call_distance + first * in->distance) * in->size,
		.out = t->run.step->out->base + (call * out->call_distance + first * out->distance) * out->size,
		.in_stride = t->axis.stride,
		.in_distance = in->distance,
		.out_stride = t->axis.stride,
		.out_distance = out->distance,
		.batch = batch,
		.inverse = t->run.step->fft.inverse,
		.scale = t->run.step->fft.factor,
		.work = t->run.work,
		.reuse = t->reuse,
		.all = t->axis.calls * t->axis.batch,
		.kept = t->run.step->fft.kept,
	};
}

/* The same for that many calls by way of a panel: columns to rows, and the transforms of all of them back. */
static void run_panel(const struct transform *t, size_t call, size_t calls, size_t first, size_t batch, char *scratch)
{
	const uint32_t features = t->run.engine->features;
	const size_t rows = calls * batch, in = t->axis.in.size, out = t->axis.out.size;
	char *x = scratch, *y = in == out ? x : x + rows * t->row_in;
	struct fft_call inner = call_of(t, call, first, rows);

	for (size_t i = 0; i < calls; i++)
		transpose_elements(features, in, call_of(t, call + i, first, batch).in, t->axis.stride * in,
				   x + i * batch * t->row_in, t->row_in, t->axis.in.n, batch);
	inner.in = x;
	inner.out = y;
	inner.in_stride = inner.out_stride = 1;
	inner.all = rows; /* in scratch */
	inner.in_distance = t->row_in / in;
	inner.out_distance = t->row_out / out;
	fft_run(t->plan, &inner, scratch + rows * both_rows_bytes(&t->axis));
	for (size_t i = 0; i < calls; i++)
		transpose_elements(features, out, y + i * batch * t->row_out, t->row_out,
				   call_of(t, call + i, first, batch).out, t->axis.stride * out, batch, t->axis.out.n);
}

/* Transforms [first, first + batch) of a call in a copy of their rows. */
static void run_copy(const struct transform *t, size_t call, size_t first, size_t batch, char *scratch)
{
	const size_t size = t->axis.in.size, step = t->axis.stride * size, n = t->axis.in.n;
	struct fft_call inner = call_of(t, call, first, batch);
	const char *from = inner.in;
	char *to = inner.out, *copy = scratch;

	for (size_t row = 0; row < n; row++)
		memcpy(copy + row * t->pitch, from + row * step, batch * size);
	inner.in = inner.out = copy;
	inner.in_stride = inner.out_stride = t->pitch / size;
	inner.all = batch; /* in scratch */
	fft_run(t->plan, &inner, scratch + n * t->pitch);
	for (size_t row = 0; row < n; row++)
		memcpy(to + row * step, copy + row * t->pitch, batch * size);
}

/* Runs a chunk of short transforms: a piece of one call, or several whole calls. */
static void run_short(const struct transform *t, size_t chunk, void *scratch)
{
	const size_t first = chunk % pieces(t) * t->piece, begin = chunk / pieces(t) * t->calls;
	const size_t batch = size_min(t->piece, t->axis.batch - first), end = size_min(begin + t->calls, t->axis.calls);

	if (t->row_in) {
		run_panel(t, begin, end - begin, first, batch, scratch);
		return;
	}
	for (size_t call = begin; call < end; call++) {
		const struct fft_call fft = call_of(t, call, first, batch);

		if (t->pitch) {
			run_copy(t, call, first, batch, scratch);
			continue;
		}
		fft_run(t->plan, &fft, scratch);
	}
}

/* The rows of a long transform's columns lie behind what it needs between phases. */
static char *first_row(const struct transform *t)
{
	return t->run.work + round_line(fft_work_bytes(t->plan, t->most));
}

/* Describes the transforms that run now between rows of work memory. */
static struct fft_call call_of_rows(const struct transform *t)
{
	struct fft_call call = call_of(t, t->call, t->first, batch_now(t));
	char *x = first_row(t);

	call.in = x;
	call.out = t->axis.in.size == t->axis.out.size ? x : x + t->most * t->row_in;
	call.in_stride = call.out_stride = 1;
	call.all = batch_now(t); /* in work memory */
	call.kept = true;
	call.in_distance = t->row_in / t->axis.in.size;
	call.out_distance = t->row_out / t->axis.out.size;
	return call;
}

/* Turns a chunk of the phase before the first, or behind the last: some elements of all columns that run now. */
static void transpose_rows(const struct transform *t, const struct side *side, size_t chunk)
{
	const struct fft_call there = call_of(t, t->call, t->first, batch_now(t)), rows = call_of_rows(t);
	const size_t size = side->size, step = t->axis.stride * size, begin = chunk * turned_at_once(t, side);
	const size_t count = size_min(turned_at_once(t, side), side->n - begin);

	if (side == &t->axis.in)
		transpose_elements(t->run.engine->features, size, (const char *)there.in + begin * step, step,
				   first_row(t) + begin * size, t->row_in, count, batch_now(t));
	else
		transpose_elements(t->run.engine->features, size, (const char *)rows.out + begin * size, t->row_out,
				   (char *)there.out + begin * step, step, batch_now(t), count);
}

/* Runs a chunk of the current phase. */
static void run_long(const struct transform *t, size_t chunk, void *scratch)
{
	const struct side *side = turning(t);
	struct fft_call call;

	if (side) {
		transpose_rows(t, side, chunk);
		return;
	}
	call = t->row_in ? call_of_rows(t) : call_of(t, t->call, t->first, batch_now(t));
	fft_run_chunk(t->plan, &call, t->phase - (t->row_in ? 1 : 0), chunk, scratch);
}

/* step_ops.run_chunk. Returns the words of 32 bits that it wrote, on average over the stage. */
static uint64_t run_chunk(struct step_run *run, size_t chunk, void *scratch)
{
	const struct transform *t = (const struct transform *)run;
	const size_t transforms = t->piece ? t->axis.calls * t->axis.batch : batch_now(t);

	if (t->piece)
		run_short(t, chunk, scratch);
	else
		run_long(t, chunk, scratch);
	return transforms * t->axis.out.n * t->axis.out.size / 4 / t->n_chunks;
}

/* No tile of a prepared call can stand for two, so what lies apart stays so. */
static void rewind_run(struct step_run *run)
{
	struct transform *t = (struct transform *)run;

	run->started = false;
	t->call = t->first = t->phase = 0;
}

/* Costs are learned by precision and octave of the length. */
static unsigned find_cost_row(const struct step *step)
{
	return step->fft.precision * COST_LENGTHS + 63 - (unsigned)__builtin_clzll(step->fft.length | 1);
}

const struct step_ops step_fft = {
	.cost_row = COST_TRANSFORM,
	.find_cost_row = find_cost_row,
	.cost_ns = fft_axis_cost_ns,
	.work_bytes = fft_axis_work_bytes,
	.run_bytes = sizeof(struct transform),
	.begin = begin_transform,
	.rewind = rewind_run,
	.advance = advance_transform,
	.run_chunk = run_chunk,
};
