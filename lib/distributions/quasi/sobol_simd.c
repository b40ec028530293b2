/* SPDX-License-Identifier: Apache-2.0 */
/* Sobol's kernels on vectors of eight elements, which the compiler maps to those of the instruction set. */
#include "base/simd/simd.h"
#include "distributions/quasi/sobol.h"

#include <string.h>

typedef uint64_t u64x8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef double f64x8 __attribute__((vector_size(64), aligned(8), may_alias));
typedef int64_t i64x8 __attribute__((vector_size(64)));
typedef float f32x8 __attribute__((vector_size(32), aligned(4), may_alias));

/* Converts integers below 2^53. Without an instruction for that, their halves are inserted into the bits of 2^84 and
 * 2^52; subtracting these and adding up is exact. */
#if defined(__AVX512DQ__) || defined(__aarch64__)
#define F64_OF_U53(x) __builtin_convertvector((i64x8)(x), f64x8)
#else
#define F64_OF_U53(x)                                                                                                  \
	((f64x8)((x) >> 32 | 0x4530000000000000) - (0x1p84 + 0x1p52) + (f64x8)(((x)&0xFFFFFFFF) | 0x4330000000000000))
#endif

/* Exchanges neighbouring fields of n bits; mask has the lower field of each pair. */
#define SWAP_FIELDS(x, n, mask) (((x) >> (n) & (mask)) | ((x) << (n) & ~(mask)))

#define REVERSE(x)                                                                                                     \
	do {                                                                                                           \
		x = SWAP_FIELDS(x, 1, UINT64_C(0x5555555555555555));                                                   \
		x = SWAP_FIELDS(x, 2, UINT64_C(0x3333333333333333));                                                   \
		x = SWAP_FIELDS(x, 4, UINT64_C(0x0F0F0F0F0F0F0F0F));                                                   \
		x = SWAP_FIELDS(x, 8, UINT64_C(0x00FF00FF00FF00FF));                                                   \
		x = SWAP_FIELDS(x, 16, UINT64_C(0x0000FFFF0000FFFF));                                                  \
		x = x >> 32 | x << 32;                                                                                 \
	} while (0)

#ifdef SIMD_AVX512
/* Reverses the bytes of each element. */
static inline __m512i reverse_bytes(u64x8 x)
{
	return _mm512_shuffle_epi8((__m512i)x, _mm512_set4_epi32(0x08090a0b, 0x0c0d0e0f, 0x00010203, 0x04050607));
}

/* Looks up the lower and the higher four bits of each byte, reversed. */
static inline u64x8 reverse_by_table(u64x8 x)
{
	const __m512i low = _mm512_set4_epi32(0xf070b030, 0xd0509010, 0xe060a020, 0xc0408000);
	const __m512i high = _mm512_set4_epi32(0x0f070b03, 0x0d050901, 0x0e060a02, 0x0c040800);
	const __m512i four = _mm512_set1_epi8(15), bytes = reverse_bytes(x);

	return (u64x8)(_mm512_shuffle_epi8(low, bytes & four) | _mm512_shuffle_epi8(high, _mm512_srli_epi64(bytes, 4) & four));
}

#define REVERSE_TABLE(x) x = reverse_by_table(x)
/* Multiplies each byte by the matrix that reverses it. */
#define REVERSE_GFNI(x) \
	x = (u64x8)_mm512_gf2p8affine_epi64_epi8(reverse_bytes(x), _mm512_set1_epi64(0x8040201008040201), 0)
#else
#define REVERSE_TABLE REVERSE
#endif

/* Flips each bit by a hash of the bits below it, then reverses the bits. x ^ x c is a bijection since c is even. A factor that is
 * shifted to the left shifts all that follows, so the result is shifted to the right. */
