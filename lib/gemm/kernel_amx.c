/* SPDX-License-Identifier: Apache-2.0 */
/* Product kernels on vectors of 512 bits, and dot products of bfloat16 pairs by AMX's tiles of 16 rows of 64 bytes.
 *
 * TDPBF16PS adds 16 pairs to a float as c + (even + odd), where even and odd are each one chain of fused multiply-adds
 * from zero, to nearest even, denormals read and left as zero (Intel, Instruction Set Extensions Programming Reference,
 * chapter 3; check_kernel.c compares it with an emulation bit by bit). So a chain has at most 16 terms, and the long
 * and the short products of gemm/kernel.h are the same. Rows and pairs that do not fill a tile are copied and padded
 * with zeros. */
#define ROWS    6
#define VECTORS 4
#include "gemm/kernel.h"
#include "gemm/kernel_bodies.h"
#include "gemm/split_bf16.h"

#include <stdalign.h>
#include <string.h>

enum { SIDE = 16, LANES_DOT = 2 * SIDE };

/* The operand of LDTILECFG: 64 bytes. */
struct tile_config {
	uint8_t palette, start_row, reserved[14];
	uint16_t row_bytes[16];
	uint8_t rows[16];
};

static const struct tile_config config = {
	.palette = 1,
	.row_bytes = {64, 64, 64, 64, 64, 64, 64, 64},
	.rows = {SIDE, SIDE, SIDE, SIDE, SIDE, SIDE, SIDE, SIDE},
};

/* A left operand of up to 32 rows and 16 pairs: in place, or a padded copy if it does not fill its tiles. */
struct left {
	const uint32_t *at;
	size_t stride;
};

typedef uint32_t left_copy[2 * SIDE * SIDE];
typedef uint32_t right_copy[SIDE * LANES_DOT];

/* Returns the left operand of a block. A padded copy has zeros, which add nothing. */
static inline struct left left_of(const struct gemm_tile *t, const uint32_t *a, unsigned rows, size_t pairs,
				  left_copy copy)
{
	if (rows == 2 * SIDE && pairs == SIDE)
		return (struct left){a, t->a_stride};
	for (unsigned r = 0; r < 2 * SIDE; r++) {
		const __mmask16 mask = r < rows ? (__mmask16)((1u << pairs) - 1) : 0;

		_mm512_store_si512(copy + r * SIDE, _mm512_maskz_loadu_epi32(mask, a + (r < rows ? r : 0) * t->a_stride));
	}
	return (struct left){copy, SIDE};
}

/* Returns the right operand of a block: in place, or a copy padded with rows of zeros. */
static inline const uint32_t *right_of(const uint32_t *b, size_t pairs, right_copy copy)
{
	if (pairs == SIDE)
		return b;
	memcpy(copy, b, pairs * LANES_DOT * sizeof *b);
	memset(copy + pairs * LANES_DOT, 0, (SIDE - pairs) * LANES_DOT * sizeof *b);
	return copy;
}

/* Finished sums that are still to be added to c, some vectors in each step of the next ones: so tiles do not wait. */
struct pending {
	const float *sums;
	double *c;
	double weight;
	size_t left, at_once; /* vectors of floats; at_once: a step */
};

static inline __attribute__((always_inline)) void add_pending(struct pending *pending, size_t vectors)
{
	const __m512d weight = _mm512_set1_pd(pending->weight);

	vectors = vectors < pending->left ? vectors : pending->left;
	pending->left -= vectors;
	for (; vectors > 0; vectors--, pending->sums += SIDE, pending->c += SIDE) {
		const __m256 low = _mm256_load_ps(pending->sums), high = _mm256_load_ps(pending->sums + SIDE / 2);

		_mm512_store_pd(pending->c, _mm512_fmadd_pd(_mm512_cvtps_pd(low), weight, _mm512_load_pd(pending->c)));
		_mm512_store_pd(pending->c + SIDE / 2,
				_mm512_fmadd_pd(_mm512_cvtps_pd(high), weight, _mm512_load_pd(pending->c + SIDE / 2)));
	}
}

/* Adds the products of up to 32 rows with the panel, over all parts, to tiles 0 to 3. */
static inline __attribute__((always_inline)) void add_products(const struct gemm_tile *t, unsigned rows,
							       const bool both, struct pending *pending)
{
	enum { B_STEP = LANES_DOT * sizeof(uint32_t) };
	alignas(64) left_copy left;
	alignas(64) right_copy right;

	for (unsigned p = 0; p < t->n_parts; p++) {
		const uint32_t *a = t->parts[p].a, *b = t->parts[p].b;

		for (size_t k = 0; k < t->k; k += SIDE, b += SIDE * LANES_DOT) {
			const size_t pairs_left = t->k - k < SIDE ? t->k - k : SIDE;
			const struct left from = left_of(t, a + k, rows, pairs_left, left);
			const uint32_t *with = right_of(b, pairs_left, right);

			_tile_loadd(4, from.at, from.stride * sizeof *a);
			_tile_loadd(6, with, B_STEP);
			_tile_loadd(7, with + SIDE, B_STEP);
			_tile_dpbf16ps(0, 4, 6);
			_tile_dpbf16ps(1, 4, 7);
			if (both) {
				_tile_loadd(5, from.at + SIDE * from.stride, from.stride * sizeof *a);
				_tile_dpbf16ps(2, 5, 6);
				_tile_dpbf16ps(3, 5, 7);
			}
			if (pending)
				add_pending(pending, pending->at_once);
		}
	}
}

