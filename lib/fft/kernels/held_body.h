/* SPDX-License-Identifier: Apache-2.0 */
/* Contiguous transforms of LANES rows of 16 points, which stay in registers between their stages; those of other lengths go by the buffer
 * of flat_body.h. On a Zen 4, which has ports for additions, for products and for shuffles, a butterfly keeps one of them at a time busy,
 * and no CPU looks far enough ahead to fill the others. So the next transform's first additions stand between the last products of
 * this one. */
enum { LOCAL(HELD) = 16 * LANES, LOCAL(HELD_FOURS) = LANES / 4 };

/* Does transform q of four elements: all four of them, or two of each block of columns, begin the first stage. */
INLINE void LOCAL(held_in)(const unsigned q, const bool exchange, const real *x, struct LOCAL(quarters) * quarters)
{
	const unsigned fours = LOCAL(HELD_FOURS);
	const struct LOCAL(source) from = {.x = x + 2 * LANES * (q / fours), .step = 2 * 16, .exchange = exchange};

	LOCAL(dft4_from)(&from, LOCAL(FAST_PAIRS), q % fours, fours, quarters->re[q], quarters->im[q]);
}

/* Transposes LANES vectors from the order of v_lane to the same. */
INLINE void LOCAL(held_turn)(vec *a)
{
	vec part[LANES];

	UNROLL for (unsigned lane = 0; lane < LANES; lane++)
	{
		part[lane] = a[v_lane(lane)];
	}
	v_transpose(part);
	UNROLL for (unsigned lane = 0; lane < LANES; lane++)
	{
		a[v_lane(lane)] = part[lane];
	}
}

/* Ends the first stage of a block of columns: joins its transforms of four elements, multiplies by the twiddles and
 * transposes. */
INLINE void LOCAL(held_block)(const struct LOCAL(quarters) * quarters, unsigned block, const real *twiddles, vec *re,
			      vec *im)
{
	const unsigned fours = LOCAL(HELD_FOURS), at = block * fours;

	UNROLL for (unsigned part = 0; part < fours; part++)
	{
		if (fours == 4)
			LOCAL(combine_quarters)(quarters, part, re, im);
		else if (part == 0)
			LOCAL(join8)
		(quarters->re[at], quarters->im[at], quarters->re[at + 1], quarters->im[at + 1], re, im);
		UNROLL for (unsigned k = part; k < LANES; k += fours)
		{
			const real *row = twiddles + 2 * LANES * (LANES * block + k);

			if (k > 0)
				LOCAL(cmul)(&re[k], &im[k], v_load(row), v_load(row + LANES));
		}
	}
	LOCAL(held_turn)(re);
	LOCAL(held_turn)(im);
}

/* Does what is left of a transform after its first additions, and replaces what they gave by that of the transform at
 * x, if there are more. */
INLINE void LOCAL(held)(const enum LOCAL(flat_end) end, const bool exchange, const bool more, const real *twiddles,
			const struct LOCAL(flat_out) * out, const real *x, struct LOCAL(ahead) * ahead,
			struct LOCAL(quarters) * next)
{
	struct LOCAL(quarters) quarters;
	vec re[16], im[16];

	LOCAL(fetch_ahead)(ahead);
	UNROLL for (unsigned block = 0; block < 16 / LANES; block++)
	{
		LOCAL(held_block)(next, block, twiddles, re + LANES * block, im + LANES * block);
	}
	UNROLL for (unsigned q = 0; q < 4; q++)
	{
		UNROLL for (unsigned j = 0; j < 4; j++)
		{
			quarters.re[q][j] = re[q + 4 * j];
			quarters.im[q][j] = im[q + 4 * j];
		}
		LOCAL(dft4)(quarters.re[q], quarters.im[q]);
	}
	UNROLL for (unsigned part = 0; part < 4; part++)
	{
		LOCAL(combine_quarters)(&quarters, part, re, im);
		UNROLL for (unsigned k = part; k < 16; k += 4)
		{
			LOCAL(flat_put)
			(end, exchange, out, 0, out->low + 2 * LANES * k, out->high + 2 * LANES * k, re[k], im[k]);
		}
		if (more)
			LOCAL(held_in)(part, exchange, x, next);
	}
}

/* Runs `count` of them, `in` and `to` reals apart. */
INLINE void LOCAL(held_all)(const enum LOCAL(flat_end) end, const bool exchange, const struct LOCAL(flat) * f,
			    struct LOCAL(flat_out) * out, size_t count, size_t in, size_t to, bool far)
{
	const size_t reals = 2 * LOCAL(HELD);
	struct LOCAL(ahead) ahead = {.step = reals};
	struct LOCAL(quarters) next;
	const real *x = f->x[0];

	UNROLL for (unsigned q = 0; q < 4; q++)
	{
		LOCAL(held_in)(q, exchange, x, &next);
	}
	for (size_t left = count - 1; left > 0; left--, out->low += to, out->high += to) {
		x += in;
		ahead.at = x + in;
		ahead.end = far && left > 1 ? ahead.at + reals : ahead.at;
		LOCAL(held)(end, exchange, true, f->twiddles, out, x, &ahead, &next);
	}
	LOCAL(held)(end, exchange, false, f->twiddles, out, x, &ahead, &next);
}

static void LOCAL(held_rows)(const struct fft_smooth *smooth, const struct fft_call *call, size_t first, size_t count)
{
	const size_t in = 2 * call->in_distance, to = 2 * call->out_distance;
	const bool far = LOCAL(is_far)(smooth, call), around = LOCAL(goes_around)(smooth, call);
	const struct LOCAL(flat) f = {.x[0] = (const real *)call->in + first * in,
				      .exchange = call->inverse,
				      .twiddles = smooth->stage[0].twiddles};
	real *const y = (real *)call->out + first * to;
	struct LOCAL(flat_out) out = {.low = y,
				      .high = y + LANES,
				      .exchange = call->inverse,
				      .end = LOCAL(whole_end)(call, around),
				      .scale = (real)call->scale};

	if (out.end == LOCAL(PLAIN))
		BY_ORDER(f.exchange, LOCAL(held_all)(LOCAL(PLAIN), EXCHANGE, &f, &out, count, in, to, far));
	else if (out.end == LOCAL(SCALED))
		BY_ORDER(f.exchange, LOCAL(held_all)(LOCAL(SCALED), EXCHANGE, &f, &out, count, in, to, far));
	else
		BY_ORDER(f.exchange, LOCAL(held_all)(LOCAL(AROUND), EXCHANGE, &f, &out, count, in, to, far));
	LOCAL(end_around)(around);
}

/* Runs contiguous transforms of two stages, or of one whose passes flat_body.h runs. */
static void LOCAL(flat)(const struct fft_smooth *smooth, const struct fft_call *call, size_t first, size_t count,
			void *scratch)
{
	if (sizeof(vec) == FFT_WIDTH_BYTES && smooth->n == LOCAL(HELD))
		LOCAL(held_rows)(smooth, call, first, count);
	else
		LOCAL(flat_by_buffer)(smooth, call, first, count, scratch);
}
