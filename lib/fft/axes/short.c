/* SPDX-License-Identifier: Apache-2.0 */
/* Running whole short transforms in a chunk: where they lie, from a copy, or by panels. */
#include <string.h>

#include "base/store_around.h"
#include "fft/axes/axes_core.h"
#include "fft/kernels/transpose.h"

struct fft_call pass_call(const struct fft_pass *pass, const struct pass_io *io, size_t call, size_t first, size_t batch)
{
	return (struct fft_call){
		.in = io->in + (loops_in(&pass->outer, call) + first * pass->in.distance) * pass->in.size,
		.out = io->out + (loops_out(&pass->outer, call) + first * pass->out.distance) * pass->out.size,
		.in_stride = pass->in.stride,
		.in_distance = pass->in.distance,
		.out_stride = pass->out.stride,
		.out_distance = pass->out.distance,
		.batch = batch,
		.inverse = pass->inverse,
		.scale = pass->scale,
		.work = io->work,
		.reuse = pass->reuse,
		.all = pass->all,
		.kept = pass->kept,
		.as_lanes = pass->as_lanes,
	};
}

/* Turns the rows of a panel into columns of the output. */
static void put_columns(const struct fft_pass *pass, uint32_t features, const char *rows, char *to, size_t batch)
{
	const struct side *side = &pass->out;

	if (!pass->streams) {
		transpose_elements(features, side->size, rows, pass->row_out, to, side->stride * side->size, batch, side->n);
		return;
	}
	transpose_pairs(FFT_F64, rows, pass->row_out, to, side->stride * side->size, batch, side->n, true);
	store_around_end();
}

/* Transforms [first, first + batch) of so many calls by way of a panel: columns to rows, and the transforms of all of them back. */
static void run_panel(const struct fft_pass *pass, const struct pass_io *io, size_t call, size_t calls, size_t first,
		      size_t batch, char *scratch)
{
	const uint32_t features = io->plan->features;
	const size_t rows = calls * batch, in = pass->in.size, out = pass->out.size;
	char *x = scratch, *y = in == out ? x : x + rows * pass->row_in;
	struct fft_call inner = pass_call(pass, io, call, first, rows);

	for (size_t i = 0; i < calls; i++)
		transpose_elements(features, in, pass_call(pass, io, call + i, first, batch).in, pass->in.stride * in,
				   x + i * batch * pass->row_in, pass->row_in, pass->in.n, batch);
	inner.in = x;
	inner.out = y;
	inner.in_stride = inner.out_stride = 1;
	inner.all = rows; /* in scratch */
	inner.in_distance = pass->row_in / in;
	inner.out_distance = pass->row_out / out;
	fft_run(io->plan, &inner, scratch + rows * both_rows_bytes(pass));
	for (size_t i = 0; i < calls; i++)
		put_columns(pass, features, y + i * batch * pass->row_out, pass_call(pass, io, call + i, first, batch).out,
			    batch);
}

/* Copies so many rows of `bytes`. */
static void copy_rows(const char *from, size_t from_step, char *to, size_t to_step, size_t rows, size_t bytes)
{
	for (size_t row = 0; row < rows; row++)
		memcpy(to + row * to_step, from + row * from_step, bytes);
}

/* Transforms [first, first + batch) of a call from a copy of their rows, some columns at a time. */
static void run_copies(const struct fft_pass *pass, const struct pass_io *io, size_t call, size_t first, size_t batch,
		       char *scratch)
{
	const size_t size = pass->in.size, n = pass->in.n, end = first + batch;

	for (; first < end; first += pass->copied) {
		const size_t columns = size_min(pass->copied, end - first);
		const struct fft_call there = pass_call(pass, io, call, first, columns);
		struct fft_call here = there;

		copy_rows(there.in, pass->in.stride * size, scratch, pass->pitch, n, columns * size);
		here.in = scratch;
		here.in_stride = pass->pitch / size;
		here.all = columns; /* in scratch */
		if (pass->copies_back) {
			here.out = scratch;
			here.out_stride = here.in_stride;
		}
		fft_run(io->plan, &here, scratch + n * pass->pitch);
		if (pass->copies_back)
			copy_rows(scratch, pass->pitch, there.out, pass->out.stride * size, n, columns * size);
	}
}

/* Transforms [first, first + batch) of so many calls where they lie. */
static void run_there(const struct fft_pass *pass, const struct pass_io *io, size_t call, size_t calls, size_t first,
		      size_t batch, char *scratch)
{
	struct fft_call fft = pass_call(pass, io, call, first, batch);
	const char *in = (const char *)fft.in - loops_in(&pass->outer, call) * pass->in.size;
	char *out = (char *)fft.out - loops_out(&pass->outer, call) * pass->out.size;

	for (size_t i = call; i < call + calls; i++) {
		fft.in = in + loops_in(&pass->outer, i) * pass->in.size;
		fft.out = out + loops_out(&pass->outer, i) * pass->out.size;
		fft_run(io->plan, &fft, scratch);
	}
}

void short_run(const struct fft_pass *pass, const struct pass_io *io, size_t call, size_t calls, size_t first, size_t batch,
	       void *scratch)
{
	if (pass->row_in)
		run_panel(pass, io, call, calls, first, batch, scratch);
	else if (!pass->pitch)
		run_there(pass, io, call, calls, first, batch, scratch);
	else
		for (size_t i = call; i < call + calls; i++)
			run_copies(pass, io, i, first, batch, scratch);
}

/* A chunk is a piece of one call, or several whole calls. */
void short_run_chunk(const struct fft_pass *pass, const struct pass_io *io, size_t chunk, void *scratch)
{
	const size_t first = chunk % pass->pieces * pass->piece, call = chunk / pass->pieces * pass->at_once;

	short_run(pass, io, call, size_min(pass->at_once, pass->calls - call), first, size_min(pass->piece, pass->batch - first),
		  scratch);
}
