/* SPDX-License-Identifier: Apache-2.0 */
/* Small forward transforms in registers, in natural order. `vec` and v_* stand for one precision (lanes_f32.h).
 *
 * An even radix joins two transforms of half its size, e and o, as y = e +- w o. The root is written w = c (1 + i t)
 * with |t| <= 1: u = (1 + i t) o takes two fused operations, and each of e + c u and e - c u two more. Odd primes use
 * the symmetry of cosines and sines; 6, 9, 10, 12 and 15 are transforms of their two factors. */

#define UNROLL _Pragma("GCC unroll 16")
#define INLINE static inline __attribute__((always_inline))

/* y[0] = e + o, y[half] = e - o. */
INLINE void LOCAL(join_plain)(vec er, vec ei, vec or, vec oi, vec *re, vec *im, unsigned half)
{
	re[0] = v_add(er, or);
	im[0] = v_add(ei, oi);
	re[half] = v_sub(er, or);
	im[half] = v_sub(ei, oi);
}

/* The same with o times c (1 - i t). */
INLINE void LOCAL(join_rotated)(vec er, vec ei, vec or, vec oi, real c, real t, vec *re, vec *im, unsigned half)
{
	const vec scale = v_set(c), slope = v_set(t);
	const vec ur = v_muladd(oi, slope, or), ui = v_nmuladd(or, slope, oi);

	re[0] = v_muladd(ur, scale, er);
	im[0] = v_muladd(ui, scale, ei);
	re[half] = v_nmuladd(ur, scale, er);
	im[half] = v_nmuladd(ui, scale, ei);
}

INLINE void LOCAL(dft2)(vec *re, vec *im)
{
	LOCAL(join_plain)(re[0], im[0], re[1], im[1], re, im, 1);
}

INLINE void LOCAL(dft4)(vec *re, vec *im)
{
	vec er[2] = {re[0], re[2]}, ei[2] = {im[0], im[2]}, or[2] = {re[1], re[3]}, oi[2] = {im[1], im[3]};

	LOCAL(dft2)(er, ei);
	LOCAL(dft2)(or, oi);
	LOCAL(join_plain)(er[0], ei[0], or[0], oi[0], re, im, 2);
	/* -i o = (oi, -or) */
	re[1] = v_add(er[1], oi[1]);
	im[1] = v_sub(ei[1], or[1]);
	re[3] = v_sub(er[1], oi[1]);
	im[3] = v_add(ei[1], or[1]);
}

/* The same with o times -i c (1 - i t). */
INLINE void LOCAL(join_quarter)(vec er, vec ei, vec or, vec oi, real c, real t, vec *re, vec *im, unsigned half)
{
	const vec scale = v_set(c), slope = v_set(t);
	const vec ur = v_nmuladd(or, slope, oi), ui = v_muladd(oi, slope, or);

	re[0] = v_muladd(ur, scale, er);
	im[0] = v_nmuladd(ui, scale, ei);
	re[half] = v_nmuladd(ur, scale, er);
	im[half] = v_muladd(ui, scale, ei);
}

/* Joins element k of transforms e and o of eight points to y[k] and y[k + 8] of sixteen. With k even these are y[k / 2]
 * and y[k / 2 + 4] of eight points, from transforms of four. */
