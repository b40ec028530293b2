/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms along one axis as calls of lib/fft.
 *
 * The transforms along the last axis are one call; those along an inner one are a call for each place before the
 * axis, whose transforms lie side by side with the stride of all that follows. Short transforms are cut into chunks
 * of about 128 KiB, of many rows up to 1 MiB; on an inner axis a chunk turns a panel, at least a line wide, into rows of scratch and back, so
 * that each line of memory is touched once and the transforms are those of rows; columns that a vector kernel takes
 * as its lanes are transformed where they lie, or in a copy of their rows where these are far apart. Long ones run phase by phase in the chunks of lib/fft, as many
 * transforms at once as the memory between phases allows; columns become rows of that memory in a phase before, and
 * columns again in one after. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/cpu.h"
#include "engine/steps/step.h"
#include "fft/kernels/transpose.h"

enum {
	/* Of memory between phases, unless one transform needs more: it stays in the caches of the threads. One thread
	 * alone wants few transforms at once (measured: 5 to 20 % less time than with 2 MiB); several wait for one
	 * another after each phase, the less often the more transforms it has (up to a third more time with 512 KiB). */
	WORK_ALONE_BYTES = 256 << 10,
	/* Products read their matrix anew for each of these passes, which takes longer than the products where it does not
	 * stay in the second-level cache. */
	WORK_PRODUCT_BYTES = 2 << 20,
	WORK_THREAD_BYTES = 2 << 20,
	WORK_BYTES = 32 << 20,
	UNIT_BYTES = 128 << 10, /* of whole short transforms */
	/* Between memory and its caches each chunk's start costs some 300 ns more than its transforms: chunks of large batches
	 * grow to this many units, while there are many and each is short. */
	MOST_UNITS = 8,
	MANY_CHUNKS = 16, /* of a thread */
	UNIT_NS = 100000,
	VECTOR = 16,            /* kernels take as many short transforms at once */
	LINE_BYTES = 64,
	FAR_STEP_BYTES = 4 << 10,
	FAR_BYTES = 1 << 20,
};

/* How one axis lies in the memory of one side, in elements. */
struct side {
	size_t size; /* bytes of an element */
	size_t n;    /* elements of the axis */
	size_t call_distance, distance;
};

/* Calls of `batch` transforms; what in and out have in common, and each of them. */
struct axis {
	size_t calls, batch, stride;
	struct side in, out;
};

struct transform {
	struct step_run run; /* first */
	const struct fft_plan *plan;
	struct axis axis;
	enum fft_reuse reuse;
	size_t n_chunks;
	double cost_ns; /* of the whole step */
	bool is_ready;  /* the plan */
	size_t row_in, row_out; /* bytes of a column made a row, in scratch or work; 0: transformed where it lies */
	/* Short transforms: */
	size_t piece; /* transforms of a chunk in one call; 0: the transforms are long */
	size_t pitch; /* bytes from row to row of a copy in scratch of columns that stay columns; 0: no copy */
	size_t calls; /* whole calls of a chunk, where they are small; else 1 */
	/* Long ones: */
	size_t most; /* transforms of a call at once */
	size_t call, first, phase; /* what runs now */
};

static struct side find_side(const struct shape *shape, unsigned which, size_t stride, unsigned parts)
{
	const size_t n = (size_t)shape->dims[which];

	return (struct side){dtype_size(shape->dtype) / parts, n, n * stride, stride == 1 ? n : 1};
}

static struct axis find_axis(const struct step *step)
{
	const struct shape *shape = &step->out->shape;
	/* Parts are one more axis, the last. */
	const unsigned parts = step->fft.parts ? 2 : 1;
	struct axis axis = {.calls = 1, .stride = parts};

	for (unsigned i = 0; i < step->fft.axis; i++)
		axis.calls *= (size_t)shape->dims[i];
	for (unsigned i = step->fft.axis + 1; i < shape->ndim; i++)
		axis.stride *= (size_t)shape->dims[i];
	axis.batch = axis.stride;
	if (axis.stride == 1) {
		axis.batch = axis.calls;
		axis.calls = 1;
	}
	axis.in = find_side(&step->in[0]->shape, step->fft.axis, axis.stride, parts);
	axis.out = find_side(shape, step->fft.axis, axis.stride, parts);
	return axis;
}

