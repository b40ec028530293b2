/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over rows in plain C, as struct gemm_vectors describes them. The compiler vectorises them with the flags of
 * each variant. They are exact or round each element by itself, so all variants give the same bytes. */
#include "gemm/bf16.h"
#include "gemm/vectors.h"

/* Several maxima at once, joined at the end: one would be a chain. Infinity and NaN have larger bits than any number.
 */
static float max_abs_f32(const float *x, size_t n)
{
	enum { AT_ONCE = 16 };
	int32_t max_abs[AT_ONCE] = {0}, top = 0;
	size_t i = 0;

	/* Compares integers: the compiler may reorder them. */
	for (; i + AT_ONCE <= n; i += AT_ONCE)
		for (size_t j = 0; j < AT_ONCE; j++) {
			int32_t bits = (int32_t)(bf16_float_bits(x[i + j]) & 0x7FFFFFFF);

			bits = bits < 0x7F800000 ? bits : 0;
			max_abs[j] = bits > max_abs[j] ? bits : max_abs[j];
		}
	for (; i < n; i++) {
		const int32_t bits = (int32_t)(bf16_float_bits(x[i]) & 0x7FFFFFFF);

		max_abs[0] = bits < 0x7F800000 && bits > max_abs[0] ? bits : max_abs[0];
	}
	for (size_t j = 0; j < AT_ONCE; j++)
		top = max_abs[j] > top ? max_abs[j] : top;
	return bf16_float_of((uint32_t)top);
}

/* Returns the bits of |x|: their order is that of the magnitudes. */
static inline int64_t size_bits(double x)
{
	int64_t bits;

	memcpy(&bits, &x, sizeof bits);
	return bits & INT64_MAX;
}

static double max_abs_f64(const double *x, size_t n)
{
	enum { AT_ONCE = 8 };
	const int64_t infinity = INT64_C(0x7FF) << 52;
	int64_t max_abs[AT_ONCE] = {0}, top = 0;
	double result;
	size_t i = 0;

	for (; i + AT_ONCE <= n; i += AT_ONCE)
		for (size_t j = 0; j < AT_ONCE; j++) {
			int64_t bits = size_bits(x[i + j]);

			bits = bits < infinity ? bits : 0;
			max_abs[j] = bits > max_abs[j] ? bits : max_abs[j];
		}
	for (; i < n; i++) {
		const int64_t bits = size_bits(x[i]);

		max_abs[0] = bits < infinity && bits > max_abs[0] ? bits : max_abs[0];
	}
	for (size_t j = 0; j < AT_ONCE; j++)
		top = max_abs[j] > top ? max_abs[j] : top;
	memcpy(&result, &top, sizeof result);
	return result;
}

/* Two factors of a power of two: one alone could overflow, or be denormal. Each product is exact in range. */
static void scale_f32(const float *x, size_t n, const float s[2], float *to)
{
	const float s0 = s[0], s1 = s[1];

	for (size_t i = 0; i < n; i++)
		to[i] = x[i] * s0 * s1;
}

static void scale_f64(const double *x, size_t n, const double s[2], double *to)
{
	const double s0 = s[0], s1 = s[1];

	for (size_t i = 0; i < n; i++)
		to[i] = x[i] * s0 * s1;
}

/* Elements that are split at a time: they stay in the first cache. */
enum { SPLIT_BLOCK = 256 };

/* Stores the rounded parts of n / 2 complex numbers as pairs of bfloat16. */
static inline void store_pairs(const uint32_t *rounded, size_t n, uint32_t *restrict to)
{
	for (size_t i = 0; i < n / 2; i++)
		to[i] = bf16_pair(rounded[2 * i], rounded[2 * i + 1]);
}

/* A rest less its rounded part is exact: the two lie within a factor of two (Sterbenz). */
static void split_f32(const float *x, size_t n, const float s[2], unsigned slices, uint32_t *to, size_t stride)
{
	const float s0 = s[0], s1 = s[1];
	float rest[SPLIT_BLOCK];
	uint32_t rounded[SPLIT_BLOCK];

	for (size_t begin = 0; begin < n; begin += SPLIT_BLOCK) {
		const size_t count = n - begin < SPLIT_BLOCK ? n - begin : SPLIT_BLOCK;

		for (size_t i = 0; i < count; i++)
			rest[i] = x[begin + i] * s0 * s1;
		for (unsigned slice = 0; slice < slices; slice++) {
			for (size_t i = 0; i < count; i++) {
				rounded[i] = bf16_round_bits(bf16_float_bits(rest[i]));
				rest[i] -= bf16_float_of(rounded[i]);
			}
			store_pairs(rounded, count, to + slice * stride + begin / 2);
		}
	}
}

