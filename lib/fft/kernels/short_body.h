/* SPDX-License-Identifier: Apache-2.0 */
/* Short contiguous transforms, one, two or four side by side in a vector, without a buffer between loads and stores.
 *
 * Let n = rows w. A vector holds w neighbouring elements of each transform, so the first pass, over the rows, needs no
 * shuffles. Each w x w square is then transposed within its lanes for the second pass. The arithmetic is that of
 * pass_body.h with the passes {rows, w}, which serves other strides. */

/* Runs the second pass on w transposed rows of the first one: output k_2 = 0 .. w - 1 is a vector of w neighbouring
 * elements of each transform. */
INLINE void LOCAL(end_second_pass)(const unsigned w, vec *re, vec *im, const bool scaled, real scale)
{
	if (w == 4) {
		LOCAL(dft4)(re, im);
	} else {
		vec er[4] = {re[0], re[2], re[4], re[6]}, ei[4] = {im[0], im[2], im[4], im[6]};
		vec or[4] = {re[1], re[3], re[5], re[7]}, oi[4] = {im[1], im[3], im[5], im[7]};

		LOCAL(dft4)(er, ei);
		LOCAL(dft4)(or, oi);
		LOCAL(join8)(er, ei, or, oi, re, im);
	}
	if (!scaled)
		return;
	UNROLL for (unsigned k = 0; k < w; k++)
	{
		re[k] = v_mul(re[k], v_set(scale));
		im[k] = v_mul(im[k], v_set(scale));
	}
}

/* Does the same on rows that are not transposed yet. */
INLINE void LOCAL(run_second_pass)(const unsigned w, vec *re, vec *im, const bool scaled, real scale)
{
	v_transpose_group(w, re);
	v_transpose_group(w, im);
	LOCAL(end_second_pass)(w, re, im, scaled, scale);
}

/* Stores eight neighbouring elements of four transforms. */
INLINE void LOCAL(store_fours)(const bool exchange, const vec re[2], const vec im[2], real *y,
			       size_t distance)
{
	vec low[2], high[2], out[4];

	v_join_group(4, exchange, re[0], im[0], &low[0], &high[0]);
	v_join_group(4, exchange, re[1], im[1], &low[1], &high[1]);
	v_pair_group(low[0], low[1], &out[0], &out[1]);
	v_pair_group(high[0], high[1], &out[2], &out[3]);
	UNROLL for (unsigned t = 0; t < 4; t++)
	{
		v_store(y + t * distance, out[t]);
	}
}

/* Stores w neighbouring elements of two transforms, or of one, whose second vector then is `distance` behind. */
INLINE void LOCAL(store_twos)(const unsigned w, const bool exchange, vec re, vec im, real *y,
			      size_t distance)
{
	vec a, b;

	v_join_group(w, exchange, re, im, &a, &b);
	v_store(y, a);
	v_store(y + distance, b);
}

/* Stores the four rows of transforms of 4 x 4 points. */
INLINE void LOCAL(store_four_rows)(const bool exchange, const vec *re, const vec *im, real *y, size_t distance)
{
	if (LANES > 8) {
		LOCAL(store_fours)(exchange, re, im, y, distance);
		LOCAL(store_fours)(exchange, re + 2, im + 2, y + 16, distance);
		return;
	}
	UNROLL for (unsigned k = 0; k < 4; k++)
	{
		LOCAL(store_twos)(4, exchange, re[k], im[k], y + 8 * k, LANES == 4 ? LANES : distance);
	}
}

struct LOCAL(group) {
	const real *twiddles; /* [row][re, im vectors] */
	size_t in_distance, out_distance; /* in reals */
	size_t ahead; /* reals from what is read to what is prefetched, or 0 */
	bool around;
	real scale;
};

