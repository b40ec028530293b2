/* SPDX-License-Identifier: Apache-2.0 */
/* Two stages over contiguous pairs with a single buffer between them; or one stage, whose first pass is the first of them.
 *
 * The first stage, of `rows` points, reads the input once, multiplies by the twiddles and stores its columns
 * transposed. The second stage transforms them in place and writes the result once. The arithmetic is that of
 * stage_body.h. The buffer has a slab for each LANES of the rows, and the lanes that they leave in the last one are idle; or
 * `rows` is half of WIDTH, and two transforms share each vector of the buffer where LANES is WIDTH.
 *
 * The second stage works in place (decimation in frequency): pass i leaves digit k_i of the result's index where it
 * found digit j_i of the input's. So the last pass's row of digits k_0, k_1 ... belongs at k_0 + r_0 (k_1 + r_1 (...)).
 *
 * Large calls (far_body.h) prefetch the next transform, because rows n / LANES apart escape the CPU's own prefetching. */

enum { LOCAL(WIDTH) = FFT_WIDTH_BYTES / sizeof(real), LOCAL(MOST_ROWS) = 16 };

/* One or two transforms that go through the buffer together. */
struct LOCAL(flat) {
	size_t m, slab, twiddle_rows; /* columns; reals of a slab; rows of a block's twiddles */
	const real *x[2];
	bool exchange;
	const real *twiddles;
	real *buffer;
};

/* Transforms columns [p, p + count) of a transform and multiplies row k by its twiddles. */
INLINE void LOCAL(flat_columns)(const unsigned rows, const bool whole, const bool exchange, const real *x, size_t m,
				size_t count, const real *twiddles, vec *re, vec *im)
{
	const struct LOCAL(source) from = {.x = x, .step = 2 * m, .distance = count, .exchange = exchange};

	LOCAL(dft_turned)(rows, &from, whole ? LOCAL(FAST_PAIRS) : LOCAL(SOME_FAST_PAIRS), twiddles, re, im);
}

/* Stores LANES rows of a block transposed: element by element to the rows from `to` on. Both the elements in the lanes of
 * a block and the rows in the lanes of the buffer are in the order of v_lane. */
INLINE void LOCAL(flat_store)(const vec *re, const vec *im, real *to)
{
	vec part[LANES];

	UNROLL for (unsigned lane = 0; lane < LANES; lane++)
	{
		part[lane] = re[v_lane(lane)];
	}
	v_transpose(part);
	UNROLL for (unsigned lane = 0; lane < LANES; lane++)
	{
		v_store(to + 2 * LANES * v_lane(lane), part[lane]);
	}
	UNROLL for (unsigned lane = 0; lane < LANES; lane++)
	{
		part[lane] = im[v_lane(lane)];
	}
	v_transpose(part);
	UNROLL for (unsigned lane = 0; lane < LANES; lane++)
	{
		v_store(to + 2 * LANES * v_lane(lane) + LANES, part[lane]);
	}
}

/* Transforms a block of columns and stores it to rows p + lane of each slab. */
INLINE void LOCAL(flat_block)(const unsigned rows, const bool whole, const bool exchange, const struct LOCAL(flat) * f,
			      size_t p, const real *twiddles)
{
	const size_t count = whole ? LANES : f->m - p;
	real *to = f->buffer + 2 * LANES * p;
	vec re[LOCAL(MOST_ROWS)], im[LOCAL(MOST_ROWS)];

	LOCAL(flat_columns)(rows, whole, exchange, f->x[0] + 2 * p, f->m, count, twiddles, re, im);
	if (2 * rows == LANES)
		LOCAL(flat_columns)(rows, whole, exchange, f->x[1] + 2 * p, f->m, count, twiddles, re + rows,
				    im + rows);
	UNROLL for (unsigned k = 2 * rows == LANES ? LANES : rows; k % LANES; k++)
	{
		re[k] = im[k] = v_set(0);
	}
	UNROLL for (unsigned k = 0; k < rows; k += LANES, to += f->slab)
	{
		LOCAL(flat_store)(re + k, im + k, to);
	}
}

/* Runs the first stage: block by block of LANES columns. The last one overlaps the one before, and has twiddles of its own, which
 * follow those of all blocks. Loads of a part of a vector would take a detour through microcode of 130 ns (Zen 4) where the
 * other part lies in a page that nothing has touched. Only fewer columns than LANES are loaded so. */
INLINE void LOCAL(flat_first)(const unsigned rows, const bool exchange, const struct LOCAL(flat) * f,
			      struct LOCAL(ahead) * ahead)
{
	const real *twiddles = f->twiddles;
	size_t p = 0;

