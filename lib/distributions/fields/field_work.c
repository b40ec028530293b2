/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of values are numbered in row-major order of their indices, the last axis apart. */
#include "distributions/fields/field_work.h"

#include <float.h>
#include <math.h>

#include "base/chunk.h"
#include "base/error.h"
#include "base/int128.h"

enum {
	BLOCK_MOST = 512,        /* columns: sums of as many numbers of 52 bits fit 64 */
	BLOCK_DOUBLES = 16384,   /* of scratch for the nodes' spectra, 128 KiB */
	MIRRORS = 1 << (FIELD_DIMS - 1),
	SUM_DIGITS = 52,         /* of a value, and the most others */
	SUM_MOST = 52,
};

/* About what a value, and an exponential of a node's spectrum, take. */
#define VALUE_NS 8.0
#define NODE_NS  0.15
#define TERM_NS  1.0

static uint64_t fold(uint64_t n)
{
	return n / 2 + 1;
}

/* A row of values. */
struct row {
	uint64_t index[FIELD_DIMS]; /* of the axes but the last */
	unsigned mirrors;           /* rows of the array that have them */
	uint64_t at[MIRRORS];       /* which */
};

/* Finds row r. Index 0 and half of an even axis are their own mirrors. */
static void find_row(const struct field *field, uint64_t r, struct row *ret)
{
	uint64_t step = 1;

	ret->mirrors = 1;
	ret->at[0] = 0;
	for (unsigned a = field->ndim - 1; a-- > 0;) {
		const uint64_t n = field->axes[a].n, j = r % fold(n);
		const bool is_own = j == 0 || 2 * j == n;

		for (unsigned i = 0; i < ret->mirrors; i++) {
			if (!is_own)
				ret->at[ret->mirrors + i] = ret->at[i] + (n - j) * step;
			ret->at[i] += j * step;
		}
		ret->mirrors <<= !is_own;
		ret->index[a] = j;
		r /= fold(n);
		step *= n;
	}
}

/* The scratch of a chunk: values, the multipliers in the transform's precision, and what the field needs. */
struct scratch {
	double *values, *multipliers, *field;
};

static struct scratch find_scratch(const struct field_work *f, void *scratch)
{
	double *at = scratch;

	return (struct scratch){at, at + f->block, at + 2 * f->block};
}

/* The rows and columns of a chunk. */
struct part {
	uint64_t first, end, begin;
	size_t n;
};

static struct part find_part(const struct field_work *f, size_t chunk)
{
	struct part part = {.first = chunk / f->blocks * f->group, .begin = chunk % f->blocks * f->block};

	part.end = f->rows - part.first < f->group ? f->rows : part.first + f->group;
	part.n = f->columns - part.begin < f->block ? (size_t)(f->columns - part.begin) : f->block;
	return part;
}

int field_sum_bits(const struct field *field)
{
	double n = 1;
	int bits;

	for (unsigned a = 0; a < field->ndim; a++)
		n *= (double)field->axes[a].n;
	for (bits = 126; n > 1; n /= 2)
		bits--;
	return bits < SUM_DIGITS + SUM_MOST ? bits : SUM_DIGITS + SUM_MOST;
}

/* Returns the sum of values, which are at most 1, as integers: 52 binary digits of each, and the others. */
static int128 sum_values(const double *values, size_t n, int bits)
{
	const double rest = ldexp(1, bits - SUM_DIGITS);
	uint64_t high = 0, low = 0;

	for (size_t i = 0; i < n; i++) {
		const double x = values[i] * 0x1p52;
		const int64_t digits = (int64_t)x;

		high += (uint64_t)digits;
		low += (uint64_t)(int64_t)((x - (double)digits) * rest);
	}
	return ((int128)high << (bits - SUM_DIGITS)) + low;
}