/* Tiles 0 to 3 are the sums: rows 0 to 15 and 16 to 31, by the two halves of a panel's columns. */
static inline void load_sums(const float *c, size_t stride)
{
	_tile_loadd(0, c, stride * sizeof *c);
	_tile_loadd(1, c + SIDE, stride * sizeof *c);
	_tile_loadd(2, c + SIDE * stride, stride * sizeof *c);
	_tile_loadd(3, c + SIDE * stride + SIDE, stride * sizeof *c);
}

static inline void zero_sums(void)
{
	_tile_zero(0);
	_tile_zero(1);
	_tile_zero(2);
	_tile_zero(3);
}

static inline void store_sums(float *c, size_t stride)
{
	_tile_stored(0, c, stride * sizeof *c);
	_tile_stored(1, c + SIDE, stride * sizeof *c);
	_tile_stored(2, c + SIDE * stride, stride * sizeof *c);
	_tile_stored(3, c + SIDE * stride + SIDE, stride * sizeof *c);
}

/* Copies rows of a panel's width between strides. */
static void copy_rows(float *to, size_t to_stride, const float *from, size_t from_stride, unsigned rows)
{
	for (unsigned r = 0; r < rows; r++)
		memcpy(to + r * to_stride, from + r * from_stride, LANES_DOT * sizeof *to);
}

/* Computes up to 32 rows of c. */
static void dot_tiles(const struct gemm_tile *t)
{
	alignas(64) float copy[2 * SIDE * LANES_DOT];
	const bool whole = t->rows == 2 * SIDE;
	float *const sums = whole ? t->c : copy;
	const size_t stride = whole ? t->c_stride : LANES_DOT;

	if (t->add && !whole) {
		memset(copy, 0, sizeof copy);
		copy_rows(copy, LANES_DOT, t->c, t->c_stride, t->rows);
	}
	if (t->add)
		load_sums(sums, stride);
	else
		zero_sums();
	if (t->rows > SIDE)
		add_products(t, t->rows, true, NULL);
	else
		add_products(t, t->rows, false, NULL);
	store_sums(sums, stride);
	if (!whole)
		copy_rows(t->c, t->c_stride, copy, LANES_DOT, t->rows);
}

/* Computes the sums of up to 32 rows of c. While the tiles compute one sum, vectors add the one before to c. */
static void exact_tiles(const struct gemm_exact *exact)
{
	alignas(64) float sums[2][2 * SIDE * LANES_DOT];
	const size_t vectors = exact->rows * LANES_DOT / SIDE;
	struct gemm_tile tile = {
		.parts = exact->parts, .rows = exact->rows, .k = exact->k, .a_stride = exact->a_stride};
	struct pending pending = {.left = 0};

	for (unsigned s = 0; s < exact->n_sums; s++, tile.parts += tile.n_parts) {
		const size_t steps = exact->sums[s].n_parts * ((tile.k + SIDE - 1) / SIDE);

		tile.n_parts = exact->sums[s].n_parts;
		pending.at_once = (vectors + steps - 1) / steps;
		zero_sums();
		if (tile.rows > SIDE)
			add_products(&tile, tile.rows, true, &pending);
		else
			add_products(&tile, tile.rows, false, &pending);
		add_pending(&pending, pending.left);
		store_sums(sums[s % 2], LANES_DOT);
		pending = (struct pending){sums[s % 2], exact->c, exact->sums[s].weight, vectors, 0};
	}
	add_pending(&pending, pending.left);
}

static void begin(void)
{
	_tile_loadconfig(&config);
}

static void end(void)
{
	_tile_release();
}

const struct gemm_kernel gemm_amx = {
	.name = "amx",
	.needs = CPU_AVX2 | CPU_AVX512 | CPU_AVX512_BF16 | CPU_AMX,
	.rows = ROWS,
	.dot_rows = 2 * SIDE,
	.lanes_f32 = VECTORS * F32_LANES,
	.lanes_f64 = VECTORS * F64_LANES,
	.lanes_dot = LANES_DOT,
	.f32 = tile_any_f32,
	.f64 = tile_any_f64,
	.bf16 = dot_tiles,
	.bf16_short = dot_tiles,
	.tiled = true,
	.exact = exact_tiles,
	.begin = begin,
	.end = end,
	.vectors = &split_loops,
	.mac_ns = 0.07,
	.dot_ns = 0.004,
};
