/* SPDX-License-Identifier: Apache-2.0 */
/* Outer passes (stages), each on blocks of LANES columns: the functions of struct fft_ops.
 *
 *     caller's in --block_in--> columns in scratch --transforms--> x twiddles, transposed --> between[0]
 *     between[0]  --rows_in---> columns in scratch --transforms, x twiddles---------------> between[1]   (middle stages)
 *     between[i]  --rows_in---> columns in scratch --transforms--> caller's out, in natural order
 *
 * The first stage's lanes are neighbouring p. A transpose in registers makes each of them a row of the buffer, and with
 * that the lanes of all later stages neighbouring q. */

/* Returns the second of a pair of column buffers, between which the inner passes go to and fro. */
static real *LOCAL(second_buffer)(const struct fft_columns *columns, real *a)
{
	return a + fft_columns_bytes(columns->length, LANES, sizeof(real)) / sizeof(real);
}

/* One stage, or joined ones: LANES transforms are the lanes of the vectors, and each is one column. What it streams is the
 * caller's to end. */
static void LOCAL(run_direct)(const struct fft_smooth *smooth, const struct fft_call *call, size_t run_first, size_t count,
			  void *scratch)
{
	const struct fft_columns *columns = smooth->joined.length ? &smooth->joined : &smooth->stage[0].columns;
	const struct LOCAL(block) in = {columns->length, count, call->in_stride, call->in_distance, call->inverse, 1};
	const struct LOCAL(block) out = {columns->length, count, call->out_stride, call->out_distance,
					 call->inverse, (real)call->scale};
	real *a = scratch, *b = LOCAL(second_buffer)(columns, a);
	struct LOCAL(ends) ends = {.y = NULL};

	LOCAL(block_in)(&in, (const real *)call->in + 2 * run_first * call->in_distance, a, &ends);
	if (LOCAL(is_far)(smooth, call) && call->in_stride == 1 && call->out_stride == 1) {
		ends.x_ahead = LOCAL(rows_after)((const real *)call->in + 2 * (run_first + count) * call->in_distance, columns->length);
		ends.y_ahead = LOCAL(rows_after)((const real *)call->out + 2 * (run_first + count) * call->out_distance, columns->length);
	}
	/* A pass that reads and writes the caller's rows does not stream. */
	ends.around = call->out_distance == 1 && columns->n_passes > 1 && LOCAL(goes_around)(smooth, call);
	LOCAL(block_out)(&out, (real *)call->out + 2 * run_first * call->out_distance, &ends, columns, a, b);
}

/* Multiplies one square of the first stage's result by its twiddles and transposes it: each lane becomes a row of the
 * buffer. The first row has no twiddles where has_zero. */
INLINE void LOCAL(twiddle_square)(const bool exchanged, const real *twiddles, const real *bases, bool has_zero, size_t n,
				  size_t lanes, const real *x, real *to, size_t to_row, const bool around)
{
	vec re[LANES], im[LANES];

	UNROLL for (size_t i = 0; i < LANES; i++)
	{
		vec c = v_load(twiddles + 2 * LANES * i), s = v_load(twiddles + 2 * LANES * i + LANES);

#ifdef SIMD_WIDE
		if (exchanged) {
			c = v_natural(c);
			s = v_natural(s);
		}
#else
		(void)exchanged;
#endif
		if (bases)
			LOCAL(cmul)(&c, &s, v_set(bases[2 * i]), v_set(bases[2 * i + 1]));
		re[i] = i < n ? v_load(x + 2 * LANES * i) : v_set(0);
		im[i] = i < n ? v_load(x + 2 * LANES * i + LANES) : v_set(0);
		if (i > 0 || !has_zero)
			LOCAL(cmul)(&re[i], &im[i], c, s);
	}
	v_transpose(re);
	v_transpose(im);
	UNROLL for (size_t lane = 0; lane < LANES; lane++)
	{
		if (lane < lanes) {
			LOCAL(put)(around, to + lane * to_row, re[lane]);
			LOCAL(put)(around, to + lane * to_row + LANES, im[lane]);
		}
	}
}

/* Handles all squares of a block. `bases` is NULL where the stage keeps all its twiddles. Full squares come first, so
 * that the compiler drops their checks. */
INLINE void LOCAL(twiddle_squares)(const bool exchanged, const struct fft_smooth *smooth, const real *twiddles,
				   const real *bases, size_t lanes, const real *x, real *to, const bool around)
{
	const size_t rows = smooth->stage[0].columns.length, to_row = 2 * smooth->pitch;
	size_t row = 0;

	for (; lanes == LANES && row + LANES <= rows; row += LANES)
		LOCAL(twiddle_square)(exchanged, twiddles + 2 * LANES * row, bases ? bases + 2 * row : NULL, row == 0,
				      LANES, LANES, x + 2 * LANES * row, to + 2 * row, to_row, around);
	for (; row < rows; row += LANES)
		LOCAL(twiddle_square)(exchanged, twiddles + 2 * LANES * row, bases ? bases + 2 * row : NULL, row == 0,
				      size_min(LANES, rows - row), lanes, x + 2 * LANES * row, to + 2 * row, to_row, around);
}

