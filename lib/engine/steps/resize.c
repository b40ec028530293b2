/* SPDX-License-Identifier: Apache-2.0 */
/* Resizing: each axis padded with zeros or trimmed at its end, and elements cast on the way; or each axis of unchanged
 * size moved round by its shift. in and out have the same number of dimensions.
 *
 * Runs of elements along the last axis, with an odometer over the axes before it. */
#include <string.h>

#include "engine/steps/cast.h"
#include "engine/steps/step.h"

enum { CHUNK_BYTES = 64 * 1024 };

static size_t chunk_elements(const struct step *step)
{
	const size_t in = dtype_size(step->in[0]->shape.dtype), out = dtype_size(step->out->shape.dtype);

	return CHUNK_BYTES / (in > out ? in : out);
}

/* Where a row of out stands: its indices on the axes before the last, and the row of in that it comes from. */
struct row {
	uint64_t index[SHAPE_MAX_DIMS];
	uint64_t from;
	bool inside; /* there is such a row in in */
};

static void find_from(const struct step *step, struct row *row)
{
	const struct shape *in = &step->in[0]->shape;

	row->from = 0;
	row->inside = true;
	for (unsigned i = 0; i + 1 < in->ndim; i++) {
		const uint64_t shift = step->resize.shift[i];
		const uint64_t index = row->index[i] < shift ? row->index[i] + in->dims[i] : row->index[i];

		row->from = row->from * in->dims[i] + (index - shift);
		row->inside &= index - shift < in->dims[i];
	}
}

static void seek(const struct step *step, uint64_t number, struct row *row)
{
	const struct shape *out = &step->out->shape;

	for (unsigned i = out->ndim - 1; i-- > 0;) {
		row->index[i] = number % out->dims[i];
		number /= out->dims[i];
	}
	find_from(step, row);
}

static void next_row(const struct step *step, struct row *row)
{
	const struct shape *out = &step->out->shape;

	for (unsigned i = out->ndim - 1; i-- > 0;) {
		if (++row->index[i] < out->dims[i])
			break;
		row->index[i] = 0;
	}
	find_from(step, row);
}

/* Elements [begin, begin + n) of a row: what in has of them, then zeros. */
static void fill_row(const struct step_run *run, const struct row *row, uint64_t begin, size_t n, char *out)
{
	const struct step *step = run->step;
	const struct shape *in = &step->in[0]->shape;
	const enum dtype to = step->out->shape.dtype;
	const uint64_t length = in->dims[in->ndim - 1];
	size_t have = 0;

	if (row->inside && begin < length)
		have = length - begin < n ? (size_t)(length - begin) : n;
	if (have)
		cast_elements(in->dtype, to, have,
			      bound_base(run->bound, step->in[0]) + (row->from * length + begin) * dtype_size(in->dtype), out);
	memset(out + have * dtype_size(to), 0, (n - have) * dtype_size(to));
}

static uint64_t cost_ns(const struct bindings *bound, const struct step *step)
{
	(void)bound;
	return (step->in[0]->shape.bytes + step->out->shape.bytes) / 4;
}

/* One stage. */
static int advance_resize(struct step_run *run, size_t *ret_chunks)
{
	const size_t chunk = chunk_elements(run->step);

	if (run->started)
		return JOB_END;
	run->started = true;
	*ret_chunks = (size_t)((run->step->out->shape.n + chunk - 1) / chunk);
	return JOB_STAGE;
}

static uint64_t run_chunk(struct step_run *run, size_t number, void *scratch)
{
	const struct step *step = run->step;
	const struct shape *out = &step->out->shape;
	const uint64_t length = out->dims[out->ndim - 1], chunk = chunk_elements(step);
	const uint64_t shift = step->resize.shift[out->ndim - 1];
	const uint64_t begin = number * chunk, end = begin + chunk < out->n ? begin + chunk : out->n;
	const size_t size = dtype_size(out->dtype);
	char *to = bound_base(run->bound, step->out);
	uint64_t column = begin % length;
	struct row row;

	(void)scratch;
	seek(step, begin / length, &row);
	for (uint64_t at = begin; at < end;) {
		/* Columns before the shift come from the row's end. */
		const bool round = column < shift;
		const uint64_t stop = round ? shift : length;
		const size_t n = (size_t)(stop - column < end - at ? stop - column : end - at);

		fill_row(run, &row, round ? column + length - shift : column - shift, n, to + at * size);
		at += n;
		column += n;
		if (column == length) {
			column = 0;
			next_row(step, &row);
		}
	}
	return (end - begin) * size / 4;
}

const struct step_ops step_resize = {
	.cost_row = COST_RESIZE,
	.cost_ns = cost_ns,
	.run_bytes = sizeof(struct step_run),
	.advance = advance_resize,
	.run_chunk = run_chunk,
};
