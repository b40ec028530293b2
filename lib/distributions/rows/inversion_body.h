/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions by inversion: one word (student_t: two) gives one sample. Also normals whose radius has 64 bits.
 *
 * A word is read as a signed fraction (elementary_log.h). A 64-bit word has its lowest bit set, and a 32-bit word is
 * taken at the middle of its step, so that neither 0 nor 1 occurs. exponential, laplace and lognormal of 32-bit words
 * are computed in float32 because they are wanted fast; all others in float64, rounded once. */
#include <math.h>
#include <stdbool.h>

#include "distributions/rows/dist_constants.h"
#include "math/elementary_exp.h"
#include "math/elementary_log.h"
#include "math/elementary_normal.h"
#include "math/elementary_split.h"
#include "math/elementary_turn.h"

#define INLINE static inline __attribute__((always_inline))

/* Loads words i .. i + F64_LANES - 1 as 64-bit integers: odd, or at the middle of their step. */
INLINE u64v word_load(bool wide, const void *words, size_t i)
{
	if (wide)
		return u64_or(u64_load((const uint64_t *)words + i), u64_set(1));
	return u64_or(U64_SHL(u64_load_u32((const uint32_t *)words + i), 32), u64_set(1u << 31));
}

/* Loads the same words as signed fractions in [-1/2, 1/2], never 0. */
INLINE f64v fraction_load(bool wide, const void *words, size_t i)
{
	return f64_mul(f64_from_i64(word_load(wide, words, i)), f64_set(0x1p-64));
}

/* Stores samples i .. i + F64_LANES - 1, rounded to float32 unless wide. */
INLINE void sample_store(bool wide, void *out, size_t i, f64v x)
{
	if (wide)
		f64_store((double *)out + i, x);
	else
		f64_store_f32((float *)out + i, x);
}

/* Stores x scale + shift. */
INLINE void affine_store(bool wide, const struct dist_constants *k, void *out, size_t i, f64v x)
{
	sample_store(wide, out, i, f64_fma(x, f64_set(k->scale), f64_set(k->shift)));
}

/* Defines the f32 and f64 kernels of a distribution from its function name(wide, k, inputs, i), which returns standard
 * samples i .. i + F64_LANES - 1. */
#define KERNELS_OF_BOTH_WIDTHS(name)                                                                                   \
	static size_t name##_f32(const struct dist_constants *k, const void *const inputs[], unsigned attempt,         \
				 size_t n, void *ret_out, uint16_t *ret_rejected)                                      \
	{                                                                                                              \
		(void)attempt, (void)ret_rejected;                                                                     \
		for (size_t i = 0; i < n; i += F64_LANES)                                                              \
			affine_store(false, k, ret_out, i, name(false, k, inputs, i));                                 \
		return 0;                                                                                              \
	}                                                                                                              \
	KERNEL_OF_F64(name)

#define KERNEL_OF_F64(name)                                                                                            \
	static size_t name##_f64(const struct dist_constants *k, const void *const inputs[], unsigned attempt,         \
				 size_t n, void *ret_out, uint16_t *ret_rejected)                                      \
	{                                                                                                              \
		(void)attempt, (void)ret_rejected;                                                                     \
		for (size_t i = 0; i < n; i += F64_LANES)                                                              \
			affine_store(true, k, ret_out, i, name(true, k, inputs, i));                                   \
		return 0;                                                                                              \
	}

#define KERNEL_OF_FILL(name, type, wide)                                                                               \
	static size_t name##_##type(const struct dist_constants *k, const void *const inputs[], unsigned attempt,      \
				    size_t n, void *ret_out, uint16_t *ret_rejected)                                   \
	{                                                                                                              \
		(void)attempt, (void)ret_rejected;                                                                     \
		name##_fill(wide, k, inputs, n, ret_out);                                                              \
		return 0;                                                                                              \
	}

