/* SPDX-License-Identifier: Apache-2.0 */
/* Packing into slices and pairs, and the sums over products of slices.
 *
 * A left operand with slices:   slice 0 of rows 0 .. rows - 1 | slice 1 of the same rows | ...   (a row: k pairs) A
 * panel with slices:          slice 0 of inner indices 0 .. k - 1 | slice 1 | ...              (a row: lanes pairs) */
#include "gemm/product.h"

#include <assert.h>
#include <math.h>
#include <stdalign.h>
#include <string.h>

#include "base/checked.h"
#include "gemm/bf16.h"

/* Returns the bytes of a unit of packed data: a real, or a pair of bfloat16. */
static size_t unit_bytes(const struct gemm_mode *mode)
{
	return mode->wide && !mode->slices ? 8 : 4;
}

/* Returns the units of a complex element on the left: two for re and im, or one pair. */
static size_t element_units(const struct gemm_mode *mode)
{
	return mode->slices ? 1 : 2;
}

/* Returns the slices of an operand; reals count as one. */
static size_t n_slices(const struct gemm_mode *mode)
{
	return mode->slices ? mode->slices : 1;
}

size_t gemm_lanes(const struct gemm_shape *shape)
{
	if (shape->mode->slices)
		return shape->kernel->lanes_dot;
	return shape->mode->wide ? shape->kernel->lanes_f64 : shape->kernel->lanes_f32;
}

size_t gemm_rows_at_once(const struct gemm_shape *shape)
{
	return shape->mode->slices ? shape->kernel->dot_rows : shape->kernel->rows;
}

size_t gemm_left_bytes(const struct gemm_shape *shape, size_t rows)
{
	return n_slices(shape->mode) * rows * shape->k * element_units(shape->mode) * unit_bytes(shape->mode);
}

/* Returns the units of one slice of a panel. */
static size_t panel_slice_units(const struct gemm_shape *shape)
{
	return shape->k * element_units(shape->mode) * gemm_lanes(shape);
}

size_t gemm_panel_bytes(const struct gemm_shape *shape)
{
	return n_slices(shape->mode) * panel_slice_units(shape) * unit_bytes(shape->mode);
}

/* Exact modes take a fifth more: each product goes to a sum of its own, which is then added in float64. */
double gemm_cost_ns(const struct gemm_shape *shape)
{
	const struct gemm_mode *mode = shape->mode;

	if (!mode->slices)
		return shape->kernel->mac_ns * (mode->wide ? 2 : 1);
	return shape->kernel->dot_ns * mode->n_products * (mode->exact ? 1.2 : 1);
}

/* Sliced modes store slice after slice, each of all rows, so that a product of two slices reads rows in sequence. */
void gemm_put_row(const struct gemm_shape *shape, const void *x, int exponent, void *left, size_t rows, size_t row)
{
	const struct gemm_mode *mode = shape->mode;
	const struct gemm_vectors *vectors = shape->kernel->vectors;
	char *at = (char *)left + row * shape->k * element_units(mode) * unit_bytes(mode);
	double wide[2];
	float narrow[2];

	if (mode->wide)
		gemm_power_f64(-exponent, wide);
	else
		gemm_power_f32(-exponent, narrow);
	if (!mode->slices && mode->wide)
		vectors->scale_f64(x, 2 * shape->k, wide, (double *)at);
	else if (!mode->slices)
		vectors->scale_f32(x, 2 * shape->k, narrow, (float *)at);
	else if (mode->wide)
		vectors->split_f64(x, 2 * shape->k, wide, mode->slices, (uint32_t *)at, rows * shape->k);
	else
		vectors->split_f32(x, 2 * shape->k, narrow, mode->slices, (uint32_t *)at, rows * shape->k);
}

/* Splits a row into slices and spreads each over the pairs of the panel (gemm/kernel.h). */
static void put_panel_pairs(const struct gemm_shape *shape, const void *x, size_t columns, uint32_t *panel, size_t k)
{
	const struct gemm_vectors *vectors = shape->kernel->vectors;
	const size_t lanes = gemm_lanes(shape), slice_units = panel_slice_units(shape);
	const float narrow[2] = {1, 1};
	const double wide[2] = {1, 1};
	uint32_t pairs[GEMM_MAX_SLICES * GEMM_MAX_LANES / 2];

	if (shape->mode->wide)
		vectors->split_f64(x, 2 * columns, wide, shape->mode->slices, pairs, columns);
	else
		vectors->split_f32(x, 2 * columns, narrow, shape->mode->slices, pairs, columns);
	for (unsigned slice = 0; slice < shape->mode->slices; slice++) {
		uint32_t *row = panel + slice * slice_units + k * lanes;

		vectors->spread_pairs(pairs + slice * columns, 2 * columns, row);
		memset(row + 2 * columns, 0, (lanes - 2 * columns) * sizeof *row);
	}
}