	for (; p + LANES <= f->m; p += LANES, twiddles += 2 * LANES * f->twiddle_rows) {
		LOCAL(fetch_ahead)(ahead);
		LOCAL(flat_block)(rows, true, exchange, f, p, twiddles);
	}
	if (p > 0 && p < f->m)
		LOCAL(flat_block)(rows, true, exchange, f, f->m - LANES, twiddles + 2 * LANES * f->twiddle_rows);
	else if (p < f->m)
		LOCAL(flat_block)(rows, false, exchange, f, p, twiddles);
}

/* Runs one pass in place over blocks of r m rows: row p + m k becomes w^(p k) times output k of the butterfly over the
 * rows p + m j. */
INLINE void LOCAL(flat_pass)(const unsigned r, size_t blocks, size_t m, const real *twiddles, real *buffer,
			     struct LOCAL(ahead) * ahead)
{
	const size_t step = 2 * LANES * m;
	const unsigned parts = LOCAL(parts_of)(r);

	for (size_t block = 0; block < blocks; block++, buffer += r * step)
		for (size_t p = 0; p < m; p++) {
			real *at = buffer + 2 * LANES * p;
			const struct LOCAL(source) from = {.x = at, .step = step};
			struct LOCAL(quarters) quarters;
			vec re[16], im[16];

			LOCAL(fetch_ahead)(ahead);
			UNROLL for (unsigned part = 0; part < parts; part++)
			{
				LOCAL(dft_part)(r, part, &from, LOCAL(PARTS), &quarters, re, im);
				UNROLL for (unsigned k = part; k < r; k += parts)
				{
					LOCAL(twiddle_row)(k, twiddles + 2 * (r - 1) * p, re, im);
					v_store(at + (k - part) * step, re[k]);
					v_store(at + (k - part) * step + LANES, im[k]);
				}
				at += step;
				HIDE(at);
			}
		}
}

/* How results are stored: as they are, multiplied by the scale, also around the caches, or also without the pairs of
 * idle lanes: in the first of a row's two vectors and a part of the second, or in a part of the first. */
enum LOCAL(flat_end) { LOCAL(PLAIN), LOCAL(SCALED), LOCAL(AROUND), LOCAL(PART_OF_TWO), LOCAL(PART_OF_ONE) };

/* Where results go: a vector of pairs to `low`, the next one to `high`. */
struct LOCAL(flat_out) {
	real *low, *high;
	size_t row;   /* reals from one row of results to the next */
	size_t part; /* reals of the vector that is stored in part */
	bool exchange;
	enum LOCAL(flat_end) end;
	real scale;
};

/* Stores one row of results. */
INLINE void LOCAL(flat_put)(const enum LOCAL(flat_end) end, const bool exchange, const struct LOCAL(flat_out) * out,
			    size_t kept, real *low, real *high, vec re, vec im)
{
	vec a, b;

	if (end != LOCAL(PLAIN)) {
		re = v_mul(re, v_set(out->scale));
		im = v_mul(im, v_set(out->scale));
	}
	v_join_lanes(exchange, re, im, &a, &b);
	if (end == LOCAL(AROUND)) {
		v_stream(low, a);
		v_stream(high, b);
	} else if (end == LOCAL(PART_OF_ONE)) {
		v_store_part(low, kept, a);
	} else {
		v_store(low, a);
		if (end == LOCAL(PART_OF_TWO))
			v_store_part(high, kept, b);
		else
			v_store(high, b);
	}
}

/* Runs the last pass and stores each row at the place that its digits give. */
INLINE void LOCAL(flat_last)(const unsigned r, const struct fft_columns *columns, const enum LOCAL(flat_end) end,
			     const bool exchange, const struct LOCAL(flat_out) * out, const real *buffer)
{
	const size_t blocks = columns->length / r, step = out->row * blocks, kept = out->part;
	const unsigned parts = LOCAL(parts_of)(r);
	struct fft_digits digits;

	fft_count_from_zero(&digits, columns);
	for (size_t block = 0; block < blocks; block++, buffer += 2 * LANES * r, fft_count(&digits, columns)) {
		const struct LOCAL(source) from = {.x = buffer, .step = 2 * LANES};
		real *low = out->low + digits.place * out->row, *high = out->high + digits.place * out->row;
		struct LOCAL(quarters) quarters;
		vec re[16], im[16];

		UNROLL for (unsigned part = 0; part < parts; part++)
		{
			LOCAL(dft_part)(r, part, &from, LOCAL(PARTS), &quarters, re, im);
			UNROLL for (unsigned k = part; k < r; k += parts)
			{
				LOCAL(flat_put)(end, exchange, out, kept, low + (k - part) * step,
						high + (k - part) * step, re[k], im[k]);
			}
			low += step;
			high += step;
			HIDE(low);
			HIDE(high);
		}
	}
}