/* Defines the same kernels from its function name_fill(wide, k, inputs, n, ret_out), which makes all n samples. */
#define KERNELS_OF_FILL(name)                                                                                          \
	KERNEL_OF_FILL(name, f32, false)                                                                               \
	KERNEL_OF_FILL(name, f64, true)

/* Returns standard exponentials. */
INLINE f64v exponential(bool wide, const struct dist_constants *k, const void *const inputs[], size_t i)
{
	(void)k;
	return minus_log_signed_f64(fraction_load(wide, inputs[0], i));
}

/* Stores samples i .. i + F64_LANES - 1 that are made of the exponentials x. */
typedef void exponential_store(const struct dist_constants *k, void *out, size_t i, f64v x);

/* Makes n samples. What a vector needs before its polynomial is computed beside the polynomial of the vector before: of functions
 * that wait for each other, a CPU has but two or three vectors at work, and these two need different units. */
INLINE void exponentials_fill(bool wide, const struct dist_constants *k, const void *const inputs[], size_t n,
			      exponential_store *store, void *ret_out)
{
	f64v e, x = log_part_signed_f64(fraction_load(wide, inputs[0], 0), &e);
	size_t i = 0;

	for (; i + F64_LANES < n; i += F64_LANES) {
		f64v next_e, next_x = log_part_signed_f64(fraction_load(wide, inputs[0], i + F64_LANES), &next_e);

		store(k, ret_out, i, log_join_f64(x, e));
		x = next_x;
		e = next_e;
	}
	store(k, ret_out, i, log_join_f64(x, e));
}

INLINE void exponential_store_plain(const struct dist_constants *k, void *out, size_t i, f64v x)
{
	(void)k;
	f64_store((double *)out + i, x);
}

/* Both widths leave scale and shift to the caller (struct draw_plan, affine). */
static size_t exponential_f32(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
			      void *ret_out, uint16_t *ret_rejected)
{
	const uint32_t *words = inputs[0];
	float *out = ret_out;

	(void)k, (void)attempt, (void)ret_rejected;
	for (size_t i = 0; i < n; i += F32_LANES) {
		const u32v word = u32_or(u32_load(words + i), u32_set(1));
		const f32v s = f32_mul(f32_from_i32(word), f32_set(0x1p-32f));

		f32_store(out + i, f32_mul(minus_two_log_signed_f32(s), f32_set(0.5f)));
	}
	return 0;
}

static size_t exponential_f64(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
			      void *ret_out, uint16_t *ret_rejected)
{
	(void)attempt, (void)ret_rejected;
	exponentials_fill(true, k, inputs, n, exponential_store_plain, ret_out);
	return 0;
}

/* Takes the sign from the top bit and the absolute value from the others. */
INLINE f64v laplace(bool wide, const struct dist_constants *k, const void *const inputs[], size_t i)
{
	const u64v word = word_load(wide, inputs[0], i), rest = u64_or(U64_SHL(word, 1), u64_set(1));
	const f64v s = f64_mul(f64_from_i64(rest), f64_set(0x1p-64));

	(void)k;
	return f64_flip(minus_log_signed_f64(s), word);
}

/* Leaves scale and shift to the caller (struct draw_plan, affine). */
static size_t laplace_f32(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
			  void *ret_out, uint16_t *ret_rejected)
{
	const uint32_t *words = inputs[0];
	float *out = ret_out;

	(void)k, (void)attempt, (void)ret_rejected;
	for (size_t i = 0; i < n; i += F32_LANES) {
		const u32v word = u32_load(words + i), rest = u32_or(U32_SHL(word, 1), u32_set(1));
		const f32v s = f32_mul(f32_from_i32(rest), f32_set(0x1p-32f));

		f32_store(out + i, f32_flip(f32_mul(minus_two_log_signed_f32(s), f32_set(0.5f)), word));
	}
	return 0;
}

KERNEL_OF_F64(laplace)

/* Returns whether the rounding of a normal times scale plus shift would show in samples: it is relative to shift, and their
 * deviation is scale. */
