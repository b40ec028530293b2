/* SPDX-License-Identifier: Apache-2.0 */
/* Outer passes, each on blocks of LANES columns. */

static real *LOCAL(second)(const struct fft_columns *columns, real *a)
{
	return a + fft_columns_bytes(columns->length, LANES, sizeof(real)) / sizeof(real);
}

static void LOCAL(direct)(const struct fft_smooth *smooth, const struct fft_call *call, size_t first, size_t count,
			  void *scratch)
{
	const struct fft_columns *columns = &smooth->stage[0].columns;
	const struct LOCAL(block) in = {columns->length, count, call->in_stride, call->in_distance, call->inverse, 1};
	const struct LOCAL(block) out = {columns->length, count, call->out_stride, call->out_distance,
					 call->inverse, (real)call->scale};
	real *a = scratch, *b = LOCAL(second)(columns, a);
	struct LOCAL(ends) ends;

	LOCAL(block_in)(&in, (const real *)call->in + 2 * first * call->in_distance, a, &ends);
	LOCAL(block_out)(&out, (real *)call->out + 2 * first * call->out_distance, &ends, columns, a, b);
}

/* One square of the first stage's result: rows [row, row + n), each lane becoming a row of the buffer. Row 0 (the
 * square's first where it has_zero) is not turned. */
INLINE void LOCAL(turn_square)(const real *twiddles, const real *bases, bool has_zero, size_t n, size_t lanes,
			       const real *x, real *to, size_t to_row)
{
	vec re[LANES], im[LANES];

	UNROLL for (size_t i = 0; i < LANES; i++)
	{
		vec c = v_load(twiddles + 2 * LANES * i), s = v_load(twiddles + 2 * LANES * i + LANES);

		if (bases)
			LOCAL(turn)(&c, &s, v_set(bases[2 * i]), v_set(bases[2 * i + 1]));
		re[i] = i < n ? v_load(x + 2 * LANES * i) : v_set(0);
		im[i] = i < n ? v_load(x + 2 * LANES * i + LANES) : v_set(0);
		if (i > 0 || !has_zero)
			LOCAL(turn)(&re[i], &im[i], c, s);
	}
	v_transpose(re);
	v_transpose(im);
	UNROLL for (size_t lane = 0; lane < LANES; lane++)
	{
		if (lane < lanes) {
			v_store(to + lane * to_row, re[lane]);
			v_store(to + lane * to_row + LANES, im[lane]);
		}
	}
}

/* Whole squares by a straight path; `bases` is NULL where the stage keeps all its twiddles. */
INLINE void LOCAL(turn_rows_by)(const struct fft_smooth *smooth, const real *twiddles, const real *bases, size_t lanes,
				const real *x, real *to)
{
	const size_t rows = smooth->stage[0].columns.length, to_row = 2 * smooth->row;
	size_t row = 0;

	for (; lanes == LANES && row + LANES <= rows; row += LANES)
		LOCAL(turn_square)(twiddles + 2 * LANES * row, bases ? bases + 2 * row : NULL, row == 0, LANES, LANES,
				   x + 2 * LANES * row, to + 2 * row, to_row);
	for (; row < rows; row += LANES)
		LOCAL(turn_square)(twiddles + 2 * LANES * row, bases ? bases + 2 * row : NULL, row == 0,
				   size_min(LANES, rows - row), lanes, x + 2 * LANES * row, to + 2 * row, to_row);
}

static void LOCAL(turn_columns)(const struct fft_smooth *smooth, size_t item, size_t lanes, const real *x, real *to)
{
	const struct fft_stage *stage = &smooth->stage[0];
	const real *twiddles = stage->twiddles, *bases = stage->bases;

	if (stage->whole)
		LOCAL(turn_rows_by)(smooth, twiddles + 2 * LANES * item * smooth->row, NULL, lanes, x, to);
	else
		LOCAL(turn_rows_by)(smooth, twiddles, bases + 2 * item * smooth->row, lanes, x, to);
}

/* The next block's rows, which lie just beside this one's and too far apart for the CPU's own prefetching. */
INLINE void LOCAL(fetch_beside)(const real *x, size_t x_row, size_t rows)
{
	enum { LINE = 64 / sizeof(real) };
	const uintptr_t beside = (uintptr_t)x + 2 * LANES * sizeof *x;

	for (size_t row = 0; row < rows; row++)
		for (size_t i = 0; i < 2 * LANES; i += LINE)
			__builtin_prefetch((const void *)(beside + (row * x_row + i) * sizeof *x));
}

