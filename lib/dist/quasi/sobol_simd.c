/* SPDX-License-Identifier: Apache-2.0 */
/* Sobol's kernels on vectors of eight elements, which the compiler maps to those of the instruction set. */
#include "base/simd.h"
#include "dist/quasi/sobol.h"

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

/* Flips each bit by a hash of the bits below it, then reverses the bits. x ^ x c is a bijection since c is even. */
#define OWEN(x, added, factor)                                                                                         \
	do {                                                                                                           \
		x ^= x * UINT64_C(0x9C3D27F04A6B8E52);                                                                 \
		x += added;                                                                                            \
		x *= factor;                                                                                           \
		x ^= x * UINT64_C(0xE1B2C3D4F5968A7C);                                                                 \
		x ^= x * UINT64_C(0x5F3A9D62B8C7E10E);                                                                 \
		REVERSE(x);                                                                                            \
	} while (0)

/* Computes elements e .. e + 7 of a block from their state, and advances the state to the next block by the step's row.
 */
static inline __attribute__((always_inline)) void compute_eight(const struct sobol *sobol, bool owen, uint32_t e,
								const uint64_t *step, uint64_t *state, u64x8 *ret)
{
	u64x8 *at = (u64x8 *)(state + e);
	u64x8 x = *at;

	*at = x ^ *(const u64x8 *)(step + e);
	if (owen)
		OWEN(x, *(const u64x8 *)(sobol->keys[0] + e), *(const u64x8 *)(sobol->keys[1] + e));
	*ret = x & sobol->mask;
}

/* Store the top 53 or 24 bits of eight fractions of 2^64 as numbers in [0, 1). */
static inline __attribute__((always_inline)) void store_f64(const u64x8 *x, double *out)
{
	*(f64x8 *)out = F64_OF_U53(*x >> 11) * 0x1p-53;
}

static inline __attribute__((always_inline)) void store_f32(const u64x8 *x, float *out)
{
	*(f32x8 *)out = __builtin_convertvector(F64_OF_U53(*x >> 40) * 0x1p-24, f32x8);
}

/* Defines a function that writes blocks: whole vectors straight to the output, the rest of a block by way of the stack.
 * The row of a step is the number of trailing ones of the block's number, as in any Gray code. */
#define FILL(name, type, store, owen)                                                                                  \
	static void name(const struct sobol *sobol, uint64_t first, size_t n_blocks, uint64_t *state, type *out)       \
	{                                                                                                              \
		const uint32_t width = sobol->width, whole = width - width % SOBOL_LANES;                              \
		u64x8 x;                                                                                               \
                                                                                                                       \
		for (size_t b = 0; b < n_blocks; b++, out += width) {                                                  \
			const unsigned row = (unsigned)__builtin_ctzll(first + b + 1);                                 \
			const uint64_t *step = sobol->steps + (size_t)row * sobol->stride;                             \
                                                                                                                       \
			for (uint32_t e = 0; e < whole; e += SOBOL_LANES) {                                            \
				compute_eight(sobol, owen, e, step, state, &x);                                        \
				store(&x, out + e);                                                                    \
			}                                                                                              \
			if (whole < width) {                                                                           \
				type rest[SOBOL_LANES];                                                                \
                                                                                                                       \
				compute_eight(sobol, owen, whole, step, state, &x);                                    \
				store(&x, rest);                                                                       \
				memcpy(out + whole, rest, (width - whole) * sizeof *out);                              \
			}                                                                                              \
		}                                                                                                      \
	}

FILL(plain_f32, float, store_f32, false)
FILL(plain_f64, double, store_f64, false)
FILL(owen_f32, float, store_f32, true)
FILL(owen_f64, double, store_f64, true)

static void fill_f32(const struct sobol *sobol, uint64_t first, size_t n_blocks, uint64_t *state, float *out)
{
	(sobol->owen ? owen_f32 : plain_f32)(sobol, first, n_blocks, state, out);
}

static void fill_f64(const struct sobol *sobol, uint64_t first, size_t n_blocks, uint64_t *state, double *out)
{
	(sobol->owen ? owen_f64 : plain_f64)(sobol, first, n_blocks, state, out);
}

const struct sobol_kernel SIMD_SUFFIX(sobol) = {SIMD_NAME, SIMD_NEEDS, fill_f32, fill_f64};
