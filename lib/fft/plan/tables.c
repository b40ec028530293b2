/* SPDX-License-Identifier: Apache-2.0 */
/* Each table is built row by row. A row depends on its index alone, so a step can stop after any row. */
#include "fft/plan/tables.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/huge_map.h"

enum {
	NUMBERS_PER_STEP = 8192, /* at most CHUNK_MOST_NS */
	MOST_LANES = FFT_WIDTH_BYTES / sizeof(float),
};

/* The tables of each stage, in the order in which they are built. */
enum { COLUMNS, LANE_ROWS, BASES, N_KINDS };

size_t tables_real_bytes(enum fft_precision precision)
{
	return precision == FFT_F32 ? sizeof(float) : sizeof(double);
}

static void put_real(enum fft_precision precision, void *table, size_t i, double value)
{
	if (precision == FFT_F32)
		((float *)table)[i] = (float)value;
	else
		((double *)table)[i] = value;
}

void tables_put(enum fft_precision precision, void *table, size_t i, const double pair[2])
{
	put_real(precision, table, 2 * i, pair[0]);
	put_real(precision, table, 2 * i + 1, pair[1]);
}

void tables_put_root(const struct roots *roots, uint64_t k, enum fft_precision precision, void *table, size_t i)
{
	char *at = (char *)table + i * 2 * tables_real_bytes(precision);

	roots_put(roots, &k, 1, 2, at, at + tables_real_bytes(precision));
}

/* One table: rows of `width` complex numbers. */
struct table {
	void **at;
	size_t rows, width;
};

/* Returns how many twiddles the inner passes of a column take together. */
static size_t column_twiddles(const struct fft_columns *columns)
{
	size_t count = 0, m = columns->length;

	for (unsigned i = 0; i + 1 < columns->n_passes; i++) {
		m /= columns->radix[i];
		count += m * (columns->radix[i] - 1);
	}
	return count;
}

/* Returns how many of the kernels' vectors have the width that the arithmetic is chosen for. */
static size_t per_width(size_t lanes, size_t width)
{
	return (width + lanes - 1) / lanes;
}

/* Returns how many p the first stage has; of the only one, its first pass. */
static size_t first_columns(const struct fft_smooth *smooth)
{
	const struct fft_columns *columns = &smooth->stage[0].columns;

	return smooth->n_stages > 1 ? smooth->stage[0].m : columns->length / columns->radix[0];
}

/* Returns the blocks of `lanes` p, and one more of the last `lanes` of them where flat_body.h needs it. */
static size_t first_blocks(const struct fft_smooth *smooth, size_t lanes)
{
	const size_t m = first_columns(smooth);
	const bool overlaps = (smooth->flat_rows || smooth->single_flat) && m > lanes && m % lanes;

	return (m + lanes - 1) / lanes + overlaps;
}

/* Returns the first p of a block. */
static size_t block_begin(const struct fft_smooth *smooth, size_t block, size_t lanes)
{
	const size_t m = first_columns(smooth);

	return block * lanes < m ? block * lanes : m - lanes;
}

/* Returns the rows of twiddles, for neighbouring p, of the first of several passes. */
static size_t first_rows(const struct fft_smooth *smooth, size_t lanes)
{
	if (lanes == 1 || smooth->stage[0].columns.n_passes < 2)
		return 0;
	return first_blocks(smooth, lanes) * smooth->row;
}

/* Returns the size of one table of a stage, 0 rows if the stage has none. The choice of tables here is what the comment
 * at struct fft_stage promises the kernels. */
static struct table describe_table(struct fft_smooth *smooth, unsigned index, unsigned kind, size_t lanes, size_t width)
{
	struct fft_stage *stage = &smooth->stage[index];
	const size_t padded = smooth->row, length = stage->columns.length;
	const bool first = index == 0, last = index + 1 == smooth->n_stages;

	switch (kind) {
	case COLUMNS:
		return (struct table){&stage->columns.twiddles, 1, column_twiddles(&stage->columns)};
	case LANE_ROWS:
		return (struct table){&stage->twiddles,
				      first && last    ? (smooth->group_rows ? smooth->group_rows : first_rows(smooth, lanes))
				      : !first || last ? 0
				      : stage->full_twiddles   ? first_blocks(smooth, lanes) * padded
							       : per_width(lanes, width) * padded,
				      lanes};
	default:
		return (struct table){&stage->bases,
				      last || (first && stage->full_twiddles) ? 0
				      : first                         ? (stage->m + width - 1) / width * padded
								      : stage->m * length,
				      1};
	}
}

