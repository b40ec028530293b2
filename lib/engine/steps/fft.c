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
#include "base/checked.h"
#include "base/clock.h"
#include "engine/steps/fft_short.h"
#include "engine/steps/fft_slabs.h"
#include "fft/kernels/transpose.h"

enum { LEARN_MOST = 8 }; /* times the cache of a core: larger transforms leave it in any case, and threads share them */

static int begin_transform(struct step_run *run)
{
	struct transform *t = (struct transform *)run;

	if (run->count > 1)
		fft_slabs_cut(t);
	else
		fft_axis_cut(t, pool_scratch_bytes(run->engine->pool));
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

/* Returns the chunks of the stage that begins now. */
static size_t stage_chunks(const struct transform *t)
{
	const struct side *side = turning(t);

	if (t->slabs)
		return fft_slabs_chunks(t);
	if (side)
		return (side->n + turned_at_once(t, side) - 1) / turned_at_once(t, side);
	if (!t->piece)
		return fft_chunks(t->plan, t->phase - (t->row_in ? 1 : 0), batch_now(t));
	return (t->axis.calls + t->calls - 1) / t->calls * fft_short_pieces(t);
}

/* Returns the first value of a chunk's time: the stage's part of the steps', evenly over its chunks. */
static uint64_t find_chunk_ns(const struct transform *t)
{
	const double all = (double)(t->axis.calls * t->axis.batch);
	const double part = t->piece ? 1 : (double)batch_now(t) / all / (double)phases(t);
	double cost_ns = 0;

	for (size_t i = 0; i < t->run.count; i++)
		cost_ns += t[i].cost_ns;
	return (uint64_t)(cost_ns * part / (double)t->n_chunks);
}

/* Waits for the plans; they are held, so what was ready once stays ready. */
static int get_ready(struct transform *t)
{
	for (size_t i = 0; i < t->run.count; i++) {
		const int wait = step_await_plan(&t[i].run);

		if (wait)
			return wait;
		if (fft_scratch_bytes(t[i].plan) > pool_scratch_bytes(t->run.engine->pool))
			return -ERROR_NOT_SUPPORTED;
	}
	if (t->piece && !t->slabs && !t->row_in && !t->pitch)
		t->run.scratch_bytes = fft_scratch_bytes(t->plan);
	t->is_ready = true;
	return 0;
}

/* Each phase of a long transform reads what the one before has written: with other threads, from their caches. Between CPUs that
 * share no cache that takes many times as long. So the plan learns which is faster, the caller alone or with other threads. */
static void begin_learning(struct transform *t)
{
	const struct step *step = t->run.step;
	const struct engine *engine = t->run.engine;
	const uint64_t bytes = step->in[0]->shape.bytes + step->out->shape.bytes + step->work_bytes;

	t->began_ns = 0;
	if (t->piece || bytes > LEARN_MOST * engine->near_bytes || pool_threads(engine->pool) == 1)
		return;
	t->run.single_thread = plans_run_single_thread(engine->plans, bound_transform(t->run.bound, step), bytes <= engine->near_bytes);
	t->began_ns = now_ns();
}

static void end_learning(const struct transform *t)
{
	if (t->began_ns)
		plans_learn(t->run.engine->plans, bound_transform(t->run.bound, t->run.step), t->run.single_thread,
			    (now_ns() - t->began_ns) / (t->axis.calls * t->axis.batch));
}

/* Finds the chunks of the stage that begins. That of short transforms is the same in every run. */
static void cut_stage(struct transform *t)
{
	if (t->piece && t->n_chunks)
		return;
	t->n_chunks = stage_chunks(t);
	t->run.chunk_ns = find_chunk_ns(t);
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
		for (size_t i = 0; i < run->count; i++)
			fft_axis_place(&t[i]);
		begin_learning(t);
		run->started = true;
	} else if (!step_on(t)) {
		end_learning(t);
		return JOB_END;
	}
	cut_stage(t);
	*ret_chunks = t->n_chunks;
	return JOB_STAGE;
}

/* Runs a chunk of short transforms: a piece of one call, or several whole calls. */
static void run_short(const struct transform *t, size_t chunk, void *scratch)
{
	const size_t pieces = fft_short_pieces(t), first = chunk % pieces * t->piece, call = chunk / pieces * t->calls;

	fft_short_run(t, call, size_min(t->calls, t->axis.calls - call), first,
		      size_min(t->piece, t->axis.batch - first), scratch);
}

/* The rows of a long transform's columns lie behind what it needs between phases. */
static char *first_row(const struct transform *t)
{
	return t->run.work + round_line(fft_work_bytes(t->plan, t->most));
}

/* Describes the transforms that run now between rows of work memory. */
static struct fft_call call_of_rows(const struct transform *t)
{
	struct fft_call call = fft_axis_call(t, t->call, t->first, batch_now(t));
	char *x = first_row(t);

	call.in = x;
	call.out = t->axis.in.size == t->axis.out.size ? x : x + t->most * t->row_in;
	call.in_stride = call.out_stride = 1;
	call.all = batch_now(t); /* in work memory */
	call.kept = FFT_KEPT_SHARED;
	call.in_distance = t->row_in / t->axis.in.size;
	call.out_distance = t->row_out / t->axis.out.size;
	return call;
}

/* Turns a chunk of the phase before the first, or behind the last: some elements of all columns that run now. */
static void transpose_rows(const struct transform *t, const struct side *side, size_t chunk)
{
	const struct fft_call there = fft_axis_call(t, t->call, t->first, batch_now(t)), rows = call_of_rows(t);
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
	call = t->row_in ? call_of_rows(t) : fft_axis_call(t, t->call, t->first, batch_now(t));
	fft_run_chunk(t->plan, &call, t->phase - (t->row_in ? 1 : 0), chunk, scratch);
}

/* Returns the words of 32 bits that the current stage writes. */
static uint64_t stage_words(const struct transform *t)
{
	uint64_t bytes = 0;

	if (!t->piece)
		return batch_now(t) * t->axis.out.n * t->axis.out.size / 4;
	for (size_t i = 0; i < t->run.count; i++)
		bytes += t[i].run.step->out->shape.bytes;
	return bytes / 4;
}

/* step_ops.run_chunk. Returns the words of 32 bits that it wrote, on average over the stage. */
static uint64_t run_chunk(struct step_run *run, size_t chunk, void *scratch)
{
	const struct transform *t = (const struct transform *)run;

	if (t->slabs)
		fft_slabs_run(t, chunk, scratch);
	else if (t->piece)
		run_short(t, chunk, scratch);
	else
		run_long(t, chunk, scratch);
	return stage_words(t) / t->n_chunks;
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

static uint64_t cost_ns(const struct bindings *bound, const struct step *step)
{
	return fft_axis_cost_ns(bound->engine, step);
}

const struct step_ops step_fft = {
	.cost_row = COST_TRANSFORM,
	.find_cost_row = find_cost_row,
	.cost_ns = cost_ns,
	.work_bytes = fft_axis_work_bytes,
	.run_bytes = sizeof(struct transform),
	.fuses = fft_slabs_fuse,
	.begin = begin_transform,
	.rewind = rewind_run,
	.advance = advance_transform,
	.run_chunk = run_chunk,
};