INLINE void LOCAL(join_at)(const unsigned k, vec er, vec ei, vec or, vec oi, vec *re, vec *im, unsigned half)
{
	const real c1 = (real)0.92387953251128675612818318939678828682L, t1 = (real)0.41421356237309504880168872420969807857L;
	const real half_root = (real)0.70710678118654752440084436210484903928L;

	switch (k) {
	case 0:
		LOCAL(join_plain)(er, ei, or, oi, re, im, half);
		break;
	case 1:
		LOCAL(join_rotated)(er, ei, or, oi, c1, t1, re, im, half);
		break;
	case 2:
		LOCAL(join_rotated)(er, ei, or, oi, half_root, 1, re, im, half);
		break;
	case 3:
		/* w^3 = -i c1 (1 + i t1): the slope changes its sign beyond an eighth of a turn. */
		LOCAL(join_quarter)(er, ei, or, oi, c1, -t1, re, im, half);
		break;
	case 4:
		re[0] = v_add(er, oi);
		im[0] = v_sub(ei, or);
		re[half] = v_sub(er, oi);
		im[half] = v_add(ei, or);
		break;
	case 5:
		LOCAL(join_quarter)(er, ei, or, oi, c1, t1, re, im, half);
		break;
	case 6:
		LOCAL(join_quarter)(er, ei, or, oi, half_root, 1, re, im, half);
		break;
	default:
		LOCAL(join_rotated)(er, ei, or, oi, -c1, -t1, re, im, half);
	}
}

/* cos and sin of 2 pi k / r, k = 0 .. r - 1. */
struct LOCAL(trig) {
	real c[13], s[13];
};

/* Transforms r = 3, 5, 7, 11 or 13 elements by sums over the pairs x[j] +- x[r - j]. Three need no sums of sines. */
INLINE void LOCAL(dft_odd)(const unsigned r, const struct LOCAL(trig) * trig, vec *re, vec *im)
{
	const unsigned half = r / 2;
	vec ar[7], ai[7], br[7], bi[7], x0r = re[0], x0i = im[0];

	UNROLL for (unsigned j = 1; j <= half; j++)
	{
		ar[j] = v_add(re[j], re[r - j]);
		ai[j] = v_add(im[j], im[r - j]);
		br[j] = v_sub(re[j], re[r - j]);
		bi[j] = v_sub(im[j], im[r - j]);
		re[0] = v_add(re[0], ar[j]);
		im[0] = v_add(im[0], ai[j]);
	}
	if (r == 3) {
		const vec c = v_set(trig->c[1]), s = v_set(trig->s[1]);
		const vec cr = v_muladd(ar[1], c, x0r), ci = v_muladd(ai[1], c, x0i);

		re[1] = v_muladd(bi[1], s, cr);
		im[1] = v_nmuladd(br[1], s, ci);
		re[2] = v_nmuladd(bi[1], s, cr);
		im[2] = v_muladd(br[1], s, ci);
		return;
	}
	UNROLL for (unsigned k = 1; k <= half; k++)
	{
		vec cr = x0r, ci = x0i, sr = v_mul(br[1], v_set(trig->s[k])), si = v_mul(bi[1], v_set(trig->s[k]));

		UNROLL for (unsigned j = 1; j <= half; j++)
		{
			cr = v_muladd(ar[j], v_set(trig->c[j * k % r]), cr);
			ci = v_muladd(ai[j], v_set(trig->c[j * k % r]), ci);
		}
		UNROLL for (unsigned j = 2; j <= half; j++)
		{
			sr = v_muladd(br[j], v_set(trig->s[j * k % r]), sr);
			si = v_muladd(bi[j], v_set(trig->s[j * k % r]), si);
		}
		re[k] = v_add(cr, si);
		im[k] = v_sub(ci, sr);
		re[r - k] = v_sub(cr, si);
		im[r - k] = v_add(ci, sr);
	}
}

#define TRIG(r, ...) static const struct LOCAL(trig) LOCAL(trig_##r) = {__VA_ARGS__}
TRIG(3, TRIG_3);
TRIG(5, TRIG_5);
TRIG(7, TRIG_7);
TRIG(11, TRIG_11);
TRIG(13, TRIG_13);
#undef TRIG

/* Transforms r = 2, 3, 4, 5, 7, 11 or 13 elements. */
INLINE void LOCAL(dft_single_factor)(const unsigned r, vec *re, vec *im)
{
	switch (r) {
	case 2:
		LOCAL(dft2)(re, im);
		break;
	case 3:
		LOCAL(dft_odd)(3, &LOCAL(trig_3), re, im);
		break;
	case 4:
		LOCAL(dft4)(re, im);
		break;
	case 5:
		LOCAL(dft_odd)(5, &LOCAL(trig_5), re, im);
		break;
	case 7:
		LOCAL(dft_odd)(7, &LOCAL(trig_7), re, im);
		break;
	case 11:
		LOCAL(dft_odd)(11, &LOCAL(trig_11), re, im);
		break;
	default:
		LOCAL(dft_odd)(13, &LOCAL(trig_13), re, im);
	}
}