/* Transforms LANES / w rows. With `fetches`, and rows of which a vector holds at most two, prefetches between the stores. */
INLINE void LOCAL(run_group)(const unsigned rows, const unsigned w, const bool scaled, const bool exchange, const bool fetches,
			     const struct LOCAL(group) * g, const real *x, real *y, struct LOCAL(ahead) * ahead)
{
	const struct LOCAL(source) from = {.x = x, .step = 2 * w, .distance = g->in_distance, .exchange = exchange};
	vec re[16], im[16];

	LOCAL(dft_turned)(rows, &from, w, g->twiddles, re, im);
	if (LANES / w <= 2) {
		UNROLL for (unsigned k = 0; k < rows; k += w)
		{
			LOCAL(run_second_pass)(w, re + k, im + k, scaled, g->scale);
			UNROLL for (unsigned i = 0; i < w; i++)
			{
				LOCAL(store_twos)(w, exchange, re[k + i], im[k + i], y + 2 * (k + rows * i),
						  LANES == w ? LANES : g->out_distance);
				if (fetches)
					LOCAL(fetch_ahead)(ahead);
			}
		}
	} else if (rows == 4) {
		LOCAL(run_second_pass)(w, re, im, scaled, g->scale);
		LOCAL(store_four_rows)(exchange, re, im, y, g->out_distance);
	} else {
		UNROLL for (unsigned k = 0; k < rows; k += 8)
		{
			LOCAL(run_second_pass)(w, re + k, im + k, scaled, g->scale);
			LOCAL(run_second_pass)(w, re + k + 4, im + k + 4, scaled, g->scale);
			UNROLL for (unsigned i = 0; i < 4; i++)
			{
				const vec r[2] = {re[k + i], re[k + 4 + i]}, s[2] = {im[k + i], im[k + 4 + i]};

				LOCAL(store_fours)(exchange, r, s, y + 2 * (k + rows * i), g->out_distance);
			}
		}
	}
}

/* Runs the first pass of 4 x 4 points. */
INLINE void LOCAL(start_fours)(const bool exchange, const struct LOCAL(group) * g, const real *x, vec *re, vec *im)
{
	const struct LOCAL(source) from = {.x = x, .step = 2 * 4, .distance = g->in_distance, .exchange = exchange};

	LOCAL(dft_turned)(4, &from, LOCAL(WIDE_4), g->twiddles, re, im);
}

/* Runs full groups of 4 x 4 points, the first pass of each before the last additions of the one before: on a Zen 4 one
 * pass after the other takes 1.16 to 1.19 times as long. */
INLINE void LOCAL(run_fours)(const bool scaled, const bool exchange, const struct LOCAL(group) * g,
			     struct LOCAL(ahead) * ahead, size_t groups, const real *x, real *y)
{
	const size_t at_once = LANES / 4;
	vec re[4], im[4], next_re[4], next_im[4];

	LOCAL(start_fours)(exchange, g, x, next_re, next_im);
	for (size_t i = 1; i <= groups; i++, y += at_once * g->out_distance) {
		UNROLL for (unsigned k = 0; k < 4; k++)
		{
			re[k] = next_re[k];
			im[k] = next_im[k];
		}
		v_transpose_group(4, re);
		v_transpose_group(4, im);
		if (i < groups)
			x += at_once * g->in_distance;
		ahead->at = x + g->ahead;
		ahead->end = g->ahead ? ahead->at + 1 : ahead->at;
		LOCAL(fetch_ahead)(ahead);
		LOCAL(start_fours)(exchange, g, x, next_re, next_im);
		LOCAL(end_second_pass)(4, re, im, scaled, g->scale);
		LOCAL(store_four_rows)(exchange, re, im, y, g->out_distance);
	}
}

/* Runs one transform as a vector of copies of itself, which read and write in the same place: all loads come before the
 * first store. That is cheaper than zeros around it. */
INLINE void LOCAL(run_one)(const unsigned rows, const unsigned w, const bool exchange, const struct LOCAL(group) * g,
			   const real *x, real *y)
{
	struct LOCAL(group) one = *g;

	one.in_distance = one.out_distance = 0;
	LOCAL(run_group)(rows, w, true, exchange, false, &one, x, y, NULL);
}