void gemm_put_panel_row(const struct gemm_shape *shape, const void *x, size_t columns, void *panel, size_t k)
{
	const struct gemm_vectors *vectors = shape->kernel->vectors;
	const size_t lanes = gemm_lanes(shape), bytes = unit_bytes(shape->mode);
	char *re = (char *)panel + 2 * k * lanes * bytes, *im = re + lanes * bytes;

	if (shape->mode->slices) {
		put_panel_pairs(shape, x, columns, panel, k);
		return;
	}
	if (shape->mode->wide)
		vectors->spread_f64(x, 2 * columns, (double *)re, (double *)im);
	else
		vectors->spread_f32(x, 2 * columns, (float *)re, (float *)im);
	memset(re + 2 * columns * bytes, 0, (lanes - 2 * columns) * bytes);
	memset(im + 2 * columns * bytes, 0, (lanes - 2 * columns) * bytes);
}

/* Stores (re, im) in the row for real parts and (-im, re) in the one for imaginary parts. */
static void put_reals(const struct gemm_shape *shape, void *panel, size_t k, size_t column, const double x[2])
{
	const size_t lanes = gemm_lanes(shape), at = 2 * k * lanes + 2 * column;
	double *wide = panel;
	float *narrow = panel;

	if (shape->mode->wide) {
		wide[at] = x[0], wide[at + 1] = x[1];
		wide[at + lanes] = -x[1], wide[at + lanes + 1] = x[0];
	} else {
		narrow[at] = (float)x[0], narrow[at + 1] = (float)x[1];
		narrow[at + lanes] = -(float)x[1], narrow[at + lanes + 1] = (float)x[0];
	}
}

void gemm_put_element(const struct gemm_shape *shape, void *panel, size_t k, size_t column, const double (*slices)[2])
{
	if (!shape->mode->slices) {
		put_reals(shape, panel, k, column, slices[0]);
		return;
	}
	for (unsigned slice = 0; slice < shape->mode->slices; slice++) {
		uint32_t *at =
			(uint32_t *)panel + slice * panel_slice_units(shape) + k * gemm_lanes(shape) + 2 * column;
		const uint32_t re = bf16_float_bits((float)slices[slice][0]);
		const uint32_t im = bf16_float_bits((float)slices[slice][1]);

		at[0] = bf16_pair(re, im ^ 0x80000000);
		at[1] = bf16_pair(im, re);
	}
}

/* To 8 bits of significand, to nearest even. Exact in double for what the roots of unity need. */
static double round_to_bf16(double x)
{
	int exponent;
	const double fraction = frexp(x, &exponent);

	return ldexp(rint(ldexp(fraction, 8)), exponent - 8);
}

/* Exact modes take the integer part of x 2^7, then of the rest times 2^8 each time; float modes the rounded rest. */
void gemm_slice(const struct gemm_mode *mode, long double x, double ret_slices[GEMM_MAX_SLICES])
{
	ret_slices[0] = (double)x;
	for (unsigned slice = 0; slice < mode->slices && mode->exact; slice++) {
		const long double scale = slice ? 256 : 128;

		ret_slices[slice] = rint((double)(x *= scale));
		x -= ret_slices[slice];
	}
	for (unsigned slice = 0; slice < mode->slices && !mode->exact; slice++) {
		ret_slices[slice] = round_to_bf16((double)x);
		x -= ret_slices[slice];
	}
}

/* Return where one slice of a row, or of a panel, begins. */
static const void *slice_of(const struct gemm_shape *shape, const void *left, size_t rows, size_t row, unsigned slice)
{
	const size_t units = (slice * rows + row) * shape->k * element_units(shape->mode);

	return (const char *)left + units * unit_bytes(shape->mode);
}

static const void *panel_of(const struct gemm_shape *shape, const void *panel, unsigned slice)
{
	return (const char *)panel + slice * panel_slice_units(shape) * unit_bytes(shape->mode);
}

/* Adds all products in one float32 or float64 sum: one chain over all parts. */
static void float_product(const struct gemm_shape *shape, const void *left, size_t rows, const void *panel,
			  struct gemm_tile *tile, size_t first)
{
	const struct gemm_mode *mode = shape->mode;
	const struct gemm_kernel *kernel = shape->kernel;
	struct gemm_part parts[GEMM_FLOAT_PRODUCTS] = {{slice_of(shape, left, rows, first, 0), panel}};

	for (unsigned p = 0; p < mode->n_products; p++) {
		parts[p].a = slice_of(shape, left, rows, first, mode->products[p].a);
		parts[p].b = panel_of(shape, panel, mode->products[p].b);
	}
	tile->parts = parts;
	tile->n_parts = mode->slices ? mode->n_products : 1;
	if (!mode->slices)
		(mode->wide ? kernel->f64 : kernel->f32)(tile);
	else
		(mode->is_short ? kernel->bf16_short : kernel->bf16)(tile);
}

/* Lists the sums of products of equal weight 2^-(14 + 8 (i + j)), as few as stay exact, the smallest weight first. A
 * product of slices has 2 k terms of at most 2^14, so 512 / k of them (`most`) add up to at most 2^24 in float32. */