/* Transforms a b elements, a and b coprime, without twiddles: with j = b j_1 + a j_2 (mod a b), w^(j k) is the product of
 * w_a^(j_1 k) and w_b^(j_2 k), so the result k is element (k mod a, k mod b) of a transform in two dimensions.
 * Source: I. J. Good, J. R. Stat. Soc. B 20 (1958) 361. */
INLINE void LOCAL(dft_coprime)(const unsigned a, const unsigned b, vec *re, vec *im)
{
	vec row_re[5][4], row_im[5][4];

	UNROLL for (unsigned j = 0; j < b; j++)
	{
		UNROLL for (unsigned i = 0; i < a; i++)
		{
			row_re[j][i] = re[(b * i + a * j) % (a * b)];
			row_im[j][i] = im[(b * i + a * j) % (a * b)];
		}
		LOCAL(dft_single_factor)(a, row_re[j], row_im[j]);
	}
	UNROLL for (unsigned i = 0; i < a; i++)
	{
		vec column_re[5], column_im[5];

		UNROLL for (unsigned j = 0; j < b; j++)
		{
			column_re[j] = row_re[j][i];
			column_im[j] = row_im[j][i];
		}
		LOCAL(dft_single_factor)(b, column_re, column_im);
		/* k runs over the results that are i modulo a. */
		UNROLL for (unsigned k = i; k < a * b; k += a)
		{
			re[k] = column_re[k % b];
			im[k] = column_im[k % b];
		}
	}
}

/* Multiplies (re, im) by (c, s). */
INLINE void LOCAL(cmul)(vec *re, vec *im, vec c, vec s)
{
	const vec x = *re;

	*re = v_mulsub(x, c, v_mul(*im, s));
	*im = v_muladd(x, s, v_mul(*im, c));
}

/* Transforms nine elements by two passes of radix 3. */
INLINE void LOCAL(dft9)(vec *re, vec *im)
{
	static const struct LOCAL(trig) trig = {TRIG_9};
	vec row_re[3][3], row_im[3][3];

	UNROLL for (unsigned j = 0; j < 3; j++)
	{
		UNROLL for (unsigned i = 0; i < 3; i++)
		{
			row_re[j][i] = re[3 * i + j];
			row_im[j][i] = im[3 * i + j];
		}
		LOCAL(dft_odd)(3, &LOCAL(trig_3), row_re[j], row_im[j]);
	}
	UNROLL for (unsigned i = 0; i < 3; i++)
	{
		vec column_re[3], column_im[3];

		UNROLL for (unsigned j = 0; j < 3; j++)
		{
			column_re[j] = row_re[j][i];
			column_im[j] = row_im[j][i];
			if (i * j > 0)
				LOCAL(cmul)(&column_re[j], &column_im[j], v_set(trig.c[i * j]), v_set(-trig.s[i * j]));
		}
		LOCAL(dft_odd)(3, &LOCAL(trig_3), column_re, column_im);
		UNROLL for (unsigned k = 0; k < 3; k++)
		{
			re[i + 3 * k] = column_re[k];
			im[i + 3 * k] = column_im[k];
		}
	}
}

/* Transforms r elements, r no power of two. */
INLINE void LOCAL(dft_mixed)(const unsigned r, vec *re, vec *im)
{
	switch (r) {
	case 6:
		LOCAL(dft_coprime)(3, 2, re, im);
		break;
	case 9:
		LOCAL(dft9)(re, im);
		break;
	case 10:
		LOCAL(dft_coprime)(2, 5, re, im);
		break;
	case 12:
		LOCAL(dft_coprime)(4, 3, re, im);
		break;
	case 15:
		LOCAL(dft_coprime)(3, 5, re, im);
		break;
	default:
		LOCAL(dft_single_factor)(r, re, im);
	}
}