/* The rows are a constant in each call, so that each is compiled without branches on them. */
INLINE void LOCAL(flat_first_of)(size_t rows, const struct LOCAL(flat) * f, struct LOCAL(ahead) * ahead)
{
#define FIRST(rows)                                                                                                    \
	case rows:                                                                                                     \
		BY_ORDER(f->exchange, LOCAL(flat_first)(rows, EXCHANGE, f, ahead));                                    \
		break
	switch (rows) {
		FIRST(4);
		FIRST(5);
		FIRST(7);
		FIRST(8);
		FIRST(9);
		FIRST(10);
		FIRST(11);
		FIRST(12);
		FIRST(13);
		FIRST(15);
		FIRST(16);
	}
#undef FIRST
}

/* Returns the columns of the second stage: of a plan of one stage, those of its passes after the first. */
static struct fft_columns LOCAL(second_columns)(const struct fft_smooth *smooth, size_t rows)
{
	struct fft_columns columns = smooth->stage[smooth->n_stages - 1].columns;

	if (smooth->n_stages > 1)
		return columns;
	columns.length /= rows;
	columns.n_passes--;
	memmove(columns.radix, columns.radix + 1, columns.n_passes);
	columns.twiddles = (real *)columns.twiddles + 2 * (rows - 1) * columns.length;
	return columns;
}

#define FLAT_PASS(r)                                                                                                   \
	static void LOCAL(flat_pass_##r)(size_t blocks, size_t m, const real *twiddles, real *buffer,                  \
					 struct LOCAL(ahead) * ahead)                                                  \
	{                                                                                                              \
		LOCAL(flat_pass)(r, blocks, m, twiddles, buffer, ahead);                                               \
	}
#define LAST(r, end) BY_ORDER(out->exchange, LOCAL(flat_last)(r, columns, end, EXCHANGE, out, buffer))

/* Powers of two have code for each way to store. Of other radices, two ways share code that tests for them. */
#define FLAT_POWER(r)                                                                                                  \
	FLAT_PASS(r)                                                                                                   \
	static void LOCAL(flat_last_##r)(const struct fft_columns *columns, const struct LOCAL(flat_out) * out,        \
					 const real *buffer)                                                           \
	{                                                                                                              \
		if (out->end == LOCAL(PLAIN))                                                                          \
			LAST(r, LOCAL(PLAIN));                                                                         \
		else if (out->end == LOCAL(SCALED))                                                                    \
			LAST(r, LOCAL(SCALED));                                                                        \
		else if (out->end == LOCAL(AROUND))                                                                    \
			LAST(r, LOCAL(AROUND));                                                                        \
		else if (out->end == LOCAL(PART_OF_TWO))                                                               \
			LAST(r, LOCAL(PART_OF_TWO));                                                                   \
		else                                                                                                   \
			LAST(r, LOCAL(PART_OF_ONE));                                                                   \
	}
#define FLAT_MIXED(r)                                                                                                  \
	FLAT_PASS(r)                                                                                                   \
	static void LOCAL(flat_last_##r)(const struct fft_columns *columns, const struct LOCAL(flat_out) * out,        \
					 const real *buffer)                                                           \
	{                                                                                                              \
		if (out->end == LOCAL(PLAIN))                                                                          \
			LAST(r, LOCAL(PLAIN));                                                                         \
		else if (out->end == LOCAL(PART_OF_TWO))                                                               \
			LAST(r, LOCAL(PART_OF_TWO));                                                                   \
		else if (out->end == LOCAL(PART_OF_ONE))                                                               \
			LAST(r, LOCAL(PART_OF_ONE));                                                                   \
		else                                                                                                   \
			LAST(r, out->end == LOCAL(AROUND) ? LOCAL(AROUND) : LOCAL(SCALED));                            \
	}
FLAT_POWER(2)
FLAT_POWER(4)
FLAT_POWER(8)
FLAT_POWER(16)
FLAT_MIXED(3)
FLAT_MIXED(5)
FLAT_MIXED(6)
FLAT_MIXED(7)
FLAT_MIXED(9)
FLAT_MIXED(10)
FLAT_MIXED(11)
FLAT_MIXED(12)
FLAT_MIXED(13)
FLAT_MIXED(15)
#undef FLAT_PASS
#undef FLAT_POWER
#undef FLAT_MIXED
#undef LAST

/* Runs the second stage by the functions of its radices, the last of which stores the result. */
static void LOCAL(flat_second)(const struct fft_columns *columns, const struct LOCAL(flat_out) * out, real *buffer,
			       struct LOCAL(ahead) * ahead)
{
#define ROW(r) [r] = {LOCAL(flat_pass_##r), LOCAL(flat_last_##r)}
	static const struct {
		void (*pass)(size_t blocks, size_t m, const real *twiddles, real *buffer, struct LOCAL(ahead) * ahead);
		void (*last)(const struct fft_columns *columns, const struct LOCAL(flat_out) * out, const real *buffer);
	} radices[17] = {ROW(2), ROW(3),  ROW(4),  ROW(5),  ROW(6),  ROW(7),  ROW(8),
			 ROW(9), ROW(10), ROW(11), ROW(12), ROW(13), ROW(15), ROW(16)};
#undef ROW
	const real *twiddles = columns->twiddles;
	size_t blocks = 1, m = columns->length;
	unsigned i = 0;