INLINE bool lognormal_is_narrow(double scale, double shift)
{
	return fabs(shift) > 256 * scale;
}

/* Returns exp(z scale + shift) of normals z, with what the sum loses by rounding. */
INLINE f64v lognormal_narrow(f64v z, f64v scale, f64v shift)
{
	const f64v sum = f64_fma(z, scale, shift), lost = f64_fma(z, scale, f64_sub(shift, sum));

	return f64_mul(exp_f64(sum), f64_add(f64_set(1), lost));
}

/* Makes exp(z scale + shift) of normals z. */
static size_t lognormal_f32(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
			    void *ret_out, uint16_t *ret_rejected)
{
	const f32v scale = f32_set((float)k->scale), shift = f32_set((float)k->shift);
	const float *normals = inputs[0];
	float *out = ret_out;

	(void)attempt, (void)ret_rejected;
	if (lognormal_is_narrow(k->scale, k->shift)) {
		for (size_t i = 0; i < n; i += F64_LANES)
			f64_store_f32(out + i, lognormal_narrow(f64_load_f32(normals + i), f64_set(k->scale), f64_set(k->shift)));
		return 0;
	}
	for (size_t i = 0; i < n; i += F32_LANES)
		f32_store(out + i, exp_f32(f32_fma(f32_load(normals + i), scale, shift)));
	return 0;
}

static size_t lognormal_f64(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
			    void *ret_out, uint16_t *ret_rejected)
{
	const f64v scale = f64_set(k->scale), shift = f64_set(k->shift);
	const double *normals = inputs[0];
	double *out = ret_out;

	(void)attempt, (void)ret_rejected;
	if (lognormal_is_narrow(k->scale, k->shift)) {
		for (size_t i = 0; i < n; i += F64_LANES)
			f64_store(out + i, lognormal_narrow(f64_load(normals + i), scale, shift));
		return 0;
	}
	for (size_t i = 0; i < n; i += F64_LANES)
		f64_store(out + i, exp_f64(f64_fma(f64_load(normals + i), scale, shift)));
	return 0;
}

/* Returns -ln of an exponential. */
INLINE f64v gumbel_of(f64v x)
{
	return minus_log_f64(x);
}

INLINE void gumbel_fill(bool wide, const struct dist_constants *k, const void *const inputs[], size_t n, void *ret_out)
{
	double x[DIST_BLOCK];

	exponentials_fill(wide, k, inputs, n, exponential_store_plain, x);
	for (size_t i = 0; i < n; i += F64_LANES)
		affine_store(wide, k, ret_out, i, gumbel_of(f64_load(x + i)));
}

KERNELS_OF_FILL(gumbel)

/* Lanes that need no exponent keep their bytes, whatever their neighbours: a denormal product is rounded once. */
RARE f64v weibull_apart(m64v plain, f64v log, f64v scale)
{
	const struct split root = split_exp_f64(log), by = split_f64(scale);
	const f64v apart = ldexp_f64(f64_mul(root.m, by.m), f64_add(root.e, by.e));

	return f64_pick(plain, apart, f64_mul(exp_f64(log), scale));
}

/* Returns e^log times scale. */
INLINE f64v weibull_of_log(f64v log, f64v scale)
{
	const m64v plain = f64_less(f64_abs(log), f64_set(690));

	return all_set(plain) ? f64_mul(exp_near_f64(log), scale) : weibull_apart(plain, log, scale);
}

/* Returns exponentials to the power 1 / shape, times scale. */
INLINE f64v weibull_of_power(bool wide, const void *const inputs[], size_t i, f64v power, f64v scale)
{
	return weibull_of_log(f64_mul(log_f64(exponential(wide, NULL, inputs, i)), power), scale);
}