/* The columns of one block, before their turn. */
static real *LOCAL(first_columns)(const struct fft_smooth *smooth, const struct fft_call *call,
				  const struct fft_place *at, size_t lanes, real *a)
{
	const struct fft_stage *stage = &smooth->stage[0];
	const struct LOCAL(block) in = {stage->columns.length, lanes, stage->m * call->in_stride, call->in_stride,
					call->inverse, 1};
	const real *from = (const real *)call->in + 2 * (at->b * call->in_distance + at->p * call->in_stride);
	struct LOCAL(ends) ends = {.y = NULL};

	if (smooth->far && call->in_stride == 1)
		LOCAL(fetch_beside)(from, 2 * in.row_step, in.rows);
	LOCAL(block_in)(&in, from, a, &ends);
	return LOCAL(transform)(&stage->columns, &ends, a, LOCAL(second)(&stage->columns, a));
}

/* The buffer that a stage reads. */
INLINE real *LOCAL(between)(unsigned stage, const struct fft_place *at)
{
	return at->between[stage % 2 ? 0 : 1];
}

/* Columns of all blocks, then the turns: so each block's wait for its own stores is filled with another's work. */
static void LOCAL(first)(const struct fft_smooth *smooth, const struct fft_call *call, const struct fft_place *at,
			 size_t count, void *scratch)
{
	const size_t m = smooth->stage[0].m;
	const real *result[FFT_MAX_TOGETHER];

	for (size_t i = 0; i < count; i++)
		result[i] = LOCAL(first_columns)(smooth, call, &at[i], size_min(LANES, m - at[i].p),
						 (real *)((char *)scratch + i * smooth->columns_bytes));
	for (size_t i = 0; i < count; i++)
		LOCAL(turn_columns)(smooth, at[i].p / LANES, size_min(LANES, m - at[i].p), result[i],
				    LOCAL(between)(1, &at[i]) + 2 * at[i].p * smooth->row);
}

/* The rows between stages as the input. */
INLINE void LOCAL(rows_in)(const struct fft_smooth *smooth, const struct fft_stage *stage, const struct fft_place *at,
			   const real *from, struct LOCAL(ends) * ends)
{
	const size_t row = stage->reps * smooth->row;

	ends->x = from + 2 * (at->p * row + at->rep * smooth->row + at->lane);
	ends->x_row = 2 * stage->m * row;
	ends->split = false;
	if (smooth->far)
		LOCAL(fetch_beside)(ends->x, ends->x_row, stage->columns.length);
}

static void LOCAL(middle_block)(const struct fft_smooth *smooth, unsigned index, const struct fft_place *at, real *a)
{
	const struct fft_stage *stage = &smooth->stage[index];
	const size_t rows = stage->columns.length, step = 2 * stage->reps * smooth->row;
	const real *base = (const real *)stage->bases + 2 * at->p * rows;
	real *y = LOCAL(between)(index + 1, at) + at->p * rows * step + 2 * (at->rep * smooth->row + at->lane);
	struct LOCAL(ends) ends = {.y = NULL};
	const real *x;

	LOCAL(rows_in)(smooth, stage, at, LOCAL(between)(index, at), &ends);
	x = LOCAL(transform)(&stage->columns, &ends, a, LOCAL(second)(&stage->columns, a));
	for (size_t row = 0; row < rows; row++, x += 2 * LANES, y += step) {
		vec re = v_load(x), im = v_load(x + LANES);

		LOCAL(turn)(&re, &im, v_set(base[2 * row]), v_set(base[2 * row + 1]));
		v_store(y, re);
		v_store(y + LANES, im);
	}
}

static void LOCAL(middle)(const struct fft_smooth *smooth, unsigned stage, const struct fft_place *at, size_t count,
			  void *scratch)
{
	for (size_t i = 0; i < count; i++)
		LOCAL(middle_block)(smooth, stage, &at[i], scratch);
}

static void LOCAL(last)(const struct fft_smooth *smooth, const struct fft_call *call, const struct fft_place *at,
			size_t count, void *scratch)
{
	const unsigned index = smooth->n_stages - 1;
	const struct fft_stage *stage = &smooth->stage[index];
	const size_t s = smooth->stage[0].columns.length;
	real *a = scratch, *b = LOCAL(second)(&stage->columns, a);

	for (size_t i = 0; i < count; i++) {
		const struct LOCAL(block) out = {stage->columns.length,
						 size_min(LANES, s - at[i].lane),
						 s * stage->reps * call->out_stride,
						 call->out_stride,
						 call->inverse,
						 (real)call->scale};
		const size_t k = at[i].lane + s * at[i].rep;
		real *to = (real *)call->out + 2 * (at[i].b * call->out_distance + k * call->out_stride);
		struct LOCAL(ends) ends;

		LOCAL(rows_in)(smooth, stage, &at[i], LOCAL(between)(index, &at[i]), &ends);
		if (smooth->far && call->out_stride == 1)
			LOCAL(fetch_beside)(to, 2 * out.row_step, out.rows);
		LOCAL(block_out)(&out, to, &ends, &stage->columns, a, b);
	}
}