/* Rounds to the nearest integer, for magnitudes below 2^51. */
static inline double nearest(double x)
{
	return x + 0x1.8p52 - 0x1.8p52;
}

/* The slices are integers of at most 8 bits and a sign, which bfloat16 holds exactly; so are all steps. */
static void split_f64(const double *x, size_t n, const double s[2], unsigned slices, uint32_t *to, size_t stride)
{
	const double s0 = s[0], s1 = s[1];
	double rest[SPLIT_BLOCK];
	uint32_t rounded[SPLIT_BLOCK];

	for (size_t begin = 0; begin < n; begin += SPLIT_BLOCK) {
		const size_t count = n - begin < SPLIT_BLOCK ? n - begin : SPLIT_BLOCK;

		for (size_t i = 0; i < count; i++)
			rest[i] = x[begin + i] * s0 * s1 * 128;
		for (unsigned slice = 0; slice < slices; slice++) {
			for (size_t i = 0; i < count; i++) {
				const double whole = nearest(rest[i]);

				rounded[i] = bf16_float_bits((float)whole);
				rest[i] = (rest[i] - whole) * 256;
			}
			store_pairs(rounded, count, to + slice * stride + begin / 2);
		}
	}
}

static void update_max_abs_f32(const float *x, size_t n, float *restrict max_abs)
{
	for (size_t i = 0; i < n; i++) {
		const float size = x[i] < 0 ? -x[i] : x[i];

		max_abs[i] = size > max_abs[i] && size <= 0x1.fffffep127f ? size : max_abs[i];
	}
}

static void update_max_abs_f64(const double *x, size_t n, double *restrict max_abs)
{
	for (size_t i = 0; i < n; i++) {
		const double size = x[i] < 0 ? -x[i] : x[i];

		max_abs[i] = size > max_abs[i] && size <= 0x1.fffffffffffffp1023 ? size : max_abs[i];
	}
}

static void multiply_f32(const float *x, size_t n, const float *first, const float *second, float *restrict to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = x[i] * first[i] * second[i];
}

static void multiply_f64(const double *x, size_t n, const double *first, const double *second, double *restrict to)
{
	for (size_t i = 0; i < n; i++)
		to[i] = x[i] * first[i] * second[i];
}

/* The two rows of a panel for one row of a matrix, as kernel.h draws them. */
static void spread_f32(const float *x, size_t n, float *to_re, float *to_im)
{
	for (size_t i = 0; i < n; i += 2) {
		to_re[i] = x[i], to_re[i + 1] = x[i + 1];
		to_im[i] = -x[i + 1], to_im[i + 1] = x[i];
	}
}

static void spread_f64(const double *x, size_t n, double *to_re, double *to_im)
{
	for (size_t i = 0; i < n; i += 2) {
		to_re[i] = x[i], to_re[i + 1] = x[i + 1];
		to_im[i] = -x[i + 1], to_im[i + 1] = x[i];
	}
}

/* Of (re, im) in one word: (re, -im) for real parts and (im, re) for imaginary ones. */
static void spread_pairs(const uint32_t *x, size_t n, uint32_t *to)
{
	for (size_t i = 0; i < n / 2; i++) {
		to[2 * i] = x[i] ^ 0x80000000;
		to[2 * i + 1] = x[i] << 16 | x[i] >> 16;
	}
}

static void gather(const float *c, size_t n, double s, double *to)
{
	for (size_t i = 0; i < n; i++)
		to[i] += s * c[i];
}

static void narrow(const double *x, size_t n, const double s[2], float *restrict to)
{
	const double s0 = s[0], s1 = s[1];

	for (size_t i = 0; i < n; i++)
		to[i] = (float)(x[i] * s0 * s1);
}

static void widen(const float *x, size_t n, const double s[2], double *restrict to)
{
	const double s0 = s[0], s1 = s[1];

	for (size_t i = 0; i < n; i++)
		to[i] = x[i] * s0 * s1;
}

static const struct gemm_vectors loops = {
	max_abs_f32,   max_abs_f64,   scale_f32, scale_f64,  split_f32,  split_f64,    update_max_abs_f32,
	update_max_abs_f64, multiply_f32, multiply_f64, spread_f32, spread_f64, spread_pairs, gather,
	narrow,    widen,
};