static size_t round_line(size_t bytes)
{
	return (bytes + LINE_BYTES - 1) / LINE_BYTES * LINE_BYTES;
}

/* Of a column made a row. A line more than it takes: rows a power of two apart would share few sets of the caches. */
static size_t row_bytes(const struct side *side)
{
	return round_line(side->n * side->size) + LINE_BYTES;
}

/* Of one transform's rows: complex ones are transformed in place, others into one behind. */
static size_t both_rows_bytes(const struct axis *axis)
{
	return row_bytes(&axis->in) + (axis->in.size == axis->out.size ? 0 : row_bytes(&axis->out));
}

/* Whether columns need not become rows. */
static bool stays(const struct fft_plan *plan, const struct axis *axis)
{
	return axis->stride == 1 || (fft_takes_columns(plan) && axis->batch >= VECTOR);
}

/* Whether the elements of a column share few sets of the caches, and come from memory: then columns are transformed in a
 * copy, which touches each line of memory once on the way in and once on the way out. */
static bool is_far_apart(const struct axis *axis)
{
	const size_t step = axis->stride * axis->in.size;

	return step >= FAR_STEP_BYTES && step * axis->in.n >= FAR_BYTES && axis->in.size == axis->out.size;
}

/* Columns that make a panel at least. */
static size_t line_of(const struct axis *axis)
{
	return size_min(LINE_BYTES / axis->in.size, axis->batch);
}

/* Rows of a panel that scratch has room for. */
static size_t panel_room(const struct engine *engine, const struct fft_plan *plan, const struct axis *axis)
{
	const size_t scratch = pool_scratch_bytes(engine->pool), own = fft_scratch_bytes(plan);

	return own < scratch ? (scratch - own) / both_rows_bytes(axis) : 0;
}

/* Whether whole transforms are chunks: not when they are cut into phases, nor rows of products, which the plan cuts
 * better, nor columns of which scratch holds no panel. */
static bool is_short(const struct engine *engine, const struct fft_plan *plan, const struct axis *axis)
{
	if (fft_is_product(plan) && axis->stride == 1)
		return false;
	return fft_phases(plan) == 1 && fft_work_bytes(plan, 1) == 0 &&
	       (stays(plan, axis) || panel_room(engine, plan, axis) >= line_of(axis));
}

/* Whether two buffers are different memory in every run. Each tile has one buffer, and no tile of a prepared call can
 * stand for two; memory of the caller's may be anywhere. */
static bool are_apart(const struct buffer *a, const struct buffer *b)
{
	if (a == b)
		return false;
	return !a->base || !b->base || a->base + a->shape.bytes <= b->base || b->base + b->shape.bytes <= a->base;
}

/* Rows may lie in the output between phases. */
static enum fft_reuse find_reuse(const struct step *step, const struct axis *axis)
{
	return axis->stride == 1 && are_apart(step->in[0], step->out) ? FFT_REUSE_OUT : FFT_REUSE_NONE;
}

/* Of the memory of a long transform: between phases, and of its rows where it is a column. */
static size_t long_bytes(const struct fft_plan *plan, const struct axis *axis, size_t batch, enum fft_reuse reuse)
{
	return round_line(fft_work_bytes_reusing(plan, batch, reuse)) +
	       (axis->stride == 1 ? 0 : batch * both_rows_bytes(axis));
}

/* Transforms of one call that run at once. */
static size_t most_at_once(const struct engine *engine, const struct fft_plan *plan, const struct axis *axis,
			   enum fft_reuse reuse)
{
	/* Columns are turned some lines wide, which memory near the core has no room for. */
	const size_t threads = pool_threads(engine->pool);
	const size_t alone = fft_is_product(plan) ? WORK_PRODUCT_BYTES : WORK_ALONE_BYTES;
	const size_t near = threads > 1 ? threads * WORK_THREAD_BYTES : alone;
	const size_t room = axis->stride > 1 ? WORK_BYTES : size_min(near, WORK_BYTES);
	const size_t each = is_short(engine, plan, axis) ? 0 : long_bytes(plan, axis, 1, reuse);
	size_t most = axis->batch;

