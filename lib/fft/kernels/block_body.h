/* SPDX-License-Identifier: Apache-2.0 */
/* Moves blocks of LANES columns between a caller's array and scratch.
 *
 * In scratch a row is LANES real parts, then LANES imaginary parts: one element of each of LANES transforms. */

/* A caller's block: element (row, lane) at pairs[2 (row row_step + lane lane_step)]. */
struct LOCAL(block) {
	size_t rows, lanes;          /* lanes: 1 to LANES */
	size_t row_step, lane_step;  /* in pairs */
	bool exchange;               /* real and imaginary parts: for the inverse */
	real scale;                  /* of what is stored; loads leave it out */
};

/* Serve any steps. Lanes that the block lacks become 0. */
static void LOCAL(gather)(const struct LOCAL(block) * block, const real *pairs, real *x)
{
	const bool e = block->exchange;

	for (size_t row = 0; row < block->rows; row++, x += 2 * LANES) {
		const real *from = pairs + 2 * row * block->row_step;

		for (size_t lane = 0; lane < LANES; lane++, from += 2 * block->lane_step) {
			x[lane] = lane < block->lanes ? from[e] : 0;
			x[LANES + lane] = lane < block->lanes ? from[!e] : 0;
		}
	}
}

static void LOCAL(scatter)(const struct LOCAL(block) * block, const real *x, real *pairs)
{
	const bool e = block->exchange;

	for (size_t row = 0; row < block->rows; row++, x += 2 * LANES) {
		real *to = pairs + 2 * row * block->row_step;

		for (size_t lane = 0; lane < block->lanes; lane++, to += 2 * block->lane_step) {
			to[e] = x[lane] * block->scale;
			to[!e] = x[LANES + lane] * block->scale;
		}
	}
}

/* Convert n <= LANES neighbouring pairs to parts, and back. */
INLINE void LOCAL(load_pairs)(const real *from, size_t n, v_order_t order, vec *re, vec *im)
{
	const size_t low = 2 * n < LANES ? 2 * n : LANES;
	const vec a = v_load_part(from, low), b = 2 * n > LANES ? v_load_part(from + LANES, 2 * n - LANES) : v_set(0);

	v_split(order, a, b, re, im);
}

INLINE void LOCAL(store_pairs)(real *to, size_t n, v_order_t order, vec re, vec im)
{
	const size_t low = 2 * n < LANES ? 2 * n : LANES;
	vec a, b;

	v_join(order, re, im, &a, &b);
	v_store_part(to, low, a);
	if (2 * n > LANES)
		v_store_part(to + LANES, 2 * n - LANES, b);
}

/* Convert LANES pairs, those from `at` on or those that end at `mirror` in reverse order, to parts in the lanes that cost the
 * fewest instructions: all four agree. */
INLINE void LOCAL(load_lanes)(const real *at, vec *re, vec *im)
{
#ifdef SIMD_WIDE
	v_split_lanes(false, v_load(at), v_load(at + LANES), re, im);
#else
	LOCAL(load_pairs)(at, LANES, v_order(false), re, im);
#endif
}

INLINE void LOCAL(load_mirrored)(const real *mirror, vec *re, vec *im)
{
	const real *at = mirror - 2 * (LANES - 1);

#ifdef SIMD_WIDE
	v_split_lanes(false, v_reverse_pairs(v_load(at + LANES)), v_reverse_pairs(v_load(at)), re, im);
#else
	LOCAL(load_pairs)(at, LANES, v_order(false), re, im);
	*re = v_reverse(*re);
	*im = v_reverse(*im);
#endif
}

INLINE void LOCAL(store_lanes)(real *at, vec re, vec im)
{
#ifdef SIMD_WIDE
	vec a, b;

	v_join_lanes(false, re, im, &a, &b);
	v_store(at, a);
	v_store(at + LANES, b);
#else
	LOCAL(store_pairs)(at, LANES, v_order(false), re, im);
#endif
}

