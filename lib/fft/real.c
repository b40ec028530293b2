/* SPDX-License-Identifier: Apache-2.0 */
/* Real transforms around a complex one: a row is packed, transformed, and unpacked.
 *
 * Even n: neighbouring reals are the pairs of a transform of h = n / 2, and a fold stands behind it (forward) or before
 * it (inverse). Odd n: the reals become complex, or the half spectrum a whole one. Long transforms run the packing and
 * unpacking as phases of pieces around the inner phases. */
#include "fft/real.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "fft/plan.h"

/* Elements of packing or unpacking that make a unit, table entries made in one step, and the bytes of a group. */
enum { PIECE = 16384, ROWS_PER_STEP = 2048, GROUP_BYTES = 32 << 10 };

static bool is_even(const struct fft_plan *plan)
{
	return plan->n % 2 == 0;
}

static size_t half(const struct fft_plan *plan)
{
	return plan->n / 2;
}

/* One row of inner length, with room for the spectrum's last element. */
static size_t row_bytes(const struct fft_plan *plan)
{
	return fft_round_line((plan->inner->n + 1) * fft_pair_bytes(plan));
}

static size_t group(const struct fft_plan *plan)
{
	const size_t fit = GROUP_BYTES / row_bytes(plan);

	return fit < 1 ? 1 : fit;
}

/* Copies `count` elements of `size` bytes, strides in elements. */
static void copy(char *to, size_t to_stride, const char *from, size_t from_stride, size_t count, size_t size)
{
	if (to_stride == 1 && from_stride == 1) {
		memcpy(to, from, count * size);
		return;
	}
	for (size_t i = 0; i < count; i++)
		memcpy(to + i * to_stride * size, from + i * from_stride * size, size);
}

static void negate(const struct fft_plan *plan, char *real)
{
	if (plan->precision == FFT_F32)
		*(float *)(void *)real = -*(float *)(void *)real;
	else
		*(double *)(void *)real = -*(double *)(void *)real;
}

/* ---- making ---- */

static int step(struct fft_plan *plan)
{
	const size_t rows = is_even(plan) ? half(plan) / 2 + 1 : 0;
	const size_t bytes = fft_round_line(rows * fft_pair_bytes(plan));
	int rc = plan->inner->ready ? 0 : fft_plan_step(plan->inner);

	if (rc != 0 || rows == 0)
		return rc;
	if (!plan->chirp) {
		plan->chirp = aligned_alloc(64, bytes);
		plan->bytes += bytes;
		return !plan->chirp || roots_create(plan->n, &plan->tables.roots) < 0 ? -ERROR_NO_MEMORY : 1;
	}
	if (roots_step(&plan->tables.roots) > 0)
		return 1;
	for (size_t end = size_min(rows, plan->row + ROWS_PER_STEP); plan->row < end; plan->row++) {
		long double root[2], turned[2];

		roots_at(&plan->tables.roots, plan->row, root);
		turned[0] = root[1];
		turned[1] = -root[0]; /* -i w^k */
		tables_put(plan->precision, plan->chirp, plan->row, turned, 1);
	}
	if (plan->row < rows)
		return 1;
	roots_free(&plan->tables.roots);
	return 0;
}

static void release(struct fft_plan *plan)
{
	free(plan->chirp);
	fft_plan_free(plan->inner);
}

/* ---- packing: a caller's row to an inner row, elements [begin, end) ---- */

static void fold(const struct fft_plan *plan, const void *x, void *y, size_t begin, size_t end, bool back, double scale)
{
	const struct fft_fold fold = {x, plan->chirp, y, half(plan), begin, end, back, scale};

	plan->ops->fold(&fold);
}

/* Reals as pairs (even), or with imaginary parts of 0 (odd). */
static void pack_reals(const struct fft_plan *plan, const char *in, size_t stride, size_t begin, size_t end, char *row)
{
	const size_t size = fft_pair_bytes(plan) / 2;

	if (is_even(plan)) {
		copy(row + 2 * begin * size, 1, in + 2 * begin * stride * size, stride, 2 * (end - begin), size);
		return;
	}
	memset(row + 2 * begin * size, 0, 2 * (end - begin) * size);
	copy(row + 2 * begin * size, 2, in + begin * stride * size, stride, end - begin, size);
}

/* Elements of an odd length's whole spectrum from the half of it. */
static void pack_mirrored(const struct fft_plan *plan, const char *in, size_t stride, size_t begin, size_t end,
			  char *row)
{
	const size_t pair = fft_pair_bytes(plan);

	for (size_t k = begin; k < end; k++) {
		memcpy(row + k * pair, in + (k <= half(plan) ? k : plan->n - k) * stride * pair, pair);
		if (k > half(plan))
			negate(plan, row + k * pair + pair / 2);
		else if (k == 0)
			memset(row + pair / 2, 0, pair / 2);
	}
}

