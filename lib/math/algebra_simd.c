/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that the compiler vectorises for each variant, and functions on vectors.
 *
 * The operands may be the result itself, element for element, so loops have no dependencies. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/simd/simd.h"
#include "math/algebra.h"
#include "math/box_muller.h"
#include "math/elementary_exp.h"
#include "math/elementary_log.h"

#ifdef __clang__
#define INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#else
#define INDEPENDENT _Pragma("GCC ivdep")
#endif

#define INLINE static inline __attribute__((always_inline))

/* Defines a function for elements of a type: `expression` of a[i] and b[i], which are double. */
#define FOR_EACH(name, type, expression)                                                                               \
	static void name(const struct algebra_numbers *numbers, const void *const in[3], size_t n, void *ret)          \
	{                                                                                                              \
		const type *x = in[0], *y = in[1];                                                                     \
		type *out = ret;                                                                                       \
                                                                                                                       \
		(void)numbers, (void)y;                                                                                \
		INDEPENDENT for (size_t i = 0; i < n; i++)                                                    \
		{                                                                                                      \
			const double a = x[i];                                                                         \
                                                                                                                       \
			out[i] = (type)(expression);                                                                   \
		}                                                                                                      \
	}
#define BOTH(name, expression)                                                                                         \
	FOR_EACH(name##_f32, float, expression)                                                                        \
	FOR_EACH(name##_f64, double, expression)

/* Defines a function for complex elements: `real` and `imaginary` of a + b i and c + d i, which are double. */
#define FOR_EACH_COMPLEX(name, type, real, imaginary)                                                                  \
	static void name(const struct algebra_numbers *numbers, const void *const in[3], size_t n, void *ret)          \
	{                                                                                                              \
		const type *x = in[0], *y = in[1] ? in[1] : in[0];                                                     \
		type *out = ret;                                                                                       \
                                                                                                                       \
		(void)numbers;                                                                                         \
		INDEPENDENT for (size_t i = 0; i < n; i++)                                                    \
		{                                                                                                      \
			const double a = x[2 * i], b = x[2 * i + 1], c = y[2 * i], d = y[2 * i + 1];                   \
			const double re = (real), im = (imaginary);                                                    \
                                                                                                                       \
			(void)c, (void)d;                                                                              \
			out[2 * i] = (type)re;                                                                         \
			out[2 * i + 1] = (type)im;                                                                     \
		}                                                                                                      \
	}
#define BOTH_COMPLEX(name, real, imaginary)                                                                            \
	FOR_EACH_COMPLEX(name##_c64, float, real, imaginary)                                                           \
	FOR_EACH_COMPLEX(name##_c128, double, real, imaginary)

/* As FOR_EACH_COMPLEX, for a real second operand s. */
#define FOR_EACH_SCALED(name, type, real, imaginary)                                                                   \
	static void name(const struct algebra_numbers *numbers, const void *const in[3], size_t n, void *ret)          \
	{                                                                                                              \
		const type *x = in[0], *y = in[1];                                                                     \
		type *out = ret;                                                                                       \
                                                                                                                       \
		(void)numbers;                                                                                         \
		INDEPENDENT for (size_t i = 0; i < n; i++)                                                    \
		{                                                                                                      \
			const double a = x[2 * i], b = x[2 * i + 1], s = y[i];                                         \
                                                                                                                       \
			out[2 * i] = (type)(real);                                                                     \
			out[2 * i + 1] = (type)(imaginary);                                                            \
		}                                                                                                      \
	}

/* As FOR_EACH_COMPLEX, for a real result. */
#define FOR_EACH_PART(name, type, real)                                                                                \
	static void name(const struct algebra_numbers *numbers, const void *const in[3], size_t n, void *ret)          \
	{                                                                                                              \
		const type *x = in[0];                                                                                 \
		type *out = ret;                                                                                       \
                                                                                                                       \
		(void)numbers;                                                                                         \
		for (size_t i = 0; i < n; i++) {                                                                       \
			const double a = x[2 * i], b = x[2 * i + 1];                                                   \
                                                                                                                       \
			(void)a, (void)b;                                                                              \
			out[i] = (type)(real);                                                                         \
		}                                                                                                      \
	}
#define BOTH_PARTS(name, real)                                                                                         \
	FOR_EACH_PART(name##_c64, float, real)                                                                         \
	FOR_EACH_PART(name##_c128, double, real)

/* Returns a c - b d to 1.5 ulp. Source: C.-P. Jeannerod, N. Louvet, J.-M. Muller, Math. Comp. 82 (2013) 2245 (Kahan). */
INLINE double difference(double a, double c, double b, double d)
{
	const double product = b * d, left = fma(-b, d, product);

	return fma(a, c, -product) + left;
}

/* Returns the power of two, within 2^-1000 .. 2^1000, that brings a finite x > 0 to between 1 and 2. */
INLINE double inverse_power(double x)
{
	uint64_t bits;

	memcpy(&bits, &x, sizeof bits);
	int64_t exponent = (int64_t)(bits >> 52 & 0x7FF) - 1023;

	exponent = exponent < -1000 ? -1000 : exponent > 1000 ? 1000 : exponent;
	bits = (uint64_t)(1023 - exponent) << 52;
	memcpy(&x, &bits, sizeof x);
	return x;
}

INLINE double larger(double a, double b)
{
	return a > b ? a : b;
}

/* Returns one part, (p c + q d) / (c^2 + d^2), of a quotient; the divisor is scaled first, so that its square is in range.
 */
INLINE double quotient(double p, double c, double q, double d)
{
	const double scale = inverse_power(larger(fabs(c), fabs(d))), u = c * scale, v = d * scale;

	return difference(p, u, -q, v) / fma(u, u, v * v) * scale;
}

/* Defines x by + plus. */
#define SCALE(name, type)                                                                                              \
	static void name(const struct algebra_numbers *numbers, const void *const in[3], size_t n, void *ret)          \
	{                                                                                                              \
		const double by = numbers->by, plus = numbers->plus;                                                   \
		const type *x = in[0];                                                                                 \
		type *out = ret;                                                                                       \
                                                                                                                       \
		INDEPENDENT for (size_t i = 0; i < n; i++) out[i] = (type)fma((double)x[i], by, plus);                  \
	}
SCALE(scale_f32, float)
SCALE(scale_f64, double)
static void box_muller_f32(const struct algebra_numbers *numbers, const void *const in[3], size_t n, void *ret)
{
	(void)numbers;
	SIMD_SUFFIX(box_muller).f32(in[0], n / 2, ret);
}

static void box_muller_f64(const struct algebra_numbers *numbers, const void *const in[3], size_t n, void *ret)
{
	(void)numbers;
	SIMD_SUFFIX(box_muller).f64(in[0], n / 2, ret);
}

BOTH_COMPLEX(scale, fma(a, numbers->by, numbers->plus), fma(b, numbers->by, 0))
BOTH(add, a + (double)y[i])
BOTH_COMPLEX(add, a + c, b + d)
BOTH(subtract, a - (double)y[i])
BOTH(multiply, a *(double)y[i])
BOTH(divide, a / (double)y[i])
BOTH(abs, fabs(a))
BOTH(square, a *a)
BOTH_COMPLEX(subtract, a - c, b - d)
BOTH_COMPLEX(multiply, difference(a, c, b, d), difference(a, d, -b, c))
BOTH_COMPLEX(divide, quotient(a, c, b, d), quotient(b, c, -a, d))
BOTH_COMPLEX(square, difference(a, a, b, b), 2 * a * b)
BOTH_COMPLEX(conj, a, -b)
FOR_EACH_SCALED(multiply_real_c64, float, a *s, b *s)
FOR_EACH_SCALED(multiply_real_c128, double, a *s, b *s)
FOR_EACH_SCALED(divide_real_c64, float, a / s, b / s)
FOR_EACH_SCALED(divide_real_c128, double, a / s, b / s)
BOTH_PARTS(real, a)
BOTH_PARTS(imag, b)

/* As numpy: NaN stays NaN. Bounds are rounded to the type. */
#define CLIP(name, type)                                                                                               \
	static void name(const struct algebra_numbers *numbers, const void *const in[3], size_t n, void *ret)          \
	{                                                                                                              \
		const type low = (type)numbers->low, high = (type)numbers->high, *x = in[0];                           \
		type *out = ret;                                                                                       \
                                                                                                                       \
		INDEPENDENT for (size_t i = 0; i < n; i++)                                                    \
		{                                                                                                      \
			const type above = x[i] < low ? low : x[i];                                                    \
                                                                                                                       \
			out[i] = above > high ? high : above;                                                          \
		}                                                                                                      \
	}
CLIP(clip_f32, float)
CLIP(clip_f64, double)

/* Elements are as words: their bits are copied. */
#define WHERE(name, type, parts)                                                                                       \
	static void name(const struct algebra_numbers *numbers, const void *const in[3], size_t n, void *ret)          \
	{                                                                                                              \
		const type *x = in[0], *y = in[1];                                                                     \
		const uint8_t *which = in[2];                                                                          \
		type *out = ret;                                                                                       \
                                                                                                                       \
		(void)numbers;                                                                                         \
		for (size_t i = 0; i < n; i++)                                                                         \
			for (size_t part = 0; part < (parts); part++)                                                  \
				out[(parts) * i + part] = which[i] ? x[(parts) * i + part] : y[(parts) * i + part];    \
	}
WHERE(where_f32, float, 1)
WHERE(where_f64, double, 1)
WHERE(where_c64, float, 2)
WHERE(where_c128, double, 2)

/* ---- on vectors ---- */

/* Lanes that hold NaN. */
INLINE m64v is_nan(f64v x)
{
	return m64_and(m64_not(f64_less(x, f64_set(0))), m64_not(f64_less(f64_set(-1), x)));
}

/* Returns e^x of any x. */
INLINE f64v exp_any(f64v x)
{
	return f64_pick(is_nan(x), exp_f64(x), x);
}

/* Returns ln x of any x: of 0 -infinity, of 1 a positive 0, below 0 NaN. Denormal numbers are scaled by 2^54 first. */
INLINE f64v log_any(f64v x)
{
	const m64v small = f64_less(x, f64_set(0x1p-1022)), infinite = f64_less(f64_set(0x1.fffffffffffffp1023), x);
	const f64v scaled = f64_pick(small, x, f64_mul(x, f64_set(0x1p54)));
	const f64v held = f64_pick(infinite, scaled, f64_set(1));
	const u64v above = u64_sub(f64_bits(held), u64_set(0x3FE5555555555555));
	const u64v exponent = u64_and(above, u64_set(0xFFF0000000000000));
	const f64v m = f64_of_bits(u64_sub(f64_bits(held), exponent));
	const f64v e = f64_sub(f64_from_i12(exponent), f64_pick(small, f64_set(0), f64_set(54)));
	const f64v log = f64_sub(f64_set(0), log_join_f64(f64_sub(f64_set(1), m), e));
	const m64v zero = m64_and(m64_not(f64_less(x, f64_set(0))), m64_not(f64_less(f64_set(0), x)));
	const f64v finite = f64_pick(infinite, log, x);
	const f64v no_zero = f64_pick(zero, finite, f64_set(-(double)INFINITY));

	return f64_pick(m64_or(is_nan(x), f64_less(x, f64_set(0))), no_zero, f64_set((double)NAN));
}

/* Defines a function of vectors, the last of which is computed apart. */
#define ON_VECTORS(name, type, load, store, function)                                                                  \
	static void name(const struct algebra_numbers *numbers, const void *const in[3], size_t n, void *ret)          \
	{                                                                                                              \
		const type *x = in[0];                                                                                 \
		type *out = ret, rest[F64_LANES] = {0};                                                                \
		size_t i = 0;                                                                                          \
                                                                                                                       \
		(void)numbers;                                                                                         \
		for (; i + F64_LANES <= n; i += F64_LANES)                                                             \
			store(out + i, function(load(x + i)));                                                         \
		if (i < n) {                                                                                           \
			memcpy(rest, x + i, (n - i) * sizeof *x);                                                      \
			store(rest, function(load(rest)));                                                             \
			memcpy(out + i, rest, (n - i) * sizeof *x);                                                    \
		}                                                                                                      \
	}
/* Defines absolute values, a block at a time so that roots are of vectors: of scale^2 (a^2 + b^2). */
#define LENGTHS(name, type, scale_of)                                                                                  \
	static void name(const struct algebra_numbers *numbers, const void *const in[3], size_t n, void *ret)          \
	{                                                                                                              \
		enum { BLOCK = 256 };                                                                                  \
		const type *x = in[0];                                                                                 \
		double sums[BLOCK], scales[BLOCK];                                                                     \
		type *out = ret;                                                                                       \
                                                                                                                       \
		(void)numbers;                                                                                         \
		for (size_t done = 0; done < n; done += BLOCK) {                                                       \
			const size_t count = n - done < BLOCK ? n - done : BLOCK;                                      \
                                                                                                                       \
			memset(sums, 0, sizeof sums);                                                                  \
			for (size_t i = 0; i < count; i++) {                                                           \
				const double a = x[2 * (done + i)], b = x[2 * (done + i) + 1];                         \
				const double scale = scale_of, u = a * scale, v = b * scale;                           \
				const double sum = fma(u, u, v * v);                                                   \
                                                                                                                       \
				sums[i] = fabs(a) > DBL_MAX || fabs(b) > DBL_MAX ? (double)INFINITY : sum;             \
				scales[i] = scale;                                                                     \
			}                                                                                              \
			for (size_t i = 0; i < BLOCK; i += F64_LANES)                                                  \
				f64_store(sums + i, f64_sqrt(f64_load(sums + i)));                                     \
			for (size_t i = 0; i < count; i++)                                                             \
				out[done + i] = (type)(sums[i] / scales[i]);                                           \
		}                                                                                                      \
	}
LENGTHS(abs_c64, float, 1)
LENGTHS(abs_c128, double, inverse_power(larger(fabs(a), fabs(b))))

#define BOTH_ON_VECTORS(name, function)                                                                                \
	ON_VECTORS(name##_f32, float, f64_load_f32, f64_store_f32, function)                                           \
	ON_VECTORS(name##_f64, double, f64_load, f64_store, function)

/* Defines x + by y. The last elements go by way of padded copies, so that all have the same operations. */
#define NOISE_ADD(name, type, load, store)                                                                             \
	static void name(const struct algebra_numbers *numbers, const void *const in[3], size_t n, void *ret)          \
	{                                                                                                              \
		const f64v by = f64_set(numbers->by);                                                                  \
		const type *x = in[0], *y = in[1];                                                                     \
		type *out = ret, rest[2][F64_LANES] = {0};                                                             \
		size_t i = 0;                                                                                          \
                                                                                                                       \
		for (; i + F64_LANES <= n; i += F64_LANES)                                                             \
			store(out + i, f64_fma(load(y + i), by, load(x + i)));                                         \
		if (i < n) {                                                                                           \
			memcpy(rest[0], x + i, (n - i) * sizeof *x);                                                   \
			memcpy(rest[1], y + i, (n - i) * sizeof *y);                                                   \
			store(rest[0], f64_fma(load(rest[1]), by, load(rest[0])));                                     \
			memcpy(out + i, rest[0], (n - i) * sizeof *out);                                               \
		}                                                                                                      \
	}
NOISE_ADD(noise_add_f32, float, f64_load_f32, f64_store_f32)
NOISE_ADD(noise_add_f64, double, f64_load, f64_store)

/* A complex sample of noise is two real ones. */
static void noise_add_c64(const struct algebra_numbers *numbers, const void *const in[3], size_t n, void *ret)
{
	noise_add_f32(numbers, in, 2 * n, ret);
}

static void noise_add_c128(const struct algebra_numbers *numbers, const void *const in[3], size_t n, void *ret)
{
	noise_add_f64(numbers, in, 2 * n, ret);
}

BOTH_ON_VECTORS(roots, f64_sqrt)
BOTH_ON_VECTORS(logarithms, log_any)
BOTH_ON_VECTORS(exponentials, exp_any)

/* ---- reductions ---- */

/* Adds x; Source of TwoSum: D. Knuth, "The Art of Computer Programming" 2, 4.2.2. */
INLINE void add_to(f64v x, f64v *sum, f64v *rest)
{
	const f64v next = f64_add(*sum, x), back = f64_sub(next, *sum);
	const f64v lost = f64_add(f64_sub(*sum, f64_sub(next, back)), f64_sub(x, back));

	*rest = f64_add(*rest, lost);
	*sum = next;
}

INLINE void take_sum(f64v x, f64v *sum, f64v *rest)
{
	add_to(x, sum, rest);
}

INLINE void take_max(f64v x, f64v *sum, f64v *rest)
{
	(void)rest;
	*sum = f64_pick(m64_or(f64_less(*sum, x), is_nan(x)), *sum, x);
}

INLINE void take_square(f64v x, f64v *sum, f64v *rest)
{
	const f64v square = f64_mul(x, x);

	add_to(square, sum, rest);
	*rest = f64_add(*rest, f64_fma(x, x, f64_neg(square)));
}

/* Columns that do not fill a vector go by one that is filled with zeros. */
#define REDUCE(name, type, load, take)                                                                                 \
	static void name(const void *from, size_t rows, size_t stride, size_t columns, double *sums, double *rests)    \
	{                                                                                                              \
		const type *x = from;                                                                                  \
		type some[F64_LANES] = {0};                                                                            \
		double last_sums[F64_LANES] = {0}, last_rests[F64_LANES] = {0};                                        \
		size_t c = 0;                                                                                          \
                                                                                                                       \
		for (; c + F64_LANES <= columns; c += F64_LANES) {                                                     \
			f64v sum = f64_load(sums + c), rest = f64_load(rests + c);                                     \
                                                                                                                       \
			for (size_t r = 0; r < rows; r++)                                                              \
				take(load(x + r * stride + c), &sum, &rest);                                           \
			f64_store(sums + c, sum);                                                                      \
			f64_store(rests + c, rest);                                                                    \
		}                                                                                                      \
		if (c == columns)                                                                                      \
			return;                                                                                        \
		memcpy(last_sums, sums + c, (columns - c) * sizeof *sums);                                             \
		memcpy(last_rests, rests + c, (columns - c) * sizeof *rests);                                          \
		f64v sum = f64_load(last_sums), rest = f64_load(last_rests);                                           \
                                                                                                                       \
		for (size_t r = 0; r < rows; r++) {                                                                    \
			memcpy(some, x + r * stride + c, (columns - c) * sizeof *x);                                   \
			take(load(some), &sum, &rest);                                                                 \
		}                                                                                                      \
		f64_store(last_sums, sum);                                                                             \
		f64_store(last_rests, rest);                                                                           \
		memcpy(sums + c, last_sums, (columns - c) * sizeof *sums);                                             \
		memcpy(rests + c, last_rests, (columns - c) * sizeof *rests);                                          \
	}
REDUCE(sum_f32, float, f64_load_f32, take_sum)
REDUCE(sum_f64, double, f64_load, take_sum)
REDUCE(max_f32, float, f64_load_f32, take_max)
REDUCE(max_f64, double, f64_load, take_max)
REDUCE(squares_f32, float, f64_load_f32, take_square)
REDUCE(squares_f64, double, f64_load, take_square)

#define ALL(name)      {name##_f32, name##_f64, name##_c64, name##_c128}
#define REALS(name)    {name##_f32, name##_f64, NULL, NULL}
#define COMPLEXES(name) {NULL, NULL, name##_c64, name##_c128}

const struct algebra_kernel SIMD_SUFFIX(algebra) = {
	SIMD_NAME,
	SIMD_NEEDS,
	{
		[ALGEBRA_box_muller] = REALS(box_muller),
		[ALGEBRA_scale] = ALL(scale),
		[ALGEBRA_noise_add] = ALL(noise_add),
		[ALGEBRA_add] = ALL(add),
		[ALGEBRA_subtract] = ALL(subtract),
		[ALGEBRA_multiply] = ALL(multiply),
		[ALGEBRA_multiply_real] = COMPLEXES(multiply_real),
		[ALGEBRA_divide] = ALL(divide),
		[ALGEBRA_divide_real] = COMPLEXES(divide_real),
		[ALGEBRA_abs] = ALL(abs),
		[ALGEBRA_square] = ALL(square),
		[ALGEBRA_sqrt] = REALS(roots),
		[ALGEBRA_log] = REALS(logarithms),
		[ALGEBRA_exp] = REALS(exponentials),
		[ALGEBRA_conj] = COMPLEXES(conj),
		[ALGEBRA_real] = COMPLEXES(real),
		[ALGEBRA_imag] = COMPLEXES(imag),
		[ALGEBRA_clip] = REALS(clip),
		[ALGEBRA_where] = ALL(where),
	},
	{{sum_f32, sum_f64}, {max_f32, max_f64}, {squares_f32, squares_f64}},
};