#define OWEN(x, added, factor, reverse)                                                                                \
	do {                                                                                                           \
		x ^= x * UINT64_C(0x9C3D27F04A6B8E52);                                                                 \
		x += added;                                                                                            \
		x *= factor;                                                                                           \
		x ^= x * UINT64_C(0xE1B2C3D4F5968A7C);                                                                 \
		x ^= x * UINT64_C(0x5F3A9D62B8C7E10E);                                                                 \
		reverse(x);                                                                                            \
	} while (0)

/* Divides whole numbers by 2^digits. Zen 4 multiplies where it reverses bits, so with AVX-512 digits are subtracted from the exponents
 * in the highest 16 bits; that of 0 stays. */
#ifdef SIMD_AVX512
#define OVER_POWER(x, digits) ((f64x8)_mm512_subs_epu16((__m512i)(x), _mm512_set1_epi64((int64_t)(digits) << 52)))
#else
#define OVER_POWER(x, digits) ((x) * (1 / (double)(UINT64_C(1) << (digits))))
#endif

/* Store eight fractions of 2^digits, digits at most 53. */
static inline __attribute__((always_inline)) void store_f64(const u64x8 *x, unsigned digits, double *out)
{
	*(f64x8 *)out = OVER_POWER(F64_OF_U53(*x), digits);
}

static inline __attribute__((always_inline)) void store_f32(const u64x8 *x, unsigned digits, float *out)
{
	*(f32x8 *)out = __builtin_convertvector(OVER_POWER(F64_OF_U53(*x), digits), f32x8);
}

/* Makes `state` the first block of span s from that of s - 1. */
static void advance_span(const struct sobol *sobol, uint64_t s, uint64_t *state)
{
	const unsigned m = sobol->log2_span;
	const uint64_t *high = sobol->steps + (size_t)(m + (unsigned)__builtin_ctzll(s)) * sobol->stride;
	const uint64_t *low = m ? sobol->steps + (size_t)(m - 1) * sobol->stride : NULL;

	for (uint32_t e = 0; e < sobol->stride; e += SOBOL_LANES)
		*(u64x8 *)(state + e) ^= *(const u64x8 *)(high + e) ^ (low ? *(const u64x8 *)(low + e) : (u64x8){0});
}

/* Makes fractions of 2^53 of the bits that count. */
#define CUT(x) (((x) & sobol->mask) >> 11)

/* Defines a function that writes blocks of a type that holds that many digits. It goes through a span by columns of one, two or four
 * vectors, whose part of the state stays in registers. A column's last elements may go by way of the stack. */
