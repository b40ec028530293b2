/* SPDX-License-Identifier: Apache-2.0 */
/* Finding how an axis lies, and cutting its transforms into chunks. No choice here changes the arithmetic. */
#include "engine/steps/fft_axis.h"

#include <assert.h>
#include <math.h>

#include "base/checked.h"
#include "base/cpu.h"

enum {
	/* Of memory between phases, unless one transform needs more: it stays in the caches of the threads. One thread
	 * alone wants few transforms at once (measured: 5 to 20 % less time than with 2 MiB); several wait for one
	 * another after each phase, the less often the more transforms it has (up to a third more time with 512 KiB).
	 */
	WORK_ALONE_BYTES = 256 << 10,
	/* Products go by groups of up to 64 rows that share their memory, and read their matrix anew for each of these
	 * passes. */
	WORK_PRODUCT_BYTES = 2 << 20,
	WORK_THREAD_BYTES = 2 << 20,
	WORK_BYTES = 32 << 20,
	/* Between memory and its caches each chunk's start costs some 300 ns more than its transforms: chunks of large
	 * batches grow to this many units, while there are many and each is short. */
	MOST_UNITS = 8,
	MANY_CHUNKS = 16, /* of a thread */
	UNIT_NS = 100000,
	/* Columns are copied from here on: elements a page or more apart, and a column over more than second-level
	 * cache. */
	FAR_STEP_BYTES = 4 << 10,
	FAR_BYTES = 1 << 20,
	/* Rows far apart are no stream that the CPU detects: each piece of a row waits for memory anew. Chunks of such
	 * columns are wider, within a second-level cache of 1 MiB (measured: half of the time at 2048 x 2048). */
	FAR_ROW_BYTES = 512,
	FAR_UNIT_BYTES = 768 << 10,
	/* An array from this size on is stored around the caches: the last one keeps little of it until the next axis. At 16 MiB
	 * it keeps enough (measured: 1.6 times as long around the caches). */
	STREAM_BYTES = 32 << 20,
	ONE_PASS = 16, /* columns up to here have one pass, which never writes around the caches */
};

/* Describes one side of the axis `which`. Rows follow one another at n elements, columns at one. */
static struct side find_side(const struct shape *shape, unsigned which, size_t stride, unsigned parts)
{
	const size_t n = (size_t)shape->dims[which];

	return (struct side){dtype_size(shape->dtype) / parts, n, stride, n * stride, stride == 1 ? n : 1};
}

/* Describes the axis of a step. */
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

/* Returns whether transforms can run where they lie: rows, or enough columns to fill the vectors of a kernel that takes
 * them. */
static bool stays(const struct fft_plan *plan, const struct axis *axis)
{
	return axis->stride == 1 || (fft_takes_columns(plan) && axis->batch >= VECTOR);
}

/* Whether the elements of a column share few sets of the caches, and come from memory: then columns are transformed in
 * a copy, which touches each line of memory once on the way in and once on the way out. */
static bool is_far_apart(const struct axis *axis)
{
	const size_t step = axis->stride * axis->in.size;

	return step >= FAR_STEP_BYTES && step * axis->in.n >= FAR_BYTES && axis->in.size == axis->out.size;
}

/* Returns the fewest columns of a panel: a line of memory of them, so that each line is read once. */
static size_t line_of(const struct axis *axis)
{
	return size_min(LINE_BYTES / axis->in.size, axis->batch);
}

/* Returns how many rows of a panel scratch has room for, beside what the plan needs of it. */
static size_t panel_room(size_t scratch, const struct fft_plan *plan, const struct axis *axis)
{
	const size_t own = fft_scratch_bytes(plan);

	return own < scratch ? (scratch - own) / both_rows_bytes(axis) : 0;
}

/* Returns whether whole transforms are chunks: not when they are cut into phases, nor rows of products, which the plan cuts
 * better, nor columns of which scratch holds no panel. */
static bool is_short(size_t scratch, const struct fft_plan *plan, const struct axis *axis)
{
	if (fft_is_product(plan) && axis->stride == 1)
		return false;
	return fft_phases(plan) == 1 && fft_work_bytes(plan, 1) == 0 &&
	       (stays(plan, axis) || panel_room(scratch, plan, axis) >= line_of(axis));
}

/* Whether two buffers are different memory in every run. Each tile has one buffer, and no tile of a prepared call can
 * stand for two; memory of the caller's may be anywhere. */