INLINE void weibull_fill(bool wide, const struct dist_constants *k, const void *const inputs[], size_t n, void *ret_out)
{
	const f64v power = f64_set(k->weibull.power), scale = f64_set(k->weibull.scale);
	double x[DIST_BLOCK];

	exponentials_fill(wide, k, inputs, n, exponential_store_plain, x);
	for (size_t i = 0; i < n; i += F64_LANES)
		f64_store(x + i, f64_mul(log_f64(f64_load(x + i)), power));
	for (size_t i = 0; i < n; i += F64_LANES)
		sample_store(wide, ret_out, i, weibull_of_log(f64_load(x + i), scale));
}

KERNELS_OF_FILL(weibull)

/* Returns tan(pi s) of signed fractions s, reduced to an eighth of a turn. No cosine is 0, since words are odd. */
INLINE f64v cauchy(bool wide, const struct dist_constants *k, const void *const inputs[], size_t i)
{
	const u64v word = word_load(wide, inputs[0], i);
	const u64v half = U64_SHR(u64_add(word, u64_set(1ull << 62)), 63), rest = u64_sub(word, U64_SHL(half, 63));
	f64v s, c;

	(void)k;
	sincos_quarter_f64(f64_mul(f64_from_i64(rest), f64_set(0x1p-63)), &s, &c);
	return f64_div(f64_select(half, s, f64_neg(c)), f64_select(half, c, s));
}

KERNELS_OF_BOTH_WIDTHS(cauchy)

RARE f64v student_t_apart(f64v root, f64v log, f64v cosine)
{
	const struct split grown = split_exp_f64(log);

	return ldexp_f64(f64_mul(f64_mul(root, grown.m), cosine), grown.e);
}

/* Returns cos(2 pi v) sqrt(df (u^(-2 / df) - 1)), arranged so that only results beyond the dtype overflow.
 * Source: R. W. Bailey, "Polar generation of random variates with the t-distribution", Math. Comp. 62 (1994) 779. */
INLINE f64v student_t_of_degrees(bool wide, const void *const inputs[], size_t i, f64v degrees)
{
	const u64v word = word_load(wide, inputs[1], i);
	const u64v quarter = U64_SHR(u64_add(word, u64_set(1ull << 61)), 62),
		   rest = u64_sub(word, U64_SHL(quarter, 62));
	const f64v log_u = minus_two_log_signed_f64(fraction_load(wide, inputs[0], i));
	const f64v x = f64_div(log_u, degrees), held = f64_min(x, f64_set(1e4));
	const f64v below = f64_mul(f64_neg(degrees), expm1_f64(f64_neg(held)));
	const f64v root = f64_sqrt(below), half = f64_mul(held, f64_set(0.5));
	f64v s, c;

	sincos_quarter_f64(f64_mul(f64_from_i64(rest), f64_set(0x1p-62)), &s, &c);
	const u64v sign = U64_SHL(u64_add(quarter, u64_set(1)), 62);

	const f64v cosine = f64_flip(f64_select(quarter, c, s), sign);

	if (!all_set(f64_less(half, f64_set(690))))
		return student_t_apart(root, half, cosine);
	return f64_mul(f64_mul(root, exp_f64(half)), cosine);
}

INLINE f64v student_t(bool wide, const struct dist_constants *k, const void *const inputs[], size_t i)
{
	return student_t_of_degrees(wide, inputs, i, f64_set(k->degrees));
}

KERNELS_OF_BOTH_WIDTHS(student_t)

/* Makes 1 + floor(e mean_trials) of exponentials e: the trials up to the first success, below 2^63 for
 * the allowed p. */
INLINE void geometric_store(const struct dist_constants *k, void *out, size_t i, f64v x)
{
	const f64v whole = f64_floor(f64_mul(x, f64_set(k->mean_trials)));

	f64_store_i64((int64_t *)out + i, f64_add(whole, f64_set(1)));
}

static size_t geometric_i64(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
			    void *ret_out, uint16_t *ret_rejected)
{
	(void)attempt, (void)ret_rejected;
	exponentials_fill(true, k, inputs, n, geometric_store, ret_out);
	return 0;
}