INLINE void LOCAL(store_mirrored)(real *mirror, vec re, vec im)
{
	real *at = mirror - 2 * (LANES - 1);

#ifdef SIMD_WIDE
	vec a, b;

	v_join_lanes(false, re, im, &a, &b);
	v_store(at, v_reverse_pairs(b));
	v_store(at + LANES, v_reverse_pairs(a));
#else
	LOCAL(store_pairs)(at, LANES, v_order(false), v_reverse(re), v_reverse(im));
#endif
}

/* Serve neighbouring lanes (lane_step 1), fewer than LANES of them. */
static void LOCAL(gather_lanes)(const struct LOCAL(block) * block, const real *pairs, real *x)
{
	const v_order_t order = v_order(block->exchange);

	for (size_t row = 0; row < block->rows; row++, x += 2 * LANES, pairs += 2 * block->row_step) {
		vec re, im;

		LOCAL(load_pairs)(pairs, block->lanes, order, &re, &im);
		v_store(x, re);
		v_store(x + LANES, im);
	}
}

static void LOCAL(scatter_lanes)(const struct LOCAL(block) * block, const real *x, real *pairs)
{
	const v_order_t order = v_order(block->exchange);
	const vec scale = v_set(block->scale);

	for (size_t row = 0; row < block->rows; row++, x += 2 * LANES, pairs += 2 * block->row_step)
		LOCAL(store_pairs)(pairs, block->lanes, order, v_mul(v_load(x), scale),
				   v_mul(v_load(x + LANES), scale));
}

/* Move LANES neighbouring pairs of each of LANES transforms: a square, transposed in registers. */
INLINE void LOCAL(gather_full)(const struct LOCAL(block) * block, const real *pairs, real *x)
{
	const size_t first = block->exchange ? LANES : 0;
	vec r[LANES], i[LANES];

	v_gather_square(pairs, 2 * block->lane_step, r, i);
	for (size_t j = 0; j < LANES; j++) {
		v_store(x + 2 * LANES * j + first, r[j]);
		v_store(x + 2 * LANES * j + LANES - first, i[j]);
	}
}

INLINE void LOCAL(scatter_full)(const struct LOCAL(block) * block, const real *x, real *pairs)
{
	const size_t first = block->exchange ? LANES : 0;
	const vec scale = v_set(block->scale);
	vec r[LANES], i[LANES];

	for (size_t j = 0; j < LANES; j++) {
		r[j] = v_mul(v_load(x + 2 * LANES * j + first), scale);
		i[j] = v_mul(v_load(x + 2 * LANES * j + LANES - first), scale);
	}
	v_scatter_square(pairs, 2 * block->lane_step, r, i);
}

/* Do the same for fewer transforms, or n < LANES pairs of each. */
static void LOCAL(gather_part)(const struct LOCAL(block) * block, size_t n, const real *pairs, real *x)
{
	const v_order_t order = v_order(block->exchange);
	vec re[LANES], im[LANES];

	for (size_t lane = 0; lane < LANES; lane++, pairs += 2 * block->lane_step)
		if (lane < block->lanes)
			LOCAL(load_pairs)(pairs, n, order, &re[lane], &im[lane]);
		else
			re[lane] = im[lane] = v_set(0);
	v_transpose(re);
	v_transpose(im);
	for (size_t i = 0; i < LANES; i++) {
		v_store(x + 2 * LANES * i, re[i]);
		v_store(x + 2 * LANES * i + LANES, im[i]);
	}
}

