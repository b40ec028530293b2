/* SPDX-License-Identifier: Apache-2.0 */
/* One contiguous transform of one stage, whose lanes are its own elements.
 *
 * block_body.h makes each of LANES transforms a lane, so a transform alone takes as long as LANES of them. Here the
 * same passes take LANES of one transform's butterflies (p, q) together: in the first pass, where s = 1, neighbouring
 * p, in the others neighbouring q. The arithmetic is that of pass_body.h. Between passes the numbers are pairs in
 * natural order. With three passes and more flat_body.h is faster. */

struct LOCAL(single) {
	const real *x;
	real *y;
	size_t m, s;
	const real *twiddles;
	bool exchange;
	bool last; /* without twiddles, to a caller's array, of which nothing but the result may be written */
	real scale;
};

/* Transforms r rows in registers. */
INLINE void LOCAL(dft_single)(const unsigned r, const struct LOCAL(source) * from, const unsigned kind, vec *re, vec *im)
{
	struct LOCAL(quarters) quarters;

	UNROLL for (unsigned part = 0; part < LOCAL(parts_of)(r); part++)
	{
		LOCAL(dft_part)(r, part, from, kind, &quarters, re, im);
	}
}

/* The first pass. Its results for one p are neighbours, so they go by way of a block of pairs. */
INLINE void LOCAL(single_first)(const unsigned r, const struct LOCAL(single) * a)
{
	const v_order_t natural = v_order(false);
	const size_t rows = (r + LANES - 1) / LANES * LANES;
	const real *twiddles = a->twiddles;
	real *y = a->y;

	for (size_t p = 0; p < a->m; p += LANES, twiddles += 2 * LANES * rows) {
		const size_t count = size_min(LANES, a->m - p);
		const struct LOCAL(source)
			from = {.x = a->x + 2 * p, .step = 2 * a->m, .distance = count, .order = v_order(a->exchange)};
		real pairs[16 * 2 * LANES];
		vec re[16], im[16];

		LOCAL(dft_single)(r, &from, LOCAL(SOME_PAIRS), re, im);
		UNROLL for (unsigned k = 0; k < r; k++)
		{
			const real *row = twiddles + 2 * LANES * k;

			if (k > 0)
				LOCAL(cmul)(&re[k], &im[k], v_load(row), v_load(row + LANES));
			v_join(natural, re[k], im[k], &re[k], &im[k]);
			v_store(pairs + 2 * LANES * k, re[k]);
			v_store(pairs + 2 * LANES * k + LANES, im[k]);
		}
		for (size_t lane = 0; lane < count; lane++, y += 2 * r)
			UNROLL for (unsigned k = 0; k < r; k++)
			{
				memcpy(y + 2 * k, pairs + 2 * (LANES * k + lane), 2 * sizeof *y);
			}
	}
}

/* A later pass, from the last q to the first: what a vector of fewer than LANES of them writes behind its own numbers
 * is overwritten, for its row is followed by vectors that are stored later. */
INLINE void LOCAL(single_rest)(const unsigned r, const struct LOCAL(single) * a)
{
	const v_order_t natural = v_order(false), out = v_order(a->last && a->exchange);
	const size_t s = a->s, top = (s - 1) / LANES * LANES;

	for (size_t i = 0; i < a->m * (top / LANES + 1); i++) {
		const size_t p = i / (top / LANES + 1), q = top - i % (top / LANES + 1) * LANES;
		const struct LOCAL(source) from = {.x = a->x + 2 * (s * p + q), .step = 2 * a->m * s, .order = natural};
		real *y = a->y + 2 * (s * r * p + q);
		vec re[16], im[16];

		LOCAL(dft_single)(r, &from, LOCAL(PAIRS), re, im);
		UNROLL for (unsigned k = 0; k < r; k++, y += 2 * s)
		{
			if (a->last) {
				re[k] = v_mul(re[k], v_set(a->scale));
				im[k] = v_mul(im[k], v_set(a->scale));
			} else {
				LOCAL(twiddle_row)(k, a->twiddles + 2 * (r - 1) * p, re, im);
			}
			if (a->last && s - q < LANES) {
				LOCAL(store_pairs)(y, s - q, out, re[k], im[k]);
				continue;
			}
			v_join(out, re[k], im[k], &re[k], &im[k]);
			v_store(y, re[k]);
			v_store(y + LANES, im[k]);
		}
	}
}

