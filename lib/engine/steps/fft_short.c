/* SPDX-License-Identifier: Apache-2.0 */
/* No way here changes the arithmetic of a transform. */
#include "engine/steps/fft_short.h"

#include <string.h>

#include "base/checked.h"
#include "fft/kernels/transpose.h"

/* Turns the rows of a panel into columns of the output. */
static void put_columns(const struct transform *t, const char *rows, char *to, size_t batch)
{
	const struct side *side = &t->axis.out;

	if (!t->streams) {
		transpose_elements(t->run.engine->features, side->size, rows, t->row_out, to, side->stride * side->size, batch,
				   side->n);
		return;
	}
	transpose_pairs(FFT_F64, rows, t->row_out, to, side->stride * side->size, batch, side->n, true);
	transpose_end();
}

/* Transforms [first, first + batch) of so many calls by way of a panel: columns to rows, and the transforms of all of them back. */
static void run_panel(const struct transform *t, size_t call, size_t calls, size_t first, size_t batch, char *scratch)
{
	const uint32_t features = t->run.engine->features;
	const size_t rows = calls * batch, in = t->axis.in.size, out = t->axis.out.size;
	char *x = scratch, *y = in == out ? x : x + rows * t->row_in;
	struct fft_call inner = fft_axis_call(t, call, first, rows);

	for (size_t i = 0; i < calls; i++)
		transpose_elements(features, in, fft_axis_call(t, call + i, first, batch).in, t->axis.in.stride * in,
				   x + i * batch * t->row_in, t->row_in, t->axis.in.n, batch);
	inner.in = x;
	inner.out = y;
	inner.in_stride = inner.out_stride = 1;
	inner.all = rows; /* in scratch */
	inner.in_distance = t->row_in / in;
	inner.out_distance = t->row_out / out;
	fft_run(t->plan, &inner, scratch + rows * both_rows_bytes(&t->axis));
	for (size_t i = 0; i < calls; i++)
		put_columns(t, y + i * batch * t->row_out, fft_axis_call(t, call + i, first, batch).out, batch);
}

/* Transforms [first, first + batch) of a call in a copy of their rows. */
static void run_copy(const struct transform *t, size_t call, size_t first, size_t batch, char *scratch)
{
	const size_t size = t->axis.in.size, step = t->axis.stride * size, n = t->axis.in.n;
	struct fft_call inner = fft_axis_call(t, call, first, batch);
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

size_t fft_short_pieces(const struct transform *t)
{
	return (t->axis.batch + t->piece - 1) / t->piece;
}

void fft_short_run(const struct transform *t, size_t call, size_t calls, size_t first, size_t batch, void *scratch)
{
	if (t->row_in) {
		run_panel(t, call, calls, first, batch, scratch);
		return;
	}
	for (size_t i = call; i < call + calls; i++) {
		const struct fft_call fft = fft_axis_call(t, i, first, batch);

		if (t->pitch)
			run_copy(t, i, first, batch, scratch);
		else
			fft_run(t->plan, &fft, scratch);
	}
}
