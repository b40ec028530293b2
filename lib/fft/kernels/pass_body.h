/* SPDX-License-Identifier: Apache-2.0 */
/* Inner passes over the columns of one block, LANES side by side.
 *
 * Rows in scratch are a vector of real parts and one of imaginary parts. The first pass may read, and the last one may
 * write, a caller's rows of interleaved pairs. */

struct LOCAL(pass) {
	const real *x; /* row i at x + i x_row */
	real *y;
	size_t x_row, y_row;
	size_t m, s;
	const real *twiddles;
	bool exchange; /* real and imaginary parts, of pairs: so the inverse is a forward transform */
	bool around;   /* ROWS: y is stored around the caches */
	real scale;
	struct LOCAL(rows_ahead) * ahead;
};

/* What a pass does besides its butterflies: split pairs on the way in, multiply by twiddles, or join pairs on the way
 * out. The last pass has no twiddles, so TWIDDLE | JOIN means: scale, then join. STREAM, alone, does the same and stores
 * around the caches. ROWS, alone, is a last pass that multiplies each row of the column by the twiddle of that row. */
enum {
	LOCAL(SPLIT) = 1,
	LOCAL(TWIDDLE) = 2,
	LOCAL(JOIN) = 4,
	LOCAL(SCALE) = 6,
	LOCAL(STREAM) = 8,
	LOCAL(ROWS) = 9,
	LOCAL(FLAVOURS) = 10
};

/* Returns what a pass reads: PAIRS, or the PARTS that they were split to. */
INLINE unsigned LOCAL(source_of)(const unsigned flavour)
{
	return flavour < LOCAL(STREAM) && flavour & LOCAL(SPLIT) ? LOCAL(PAIRS) : LOCAL(PARTS);
}

/* Multiplies row k by its twiddle. Row 0 has none: w^0 = 1. */
INLINE void LOCAL(twiddle_row)(const unsigned k, const real *twiddles, vec *re, vec *im)
{
	if (k > 0)
		LOCAL(cmul)(&re[k], &im[k], v_set(twiddles[2 * k - 2]), v_set(twiddles[2 * k - 1]));
}

/* Stores the rows of one part of a butterfly from y on, with what the flavour asks for. Rows are s rows apart. */
INLINE void LOCAL(store_rows)(const struct LOCAL(pass) * a, const unsigned r, const unsigned part, const unsigned flavour,
			      v_order_t order, const real *twiddles, real *y, vec *re, vec *im)
{
	const size_t step = a->s * a->y_row;
	const bool streams = flavour == LOCAL(STREAM), scaled = streams || (flavour & LOCAL(SCALE)) == LOCAL(SCALE);
	const bool around = streams || (flavour == LOCAL(ROWS) && a->around);

	UNROLL for (unsigned k = part; k < r; k += LOCAL(parts_of)(r))
	{
		if ((flavour & LOCAL(SCALE)) == LOCAL(TWIDDLE))
			LOCAL(twiddle_row)(k, twiddles, re, im);
		if (flavour == LOCAL(ROWS))
			LOCAL(cmul)(&re[k], &im[k], v_set(twiddles[2 * k * a->s]), v_set(twiddles[2 * k * a->s + 1]));
		if (scaled) {
			re[k] = v_mul(re[k], v_set(a->scale));
			im[k] = v_mul(im[k], v_set(a->scale));
		}
		if (streams || flavour & LOCAL(JOIN))
			v_join(order, re[k], im[k], &re[k], &im[k]);
		LOCAL(put)(around, y + (k - part) * step, re[k]);
		LOCAL(put)(around, y + (k - part) * step + LANES, im[k]);
	}
}

/* Runs one pass over all p and q (kernel.h). r and flavour are constants, so that each pass compiles to a straight
 * loop. */
INLINE void LOCAL(run_pass)(const struct LOCAL(pass) * a, const unsigned r, const unsigned flavour)
{
	const v_order_t order = v_order(a->exchange);
	const real *x = a->x;
	real *y = a->y;

	for (size_t p = 0; p < a->m; p++, y += (r - 1) * a->s * a->y_row) {
		const real *twiddles = a->twiddles + 2 * (r - 1) * p;

		for (size_t q = 0; q < a->s; q++, x += a->x_row, y += a->y_row) {
			const struct LOCAL(source) from = {.x = x, .step = a->m * a->s * a->x_row, .order = order};
			struct LOCAL(quarters) quarters;
			real *to = y;
			vec re[16], im[16];

			LOCAL(fetch_rows_ahead)(a->ahead);
			UNROLL for (unsigned part = 0; part < LOCAL(parts_of)(r); part++)
			{
				LOCAL(dft_part)(r, part, &from, LOCAL(source_of)(flavour), &quarters, re, im);
				LOCAL(store_rows)(a, r, part, flavour, order, flavour == LOCAL(ROWS) ? twiddles + 2 * q : twiddles,
						  to, re, im);
				to += a->s * a->y_row;
				HIDE(to);
			}
		}
	}
}

typedef void LOCAL(pass_run)(const struct LOCAL(pass) * a);