/* Runs one group and stores it around the caches, in the order of addresses. Lines in the order of the second pass, which
 * hops between the transforms, reach memory more slowly: 64 points of float32 in 53 instead of 48 ns (Sapphire Rapids). Each
 * store comes with the prefetch of a line: all of a group at once, before its first pass, wait for one another (128 points of
 * float32 in 80 instead of 66 ns, Zen 4). */
INLINE void LOCAL(run_group_around)(const unsigned rows, const unsigned w, const bool exchange,
				    const struct LOCAL(group) * g, const real *x, real *y)
{
	const size_t n = 2 * rows * w;
	_Alignas(64) real result[2 * LOCAL(MOST_ROWS) * LANES];
	struct LOCAL(group) near = *g;

	near.out_distance = n;
	LOCAL(run_group)(rows, w, true, exchange, false, &near, x, result, NULL);
	for (size_t t = 0; t < LANES / w; t++)
		for (size_t i = 0; i < n; i += LANES) {
			v_stream(y + t * g->out_distance + i, v_load(result + t * n + i));
			__builtin_prefetch(x + t * g->in_distance + i + g->ahead);
		}
}

/* How full groups run: where arrays are in the cache, with or without a scale; or with prefetches; or also around the caches. */
enum LOCAL(group_way) { LOCAL(NEAR), LOCAL(NEAR_SCALED), LOCAL(FAR), LOCAL(FAR_AROUND) };

/* Runs full groups. A core waits for about twenty lines at once: prefetches of more go between the stores (128 points of float32
 * in 52 instead of 95 ns, Zen 4). */
INLINE void LOCAL(run_full_groups)(const unsigned rows, const unsigned w, const enum LOCAL(group_way) way,
				   const bool exchange, const struct LOCAL(group) * g, size_t groups, const real *x, real *y)
{
	enum { AT_ONCE_BYTES = 1024 };
	const size_t at_once = LANES / w, reals = at_once * 2 * rows * w;
	const bool spreads = reals * sizeof(real) > AT_ONCE_BYTES;
	struct LOCAL(ahead) ahead = {.step = spreads ? 2 * LANES : reals};

	if (rows == 4 && sizeof(vec) == FFT_WIDTH_BYTES && groups > 1 && way != LOCAL(FAR_AROUND)) { /* 16 registers are too few */
		LOCAL(run_fours)(way != LOCAL(NEAR), exchange, g, &ahead, groups, x, y);
		return;
	}
	for (size_t i = 0; i < groups; i++) {
		ahead.at = x + g->ahead;
		ahead.end = ahead.at + reals;
		if (way == LOCAL(FAR) && !spreads)
			LOCAL(fetch_ahead)(&ahead);
		if (way == LOCAL(FAR_AROUND))
			LOCAL(run_group_around)(rows, w, exchange, g, x, y);
		else
			LOCAL(run_group)(rows, w, way != LOCAL(NEAR), exchange, way == LOCAL(FAR) && spreads, g, x, y, &ahead);
		x += at_once * g->in_distance;
		y += at_once * g->out_distance;
	}
}

/* Full groups, in the cache by a kernel without a multiplication where the scale is 1; then the rest. */
INLINE void LOCAL(run_groups)(const unsigned rows, const unsigned w, const bool exchange, const struct LOCAL(group) * g,
			      size_t count, const real *x, real *y)
{
	const size_t groups = count / (LANES / w), done = groups * (LANES / w);

	if (g->around)
		LOCAL(run_full_groups)(rows, w, LOCAL(FAR_AROUND), exchange, g, groups, x, y);
	else if (g->ahead)
		LOCAL(run_full_groups)(rows, w, LOCAL(FAR), exchange, g, groups, x, y);
	else if (g->scale == 1)
		LOCAL(run_full_groups)(rows, w, LOCAL(NEAR), exchange, g, groups, x, y);
	else
		LOCAL(run_full_groups)(rows, w, LOCAL(NEAR_SCALED), exchange, g, groups, x, y);
	for (size_t t = done; t < count; t++)
		LOCAL(run_one)(rows, w, exchange, g, x + t * g->in_distance, y + t * g->out_distance);
	LOCAL(end_around)(g->around);
}