/* Does the same to a full square by the twiddles of the square that mirrors it, [lane][row] for [row][lane]. */
INLINE void LOCAL(twiddle_mirrored_square)(const real *twiddles, const real *x, real *to, size_t to_row)
{
	vec re[LANES], im[LANES];

	UNROLL for (size_t i = 0; i < LANES; i++)
	{
		re[i] = v_load(x + 2 * LANES * i);
		im[i] = v_load(x + 2 * LANES * i + LANES);
	}
	v_transpose(re);
	v_transpose(im);
	UNROLL for (size_t lane = 0; lane < LANES; lane++)
	{
		LOCAL(cmul)(&re[lane], &im[lane], v_load(twiddles + 2 * LANES * lane),
			    v_load(twiddles + 2 * LANES * lane + LANES));
		v_store(to + lane * to_row, re[lane]);
		v_store(to + lane * to_row + LANES, im[lane]);
	}
}

/* Returns whether the table w^(p row) is a square of whole squares, so that it equals its mirror image. */
INLINE bool LOCAL(is_mirrored)(const struct fft_stage *stage)
{
	return stage->full_twiddles && stage->m == stage->columns.length && stage->m % LANES == 0;
}

/* Handles all squares of block `item` by the half of the table up to its diagonal: 65536 points need the cache for their
 * input, work and output, and the whole table of float32 takes 512 KiB. */
static void LOCAL(twiddle_mirrored)(const struct fft_smooth *smooth, size_t item, const real *x, real *to)
{
	const size_t rows = smooth->stage[0].columns.length, to_row = 2 * smooth->pitch, diagonal = LANES * item;
	const real *table = smooth->stage[0].twiddles;

	for (size_t row = 0; row <= diagonal; row += LANES)
		LOCAL(twiddle_square)(false, table + 2 * (diagonal * rows + LANES * row), NULL, row == 0, LANES, LANES,
				      x + 2 * LANES * row, to + 2 * row, to_row, false);
	for (size_t row = diagonal + LANES; row < rows; row += LANES)
		LOCAL(twiddle_mirrored_square)(table + 2 * (row * rows + LANES * diagonal), x + 2 * LANES * row,
					       to + 2 * row, to_row);
}

/* Returns whether rows between stages are stored around the caches. A caller's array may be any buffer. */
INLINE bool LOCAL(buffer_goes_around)(const struct fft_smooth *smooth, const real *rows)
{
#ifdef SIMD_WIDE
	return smooth->exceeds_l3 && (uintptr_t)rows % 64 == 0;
#else
	(void)smooth, (void)rows;
	return false;
#endif
}

/* Writes the result of a block of the first stage to the buffer: item is its number, to the first row that it makes. */
static void LOCAL(twiddle_columns)(const struct fft_smooth *smooth, size_t item, size_t lanes, const real *x, real *to)
{
	const struct fft_stage *stage = &smooth->stage[0];
	const real *twiddles = stage->twiddles, *bases = stage->bases;
	const size_t per_width = FFT_WIDTH_BYTES / sizeof(real) / LANES; /* items */
	const real *lane_rows = twiddles + 2 * LANES * (item % per_width) * smooth->row;

	if (LANES_DEALT && smooth->lanes_dealt)
		LOCAL(twiddle_squares)(true, smooth, twiddles + 2 * LANES * item * smooth->row, NULL, lanes, x, to, false);
	else if (LOCAL(is_mirrored)(stage))
		LOCAL(twiddle_mirrored)(smooth, item, x, to);
	else if (stage->full_twiddles)
		LOCAL(twiddle_squares)(false, smooth, twiddles + 2 * LANES * item * smooth->row, NULL, lanes, x, to, false);
	else if (LOCAL(buffer_goes_around)(smooth, to))
		LOCAL(twiddle_squares)(false, smooth, lane_rows, bases + 2 * (item / per_width) * smooth->row, lanes, x,
				       to, true);
	else
		LOCAL(twiddle_squares)(false, smooth, lane_rows, bases + 2 * (item / per_width) * smooth->row, lanes, x,
				       to, false);
}

/* Transforms the columns of one block of the first stage. Returns where the result lies. */
static real *LOCAL(first_columns)(const struct fft_smooth *smooth, const struct fft_call *call,
				  const struct fft_place *at, size_t lanes, real *a)
{
	const struct fft_stage *stage = &smooth->stage[0];
	const struct LOCAL(block) in = {stage->columns.length, lanes, stage->m * call->in_stride, call->in_stride,
					call->inverse, 1};
	const real *from = (const real *)call->in + 2 * (at->b * call->in_distance + at->p * call->in_stride);
	struct LOCAL(ends) ends = {.y = NULL};

	if (smooth->exceeds_l2 && call->in_stride == 1)
		ends.x_ahead = LOCAL(rows_beside)(from, 2 * in.row_step, in.rows);
	LOCAL(block_in)(&in, from, a, &ends);
	return LOCAL(transform_columns)(&stage->columns, &ends, a, LOCAL(second_buffer)(&stage->columns, a));
}