/* ---- phases ---- */

/* A call's own part around the inner transform: packing goes to x, the inner one from x to y, unpacking from y. The
 * fold of a strided spectrum goes through the row that is free. */
struct rows {
	char *x, *y;
};

static const char *row_in(const struct fft_plan *plan, const struct fft_call *call, size_t b)
{
	const size_t size = call->inverse ? fft_pair_bytes(plan) : fft_pair_bytes(plan) / 2;

	return (const char *)call->in + b * call->in_distance * size;
}

static char *row_out(const struct fft_plan *plan, const struct fft_call *call, size_t b)
{
	const size_t size = call->inverse ? fft_pair_bytes(plan) / 2 : fft_pair_bytes(plan);

	return (char *)call->out + b * call->out_distance * size;
}

/* Elements that the two ends of a transform walk over. */
static size_t ends_length(const struct fft_plan *plan, const struct fft_call *call, bool in)
{
	if (!is_even(plan))
		return in ? plan->n : call->inverse ? plan->n : half(plan) + 1;
	return in == call->inverse ? half(plan) / 2 + 1 : half(plan);
}

/* The spectrum of strided pairs k and h - k, for k of [begin, end), to or from a contiguous row. */
static void copy_folded(const struct fft_plan *plan, char *to, size_t to_stride, const char *from, size_t from_stride,
			size_t begin, size_t end)
{
	const size_t pair = fft_pair_bytes(plan), mirror = half(plan) - end + 1;

	copy(to + begin * to_stride * pair, to_stride, from + begin * from_stride * pair, from_stride, end - begin,
	     pair);
	copy(to + mirror * to_stride * pair, to_stride, from + mirror * from_stride * pair, from_stride, end - begin,
	     pair);
}

static void pack(const struct fft_plan *plan, const struct fft_call *call, size_t b, size_t begin, size_t end,
		 struct rows rows)
{
	const char *in = row_in(plan, call, b);

	if (!call->inverse) {
		pack_reals(plan, in, call->in_stride, begin, end, rows.x);
	} else if (!is_even(plan)) {
		pack_mirrored(plan, in, call->in_stride, begin, end, rows.x);
	} else {
		if (call->in_stride != 1) {
			copy_folded(plan, rows.y, 1, in, call->in_stride, begin, end);
			in = rows.y;
		}
		fold(plan, in, rows.x, begin, end, true, 1);
	}
}

static void unpack(const struct fft_plan *plan, const struct fft_call *call, size_t b, size_t begin, size_t end,
		   struct rows rows)
{
	const size_t pair = fft_pair_bytes(plan), size = pair / 2, stride = call->out_stride;
	char *out = row_out(plan, call, b);

	if (call->inverse && is_even(plan)) {
		copy(out + 2 * begin * stride * size, stride, rows.y + begin * pair, 1, 2 * (end - begin), size);
	} else if (call->inverse) {
		copy(out + begin * stride * size, stride, rows.y + begin * pair, 2, end - begin, size);
	} else if (!is_even(plan)) {
		if (begin == 0)
			memset(rows.y + size, 0, size); /* the imaginary part of X[0] */
		copy(out + begin * stride * pair, stride, rows.y + begin * pair, 1, end - begin, pair);
	} else {
		fold(plan, rows.y, stride == 1 ? out : rows.x, begin, end, false, call->scale / 2);
		if (stride != 1)
			copy_folded(plan, out, stride, rows.x, 1, begin, end);
	}
}

/* The inner transform scales, except where a fold comes last and does. */
static struct fft_call inner_call(const struct fft_plan *plan, const struct fft_call *call, struct rows rows,
				  size_t batch, void *work)
{
	const size_t distance = row_bytes(plan) / fft_pair_bytes(plan);
	const double scale = is_even(plan) && !call->inverse ? 1 : call->scale;

	return (struct fft_call){rows.x, rows.y, 1, distance, 1, distance, batch, call->inverse, scale, work};
}

static size_t phases(const struct fft_plan *plan)
{
	return plan->is_long ? 2 + fft_phases(plan->inner) : 1;
}

/* Either direction's units: those with nothing to do return at once. */
static size_t pieces(const struct fft_plan *plan)
{
	return (plan->inner->n + PIECE) / PIECE;
}

static size_t unit_size(const struct fft_plan *plan)
{
	return group(plan) * fft_group(plan->cost_ns * (double)group(plan));
}