/* Lengths 16 to 128, the powers of two that group_rows (factor.c) admits; float64 stops at 64. */
static void LOCAL(short_rows)(const struct fft_smooth *smooth, const struct fft_call *call, size_t first, size_t count)
{
	enum { AHEAD_BYTES = 4096 };
	const struct LOCAL(group) g = {.twiddles = smooth->stage[0].twiddles,
				       .in_distance = 2 * call->in_distance,
				       .out_distance = 2 * call->out_distance,
				       .ahead = LOCAL(is_far)(smooth, call) ? AHEAD_BYTES / sizeof(real) : 0,
				       .around = LOCAL(goes_around)(smooth, call),
				       .scale = (real)call->scale};
	const real *x = (const real *)call->in + first * g.in_distance;
	real *y = (real *)call->out + first * g.out_distance;

	if (smooth->n == 16)
		BY_ORDER(call->inverse, LOCAL(run_groups)(4, 4, EXCHANGE, &g, count, x, y));
	else if (smooth->n == 32)
		BY_ORDER(call->inverse, LOCAL(run_groups)(8, 4, EXCHANGE, &g, count, x, y));
	else if (smooth->n == 64 && LOCAL(WIDTH) == 16)
		BY_ORDER(call->inverse, LOCAL(run_groups)(8, 8, EXCHANGE, &g, count, x, y));
	else if (smooth->n == 64)
		BY_ORDER(call->inverse, LOCAL(run_groups)(16, 4, EXCHANGE, &g, count, x, y));
	else if (LOCAL(WIDTH) == 16)
		BY_ORDER(call->inverse, LOCAL(run_groups)(16, 8, EXCHANGE, &g, count, x, y));
}

/* Stores w results of the second pass of LANES columns, `step` reals apart. */
INLINE void LOCAL(store_columns)(const unsigned w, const bool exchange, const bool scaled, real scale, vec *re, vec *im,
				 real *y, size_t step)
{
	UNROLL for (unsigned k = 0; k < w; k++, y += step)
	{
		if (scaled) {
			re[k] = v_mul(re[k], v_set(scale));
			im[k] = v_mul(im[k], v_set(scale));
		}
		v_join_lanes(exchange, re[k], im[k], &re[k], &im[k]);
		v_store(y, re[k]);
		v_store(y + LANES, im[k]);
		HIDE(y);
	}
}

/* Runs the first pass of LANES columns: the butterflies of their elements p, p + w, p + 2 w ... */
INLINE void LOCAL(start_columns)(const unsigned rows, const unsigned w, const bool exchange, const real *twiddles,
				 const real *x, size_t x_row, real *y)
{
	for (size_t p = 0; p < w; p++, x += x_row, twiddles += 2 * (rows - 1), y += 2 * LANES * rows) {
		const struct LOCAL(source) from = {.x = x, .step = w * x_row, .exchange = exchange};
		struct LOCAL(quarters) quarters;
		vec re[16], im[16];

		UNROLL for (unsigned part = 0; part < LOCAL(parts_of)(rows); part++)
		{
			LOCAL(dft_part)(rows, part, &from, LOCAL(FAST_PAIRS), &quarters, re, im);
			UNROLL for (unsigned k = part; k < rows; k += LOCAL(parts_of)(rows))
			{
				LOCAL(twiddle_row)(k, twiddles, re, im);
				v_store(y + 2 * LANES * k, re[k]);
				v_store(y + 2 * LANES * k + LANES, im[k]);
			}
		}
	}
}

INLINE void LOCAL(end_columns)(const unsigned rows, const unsigned w, const bool exchange, const bool scaled,
			       real scale, const real *x, real *y, size_t y_row)
{
	for (size_t q = 0; q < rows; q++, x += 2 * LANES, y += y_row) {
		const struct LOCAL(source) from = {.x = x, .step = 2 * LANES * rows};
		vec re[16], im[16];

		LOCAL(dft_part)(w, 0, &from, LOCAL(PARTS), NULL, re, im);
		LOCAL(store_columns)(w, exchange, scaled, scale, re, im, y, rows * y_row);
	}
}