static bool are_apart(const struct bindings *bound, const struct buffer *a, const struct buffer *b)
{
	const char *x = bound_base(bound, a), *y = bound_base(bound, b);

	if (a == b)
		return false;
	return !x || !y || x + a->shape.bytes <= y || y + b->shape.bytes <= x;
}

/* Rows may lie in the output between phases. */
static enum fft_reuse find_reuse(const struct bindings *bound, const struct step *step, const struct axis *axis)
{
	return axis->stride == 1 && are_apart(bound, step->in[0], step->out) ? FFT_REUSE_OUT : FFT_REUSE_NONE;
}

/* Returns the bytes of memory that `batch` long transforms need: between phases, and for their rows where they are
 * columns. */
static size_t long_bytes(const struct fft_plan *plan, const struct axis *axis, size_t batch, enum fft_reuse reuse)
{
	return round_line(fft_work_bytes_reusing(plan, batch, reuse)) +
	       (axis->stride == 1 ? 0 : batch * both_rows_bytes(axis));
}

/* Returns how many transforms of one call run at once: all, unless their memory between phases would be too large. */
static size_t most_at_once(const struct engine *engine, const struct fft_plan *plan, const struct axis *axis,
			   enum fft_reuse reuse)
{
	/* Columns are turned some lines wide, which memory near the core has no room for. */
	const size_t threads = pool_threads(engine->pool);
	const size_t alone = fft_is_product(plan) ? WORK_PRODUCT_BYTES : WORK_ALONE_BYTES;
	const size_t near = threads > 1 ? threads * WORK_THREAD_BYTES : alone;
	const size_t room = axis->stride > 1 ? WORK_BYTES : size_min(near, WORK_BYTES);
	const size_t group = fft_work_group(plan);
	const size_t each = is_short(pool_scratch_bytes(engine->pool), plan, axis) ? 0 : long_bytes(plan, axis, group, reuse);
	const size_t most = each ? size_max(room / each, 1) * group : axis->batch;

	return size_max(size_min(most, axis->batch), 1);
}

bool fft_axis_is_short(const struct bindings *bound, const struct step *step, size_t scratch_bytes)
{
	const struct fft_plan *plan = plans_plan(bound_transform(bound, step));
	const struct axis axis = find_axis(step);

	return fft_scratch_bytes(plan) <= scratch_bytes && is_short(scratch_bytes, plan, &axis);
}

bool fft_axis_writes_lines(const struct bindings *bound, const struct step *step)
{
	const struct axis axis = find_axis(step);
	const bool is_row = step->fft.axis + 1 == step->out->shape.ndim;

	return is_row || (axis.stride * axis.out.size % LINE_BYTES == 0 &&
			  (axis.out.n > ONE_PASS || !stays(plans_plan(bound_transform(bound, step)), &axis)));
}

uint64_t fft_axis_work_bytes(const struct bindings *bound, const struct step *step)
{
	const struct fft_plan *plan = plans_plan(bound_transform(bound, step));
	const struct axis axis = find_axis(step);
	const enum fft_reuse reuse = find_reuse(bound, step, &axis);

	return is_short(pool_scratch_bytes(bound->engine->pool), plan, &axis) ? 0
					     : long_bytes(plan, &axis, most_at_once(bound->engine, plan, &axis, reuse), reuse);
}

/* Returns the operations a nanosecond that transforms in second-level cache make: first values, corrected by what the
 * engine learns from chunks. */
static double rate_of(const struct engine *engine, enum precision precision)
{
	const double rate = engine->features & CPU_AVX512 ? 60 : engine->features & CPU_AVX2 ? 30 : 2;

	return precision_is_wide(precision) ? rate / 2 : rate;
}

/* 5 n log2 n operations a transform; lengths with a large prime cost several transforms. */
uint64_t fft_axis_cost_ns(const struct engine *engine, const struct step *step)
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

/* Returns whether panels are written around the caches. A plain store to a line that no near cache holds reads it first: where the
 * chunk has read other ones, and where columns far apart share so few sets of the near caches that their lines are gone again
 * between the read and the write. Those come back soon on some CPUs: Zen 4 took 1.02 to 1.4 times as long around the caches,
 * a Xeon with AMX 0.7 to 0.9. Rows must be whole lines. */