#define FILL(name, type, digits, store, owen, reverse, target)                                                         \
	static inline target __attribute__((always_inline)) void name##_columns(                                            \
		const struct sobol *sobol, const uint64_t *state, size_t e, size_t columns, size_t first,              \
		size_t n_blocks, type *out)                                                                            \
	{                                                                                                              \
		const size_t width = sobol->width, stride = sobol->stride;                                             \
		const uint64_t *row = sobol->span + first * stride + e;                                                \
		const bool is_whole = e + columns * SOBOL_LANES <= width;                                              \
		const unsigned kept = owen && sobol->bits < (digits) ? sobol->bits : (digits);                         \
		u64x8 base[4], added[4], factor[4], x;                                                                 \
                                                                                                                       \
		for (size_t c = 0; c < columns; c++) {                                                                 \
			base[c] = *(const u64x8 *)(state + e + c * SOBOL_LANES);                                       \
			base[c] = owen ? base[c] : (u64x8)CUT(base[c]);                                                \
			added[c] = *(const u64x8 *)(sobol->keys[0] + e + c * SOBOL_LANES);                             \
			factor[c] = *(const u64x8 *)(sobol->keys[1] + e + c * SOBOL_LANES) << (64 - kept);             \
		}                                                                                                      \
		out += e;                                                                                              \
		for (size_t b = 0; b < n_blocks; b++, row += stride, out += width)                                     \
			for (size_t c = 0; c < columns; c++) {                                                         \
				x = base[c] ^ *(const u64x8 *)(row + c * SOBOL_LANES);                                 \
				if (owen)                                                                              \
					OWEN(x, added[c], factor[c], reverse);                                         \
				else                                                                                   \
					x >>= 53 - kept; /* they are cut to fractions of 2^53 */                       \
				if (columns > 1 || is_whole) {                                                         \
					store(&x, kept, out + c * SOBOL_LANES);                                       \
				} else {                                                                               \
					type rest[SOBOL_LANES];                                                        \
                                                                                                                       \
					store(&x, kept, rest);                                                        \
					memcpy(out, rest, (width - e) * sizeof *out);                                  \
				}                                                                                      \
			}                                                                                              \
	}                                                                                                              \
                                                                                                                       \
	target static void name(const struct sobol *sobol, uint64_t first, size_t n_blocks, uint64_t *state, type *out)\
	{                                                                                                              \
		const size_t per_span = (size_t)1 << sobol->log2_span;                                                 \
		size_t at = (size_t)(first % per_span);                                                                \
                                                                                                                       \
		for (size_t count; n_blocks > 0; at = 0) {                                                             \
			count = n_blocks < per_span - at ? n_blocks : per_span - at;                                   \
			size_t e = 0;                                                                                  \
                                                                                                                       \
			for (; e + 4 * SOBOL_LANES <= sobol->width; e += 4 * SOBOL_LANES)                              \
				name##_columns(sobol, state, e, 4, at, count, out);                                    \
			for (; e + 2 * SOBOL_LANES <= sobol->width; e += 2 * SOBOL_LANES)                              \
				name##_columns(sobol, state, e, 2, at, count, out);                                    \
			for (; e < sobol->width; e += SOBOL_LANES)                                                     \
				name##_columns(sobol, state, e, 1, at, count, out);                                    \
			out += count * sobol->width;                                                                   \
			first += count;                                                                                \
			n_blocks -= count;                                                                             \
			if (n_blocks > 0)                                                                              \
				advance_span(sobol, first >> sobol->log2_span, state);                                 \
		}                                                                                                      \
	}

FILL(plain_f32, float, 24, store_f32, false, REVERSE, )
FILL(plain_f64, double, 53, store_f64, false, REVERSE, )
FILL(owen_f32, float, 24, store_f32, true, REVERSE_TABLE, )
FILL(owen_f64, double, 53, store_f64, true, REVERSE_TABLE, )

static void fill_f32(const struct sobol *sobol, uint64_t first, size_t n_blocks, uint64_t *state, float *out)
{
	(sobol->owen ? owen_f32 : plain_f32)(sobol, first, n_blocks, state, out);
}

static void fill_f64(const struct sobol *sobol, uint64_t first, size_t n_blocks, uint64_t *state, double *out)
{
	(sobol->owen ? owen_f64 : plain_f64)(sobol, first, n_blocks, state, out);
}

const struct sobol_kernel SIMD_SUFFIX(sobol) = {SIMD_NAME, SIMD_NEEDS, fill_f32, fill_f64};

#ifdef SIMD_AVX512
#define GFNI __attribute__((target("gfni")))

FILL(gfni_f32, float, 24, store_f32, true, REVERSE_GFNI, GFNI)
FILL(gfni_f64, double, 53, store_f64, true, REVERSE_GFNI, GFNI)

static void fill_gfni_f32(const struct sobol *sobol, uint64_t first, size_t n_blocks, uint64_t *state, float *out)
{
	(sobol->owen ? gfni_f32 : plain_f32)(sobol, first, n_blocks, state, out);
}

static void fill_gfni_f64(const struct sobol *sobol, uint64_t first, size_t n_blocks, uint64_t *state, double *out)
{
	(sobol->owen ? gfni_f64 : plain_f64)(sobol, first, n_blocks, state, out);
}

const struct sobol_kernel sobol_gfni = {"gfni", SIMD_NEEDS | CPU_GFNI, fill_gfni_f32, fill_gfni_f64};
#endif