/* Transforms eight points from two transforms of four: of the even and of the odd elements. */
INLINE void LOCAL(join8)(const vec *er, const vec *ei, const vec *or, const vec *oi, vec *re, vec *im)
{
	UNROLL for (unsigned k = 0; k < 4; k++)
	{
		LOCAL(join_at)(2 * k, er[k], ei[k], or[k], oi[k], re + k, im + k, 4);
	}
}

/* Where the elements of a transform come from: row j lies at x + j step. Each is loaded just before its first use,
 * because sixteen of them fill all registers.
 *
 *   PARTS            a vector of real parts, then one of imaginary parts
 *   PAIRS            interleaved pairs, which are split
 *   FAST_PAIRS       the same, by code for each order, to lanes in the order of v_lane
 *   SOME_PAIRS       as PAIRS, but only `distance` pairs; the other lanes are 0
 *   SOME_FAST_PAIRS  as FAST_PAIRS, but only `distance` pairs; the other lanes are 0
 *   WIDE_4, WIDE_8   4 or 8 pairs of each transform of a group (short_body.h), which lie `distance` reals apart */
enum {
	LOCAL(PARTS),
	LOCAL(PAIRS),
	LOCAL(SOME_PAIRS),
	LOCAL(FAST_PAIRS),
	LOCAL(WIDE_4) = 4,
	LOCAL(WIDE_8) = 8,
	LOCAL(SOME_FAST_PAIRS)
};

struct LOCAL(source) {
	const real *x;
	size_t step, distance;
	v_order_t order;
	bool exchange; /* of fast pairs and groups: a constant, in the place of the order */
};

INLINE void LOCAL(fetch)(const struct LOCAL(source) * from, const unsigned kind, unsigned j, vec *re, vec *im)
{
	const real *at = from->x + j * from->step;

	if (kind == LOCAL(SOME_PAIRS) || kind == LOCAL(SOME_FAST_PAIRS)) {
		const size_t reals = 2 * from->distance, low = reals < LANES ? reals : LANES;
		const vec a = v_load_part(at, low), b = v_load_part(at + LANES, reals - low);

#ifdef SIMD_WIDE
		if (kind == LOCAL(SOME_FAST_PAIRS)) {
			v_split_lanes(from->exchange, a, b, re, im);
			return;
		}
#endif
		v_split(from->order, a, b, re, im);
		return;
	}
#ifdef SIMD_WIDE
	if (kind >= LOCAL(WIDE_4)) {
		v_load_group(kind, from->exchange, at, from->distance, re, im);
		return;
	}
	if (kind == LOCAL(FAST_PAIRS)) {
		v_split_lanes(from->exchange, v_load(at), v_load(at + LANES), re, im);
		return;
	}
#endif
	*re = v_load(at);
	*im = v_load(at + LANES);
	if (kind == LOCAL(PAIRS))
		v_split(from->order, *re, *im, re, im);
}

/* Hides how a pointer was computed. Else the compiler keeps one pointer for each row, in more registers than there are,
 * where one with a few multiples of the step as index would do. */
#define HIDE(pointer) __asm__("" : "+r"(pointer))

/* Transform the elements first, first + step, first + 2 step ... */
INLINE void LOCAL(dft4_from)(const struct LOCAL(source) * from, const unsigned kind, unsigned first, unsigned step,
			     vec *re, vec *im)
{
	struct LOCAL(source) at = *from;

	at.x += first * from->step;
	HIDE(at.x);
	LOCAL(fetch)(&at, kind, 0, &re[0], &im[0]);
	LOCAL(fetch)(&at, kind, 2 * step, &re[2], &im[2]);
	LOCAL(fetch)(&at, kind, step, &re[1], &im[1]);
	LOCAL(fetch)(&at, kind, 3 * step, &re[3], &im[3]);
	LOCAL(dft4)(re, im);
}