/* Computes u and 1 - u of the fraction u that s represents, the smaller one exactly. */
INLINE void split_fraction(f64v s, f64v *ret_below, f64v *ret_above)
{
	const m64v high = f64_less(s, f64_set(0));
	const f64v other = f64_sub(f64_set(1), f64_abs(s));

	*ret_below = f64_pick(high, s, other);
	*ret_above = f64_pick(high, other, f64_neg(s));
}

/* Returns z, forced into the interval and mirrored back. */
INLINE f64v truncated_result(const struct dist_constants *k, f64v z)
{
	const f64v held = f64_min(f64_max(z, f64_set(k->truncated.low)), f64_set(k->truncated.high));

	return f64_mul(held, f64_set(k->truncated.sign));
}

/* Inverts the normal distribution from both sides. An interval above 0 has been mirrored. */
INLINE f64v truncated(bool wide, const struct dist_constants *k, const void *const inputs[], size_t i)
{
	const f64v width = f64_set(k->truncated.width);
	f64v u, v;

	split_fraction(fraction_load(wide, inputs[0], i), &u, &v);
	return truncated_result(k, normal_inverse_f64(f64_fma(u, width, f64_set(k->truncated.below)),
						      f64_fma(v, width, f64_set(k->truncated.above))));
}

KERNELS_OF_BOTH_WIDTHS(truncated)

/* Inverts over an interval so short that the density is a parabola: solves f(t) = u f(width) by iteration, where
 * f(t) = t (1 - a t / 2 + (a^2 - 1) t^2 / 6). Each step gains 11 bits. The relative error of the distribution is below
 * 2^-34. */
INLINE f64v truncated_narrow(bool wide, const struct dist_constants *k, const void *const inputs[], size_t i)
{
	const double a = k->truncated.low, width = k->truncated.width;
	const f64v linear = f64_set(-a / 2), square = f64_set((a * a - 1) / 6);
	const f64v whole = f64_set(width * fma(width, fma(width, (a * a - 1) / 6, -a / 2), 1));
	f64v u, v;

	split_fraction(fraction_load(wide, inputs[0], i), &u, &v);
	const f64v target = f64_mul(u, whole);
	f64v t = target;

	for (int step = 0; step < 4; step++)
		t = f64_div(target, f64_fma(t, f64_fma(t, square, linear), f64_set(1)));
	return truncated_result(k, f64_add(f64_set(a), t));
}

KERNELS_OF_BOTH_WIDTHS(truncated_narrow)

/* Returns ln(x Q(x) / density(x)) for x >= 30, with an error below 2e-10. Only differences of it are used. */
INLINE f64v mills_log(f64v x)
{
	const f64v xx = f64_div(f64_set(1), f64_mul(x, x));

	return f64_mul(xx, f64_fma(xx, f64_fma(xx, f64_set(-37.0 / 3), f64_set(2.5)), f64_set(-1)));
}

/* Inverts far in a tail, a = low >= 30. Finds x = a + d with ln Q(a) - ln Q(x) = E, where E is an exponential cut at
 * ln Q(a) - ln Q(high): iterates a d + d^2 / 2 + ln(1 + d / a) - (mills_log(x) - mills_log(a)) = E. Each step reduces
 * the error by a factor of a^2. */
