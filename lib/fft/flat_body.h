/* SPDX-License-Identifier: Apache-2.0 */
/* Two stages of LANES and c = 2^a points over contiguous pairs, with nothing between registers and one buffer: the
 * first reads the input once and leaves its columns turned and transposed, the second transforms them in place and
 * writes the result once. The same arithmetic as the stages apart (stage_body.h).
 *
 * In place (decimation in frequency): pass i leaves digit k_i of the result's index where it found digit j_i of the
 * input's, so the last pass's row of digits k_0, k_1 ... belongs at k_0 + r_0 (k_1 + r_1 (...)).
 *
 * Calls whose arrays pass by the caches fetch the next transform ahead, since rows n / LANES apart escape the CPU's own
 * prefetching, and write around them, which spares reading what is overwritten (256 points over 64 MiB: 1.3 to 1.5
 * times as fast, 1024 points twice). */

/* Columns [p, p + LANES): rows k of parts, lane by lane, to rows p + lane of the buffer. */
INLINE void LOCAL(flat_block)(const real *x, size_t m, v_order_t order, const real *twiddles, real *to)
{
	const struct LOCAL(source) from = {x, 2 * m, 0, order};
	vec re[LANES], im[LANES];

	LOCAL(dft_from)(LANES, &from, LOCAL(PAIRS), re, im);
	UNROLL for (unsigned k = 1; k < LANES; k++)
	{
		LOCAL(turn)(&re[k], &im[k], v_load(twiddles + 2 * LANES * k), v_load(twiddles + 2 * LANES * k + LANES));
	}
	v_transpose(re);
	UNROLL for (unsigned lane = 0; lane < LANES; lane++)
	{
		v_store(to + 2 * LANES * lane, re[lane]);
	}
	v_transpose(im);
	UNROLL for (unsigned lane = 0; lane < LANES; lane++)
	{
		v_store(to + 2 * LANES * lane + LANES, im[lane]);
	}
}

/* next: of the transform after this one, or NULL. */
static void LOCAL(flat_first)(const struct fft_stage *stage, const real *x, const real *next, bool exchange,
			      real *buffer)
{
	enum { BLOCK = 2 * LANES * LANES, LINE = 64 / sizeof(real) };
	const v_order_t order = v_order(exchange);
	const real *twiddles = stage->twiddles;

	for (size_t p = 0; p < stage->m; p += LANES, twiddles += BLOCK) {
		for (size_t i = 0; next && i < BLOCK; i += LINE)
			__builtin_prefetch(next + 2 * LANES * p + i);
		LOCAL(flat_block)(x + 2 * p, stage->m, order, twiddles, buffer + 2 * LANES * p);
	}
}

/* Blocks of r m rows: within each, points p + m j become w^(p k) times theirs at p + m k. */
INLINE void LOCAL(flat_pass)(const unsigned r, size_t blocks, size_t m, const real *twiddles, real *buffer)
{
	const size_t step = 2 * LANES * m;

	for (size_t block = 0; block < blocks; block++, buffer += r * step)
		for (size_t p = 0; p < m; p++) {
			real *at = buffer + 2 * LANES * p;
			const struct LOCAL(source) from = {at, step, 0, v_order(false)};
			vec re[16], im[16];

			LOCAL(dft_from)(r, &from, LOCAL(PARTS), re, im);
			LOCAL(turn_rows)(r, twiddles + 2 * (r - 1) * p, re, im);
			UNROLL for (unsigned k = 0; k < r; k++)
			{
				v_store(at + k * step, re[k]);
				v_store(at + k * step + LANES, im[k]);
			}
		}
}