	if (each && most > room / each)
		most = room / each;
	return most ? most : 1;
}

static uint64_t work_bytes(const struct engine *engine, const struct step *step)
{
	const struct fft_plan *plan = plans_plan(step->plan);
	const struct axis axis = find_axis(step);
	const enum fft_reuse reuse = find_reuse(step, &axis);

	return is_short(engine, plan, &axis) ? 0
					     : long_bytes(plan, &axis, most_at_once(engine, plan, &axis, reuse), reuse);
}

/* Operations a nanosecond that transforms in second-level cache make. */
static double rate_of(const struct engine *engine, enum precision precision)
{
	const double rate = engine->features & CPU_AVX512 ? 60 : engine->features & CPU_AVX2 ? 30 : 2;

	return precision_is_wide(precision) ? rate / 2 : rate;
}

/* 5 n log2 n operations a transform; lengths with a large prime cost several transforms. */
static uint64_t cost_ns(const struct engine *engine, const struct step *step)
{
	const uint64_t bytes = step->in[0]->shape.bytes + step->out->shape.bytes;
	uint64_t rest = step->fft.length;
	double flops;

	if (precision_is_gemm(step->fft.precision)) /* the dearest in plain C, but n is small */
		return (uint64_t)((double)(bytes / 16) * (double)rest * (engine->features & CPU_AVX2 ? 2 : 100));
	flops = 5 * (double)(bytes / 16) * log2((double)rest + 1);
	for (uint64_t p = 2; p <= 13; p++)
		while (rest % p == 0)
			rest /= p;
	if (rest > 1)
		flops *= 8;
	return (uint64_t)(flops / rate_of(engine, step->fft.precision));
}

/* Columns go by panels of as many of *most as scratch has room for. */
static void cut_panels(struct transform *t, size_t *most)
{
	const size_t line = line_of(&t->axis);

	t->row_in = row_bytes(&t->axis.in);
	t->row_out = row_bytes(&t->axis.out);
	*most = size_min(*most, panel_room(t->run.engine, t->plan, &t->axis));
	t->piece = *most < line ? line : size_min(*most / line * line, t->axis.batch);
}

/* Columns are copied as wide as scratch has room for, if it has for a vector of them. */
static void cut_copies(struct transform *t)
{
	const size_t size = t->axis.in.size, scratch = pool_scratch_bytes(t->run.engine->pool);
	const size_t own = fft_scratch_bytes(t->plan), row = own < scratch ? (scratch - own) / t->axis.in.n : 0;
	const size_t columns = row > LINE_BYTES ? (row - LINE_BYTES) / LINE_BYTES * LINE_BYTES / size : 0;

	if (columns < VECTOR)
		return;
	t->piece = size_min(t->piece, columns / VECTOR * VECTOR);
	t->pitch = round_line(t->piece * size) + LINE_BYTES;
}

/* Units of memory that a chunk of rows has: 1, 2, 4 or 8. */
static size_t units_at_once(const struct transform *t, size_t row)
{
	const size_t threads = pool_threads(t->run.engine->pool);
	const double units = (double)(t->axis.batch * row) / UNIT_BYTES;
	size_t n = 1;

	while (t->axis.stride == 1 && n < MOST_UNITS && units >= (double)(2 * n * MANY_CHUNKS * threads) &&
	       t->cost_ns * (double)(2 * n) <= UNIT_NS * units)
		n *= 2;
	return n;
}