	for (; i + 1 < columns->n_passes; i++, blocks *= columns->radix[i - 1]) {
		const unsigned r = columns->radix[i];

		m /= r;
		radices[r].pass(blocks, m, twiddles, buffer, ahead);
		twiddles += 2 * (r - 1) * m;
	}
	radices[columns->radix[i]].last(columns, out, buffer);
}

/* Returns the steps in which a transform prefetches the next one: the blocks of its first stage and the butterflies of
 * its passes. The last pass has none, because it stores the result. */
static size_t LOCAL(flat_steps)(const struct fft_columns *columns, size_t slabs)
{
	size_t steps = columns->length / LANES;

	for (unsigned i = 0; i + 1 < columns->n_passes; i++)
		steps += slabs * (columns->length / columns->radix[i]);
	return steps;
}

/* Returns how rows are stored whose vectors are whole. */
static enum LOCAL(flat_end) LOCAL(whole_end)(const struct fft_call *call, bool around)
{
	return around ? LOCAL(AROUND) : call->scale == 1 ? LOCAL(PLAIN) : LOCAL(SCALED);
}

/* Returns how rows are stored of whose last vectors the transform has so many reals. */
static enum LOCAL(flat_end) LOCAL(end_of)(size_t reals, enum LOCAL(flat_end) end, struct LOCAL(flat_out) * out)
{
	if (reals >= 2 * LANES)
		return end;
	out->part = reals > LANES ? reals - LANES : reals;
	return reals > LANES ? LOCAL(PART_OF_TWO) : LOCAL(PART_OF_ONE);
}

/* A last transform alone goes as a pair of itself, which writes in one place: all loads come before the first store. */
static void LOCAL(flat_by_buffer)(const struct fft_smooth *smooth, const struct fft_call *call, size_t first, size_t count,
				  void *scratch)
{
	enum { AHEAD_BYTES = 64 << 10 }; /* more would evict this transform from the second-level cache */
	const size_t rows = smooth->flat_rows ? smooth->flat_rows : smooth->stage[0].columns.radix[0];
	const size_t at_once = 2 * rows == LANES ? 2 : 1, after = first + count;
	const size_t in = 2 * call->in_distance, to = 2 * call->out_distance;
	const size_t reals = (at_once - 1) * in + 2 * smooth->n;
	const bool far = reals * sizeof(real) <= AHEAD_BYTES && LOCAL(is_far)(smooth, call);
	const bool around = rows * at_once % LANES == 0 && LOCAL(goes_around)(smooth, call);
	const enum LOCAL(flat_end) end = LOCAL(whole_end)(call, around);
	const struct fft_columns columns = LOCAL(second_columns)(smooth, rows);
	struct LOCAL(ahead) ahead = {.at = NULL};
	struct LOCAL(flat) f = {.m = columns.length,
				.slab = 2 * LANES * ((columns.length + LANES - 1) / LANES * LANES),
				.twiddle_rows = smooth->row,
				.exchange = call->inverse,
				.twiddles = smooth->stage[0].twiddles,
				.buffer = scratch};
	struct LOCAL(flat_out) out = {.row = 2 * rows, .exchange = call->inverse, .scale = (real)call->scale};

	if (far) /* one alone does without its divisions, some 2 ns */
		ahead = LOCAL(plan_ahead)(reals, LOCAL(flat_steps)(&columns, smooth->row / LANES));
	for (size_t b = first; b < after; b += at_once) {
		const bool alone = b + at_once > after;

		f.x[0] = (const real *)call->in + b * in;
		f.x[1] = f.x[0] + (alone ? 0 : in);
		ahead.at = f.x[0] + at_once * in;
		ahead.end = far && b + 2 * at_once <= after ? ahead.at + reals : ahead.at;
		out.low = (real *)call->out + b * to;
		out.high = out.low + (alone ? 0 : at_once == 2 ? to : LANES);
		LOCAL(flat_first_of)(rows, &f, &ahead);
		for (size_t row = 0; row < rows; row += LANES, out.low += 2 * LANES, out.high += 2 * LANES) {
			out.end = LOCAL(end_of)(2 * (at_once * rows - row), end, &out);
			LOCAL(flat_second)(&columns, &out, f.buffer + row / LANES * f.slab, &ahead);
		}
	}
	LOCAL(end_around)(around);
}