/* The last pass: rows to the places of their digits. */
INLINE void LOCAL(flat_last)(const unsigned r, const struct fft_columns *columns, const bool scaled, const bool around,
			     bool exchange, real scale, const real *buffer, real *y)
{
	const size_t blocks = columns->length / r, step = 2 * LANES * blocks;
	const v_order_t order = v_order(exchange);

	for (size_t block = 0; block < blocks; block++, buffer += 2 * LANES * r) {
		const struct LOCAL(source) from = {buffer, 2 * LANES, 0, order};
		size_t rest = block, at = 0;
		vec re[16], im[16];

		for (unsigned i = columns->n_passes - 1; i-- > 0; rest /= columns->radix[i])
			at = at * columns->radix[i] + rest % columns->radix[i];
		LOCAL(dft_from)(r, &from, LOCAL(PARTS), re, im);
		UNROLL for (unsigned k = 0; k < r; k++)
		{
			vec a = re[k], b = im[k];

			if (scaled) {
				a = v_mul(a, v_set(scale));
				b = v_mul(b, v_set(scale));
			}
			v_join(order, a, b, &a, &b);
			if (around) {
				v_stream(y + 2 * LANES * at + k * step, a);
				v_stream(y + 2 * LANES * at + k * step + LANES, b);
			} else {
				v_store(y + 2 * LANES * at + k * step, a);
				v_store(y + 2 * LANES * at + k * step + LANES, b);
			}
		}
	}
}

#define FLAT_RADIX(r)                                                                                                  \
	static void LOCAL(flat_pass_##r)(size_t blocks, size_t m, const real *twiddles, real *buffer)                  \
	{                                                                                                              \
		LOCAL(flat_pass)(r, blocks, m, twiddles, buffer);                                                      \
	}                                                                                                              \
	static void LOCAL(flat_last_##r)(const struct fft_columns *columns, const struct fft_call *call, bool around,  \
					 const real *buffer, real *y)                                                  \
	{                                                                                                              \
		const real scale = (real)call->scale;                                                                  \
                                                                                                                       \
		if (around)                                                                                            \
			LOCAL(flat_last)(r, columns, true, true, call->inverse, scale, buffer, y);                     \
		else if (call->scale == 1)                                                                             \
			LOCAL(flat_last)(r, columns, false, false, call->inverse, 1, buffer, y);                       \
		else                                                                                                   \
			LOCAL(flat_last)(r, columns, true, false, call->inverse, scale, buffer, y);                    \
	}
FLAT_RADIX(4)
FLAT_RADIX(8)
FLAT_RADIX(16)
#undef FLAT_RADIX

static void LOCAL(flat_second)(const struct fft_columns *columns, const struct fft_call *call, bool around,
			       real *buffer, real *y)
{
	static void (*const passes[])(size_t, size_t, const real *, real *) = {LOCAL(flat_pass_4), LOCAL(flat_pass_8),
									       LOCAL(flat_pass_16)};
	static void (*const lasts[])(const struct fft_columns *, const struct fft_call *, bool, const real *, real *) = {
		LOCAL(flat_last_4), LOCAL(flat_last_8), LOCAL(flat_last_16)};
	const real *twiddles = columns->twiddles;
	size_t blocks = 1, m = columns->length;
	unsigned i = 0;

	for (; i + 1 < columns->n_passes; i++, blocks *= columns->radix[i - 1]) {
		const unsigned r = columns->radix[i];

		m /= r;
		passes[__builtin_ctz(r) - 2](blocks, m, twiddles, buffer);
		twiddles += 2 * (r - 1) * m;
	}
	lasts[__builtin_ctz(columns->radix[i]) - 2](columns, call, around, buffer, y);
}

static void LOCAL(flat)(const struct fft_smooth *smooth, const struct fft_call *call, size_t first, size_t count,
			void *scratch)
{
	enum { FAR_BYTES = 12 << 20 };
	const bool far = call->batch * smooth->n * 2 * sizeof(real) > FAR_BYTES / 2;
	const bool around = far && call->in != call->out && (uintptr_t)call->out % 64 == 0 &&
			    call->out_distance * 2 * sizeof(real) % 64 == 0;

	for (size_t b = first; b < first + count; b++) {
		const real *x = (const real *)call->in + 2 * b * call->in_distance;

		LOCAL(flat_first)(&smooth->stage[0], x, far && b + 1 < first + count ? x + 2 * call->in_distance : NULL,
				  call->inverse, scratch);
		LOCAL(flat_second)(&smooth->stage[1].columns, call, around, scratch,
				   (real *)call->out + 2 * b * call->out_distance);
	}
	/* Before anything tells another thread that the result is there. */
	if (around)
		v_stream_end();
}