static size_t units(const struct fft_plan *plan, size_t phase, size_t batch)
{
	if (!plan->is_long)
		return (batch + unit_size(plan) - 1) / unit_size(plan);
	if (phase == 0 || phase + 1 == phases(plan))
		return batch * pieces(plan);
	return fft_units(plan->inner, phase - 1, batch);
}

static size_t work_bytes(const struct fft_plan *plan, size_t batch)
{
	return plan->is_long ? 2 * batch * row_bytes(plan) + fft_work_bytes(plan->inner, batch) : 0;
}

static size_t scratch_bytes(const struct fft_plan *plan)
{
	return fft_round_line(fft_scratch_bytes(plan->inner)) + (plan->is_long ? 0 : 2 * group(plan) * row_bytes(plan));
}

/* Transforms [first, first + count), count <= group, wholly in scratch. */
static void run_group(const struct fft_plan *plan, const struct fft_call *call, size_t first, size_t count,
		      char *scratch)
{
	const size_t bytes = row_bytes(plan), in_length = ends_length(plan, call, true);
	const size_t out_length = ends_length(plan, call, false);
	char *x = scratch + fft_round_line(fft_scratch_bytes(plan->inner)), *y = x + group(plan) * bytes;
	struct fft_call inner = inner_call(plan, call, (struct rows){x, y}, count, NULL);

	if (is_even(plan) && !call->inverse && call->in_stride == 1 && call->in_distance % 2 == 0) {
		inner.in = row_in(plan, call, first);
		inner.in_distance = call->in_distance / 2;
	} else {
		for (size_t i = 0; i < count; i++)
			pack(plan, call, first + i, 0, in_length, (struct rows){x + i * bytes, y + i * bytes});
	}
	fft_run(plan->inner, &inner, scratch);
	for (size_t i = 0; i < count; i++)
		unpack(plan, call, first + i, 0, out_length, (struct rows){x + i * bytes, y + i * bytes});
}

static void run_short(const struct fft_plan *plan, const struct fft_call *call, size_t unit, void *scratch)
{
	const size_t size = unit_size(plan), end = size_min((unit + 1) * size, call->batch);

	for (size_t b = unit * size; b < end; b += group(plan))
		run_group(plan, call, b, size_min(group(plan), end - b), scratch);
}

static void run_piece(const struct fft_plan *plan, const struct fft_call *call, bool in, size_t unit, struct rows rows)
{
	const size_t b = unit / pieces(plan), begin = unit % pieces(plan) * PIECE;
	const size_t end = size_min(begin + PIECE, ends_length(plan, call, in));
	const struct rows own = {rows.x + b * row_bytes(plan), rows.y + b * row_bytes(plan)};

	if (begin < end)
		(in ? pack : unpack)(plan, call, b, begin, end, own);
}

static void run_unit(const struct fft_plan *plan, const struct fft_call *call, size_t phase, size_t unit, void *scratch)
{
	const size_t bytes = call->batch * row_bytes(plan);
	const struct rows rows = {call->work, (char *)call->work + bytes};
	struct fft_call inner;

	if (!plan->is_long) {
		run_short(plan, call, unit, scratch);
	} else if (phase == 0 || phase + 1 == phases(plan)) {
		run_piece(plan, call, phase == 0, unit, rows);
	} else {
		inner = inner_call(plan, call, rows, call->batch, rows.y + bytes);
		fft_run_unit(plan->inner, &inner, phase - 1, unit, scratch);
	}
}

static size_t in_bytes(const struct fft_plan *plan, bool inverse)
{
	return inverse ? fft_pair_bytes(plan) : fft_pair_bytes(plan) / 2;
}

static const struct fft_kind kind = {step, release, phases, units, work_bytes, scratch_bytes, in_bytes, run_unit};

int fft_plan_create_real(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan)
{
	struct fft_plan *plan;
	int rc;

	if (n == 0 || n > FFT_MAX_LENGTH)
		return -ERROR_OUT_OF_RANGE;
	plan = calloc(1, sizeof *plan);
	if (!plan)
		return -ERROR_NO_MEMORY;
	rc = fft_plan_create_inner(n % 2 ? n : n / 2, precision, features, &plan->inner);
	if (rc < 0) {
		free(plan);
		return rc;
	}
	plan->kind = &kind;
	plan->n = n;
	plan->precision = precision;
	plan->features = features;
	plan->ops = plan->inner->ops;
	plan->bytes = sizeof *plan;
	plan->cost_ns = plan->inner->cost_ns + 50 + 3 * (double)n;
	plan->is_long = plan->inner->is_long;
	*ret_plan = plan;
	return 0;
}