/* Runs both passes of LANES columns of 4 x 4 elements, of which 32 registers hold the most. */
INLINE void LOCAL(run_four_columns)(const bool exchange, const bool scaled, real scale, const real *twiddles,
				    const real *x, size_t x_row, real *y, size_t y_row)
{
	vec re[4][4], im[4][4];

	UNROLL for (unsigned p = 0; p < 4; p++)
	{
		const struct LOCAL(source) from = {.x = x + p * x_row, .step = 4 * x_row, .exchange = exchange};

		LOCAL(dft4_from)(&from, LOCAL(FAST_PAIRS), 0, 1, re[p], im[p]);
		UNROLL for (unsigned k = 0; k < 4; k++)
		{
			LOCAL(twiddle_row)(k, twiddles + 6 * p, re[p], im[p]);
		}
	}
	UNROLL for (unsigned q = 0; q < 4; q++)
	{
		vec r[4] = {re[0][q], re[1][q], re[2][q], re[3][q]}, i[4] = {im[0][q], im[1][q], im[2][q], im[3][q]};

		LOCAL(dft4)(r, i);
		LOCAL(store_columns)(4, exchange, scaled, scale, r, i, y + q * y_row, 4 * y_row);
	}
}

/* Runs blocks of LANES columns, both passes of a block in one piece of code: through a buffer that stays in the
 * first-level cache, or without one. */
INLINE void LOCAL(run_column_blocks)(const unsigned rows, const unsigned w, const bool exchange, const bool scaled,
				     const struct fft_columns *columns, const struct fft_call *call, size_t blocks,
				     const real *x, real *y)
{
	const real scale = (real)call->scale;
	_Alignas(64) real between[2 * LOCAL(MOST_ROWS) * 4 * LANES];

	for (size_t i = 0; i < blocks; i++, x += 2 * LANES, y += 2 * LANES)
		if (rows == 4) {
			LOCAL(run_four_columns)
			(exchange, scaled, scale, columns->twiddles, x, 2 * call->in_stride, y, 2 * call->out_stride);
		} else {
			LOCAL(start_columns)(rows, w, exchange, columns->twiddles, x, 2 * call->in_stride, between);
			LOCAL(end_columns)(rows, w, exchange, scaled, scale, between, y, 2 * call->out_stride);
		}
}

INLINE void LOCAL(run_short_columns)(const unsigned rows, const unsigned w, const bool exchange,
				     const struct fft_columns *columns, const struct fft_call *call, size_t blocks,
				     const real *x, real *y)
{
	if (call->scale == 1)
		LOCAL(run_column_blocks)(rows, w, exchange, false, columns, call, blocks, x, y);
	else
		LOCAL(run_column_blocks)(rows, w, exchange, true, columns, call, blocks, x, y);
}

/* The same lengths as columns side by side. Returns how many are done: whole vectors of them, none where they go around the caches. */
static size_t LOCAL(short_columns)(const struct fft_smooth *smooth, const struct fft_call *call, size_t first, size_t count)
{
	const struct fft_columns *columns = &smooth->stage[0].columns;
	const size_t blocks = LOCAL(goes_around)(smooth, call) ? 0 : count / LANES;
	const real *x = (const real *)call->in + 2 * first;
	real *y = (real *)call->out + 2 * first;

	if (smooth->n == 16)
		BY_ORDER(call->inverse, LOCAL(run_short_columns)(4, 4, EXCHANGE, columns, call, blocks, x, y));
	else if (smooth->n == 32)
		BY_ORDER(call->inverse, LOCAL(run_short_columns)(8, 4, EXCHANGE, columns, call, blocks, x, y));
	else if (smooth->n == 64 && LOCAL(WIDTH) == 16)
		BY_ORDER(call->inverse, LOCAL(run_short_columns)(8, 8, EXCHANGE, columns, call, blocks, x, y));
	else if (smooth->n == 64)
		BY_ORDER(call->inverse, LOCAL(run_short_columns)(16, 4, EXCHANGE, columns, call, blocks, x, y));
	else
		return 0;
	return blocks * LANES;
}