static void cut_short(struct transform *t)
{
	const size_t in = t->axis.in.n * t->axis.in.size, out = t->axis.out.n * t->axis.out.size;
	const size_t row = in > out ? in : out;
	size_t most = units_at_once(t, row) * UNIT_BYTES / row;

	/* Products take longer for their bytes. */
	if (precision_is_gemm(t->run.step->fft.precision) && most > 0)
		most /= fft_chunks(t->plan, 0, most);
	if (!stays(t->plan, &t->axis))
		cut_panels(t, &most);
	else
		t->piece = size_min(most >= VECTOR ? most / VECTOR * VECTOR : most ? most : 1, t->axis.batch);
	t->calls = t->piece == t->axis.batch && most > t->piece ? most / t->piece : 1;
	if (!t->row_in && t->axis.stride > 1 && is_far_apart(&t->axis))
		cut_copies(t);
}

static int begin_transform(struct step_run *run)
{
	struct transform *t = (struct transform *)run;

	t->plan = plans_plan(run->step->plan);
	t->axis = find_axis(run->step);
	t->reuse = find_reuse(run->step, &t->axis);
	t->most = most_at_once(run->engine, t->plan, &t->axis, t->reuse);
	t->cost_ns = (double)cost_ns(run->engine, run->step);
	assert(work_bytes(run->engine, run->step) <= run->step->work_bytes);
	if (is_short(run->engine, t->plan, &t->axis)) {
		cut_short(t);
	} else if (t->axis.stride > 1) {
		t->row_in = row_bytes(&t->axis.in);
		t->row_out = row_bytes(&t->axis.out);
	}
	return 0;
}

/* Transforms of the current call that run now. */
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

static size_t pieces(const struct transform *t)
{
	return (t->axis.batch + t->piece - 1) / t->piece;
}

static size_t stage_chunks(const struct transform *t)
{
	const struct side *side = turning(t);

	if (side)
		return (side->n + turned_at_once(t, side) - 1) / turned_at_once(t, side);
	if (!t->piece)
		return fft_chunks(t->plan, t->phase - (t->row_in ? 1 : 0), batch_now(t));
	return (t->axis.calls + t->calls - 1) / t->calls * pieces(t);
}

static uint64_t find_chunk_ns(const struct transform *t)
{
	const double all = (double)(t->axis.calls * t->axis.batch);
	const double part = t->piece ? 1 : (double)batch_now(t) / all / (double)phases(t);

	return (uint64_t)(t->cost_ns * part / (double)t->n_chunks);
}

static int advance_transform(struct step_run *run, size_t *ret_chunks)
{
	struct transform *t = (struct transform *)run;

	if (!run->started) {
		const int wait = t->is_ready ? 0 : step_await_plan(run);

		if (wait)
			return wait;
		t->is_ready = true;
		if (fft_scratch_bytes(t->plan) > pool_scratch_bytes(run->engine->pool))
			return -ERROR_NOT_SUPPORTED;
		if (run->step->out->shape.n == 0)
			return JOB_END;
		run->started = true;
	} else if (!step_on(t)) {
		return JOB_END;
	}
	*ret_chunks = t->n_chunks = stage_chunks(t);
	run->chunk_ns = find_chunk_ns(t);
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

static struct fft_call call_of_rows(const struct transform *t)
{
	struct fft_call call = call_of(t, t->call, t->first, batch_now(t));
	char *x = first_row(t);

	call.in = x;
	call.out = t->axis.in.size == t->axis.out.size ? x : x + t->most * t->row_in;
	call.in_stride = call.out_stride = 1;
	call.all = batch_now(t); /* in work memory */
	call.in_distance = t->row_in / t->axis.in.size;
	call.out_distance = t->row_out / t->axis.out.size;
	return call;
}

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

static unsigned find_cost_row(const struct step *step)
{
	return step->fft.precision * COST_LENGTHS + 63 - (unsigned)__builtin_clzll(step->fft.length | 1);
}

const struct step_ops step_fft = {
	.cost_row = COST_TRANSFORM,
	.find_cost_row = find_cost_row,
	.cost_ns = cost_ns,
	.work_bytes = work_bytes,
	.run_bytes = sizeof(struct transform),
	.begin = begin_transform,
	.rewind = rewind_run,
	.advance = advance_transform,
	.run_chunk = run_chunk,
};