#define PASS(r, flavour)                                                                                               \
	static void LOCAL(pass_##r##_##flavour)(const struct LOCAL(pass) * a)                                          \
	{                                                                                                              \
		LOCAL(run_pass)(a, r, flavour);                                                                        \
	}
#define PASSES(r) PASS(r, 0) PASS(r, 1) PASS(r, 2) PASS(r, 3) PASS(r, 4) PASS(r, 5) PASS(r, 6) PASS(r, 7) PASS(r, 8) PASS(r, 9)
PASSES(2)
PASSES(4)
PASSES(8)
PASSES(16)

/* Other radices test their flavour at run time: they are rare, and nine copies of each would not pay. */
#define MIXED_PASS(r)                                                                                                  \
	static void LOCAL(mixed_##r)(const struct LOCAL(pass) * a, unsigned flavour)                                   \
	{                                                                                                              \
		LOCAL(run_pass)(a, r, flavour);                                                                        \
	}
MIXED_PASS(3)
MIXED_PASS(5)
MIXED_PASS(6)
MIXED_PASS(7)
MIXED_PASS(9)
MIXED_PASS(10)
MIXED_PASS(11)
MIXED_PASS(12)
MIXED_PASS(13)
MIXED_PASS(15)
#undef MIXED_PASS

/* Powers of two have a function for each flavour. */
static void LOCAL(run_radix)(const struct LOCAL(pass) * a, unsigned radix, unsigned flavour)
{
#define ROW(r)                                                                                                         \
	{                                                                                                              \
		LOCAL(pass_##r##_0), LOCAL(pass_##r##_1), LOCAL(pass_##r##_2), LOCAL(pass_##r##_3),                    \
			LOCAL(pass_##r##_4), LOCAL(pass_##r##_5), LOCAL(pass_##r##_6), LOCAL(pass_##r##_7), LOCAL(pass_##r##_8),          \
			LOCAL(pass_##r##_9)                                                                                               \
	}
	static LOCAL(pass_run) *const powers[][LOCAL(FLAVOURS)] = {ROW(2), ROW(4), ROW(8), ROW(16)};
#undef ROW

#define ROW(r) [r] = LOCAL(mixed_##r)
	static void (*const mixed[])(const struct LOCAL(pass) * a, unsigned flavour) = {
		ROW(3), ROW(5), ROW(6), ROW(7), ROW(9), ROW(10), ROW(11), ROW(12), ROW(13), ROW(15)};
#undef ROW

	if (radix & (radix - 1))
		mixed[radix](a, flavour);
	else
		powers[__builtin_ctz(radix) - 1][flavour](a);
}

/* The two ends of a block's passes: rows in scratch, or a caller's interleaved ones. */
struct LOCAL(ends) {
	const real *x;
	size_t x_row;
	real *y; /* NULL: to scratch */
	size_t y_row;
	bool split, exchange;
	bool around; /* y is stored around the caches */
	const real *row_twiddles; /* of y, which is then rows between stages; else NULL */
	real scale;
	struct LOCAL(rows_ahead) x_ahead, y_ahead; /* of the next block: no rows, or as many as the columns have elements */
};

/* Returns how many of the rows each butterfly prefetches, so that the passes before the last one prefetch all of them. */
static size_t LOCAL(rows_at_once)(const struct fft_columns *columns, size_t rows)
{
	size_t butterflies = 0;

	for (unsigned i = 0; rows > 0 && i + 1 < columns->n_passes; i++)
		butterflies += columns->length / columns->radix[i];
	return butterflies ? (rows + butterflies - 1) / butterflies : 0;
}

/* Transforms LANES columns by way of buffers a and b, of which a may hold the input. Returns where the result lies.
 *
 * Prefetches go between the butterflies: one after the other, they wait for memory while nothing is computed. What the next block
 * reads comes in the last pass, so that few lines lie in the second-level cache beside long columns. */
static real *LOCAL(transform_columns)(const struct fft_columns *columns, const struct LOCAL(ends) * ends, real *a, real *b)
{
	struct LOCAL(pass) pass = {.x = ends->x,
				   .x_row = ends->x_row,
				   .m = columns->length,
				   .s = 1,
				   .twiddles = columns->twiddles,
				   .exchange = ends->exchange,
				   .around = ends->around,
				   .scale = ends->scale};
	struct LOCAL(rows_ahead) x_ahead = ends->x_ahead, y_ahead = ends->y_ahead;
	unsigned flavour = ends->split ? LOCAL(SPLIT) : 0;

	y_ahead.at_once = LOCAL(rows_at_once)(columns, y_ahead.rows);
	for (unsigned i = 0; i < columns->n_passes; i++) {
		const unsigned r = columns->radix[i];
		const bool last = i + 1 == columns->n_passes;

		pass.m /= r;
		x_ahead.at_once = r; /* the last one reads that many rows for a butterfly */
		pass.ahead = last ? &x_ahead : &y_ahead;
		pass.y = last && ends->y ? ends->y : pass.x == b ? a : b;
		pass.y_row = last && ends->y ? ends->y_row : 2 * LANES;
		if (last && ends->row_twiddles) {
			flavour = LOCAL(ROWS);
			pass.twiddles = ends->row_twiddles;
		} else if (!last)
			flavour |= LOCAL(TWIDDLE);
		else if (ends->y)
			flavour |= ends->around ? LOCAL(STREAM) : ends->scale == 1 ? LOCAL(JOIN) : LOCAL(SCALE);
		LOCAL(run_radix)(&pass, r, flavour);
		pass.twiddles += 2 * (r - 1) * pass.m;
		pass.s *= r;
		pass.x = pass.y;
		pass.x_row = 2 * LANES;
		flavour = 0;
	}
	return (real *)pass.x;
}
