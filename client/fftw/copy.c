/* SPDX-License-Identifier: Apache-2.0 */
/* Rows along the axis with the nearest elements, some of them a chunk. */
#include "fftw/copy.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"

enum { CHUNK_ELEMENTS = 16384, NS_PER_ELEMENT = 2 };

struct copy {
	struct staged_work work; /* first */
	size_t real_bytes;
	bool is_complex;
	struct dim row;
	size_t rows, rows_at_once;
	unsigned count; /* of the other axes, the nearest first */
	struct dim at[];
};

static size_t magnitude(ptrdiff_t stride)
{
	return stride < 0 ? 0 - (size_t)stride : (size_t)stride;
}

static size_t nearness(const struct dim *dim)
{
	return magnitude(dim->in) + magnitude(dim->out);
}

static void find_stage(const struct staged_work *work, const struct staged_io *io, size_t stage, struct staged_stage *ret_stage)
{
	const struct copy *copy = (const struct copy *)work;

	(void)io;
	(void)stage;
	ret_stage->chunks = (copy->rows + copy->rows_at_once - 1) / copy->rows_at_once;
	ret_stage->chunk_ns = copy->work.cost_ns / (double)ret_stage->chunks;
}

/* Sets how many reals behind the first a row begins, in the input and in the output. */
static void find_row(const struct copy *copy, size_t row, ptrdiff_t *ret_in, ptrdiff_t *ret_out)
{
	*ret_in = *ret_out = 0;
	for (unsigned i = 0; i < copy->count; row /= copy->at[i++].n) {
		*ret_in += (ptrdiff_t)(row % copy->at[i].n) * copy->at[i].in;
		*ret_out += (ptrdiff_t)(row % copy->at[i].n) * copy->at[i].out;
	}
}

static void copy_reals(const struct dim *row, size_t size, const char *from, char *to)
{
	if (row->in == 1 && row->out == 1)
		memcpy(to, from, row->n * size);
	else if (size == sizeof(float))
		for (size_t i = 0; i < row->n; i++, from += row->in * (ptrdiff_t)sizeof(float), to += row->out * (ptrdiff_t)sizeof(float))
			memcpy(to, from, sizeof(float));
	else
		for (size_t i = 0; i < row->n; i++, from += row->in * (ptrdiff_t)sizeof(double), to += row->out * (ptrdiff_t)sizeof(double))
			memcpy(to, from, sizeof(double));
}

static int run_chunk(const struct staged_work *work, const struct staged_io *io, size_t stage, size_t chunk, void *scratch)
{
	const struct copy *copy = (const struct copy *)work;
	const size_t begin = chunk * copy->rows_at_once, end = size_min(begin + copy->rows_at_once, copy->rows);
	const ptrdiff_t size = (ptrdiff_t)copy->real_bytes;
	ptrdiff_t in, out;

	(void)stage;
	(void)scratch;
	for (size_t row = begin; row < end; row++) {
		find_row(copy, row, &in, &out);
		copy_reals(&copy->row, copy->real_bytes, io->in[0] + in * size, io->out + out * size);
		if (copy->is_complex)
			copy_reals(&copy->row, copy->real_bytes, io->in[1] + in * size, io->work + out * size);
	}
	return 0;
}

/* Inserts the axes of more than one element in order; the nearest is the row. */
static void sort_dims(struct copy *copy, const struct dim *dims, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		unsigned at = copy->count;

		if (dims[i].n == 1)
			continue;
		for (; at > 0 && nearness(&copy->at[at - 1]) > nearness(&dims[i]); at--)
			copy->at[at] = copy->at[at - 1];
		copy->at[at] = dims[i];
		copy->count++;
	}
	copy->row = copy->count ? copy->at[0] : (struct dim){1, 1, 1};
	if (copy->count)
		memmove(copy->at, copy->at + 1, --copy->count * sizeof *copy->at);
}

struct copy *copy_create(const struct dim *dims, unsigned count, size_t real_bytes, bool is_complex)
{
	static const struct staged_work_ops ops = {find_stage, run_chunk};
	struct copy *copy = calloc(1, sizeof *copy + count * sizeof *copy->at);

	if (!copy)
		return NULL;
	copy->real_bytes = real_bytes;
	copy->is_complex = is_complex;
	sort_dims(copy, dims, count);
	copy->rows = 1;
	for (unsigned i = 0; i < copy->count; i++)
		copy->rows *= copy->at[i].n;
	copy->rows_at_once = size_max(CHUNK_ELEMENTS / copy->row.n, 1);
	copy->work = (struct staged_work){.ops = &ops, .stages = 1, .cost_ns = NS_PER_ELEMENT * (double)copy->rows * (double)copy->row.n};
	return copy;
}

void copy_free(struct copy *copy)
{
	free(copy);
}

const struct staged_work *copy_work(const struct copy *copy)
{
	return &copy->work;
}