static bool streams(const struct transform *t)
{
	const struct step *step = t->run.step;
	const struct side *out = &t->axis.out;

	return out->size == 2 * sizeof(double) && out->stride * out->size % LINE_BYTES == 0 &&
	       step->out->shape.bytes >= STREAM_BYTES &&
	       (are_apart(t->run.bound, t->source, step->out) || (is_far_apart(&t->axis) && !t->run.engine->has_victim_l3));
}

/* Columns go by panels of as many of *most as scratch has room for. */
static void cut_panels(struct transform *t, size_t scratch, size_t *most)
{
	const size_t line = line_of(&t->axis);

	t->row_in = row_bytes(&t->axis.in);
	t->row_out = row_bytes(&t->axis.out);
	t->streams = streams(t);
	*most = size_min(*most, panel_room(scratch, t->plan, &t->axis));
	t->piece = *most < line ? line : size_min(*most / line * line, t->axis.batch);
}

/* Columns are copied as wide as scratch has room for, if it has for a vector of them. */
static void cut_copies(struct transform *t, size_t scratch)
{
	const size_t size = t->axis.in.size;
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

/* Cuts short transforms into pieces of about UNIT_BYTES (of many rows up to 8 of these, of columns far apart up to
 * FAR_UNIT_BYTES), whole vectors of them; several whole calls where they are small. */
static void cut_short(struct transform *t, size_t scratch)
{
	const size_t in = t->axis.in.n * t->axis.in.size, out = t->axis.out.n * t->axis.out.size;
	const size_t row = size_max(in, out);
	size_t most;

	assert(row > 0 && t->axis.batch > 0 && t->axis.calls > 0);
	most = units_at_once(t, row) * UNIT_BYTES / row;

	if (t->axis.stride > 1 && is_far_apart(&t->axis))
		most = size_max(most, size_min(FAR_ROW_BYTES / t->axis.in.size, FAR_UNIT_BYTES / row));
	/* Products take longer for their bytes. */
	if (precision_is_gemm(t->run.step->fft.precision) && most > 0)
		most /= fft_chunks(t->plan, 0, most);
	if (!stays(t->plan, &t->axis))
		cut_panels(t, scratch, &most);
	else
		t->piece = size_min(most >= VECTOR ? most / VECTOR * VECTOR : most ? most : 1, t->axis.batch);
	assert(t->piece > 0);
	t->calls = t->piece == t->axis.batch && most > t->piece ? most / t->piece : 1;
	if (!t->row_in && t->axis.stride > 1 && is_far_apart(&t->axis))
		cut_copies(t, scratch);
}

void fft_axis_cut(struct transform *t, size_t scratch_bytes)
{
	const struct step_run *run = &t->run;

	t->plan = plans_plan(bound_transform(run->bound, run->step));
	t->axis = find_axis(run->step);
	t->reuse = find_reuse(run->bound, run->step, &t->axis);
	t->source = t->source ? t->source : run->step->in[0];
	t->most = most_at_once(run->engine, t->plan, &t->axis, t->reuse);
	t->all = t->axis.calls * t->axis.batch;
	t->cost_ns = (double)fft_axis_cost_ns(run->engine, run->step);
	assert(fft_axis_work_bytes(run->bound, run->step) <= run->step->work_bytes);
	if (is_short(scratch_bytes, t->plan, &t->axis)) {
		cut_short(t, scratch_bytes);
	} else if (t->axis.stride > 1) {
		t->row_in = row_bytes(&t->axis.in);
		t->row_out = row_bytes(&t->axis.out);
	}
}

void fft_axis_place(struct transform *t)
{
	t->in = bound_base(t->run.bound, t->run.step->in[0]);
	t->out = bound_base(t->run.bound, t->run.step->out);
}

struct fft_call fft_axis_call(const struct transform *t, size_t call, size_t first, size_t batch)
{
	const struct side *in = &t->axis.in, *out = &t->axis.out;

	return (struct fft_call){
		.in = t->in + (call * in->call_distance + first * in->distance) * in->size,
		.out = t->out + (call * out->call_distance + first * out->distance) * out->size,
		.in_stride = in->stride,
		.in_distance = in->distance,
		.out_stride = out->stride,
		.out_distance = out->distance,
		.batch = batch,
		.inverse = t->run.step->fft.inverse,
		.scale = t->run.step->fft.factor,
		.work = t->run.work,
		.reuse = t->reuse,
		.all = t->all,
		.kept = t->stays ? FFT_KEPT_NEAR : t->run.step->fft.kept ? FFT_KEPT_SHARED : FFT_KEPT_UNKNOWN,
	};
}