/* The only pass, of one butterfly. */
INLINE void LOCAL(single_only)(const unsigned r, const struct LOCAL(single) * a)
{
	const v_order_t order = v_order(a->exchange);
	const struct LOCAL(source) from = {.x = a->x, .step = 2, .distance = 1, .order = order};
	vec re[16], im[16];

	LOCAL(dft_single)(r, &from, LOCAL(SOME_PAIRS), re, im);
	UNROLL for (unsigned k = 0; k < r; k++)
	{
		re[k] = v_mul(re[k], v_set(a->scale));
		im[k] = v_mul(im[k], v_set(a->scale));
		LOCAL(store_pairs)(a->y + 2 * k, 1, order, re[k], im[k]);
	}
}

#define SINGLE_RADIX(r)                                                                                                \
	static void LOCAL(single_only_##r)(const struct LOCAL(single) * a)                                             \
	{                                                                                                              \
		LOCAL(single_only)(r, a);                                                                              \
	}                                                                                                              \
	static void LOCAL(single_first_##r)(const struct LOCAL(single) * a)                                            \
	{                                                                                                              \
		LOCAL(single_first)(r, a);                                                                             \
	}                                                                                                              \
	static void LOCAL(single_rest_##r)(const struct LOCAL(single) * a)                                             \
	{                                                                                                              \
		LOCAL(single_rest)(r, a);                                                                              \
	}
SINGLE_RADIX(2)
SINGLE_RADIX(3)
SINGLE_RADIX(4)
SINGLE_RADIX(5)
SINGLE_RADIX(6)
SINGLE_RADIX(7)
SINGLE_RADIX(8)
SINGLE_RADIX(9)
SINGLE_RADIX(10)
SINGLE_RADIX(11)
SINGLE_RADIX(12)
SINGLE_RADIX(13)
SINGLE_RADIX(15)
SINGLE_RADIX(16)
#undef SINGLE_RADIX

/* Runs contiguous transforms of one stage and several passes, one after the other. */
static void LOCAL(single)(const struct fft_smooth *smooth, const struct fft_call *call, size_t first, size_t count,
			  void *scratch)
{
#define ROW(r) [r] = { LOCAL(single_only_##r), LOCAL(single_first_##r), LOCAL(single_rest_##r) }
	static const struct {
		void (*only)(const struct LOCAL(single) * a);
		void (*first)(const struct LOCAL(single) * a);
		void (*rest)(const struct LOCAL(single) * a);
	} radices[17] = {ROW(2),  ROW(3),  ROW(4),  ROW(5),  ROW(6),  ROW(7),  ROW(8),
			 ROW(9),  ROW(10), ROW(11), ROW(12), ROW(13), ROW(15), ROW(16)};
#undef ROW
	const struct fft_columns *columns = &smooth->stage[0].columns;
	real *const buffers[2] = {scratch, LOCAL(second_buffer)(columns, scratch)};

#ifdef SIMD_WIDE
	if (smooth->single_flat) {
		LOCAL(flat)(smooth, call, first, count, scratch);
		return;
	}
#endif
	for (size_t b = first; b < first + count; b++) {
		struct LOCAL(single) a = {.x = (const real *)call->in + 2 * b * call->in_distance,
					  .m = smooth->n,
					  .s = 1,
					  .twiddles = smooth->stage[0].twiddles,
					  .exchange = call->inverse,
					  .scale = (real)call->scale};
		const real *twiddles = columns->twiddles;

		for (unsigned i = 0; i < columns->n_passes; i++) {
			const unsigned r = columns->radix[i];

			a.m /= r;
			a.last = i + 1 == columns->n_passes;
			a.y = a.last ? (real *)call->out + 2 * b * call->out_distance : buffers[i % 2];
			(i > 0 ? radices[r].rest : a.last ? radices[r].only : radices[r].first)(&a);
			a.twiddles = twiddles += 2 * (r - 1) * a.m;
			a.s *= r;
			a.x = a.y;
		}
	}
}