static void LOCAL(scatter_part)(const struct LOCAL(block) * block, const real *x, size_t n, real *pairs)
{
	const v_order_t order = v_order(block->exchange);
	const vec scale = v_set(block->scale);
	vec re[LANES], im[LANES];

	for (size_t i = 0; i < LANES; i++) {
		re[i] = i < n ? v_mul(v_load(x + 2 * LANES * i), scale) : v_set(0);
		im[i] = i < n ? v_mul(v_load(x + 2 * LANES * i + LANES), scale) : v_set(0);
	}
	v_transpose(re);
	v_transpose(im);
	for (size_t lane = 0; lane < block->lanes; lane++, pairs += 2 * block->lane_step)
		LOCAL(store_pairs)(pairs, n, order, re[lane], im[lane]);
}

/* Serve neighbouring rows (row_step 1), where a transform is contiguous. The buffer has room for whole squares. */
static void LOCAL(gather_rows)(const struct LOCAL(block) * block, const real *pairs, real *x)
{
	size_t row = 0;

	for (; block->lanes == LANES && row + LANES <= block->rows; row += LANES)
		LOCAL(gather_full)(block, pairs + 2 * row, x + 2 * LANES * row);
	for (; row < block->rows; row += LANES)
		LOCAL(gather_part)(block, size_min(LANES, block->rows - row), pairs + 2 * row, x + 2 * LANES * row);
}

static void LOCAL(scatter_rows)(const struct LOCAL(block) * block, const real *x, real *pairs)
{
	size_t row = 0;

	for (; block->lanes == LANES && row + LANES <= block->rows; row += LANES)
		LOCAL(scatter_full)(block, x + 2 * LANES * row, pairs + 2 * row);
	for (; row < block->rows; row += LANES)
		LOCAL(scatter_part)(block, x + 2 * LANES * row, size_min(LANES, block->rows - row), pairs + 2 * row);
}

/* Choose by the layout: contiguous transforms, neighbouring transforms, or neither. */
static void LOCAL(gather_any)(const struct LOCAL(block) * block, const real *pairs, real *x)
{
	if (block->row_step == 1)
		LOCAL(gather_rows)(block, pairs, x);
	else if (block->lane_step == 1)
		LOCAL(gather_lanes)(block, pairs, x);
	else
		LOCAL(gather)(block, pairs, x);
}

static void LOCAL(scatter_any)(const struct LOCAL(block) * block, const real *x, real *pairs)
{
	if (block->row_step == 1)
		LOCAL(scatter_rows)(block, x, pairs);
	else if (block->lane_step == 1)
		LOCAL(scatter_lanes)(block, x, pairs);
	else
		LOCAL(scatter)(block, x, pairs);
}

/* Returns whether the passes can read and write the block in place: its lanes are neighbours and full. */
static bool LOCAL(is_direct)(const struct LOCAL(block) * block)
{
	return block->lanes == LANES && (block->lane_step == 1 || LANES == 1) && block->rows > 1;
}

/* Sets up the input of a block's first pass: the caller's rows where they can be read in place, else a copy in `a`. */
static void LOCAL(block_in)(const struct LOCAL(block) * block, const real *pairs, real *a, struct LOCAL(ends) * ends)
{
	ends->exchange = block->exchange;
	ends->scale = block->scale;
	ends->around = false;
	ends->split = LOCAL(is_direct)(block);
	ends->x = ends->split ? pairs : a;
	ends->x_row = 2 * (ends->split ? block->row_step : LANES);
	if (!ends->split)
		LOCAL(gather_any)(block, pairs, a);
}

/* Transforms a block and stores it: by its last pass where the rows can be written in place, else from a copy. */
static void LOCAL(block_out)(const struct LOCAL(block) * block, real *pairs, struct LOCAL(ends) * ends,
			     const struct fft_columns *columns, real *a, real *b)
{
	ends->exchange = block->exchange;
	ends->scale = block->scale;
	if (LOCAL(is_direct)(block)) {
		ends->y = pairs;
		ends->y_row = 2 * block->row_step;
		LOCAL(transform_columns)(columns, ends, a, b);
	} else {
		ends->y = NULL;
		LOCAL(scatter_any)(block, LOCAL(transform_columns)(columns, ends, a, b), pairs);
	}
}