static void list_sums(const struct gemm_shape *shape, const void *left, size_t rows, const void *panel, size_t first,
		      struct gemm_exact *exact)
{
	const unsigned most = (unsigned)(2 * GEMM_MAX_K / shape->k);
	struct gemm_part *part = exact->parts;

	for (unsigned order = shape->mode->slices; order-- > 0;)
		for (unsigned i = 0; i <= order;) {
			struct gemm_exact_sum *sum = &exact->sums[exact->n_sums++];

			sum->weight = ldexp(1, -14 - 8 * (int)order);
			for (sum->n_parts = 0; sum->n_parts < most && i <= order; sum->n_parts++, i++)
				*part++ = (struct gemm_part){slice_of(shape, left, rows, first, i),
							     panel_of(shape, panel, order - i)};
		}
	assert(exact->n_sums <= GEMM_EXACT_SUMS && part - exact->parts <= GEMM_EXACT_PARTS);
}

/* Computes the sums one by one, for kernels that cannot do more at once. */
static void add_sums(const struct gemm_shape *shape, const struct gemm_exact *exact)
{
	alignas(64) float c[GEMM_MAX_DOT_ROWS * GEMM_MAX_LANES];
	const size_t lanes = gemm_lanes(shape);
	struct gemm_tile tile = {
		.parts = exact->parts,
		.rows = exact->rows,
		.k = exact->k,
		.a_stride = exact->a_stride,
		.c_stride = lanes,
		.c = c,
	};

	for (unsigned s = 0; s < exact->n_sums; s++, tile.parts += tile.n_parts) {
		tile.n_parts = exact->sums[s].n_parts;
		shape->kernel->bf16(&tile);
		shape->kernel->vectors->gather(c, exact->rows * lanes, exact->sums[s].weight, exact->c);
	}
}

static void exact_product(const struct gemm_shape *shape, const void *left, size_t rows, const void *panel,
			  struct gemm_tile *tile, size_t first)
{
	struct gemm_exact exact = {.rows = tile->rows, .k = tile->k, .a_stride = tile->a_stride, .c = tile->c};

	list_sums(shape, left, rows, panel, first, &exact);
	if (shape->kernel->exact)
		shape->kernel->exact(&exact);
	else
		add_sums(shape, &exact);
}

void gemm_begin(const struct gemm_shape *shape)
{
	if (shape->mode->slices && shape->kernel->begin)
		shape->kernel->begin();
}

void gemm_end(const struct gemm_shape *shape)
{
	if (shape->mode->slices && shape->kernel->end)
		shape->kernel->end();
}

/* Exact modes add in float64 themselves, so they start from zeros and never continue a chain of the kernel. */
void gemm_product(const struct gemm_shape *shape, const void *left, size_t rows, size_t first, size_t count,
		  const void *panel, bool add, void *c, size_t c_row)
{
	const struct gemm_mode *mode = shape->mode;
	const size_t row_bytes = c_row * (mode->wide ? 8 : 4), at_once = gemm_rows_at_once(shape);

	assert(shape->k >= 1 && shape->k <= GEMM_MAX_K);
	assert(!mode->exact || c_row == gemm_lanes(shape));
	if (mode->exact && !add)
		memset(c, 0, count * row_bytes);
	for (size_t row = 0; row < count; row += at_once) {
		struct gemm_tile tile = {
			.rows = (unsigned)size_min(count - row, at_once),
			.k = shape->k * element_units(mode),
			.a_stride = shape->k * element_units(mode),
			.c_stride = c_row,
			.c = (char *)c + row * row_bytes,
			.add = add && !mode->exact,
		};

		(mode->exact ? exact_product : float_product)(shape, left, rows, panel, &tile, first + row);
	}
}

void gemm_product_of_rows(const struct gemm_shape *shape, const void *a, size_t a_row, size_t count, const void *panel,
			  void *c, size_t c_row)
{
	enum { K_BLOCK = 128 }; /* rows of a panel that fit the first cache; later blocks continue the chains in c */
	const size_t at_once = gemm_rows_at_once(shape), bytes = unit_bytes(shape->mode), reals = 2 * shape->k;

	assert(shape->k >= 1 && shape->k <= GEMM_MAX_K && !shape->mode->slices);
	for (size_t k = 0; k < reals; k += K_BLOCK)
		for (size_t row = 0; row < count; row += at_once) {
			const struct gemm_part part = {(const char *)a + (row * a_row + k) * bytes,
						       (const char *)panel + k * gemm_lanes(shape) * bytes};
			const struct gemm_tile tile = {
				.parts = &part,
				.n_parts = 1,
				.rows = (unsigned)size_min(count - row, at_once),
				.k = size_min(K_BLOCK, reals - k),
				.a_stride = a_row,
				.c_stride = c_row,
				.c = (char *)c + row * c_row * bytes,
				.add = k > 0,
			};

			(shape->mode->wide ? shape->kernel->f64 : shape->kernel->f32)(&tile);
		}
}