/* Sums the values of a chunk over the whole spectrum. The columns 0 and, of an even axis, the last one have no mirrors. */
static int128 sum_chunk(const struct field_work *f, const struct part *part, const struct scratch *scratch)
{
	const uint64_t n = f->field->axes[f->field->ndim - 1].n;
	const int bits = field_sum_bits(f->field);
	const bool has_last = 2 * (part->begin + part->n - 1) == n;
	int128 sum = 0;

	for (uint64_t r = part->first; r < part->end; r++) {
		struct row row;
		int128 of_row;

		find_row(f->field, r, &row);
		field_values(f->field, f->kernel, row.index, part->n, scratch->field, scratch->values);
		of_row = 2 * sum_values(scratch->values, part->n, bits);
		if (part->begin == 0)
			of_row -= sum_values(scratch->values, 1, bits);
		if (has_last)
			of_row -= sum_values(scratch->values + part->n - 1, 1, bits);
		sum += of_row * row.mirrors;
	}
	return sum;
}

/* Finds the root of the factor that makes the expected variance std^2, the mean of lambda, from the chunks' sums. */
static int find_root(const struct field_work *f, const int128 *sums, double *ret)
{
	const struct field *field = f->field;
	int128 sum = 0;
	double n = 1;

	for (size_t i = 0; i < f->chunks; i++)
		sum += sums[i];
	for (unsigned a = 0; a < field->ndim; a++)
		n *= (double)field->axes[a].n;
	if (sum == 0)
		return -ERROR_OUT_OF_RANGE;
	/* std^2 alone may be below the least float64. */
	*ret = field->std * sqrt(n / ldexp((double)sum, -field_sum_bits(field)));
	return 0;
}

/* Multiplies the elements of a chunk. root: of the factor. */
static void multiply_chunk(const struct field_work *f, const struct part *part, double root, const struct scratch *scratch, char *out)
{
	const bool wide = f->field->wide;
	const size_t element = wide ? 2 * sizeof(double) : 2 * sizeof(float);
	const struct algebra_numbers by = {.by = root};
	float *narrow = (float *)scratch->multipliers;

	for (uint64_t r = part->first; r < part->end; r++) {
		const void *in[] = {scratch->values, NULL, NULL};
		struct row row;

		find_row(f->field, r, &row);
		field_values(f->field, f->kernel, row.index, part->n, scratch->field, scratch->values);
		f->kernel->functions[ALGEBRA_sqrt][1](NULL, in, part->n, scratch->multipliers);
		in[0] = scratch->multipliers;
		f->kernel->functions[ALGEBRA_scale][1](&by, in, part->n, scratch->multipliers);
		for (size_t i = 0; i < part->n && !wide; i++)
			narrow[i] = (float)scratch->multipliers[i];
		for (unsigned i = 0; i < row.mirrors; i++) {
			char *at = out + (row.at[i] * f->columns + part->begin) * element;

			f->kernel->functions[ALGEBRA_multiply_real][wide ? 3 : 2](
				NULL, (const void *const[]){at, scratch->multipliers, NULL}, part->n, at);
		}
	}
}

/* Computes the values of a chunk of a box. */
static void fill_chunk(const struct field_work *f, const struct part *part, const struct scratch *scratch, double *out)
{
	for (uint64_t r = part->first; r < part->end; r++) {
		uint64_t index[FIELD_DIMS], rest = r;
		double *const at = out + r * f->columns + part->begin;

		for (unsigned a = f->field->ndim - 1; a-- > 0; rest /= f->box->n[a])
			index[a] = f->box->first[a] + rest % f->box->n[a];
		if (field_is_transformed(f->field))
			field_covariances(f->field, f->kernel, index, part->begin, part->n, scratch->field, at);
		else
			field_values(f->field, f->kernel, index, part->n, scratch->field, at);
	}
}

/* Computes covariances, those of the mirrors included. */
static void cover_chunk(const struct field_work *f, const struct part *part, const struct scratch *scratch, double *out)
{
	const uint64_t n = f->field->axes[f->field->ndim - 1].n;

	for (uint64_t r = part->first; r < part->end; r++) {
		struct row row;

		find_row(f->field, r, &row);
		field_covariances(f->field, f->kernel, row.index, part->begin, part->n, scratch->field, scratch->values);
		for (unsigned i = 0; i < row.mirrors; i++)
			for (size_t j = 0; j < part->n; j++) {
				const uint64_t at = part->begin + j;

				out[row.at[i] * n + at] = scratch->values[j];
				out[row.at[i] * n + (at ? n - at : 0)] = scratch->values[j];
			}
	}
}

