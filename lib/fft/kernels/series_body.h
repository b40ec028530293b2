/* SPDX-License-Identifier: Apache-2.0 */
/* Packing and unpacking of cosine and sine transforms; plan/series.c has the algebra.
 *
 * Plain loops over elements, so an element's operations do not depend on the part that it is in. A stride of 1 has
 * loops of its own. */

/* a b + c, fused where the instruction set can. The fusion is explicit, because gcc 12 fuses an addition beside a
 * subtraction in vectors (vfmaddsub) even with contraction off, but does not in the scalar ends of the same loops. */
#ifdef SIMD_FUSED
#define FUSED(a, b, c) _Generic((a), float: __builtin_fmaf, default: __builtin_fma)(a, b, c)
#else
#define FUSED(a, b, c) ((a) * (b) + (c))
#endif

/* The real and the imaginary part of (a + i b) (c + i s). */
#define CMUL_RE(a, b, c, s) FUSED(a, c, -((b) * (s)))
#define CMUL_IM(a, b, c, s) FUSED(a, s, (b) * (c))

#define ROOT_2 (real)1.41421356237309504880168872420969807857L
#define ROOT_HALF (real)0.70710678118654752440084436210484903928L

/* Defines LOCAL(name) from LOCAL(name##_at)(part, stride), with and without a constant stride of 1. */
#define BOTH_STRIDES(name)                                                                                             \
	static void LOCAL(name)(const struct fft_part *part)                                                           \
	{                                                                                                              \
		if (part->stride == 1)                                                                                 \
			LOCAL(name##_at)(part, 1);                                                                     \
		else                                                                                                   \
			LOCAL(name##_at)(part, part->stride);                                                          \
	}

/* ---- I: the row is the even (odd) extension, 2 (n - 1) (2 (n + 1)) reals ---- */

INLINE void LOCAL(ends_in_at)(const struct fft_part *part, const size_t stride)
{
	const size_t n = part->n, length = part->sine ? 2 * n + 2 : 2 * n - 2, shift = part->sine;
	const real sign = part->sine ? -1 : 1;
	const real *x = part->x;
	real *row = part->row;

	for (size_t i = part->begin; i < part->end; i++) {
		const bool end = !part->sine && (i == 0 || i + 1 == n);
		const real value = end && part->orthogonal ? x[i * stride] * ROOT_2 : x[i * stride];

		row[i + shift] = value;
		if (!end)
			row[length - i - shift] = sign * value;
	}
	if (part->sine && part->begin == 0)
		row[0] = row[n + 1] = 0;
}

INLINE void LOCAL(ends_out_at)(const struct fft_part *part, const size_t stride)
{
	const real *row = (const real *)part->row + (part->sine ? 3 : 0);
	const real scale = (real)(part->sine ? -part->scale : part->scale);
	real *x = part->x;

	for (size_t k = part->begin; k < part->end; k++)
		x[k * stride] = row[2 * k] * scale;
	if (!part->orthogonal || part->sine)
		return;
	if (part->begin == 0)
		x[0] *= ROOT_HALF;
	if (part->end == part->n)
		x[(part->n - 1) * stride] *= ROOT_HALF;
}

/* ---- II: the row is the even elements, then the odd ones reversed; its bins are multiplied by roots ---- */

INLINE void LOCAL(halves_in_at)(const struct fft_part *part, const size_t stride)
{
	const real sign = part->sine ? -1 : 1;
	const real *x = part->x;
	real *row = part->row, *last = row + part->n - 1;

	for (size_t i = part->begin; i < part->end; i++)
		row[i] = x[2 * i * stride];
	for (size_t i = part->begin; i < part->end && 2 * i + 1 < part->n; i++)
		*(last - i) = sign * x[(2 * i + 1) * stride];
}

INLINE void LOCAL(halves_out_at)(const struct fft_part *part, const size_t stride)
{
	const real scale = (real)(2 * part->scale), first = part->orthogonal ? scale * ROOT_HALF : scale;
	const real *row = part->row, *table = part->table;
	const size_t n = part->n, begin = part->begin ? part->begin : 1;
	/* Points at element 0; the sine transform goes backwards from the last one. */
	real *up = part->sine ? (real *)part->x + (n - 1) * stride : part->x;
	const ptrdiff_t step = part->sine ? -(ptrdiff_t)stride : (ptrdiff_t)stride;
	real *down = up + (ptrdiff_t)n * step;

	if (part->begin == 0)
		up[0] = row[0] * first;
	for (size_t k = begin; k < part->end; k++) {
		const real re = row[2 * k], im = row[2 * k + 1], c = table[2 * k], s = table[2 * k + 1];

		/* At the middle of an even length both are the same element and the second store wins: -im = re
		 * there. */
		up[(ptrdiff_t)k * step] = CMUL_RE(re, im, c, s) * scale;
		down[-(ptrdiff_t)k * step] = -CMUL_IM(re, im, c, s) * scale;
	}
}

/* ---- III: II in reverse ---- */

INLINE void LOCAL(thirds_in_at)(const struct fft_part *part, const size_t stride)
{
	const real *table = part->table;
	real *row = part->row;
	const size_t n = part->n, begin = part->begin ? part->begin : 1;
	const real *up = part->sine ? (const real *)part->x + (n - 1) * stride : part->x;
	const ptrdiff_t step = part->sine ? -(ptrdiff_t)stride : (ptrdiff_t)stride;
	const real *down = up + (ptrdiff_t)n * step;

	if (part->begin == 0) {
		row[0] = part->orthogonal ? up[0] * ROOT_2 : up[0];
		row[1] = 0;
	}
	for (size_t k = begin; k < part->end; k++) {
		const real re = up[(ptrdiff_t)k * step], im = -down[-(ptrdiff_t)k * step];
		const real c = table[2 * k], s = -table[2 * k + 1];

		row[2 * k] = CMUL_RE(re, im, c, s);
		row[2 * k + 1] = CMUL_IM(re, im, c, s);
	}
}

INLINE void LOCAL(thirds_out_at)(const struct fft_part *part, const size_t stride)
{
	const real sign = part->sine ? -1 : 1;
	const real *row = part->row, *last = row + part->n - 1;
	real *x = part->x;

	for (size_t i = part->begin; i < part->end; i++)
		x[2 * i * stride] = row[i];
	for (size_t i = part->begin; i < part->end && 2 * i + 1 < part->n; i++)
		x[(2 * i + 1) * stride] = sign * *(last - i);
}

/* ---- IV, even n: pairs from both ends, multiplied by roots before and after ---- */

INLINE void LOCAL(quarters_in_at)(const struct fft_part *part, const size_t stride)
{
	const size_t last = part->n - 1;
	const real *x = part->x, *table = part->table;
	real *row = part->row;

	for (size_t i = part->begin; i < part->end; i++) {
		const real a = x[2 * i * stride], b = x[(last - 2 * i) * stride];
		const real re = part->sine ? b : a, im = part->sine ? a : b;

		row[2 * i] = CMUL_RE(re, im, table[2 * i], table[2 * i + 1]);
		row[2 * i + 1] = CMUL_IM(re, im, table[2 * i], table[2 * i + 1]);
	}
}

INLINE void LOCAL(quarters_out_at)(const struct fft_part *part, const size_t stride)
{
	const size_t last = part->n - 1;
	const real scale = (real)(2 * part->scale), scale_last = part->sine ? scale : -scale;
	const real *row = part->row, *table = part->table;
	real *x = part->x;

	for (size_t k = part->begin; k < part->end; k++) {
		const real re = row[2 * k], im = row[2 * k + 1], c = table[2 * k], s = table[2 * k + 1];

		x[2 * k * stride] = CMUL_RE(re, im, c, s) * scale;
		x[(last - 2 * k) * stride] = CMUL_IM(re, im, c, s) * scale_last;
	}
}

/* ---- IV, odd n: a permutation of the elements, with signs ---- */

/* For a = 1 + 8 q, q < n: a mod n, and the element i with 2 i + 1 = +-a mod 4 n. The sign is that of its cosine. */
struct LOCAL(residue) {
	size_t mod, element;
	bool negative;
};

INLINE struct LOCAL(residue) LOCAL(residue_of)(size_t q, size_t n)
{
	size_t a = 1 + 8 * q;
	struct LOCAL(residue) residue = {.mod = a % n};

	if (a > 4 * n) {
		a -= 4 * n;
		residue.negative = true;
	}
	if (a > 2 * n) {
		a = 4 * n - a;
		residue.negative = !residue.negative;
	}
	residue.element = a / 2;
	return residue;
}

static void LOCAL(quarters_odd_in)(const struct fft_part *part)
{
	const size_t n = part->n;
	const real *x = part->x;
	real *row = part->row;

	for (size_t q = part->begin; q < part->end; q++) {
		const struct LOCAL(residue) r = LOCAL(residue_of)(q, n);
		const real value = x[(part->sine ? n - 1 - r.element : r.element) * part->stride];

		row[r.mod] = r.negative ? -value : value;
	}
}

static void LOCAL(quarters_odd_out)(const struct fft_part *part)
{
	const size_t n = part->n, octant = n % 8;
	/* 2 cos and 2 sin of pi octant / 4; octant is odd. */
	const real cosine = (octant == 1 || octant == 7) ? ROOT_2 : -ROOT_2, sine = octant < 4 ? ROOT_2 : -ROOT_2;
	/* 1 / 8 mod n is (1 + n j) / 8 for the j that makes it an integer. An odd number is its own inverse mod 8. */
	const size_t eighth = (1 + n * (8 - octant)) / 8 % n;
	const real *row = part->row;
	const real scale = (real)part->scale;
	real *x = part->x;

	for (size_t q = part->begin; q < part->end; q++) {
		const struct LOCAL(residue) r = LOCAL(residue_of)(q, n);
		const size_t at = (eighth + q) % n, k = at > n / 2 ? n - at : at;
		const real re = row[2 * k], im = at > n / 2 ? -row[2 * k + 1] : row[2 * k + 1];
		const real value = FUSED(cosine, re, sine * im) * scale;

		x[r.element * part->stride] = r.negative != (part->sine && r.element % 2) ? -value : value;
	}
}

BOTH_STRIDES(ends_in)
BOTH_STRIDES(ends_out)
BOTH_STRIDES(halves_in)
BOTH_STRIDES(halves_out)
BOTH_STRIDES(thirds_in)
BOTH_STRIDES(thirds_out)
BOTH_STRIDES(quarters_in)
BOTH_STRIDES(quarters_out)

#undef BOTH_STRIDES
#undef FUSED
#undef CMUL_RE
#undef CMUL_IM
#undef ROOT_2
#undef ROOT_HALF