INLINE f64v truncated_far(bool wide, const struct dist_constants *k, const void *const inputs[], size_t i)
{
	const f64v a = f64_set(k->truncated.low), inverse = f64_set(1 / k->truncated.low);
	const f64v aa = f64_mul(a, a), mills_a = mills_log(a);
	const f64v s = fraction_load(wide, inputs[0], i);
	f64v u, v;

	split_fraction(s, &u, &v);
	/* E = -ln(1 - u (1 - ratio)), from the side that keeps its precision. */
	const f64v cut = f64_mul(u, f64_set(k->truncated.width));
	const f64v low_e = f64_neg(log1p_f64(f64_neg(f64_min(cut, f64_set(0.5)))));
	const f64v rest = f64_fma(u, f64_set(k->truncated.ratio), v);
	const f64v e = f64_pick(f64_less(cut, f64_set(0.5)), f64_neg(log_f64(rest)), low_e);
	f64v d = f64_set(0), target = e;

	for (int step = 0; step < 4; step++) {
		const f64v root = f64_sqrt(f64_fma(target, f64_set(2), aa));

		d = f64_div(f64_mul(f64_set(2), target), f64_add(a, root));
		target = f64_sub(e, log1p_f64(f64_mul(d, inverse)));
		target = f64_max(f64_add(target, f64_sub(mills_log(f64_add(a, d)), mills_a)), f64_set(0));
	}
	return truncated_result(k, f64_add(a, d));
}

KERNELS_OF_BOTH_WIDTHS(truncated_far)

/* Makes normals by Box and Muller's method from a radius of 64 bits: word(k, 0) of an even sample k is its upper half,
 * word(k, 1) its lower half. The angle is that of boxmuller. */
static size_t radius64_f32(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
			   void *ret_out, uint16_t *ret_rejected)
{
	float *out = ret_out;

	(void)k, (void)attempt, (void)ret_rejected;
	for (size_t i = 0; i < n; i += 2 * F32_LANES) {
		const float *words = (const float *)inputs[0] + i, *more = (const float *)inputs[1] + i;
		f32v high, angle, low, unused, cosine, sine, a, b;

		f32_unzip(f32_load(words), f32_load(words + F32_LANES), &high, &angle);
		f32_unzip(f32_load(more), f32_load(more + F32_LANES), &low, &unused);
		const u32v bits = f32_bits(low), fraction = u32_and(f32_bits(angle), u32_set(0xFFFFFF));
		const f32v top = f32_mul(f32_from_i32(f32_bits(high)), f32_set(0x1p-32f));
		const f32v step = f32_fma(f32_from_i32(U32_SHR(bits, 16)), f32_set(0x1p16f),
					  f32_from_i32(u32_and(bits, u32_set(0xFFFF))));
		const f32v sum = f32_fma(step, f32_set(0x1p-64f), top);
		/* Never 0, and of the sign of the upper half. */
		const f32v s = f32_pick(f32_less(top, f32_set(0)), f32_max(sum, f32_set(0x1p-64f)),
					f32_min(sum, f32_set(-0x1p-64f)));

		turn_f32(f32_mul(f32_from_i32(fraction), f32_set(0x1p-24f)), f32_sqrt(minus_two_log_signed_f32(s)),
			 &cosine, &sine);
		f32_zip(cosine, sine, &a, &b);
		f32_store(out + i, a);
		f32_store(out + i + F32_LANES, b);
	}
	return 0;
}

static size_t radius64_f64(const struct dist_constants *k, const void *const inputs[], unsigned attempt, size_t n,
			   void *ret_out, uint16_t *ret_rejected)
{
	double *out = ret_out;

	(void)k, (void)attempt, (void)ret_rejected;
	for (size_t i = 0; i < n; i += 2 * F64_LANES) {
		const double *words = (const double *)inputs[0] + i;
		f64v high, angle, cosine, sine, a, b;

		f64_unzip(f64_load(words), f64_load(words + F64_LANES), &high, &angle);
		const f64v s = f64_mul(f64_from_i64(u64_or(f64_bits(high), u64_set(1))), f64_set(0x1p-64));
		const f64v u = f64_mul(f64_from_i64(U64_SHR(f64_bits(angle), 11)), f64_set(0x1p-53));

		turn_f64(u, f64_sqrt(minus_two_log_signed_f64(s)), &cosine, &sine);
		f64_zip(cosine, sine, &a, &b);
		f64_store(out + i, a);
		f64_store(out + i + F64_LANES, b);
	}
	return 0;
}