static void find_stage(const struct staged_work *work, const struct staged_io *io, size_t stage, struct staged_stage *ret_stage)
{
	const struct field_work *f = (const struct field_work *)work;

	(void)io;
	*ret_stage = (struct staged_stage){.chunks = stage == 1 ? 1 : f->chunks};
}

static int run_chunk(const struct staged_work *work, const struct staged_io *io, size_t stage, size_t chunk, void *memory)
{
	const struct field_work *f = (const struct field_work *)work;
	const struct scratch scratch = find_scratch(f, memory);
	const struct part part = find_part(f, chunk);

	if (stage == 1)
		return find_root(f, (const int128 *)io->work, (double *)io->out);
	field_begin_block(f->field, f->kernel, part.begin, part.n, scratch.field);
	if (f->task == FIELD_FIND_ROOT)
		((int128 *)io->work)[chunk] = sum_chunk(f, &part, &scratch);
	else if (f->task == FIELD_VALUES)
		fill_chunk(f, &part, &scratch, (double *)io->out);
	else if (f->task == FIELD_COVARIANCES)
		cover_chunk(f, &part, &scratch, (double *)io->out);
	else
		multiply_chunk(f, &part, f->field->scales ? *(const double *)io->in[1] : sqrt(f->field->factor), &scratch, io->out);
	return 0;
}

/* Returns about what a row of a block, and the block itself, take. */
static double estimate_row(const struct field *field, size_t block, double *ret_block)
{
	const double nodes = field->n_nodes, elements = (double)block * (1u << (field->ndim - 1));

	*ret_block = 3 * TERM_NS * nodes * (double)block;
	if (field_is_transformed(field))
		return 500 + elements + (nodes > 0 ? nodes * TERM_NS : 20) * (double)block;
	return 500 + elements + (nodes > 0 ? nodes * (NODE_NS * (double)block + 4 * TERM_NS * (field->ndim - 1)) : VALUE_NS * (double)block);
}

void field_work_cut(const struct field *field, enum field_task task, const struct field_box *box, uint32_t features, struct field_work *ret)
{
	const bool sums = task == FIELD_FIND_ROOT;
	const uint64_t columns = fold(field->axes[field->ndim - 1].n);
	size_t block = field->n_nodes > BLOCK_DOUBLES / BLOCK_MOST ? BLOCK_DOUBLES / field->n_nodes : BLOCK_MOST;
	static const struct staged_work_ops ops = {find_stage, run_chunk};
	uint64_t rows = 1;
	double row_ns, block_ns;

	if (block > columns)
		block = (size_t)columns;
	for (unsigned a = 0; a + 1 < field->ndim; a++)
		rows *= box ? box->n[a] : fold(field->axes[a].n);
	*ret = (struct field_work){
		.field = field, .task = task, .box = box, .kernel = algebra_select(features), .rows = rows, .columns = columns, .block = block};
	row_ns = estimate_row(field, block, &block_ns);
	ret->blocks = (size_t)((columns + block - 1) / block);
	ret->group = block_ns + row_ns < CHUNK_AIM_NS ? (size_t)((CHUNK_AIM_NS - block_ns) / row_ns) : 1;
	ret->chunks = (size_t)((rows + ret->group - 1) / ret->group) * ret->blocks;
	ret->work = (struct staged_work){
		.ops = &ops,
		.stages = sums ? 2 : 1,
		.scratch_bytes = (2 * block + field_scratch(field, block)) * sizeof(double),
		.work_bytes = sums ? ret->chunks * sizeof(int128) : 0,
		.cost_ns = (double)ret->chunks * (block_ns + row_ns * (double)ret->group),
	};
}