/* Stores the twiddles of a column's inner passes. They are few (at most some thousand), so one step builds them all. */
static void build_column(const struct roots *roots, enum fft_precision precision, const struct fft_columns *columns)
{
	const uint64_t unit = roots->n / columns->length;
	size_t m = columns->length, s = 1, at = 0;

	for (unsigned i = 0; i + 1 < columns->n_passes; s *= columns->radix[i++]) {
		m /= columns->radix[i];
		for (size_t p = 0; p < m; p++)
			for (size_t k = 1; k < columns->radix[i]; k++)
				tables_put_root(roots, p * k * s * unit, precision, columns->twiddles, at++);
	}
}

/* Returns the element in lane l of a vector of twiddles. */
static size_t lane_element(const struct fft_smooth *smooth, enum fft_precision precision, size_t l, size_t lanes)
{
	const size_t some = precision == FFT_F32 ? 2 : 1; /* neighbours */

	if (!smooth->lanes_dealt)
		return l;
	return l / (2 * some) * some + l % some + l / some % 2 * (lanes / 2);
}

/* Returns the first p of a row. */
static size_t row_begin(const struct fft_smooth *smooth, size_t row, size_t lanes)
{
	const size_t block = row / smooth->row;

	return smooth->stage[0].full_twiddles || smooth->n_stages == 1 ? block_begin(smooth, block, lanes) : block * lanes;
}

/* Stores a row: w^(p row) for `lanes` neighbouring p, a vector of real parts, then one of imaginary parts. Those of short_body.h are
 * for p = lane mod w, n = w rows. elements: those of the lanes. */
static void build_lane_row(const struct roots *roots, enum fft_precision precision, const struct fft_smooth *smooth, size_t row,
			   const size_t *elements, size_t lanes)
{
	const struct fft_stage *stage = &smooth->stage[0];
	const size_t first = smooth->group_rows ? 0 : row_begin(smooth, row, lanes), q = smooth->group_rows ? row : row % smooth->row;
	const size_t real = tables_real_bytes(precision);
	char *at = (char *)stage->twiddles + row * 2 * lanes * real;
	uint64_t k[MOST_LANES];

	for (size_t l = 0; l < lanes; l++)
		k[l] = (first + elements[l]) * q;
	roots_put(roots, k, lanes, 1, at, at + lanes * real);
}

/* Builds rows of twiddles for lanes until the step has done its share. */
static void build_lane_rows(struct tables *tables, enum fft_precision precision, size_t lanes, const struct fft_smooth *smooth,
			    size_t rows)
{
	size_t elements[MOST_LANES];

	for (size_t l = 0; l < lanes; l++) {
		elements[l] = lane_element(smooth, precision, l, lanes);
		if (smooth->group_rows)
			elements[l] %= smooth->stage[0].columns.radix[1];
	}
	for (size_t made = 0; tables->row < rows && made < NUMBERS_PER_STEP; made += lanes, tables->row++)
		build_lane_row(&tables->roots, precision, smooth, tables->row, elements, lanes);
}

/* Stores one base: in the first stage w^(p row) for each p that is a multiple of `width`; in a middle one w_(r m)^(p k)
 * itself, since all lanes of a block share p. */
static void build_base(const struct tables *tables, enum fft_precision precision, const struct fft_stage *stage,
		       size_t padded, size_t width)
{
	const size_t length = stage->columns.length, row = tables->row;
	const uint64_t unit = tables->roots.n / (length * stage->m);
	const uint64_t k = tables->stage == 0 ? row / padded * width * (row % padded) : (row / length) * (row % length) * unit;

	tables_put_root(&tables->roots, k, precision, stage->bases, row);
}

/* Builds rows of the current table until the step has done its share. */
static void build_rows(struct tables *tables, enum fft_precision precision, size_t lanes, struct fft_smooth *smooth,
		       struct table table)
{
	const struct fft_stage *stage = &smooth->stage[tables->stage];