INLINE void LOCAL(dft8_from)(const struct LOCAL(source) * from, const unsigned kind, unsigned first, unsigned step,
			     vec *re, vec *im)
{
	vec er[4], ei[4], or[4], oi[4];

	LOCAL(dft4_from)(from, kind, first, 2 * step, er, ei);
	LOCAL(dft4_from)(from, kind, first + step, 2 * step, or, oi);
	LOCAL(join8)(er, ei, or, oi, re, im);
}

/* Sixteen points are done in four parts, because they fill more registers than there are: first the transforms of the
 * elements q, q + 4, q + 8, q + 12 for each q; then part k combines element k of these to y[k], y[k + 4], y[k + 8] and
 * y[k + 12], which its caller stores before the next part. */
struct LOCAL(quarters) {
	vec re[4][4], im[4][4];
};

INLINE void LOCAL(combine_quarters)(const struct LOCAL(quarters) * q, const unsigned k, vec *re, vec *im)
{
	vec er[2], ei[2], or[2], oi[2];

	LOCAL(join_at)(2 * k, q->re[0][k], q->im[0][k], q->re[2][k], q->im[2][k], er, ei, 1);
	LOCAL(join_at)(2 * k, q->re[1][k], q->im[1][k], q->re[3][k], q->im[3][k], or, oi, 1);
	LOCAL(join_at)(k, er[0], ei[0], or[0], oi[0], re + k, im + k, 8);
	LOCAL(join_at)(k + 4, er[1], ei[1], or[1], oi[1], re + k + 4, im + k + 4, 8);
}

/* Returns the parts of a transform of r elements: part i gives the results i, i + parts, i + 2 parts ... */
INLINE unsigned LOCAL(parts_of)(const unsigned r)
{
	return r == 16 ? 4 : 1;
}

/* Does one part of a transform of r elements, any radix. The first part reads them all. */
INLINE void LOCAL(dft_part)(const unsigned r, const unsigned part, const struct LOCAL(source) * from, const unsigned kind,
			    struct LOCAL(quarters) * quarters, vec *re, vec *im)
{
	if (r & (r - 1)) {
		UNROLL for (unsigned j = 0; j < r; j++)
		{
			LOCAL(fetch)(from, kind, j, &re[j], &im[j]);
		}
		LOCAL(dft_mixed)(r, re, im);
		return;
	}
	switch (r) {
	case 2:
		LOCAL(fetch)(from, kind, 0, &re[0], &im[0]);
		LOCAL(fetch)(from, kind, 1, &re[1], &im[1]);
		LOCAL(dft2)(re, im);
		break;
	case 4:
		LOCAL(dft4_from)(from, kind, 0, 1, re, im);
		break;
	case 8:
		LOCAL(dft8_from)(from, kind, 0, 1, re, im);
		break;
	default:
		if (part == 0)
			UNROLL for (unsigned q = 0; q < 4; q++)
			{
				LOCAL(dft4_from)(from, kind, q, 4, quarters->re[q], quarters->im[q]);
			}
		LOCAL(combine_quarters)(quarters, part, re, im);
	}
}

/* Transforms r elements and multiplies result k by twiddles[k][re, im vectors]. Result 0 has none. */
INLINE void LOCAL(dft_turned)(const unsigned r, const struct LOCAL(source) * from, const unsigned kind,
			      const real *twiddles, vec *re, vec *im)
{
	struct LOCAL(quarters) quarters;

	UNROLL for (unsigned part = 0; part < LOCAL(parts_of)(r); part++)
	{
		LOCAL(dft_part)(r, part, from, kind, &quarters, re, im);
	}
	UNROLL for (unsigned k = 1; k < r; k++)
	{
		LOCAL(cmul)(&re[k], &im[k], v_load(twiddles + 2 * LANES * k), v_load(twiddles + 2 * LANES * k + LANES));
	}
}