/* Returns the buffer that a stage reads. */
INLINE real *LOCAL(buffer_before)(unsigned stage, const struct fft_place *at)
{
	return at->between[stage % 2 ? 0 : 1];
}

/* Returns where the first row begins that column p, repetition rep makes, in a buffer that stage `next` reads. */
INLINE size_t LOCAL(row_of)(const struct fft_stage *next, size_t pitch, size_t p, size_t rep)
{
	return p / next->m * next->step + (p % next->m * next->reps + rep) * pitch;
}

/* Transforms the columns of all blocks before any twiddles: one block's work fills the wait for another's stores. */
static void LOCAL(run_first)(const struct fft_smooth *smooth, const struct fft_call *call, const struct fft_place *at,
			 size_t count, void *scratch)
{
	const size_t m = smooth->stage[0].m;
	const real *result[FFT_MAX_TOGETHER];

	for (size_t i = 0; i < count; i++)
		result[i] = LOCAL(first_columns)(smooth, call, &at[i], size_min(LANES, m - at[i].p),
						 (real *)((char *)scratch + i * smooth->columns_bytes));
	for (size_t i = 0; i < count; i++)
		LOCAL(twiddle_columns)(smooth, at[i].p / LANES, size_min(LANES, m - at[i].p), result[i],
				    LOCAL(buffer_before)(1, &at[i]) +
					    2 * LOCAL(row_of)(&smooth->stage[1], smooth->pitch, at[i].p, 0));
}

/* Sets rows between stages as the input. */
INLINE void LOCAL(rows_in)(const struct fft_smooth *smooth, const struct fft_stage *stage, const struct fft_place *at,
			   const real *from, struct LOCAL(ends) * ends)
{
	ends->x = from + 2 * ((at->p * stage->reps + at->rep) * smooth->pitch + at->lane);
	ends->x_row = 2 * stage->step;
	ends->split = false;
	if (smooth->exceeds_l2)
		ends->x_ahead = LOCAL(rows_beside)(ends->x, ends->x_row, stage->columns.length);
}

/* All lanes of a block share p, so a row has one twiddle. */
static void LOCAL(middle_block)(const struct fft_smooth *smooth, unsigned index, const struct fft_place *at, real *a)
{
	const struct fft_stage *stage = &smooth->stage[index];
	real *y = LOCAL(buffer_before)(index + 1, at) + 2 * (LOCAL(row_of)(&stage[1], smooth->pitch, at->p, at->rep) + at->lane);
	struct LOCAL(ends) ends = {.y = y,
				   .y_row = 2 * stage->reps * smooth->pitch,
				   .around = LOCAL(buffer_goes_around)(smooth, y),
				   .row_twiddles = (const real *)stage->bases + 2 * at->p * stage->columns.length};

	LOCAL(rows_in)(smooth, stage, at, LOCAL(buffer_before)(index, at), &ends);
	LOCAL(transform_columns)(&stage->columns, &ends, a, LOCAL(second_buffer)(&stage->columns, a));
}

/* struct fft_ops.middle: blocks one after the other, in the same scratch. */
static void LOCAL(run_middle)(const struct fft_smooth *smooth, unsigned stage, const struct fft_place *at, size_t count,
			  void *scratch)
{
	for (size_t i = 0; i < count; i++)
		LOCAL(middle_block)(smooth, stage, &at[i], scratch);
}

/* Row k of a block belongs s reps k elements behind row 0, which is the natural order of the result. */
static void LOCAL(run_last)(const struct fft_smooth *smooth, const struct fft_call *call, const struct fft_place *at,
			size_t count, void *scratch)
{
	const unsigned index = smooth->n_stages - 1;
	const struct fft_stage *stage = &smooth->stage[index];
	const size_t s = smooth->stage[0].columns.length;
	const bool around = LOCAL(goes_around)(smooth, call) && call->out_stride == 1 && s * 2 * sizeof(real) % 64 == 0;
	real *a = scratch, *b = LOCAL(second_buffer)(&stage->columns, a);

	for (size_t i = 0; i < count; i++) {
		const struct LOCAL(block) out = {stage->columns.length,
						 size_min(LANES, s - at[i].lane),
						 s * stage->reps * call->out_stride,
						 call->out_stride,
						 call->inverse,
						 (real)call->scale};
		const size_t k = at[i].lane + s * at[i].rep;
		real *to = (real *)call->out + 2 * (at[i].b * call->out_distance + k * call->out_stride);
		struct LOCAL(ends) ends = {.around = around};

		LOCAL(rows_in)(smooth, stage, &at[i], LOCAL(buffer_before)(index, &at[i]), &ends);
		if (smooth->exceeds_l2 && call->out_stride == 1 && !around)
			ends.y_ahead = LOCAL(rows_beside)(to, 2 * out.row_step, out.rows);
		LOCAL(block_out)(&out, to, &ends, &stage->columns, a, b);
	}
}