	if (tables->kind == LANE_ROWS) {
		build_lane_rows(tables, precision, lanes, smooth, table.rows);
		return;
	}
	for (size_t made = 0; tables->row < table.rows && made < NUMBERS_PER_STEP; made += table.width, tables->row++)
		if (tables->kind == COLUMNS)
			build_column(&tables->roots, precision, &stage->columns);
		else
			build_base(tables, precision, stage, smooth->row, fft_width(precision));
}

/* Allocates whole cache lines, so that vectors of a row are aligned. A table of 0 rows stays NULL. */
static int allocate_table(struct table table, enum fft_precision precision, size_t *bytes)
{
	const size_t size = (table.rows * table.width * 2 * tables_real_bytes(precision) + 63) / 64 * 64;

	if (size == 0)
		return 0;
	*table.at = huge_allocate(size);
	if (!*table.at)
		return -ERROR_NO_MEMORY;
	*bytes += size;
	return 0;
}

/* Copies the twiddles of the joined stages from those of each: the first stage's, which lie in vectors of neighbouring p, and
 * those of the second stage's passes. */
static void copy_joined(const struct fft_smooth *smooth, enum fft_precision precision, size_t lanes)
{
	const struct fft_stage *first = &smooth->stage[0], *second = &smooth->stage[1];
	const size_t real = tables_real_bytes(precision), own = first->columns.length - 1;
	char *to = smooth->joined.twiddles;

	for (size_t i = 0; i < first->items * lanes; i++) {
		const size_t p = i / lanes * lanes + lane_element(smooth, precision, i % lanes, lanes);
		const char *from = (const char *)first->twiddles + (i / lanes * smooth->row * 2 * lanes + i % lanes) * real;

		for (size_t k = 1; p < first->m && k <= own; k++) {
			memcpy(to + 2 * (p * own + k - 1) * real, from + k * 2 * lanes * real, real);
			memcpy(to + (2 * (p * own + k - 1) + 1) * real, from + (k * 2 * lanes + lanes) * real, real);
		}
	}
	if (second->columns.twiddles)
		memcpy(to + 2 * first->m * own * real, second->columns.twiddles, 2 * column_twiddles(&second->columns) * real);
}

static int make_joined(struct fft_smooth *smooth, enum fft_precision precision, size_t lanes, size_t *bytes)
{
	struct fft_columns *joined = &smooth->joined;

	if (joined->length == 0 || joined->twiddles)
		return 0;
	if (allocate_table((struct table){&joined->twiddles, 1, column_twiddles(joined)}, precision, bytes) < 0)
		return -ERROR_NO_MEMORY;
	copy_joined(smooth, precision, lanes);
	return 0;
}

int tables_step(struct tables *tables, enum fft_precision precision, size_t lanes, struct fft_smooth *smooth,
		size_t *bytes)
{
	struct table table;

	if (tables->stage == smooth->n_stages)
		return make_joined(smooth, precision, lanes, bytes);
	if (!tables->roots.low) {
		smooth->stage[0].full_twiddles = smooth->n <= TABLES_WHOLE_MAX;
		return roots_create_rounded(smooth->n, precision, &tables->roots) < 0 ? -ERROR_NO_MEMORY : 1;
	}
	if (roots_step(&tables->roots) > 0)
		return 1;
	table = describe_table(smooth, tables->stage, tables->kind, lanes, fft_width(precision));
	if (tables->row == 0 && allocate_table(table, precision, bytes) < 0)
		return -ERROR_NO_MEMORY;
	build_rows(tables, precision, lanes, smooth, table);
	if (tables->row < table.rows)
		return 1;
	tables->row = 0;
	tables->kind = (tables->kind + 1) % N_KINDS;
	tables->stage += tables->kind == 0;
	if (tables->stage < smooth->n_stages)
		return 1;
	roots_free(&tables->roots);
	return make_joined(smooth, precision, lanes, bytes);
}

void tables_free(struct tables *tables)
{
	roots_free(&tables->roots);
}

void tables_free_smooth(struct fft_smooth *smooth)
{
	for (unsigned i = 0; i < smooth->n_stages; i++) {
		free(smooth->stage[i].columns.twiddles);
		free(smooth->stage[i].twiddles);
		free(smooth->stage[i].bases);
	}
	free(smooth->joined.twiddles);
}
