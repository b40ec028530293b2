/* SPDX-License-Identifier: Apache-2.0 */
/* Factors of long transforms of one axis.
 *
 * Angles are reduced exactly, to an octant, and sines computed in integers, so that no C library has a part in the bytes: to
 * 2^-60 at most, before the result is rounded. */
#include "factors.h"

#include <math.h>
#include <stdlib.h>

enum { LEAST_ROWS = 32, LEAST_LENGTH = 4096, CUT = 64, COLUMNS = 8 };

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
/* The same operations in wider vectors: no contraction, so the same bytes. */
#define WIDER_VECTORS __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define WIDER_VECTORS
#endif

uint64_t factor_of(uint64_t n)
{
	uint64_t root = (uint64_t)sqrtl((long double)n);

	while (root > 1 && (root * root > n || n % root != 0))
		root--;
	return n > LEAST_LENGTH && root < LEAST_ROWS ? 0 : root ? root : 1;
}

uint64_t smooth_length(uint64_t n)
{
	uint64_t best = 1;

	while (best < n)
		best *= 2;
	for (uint64_t odd = 3; odd <= 9; odd += odd == 3 ? 2 : 4) /* 3, 5, 9 */
		for (uint64_t length = odd * LEAST_ROWS * LEAST_ROWS; length < best; length *= 2)
			if (length >= n)
				best = length;
	return best;
}

/* The high word of a product: of fractions of 2^64 and 2^63, one of 2^63. */
static uint64_t multiply(uint64_t a, uint64_t b)
{
	return (uint64_t)((unsigned __int128)a * b >> 64);
}

/* Taylor's series of cos x, with first = 1, or of sin x / x, with first = 2, for x^2 as a fraction of 2^64: x <= pi / 4 leaves
 * less than 2^-67 behind the last term. The result is a fraction of 2^63. */
static uint64_t series(uint64_t square, uint64_t first)
{
	const uint64_t one = (uint64_t)1 << 63;
	uint64_t sum = one;

	for (uint64_t n = first + 16; n >= first && n <= first + 16; n -= 2)
		sum = one - multiply(square, sum) / (n * (n + 1));
	return sum;
}

/* exp(-2 pi i k / n), k < n. */
static void unit_root(uint64_t k, uint64_t n, double ret_root[2])
{
	const uint64_t eighth_turn = 14488038916154245685u; /* pi / 4 of 2^64, rounded */
	const unsigned __int128 eighths = (unsigned __int128)k * 8;
	const unsigned octant = (unsigned)(eighths / n);
	/* In the octant, from its nearer axis: rest / n of an eighth. */
	const uint64_t part = (uint64_t)(eighths - (unsigned __int128)octant * n), rest = octant % 2 ? n - part : part;
	const uint64_t turn = rest == n ? UINT64_MAX : (uint64_t)(((unsigned __int128)rest << 64) / n);
	const uint64_t angle = multiply(eighth_turn, turn), square = multiply(angle, angle);
	const double near = (double)series(square, 1) * 0x1p-63, far = (double)multiply(angle, series(square, 2)) * 0x1p-63;
	/* The angle grows clockwise: (cos, -sin). */
	const double table[8][2] = {{near, -far}, {far, -near}, {-far, -near}, {-near, -far},
				    {-near, far}, {-far, near}, {far, near},   {near, far}};

	ret_root[0] = table[octant][0];
	ret_root[1] = table[octant][1];
}

void chirp_factor(uint64_t k, uint64_t n, double ret_factor[2])
{
	unit_root((uint64_t)((unsigned __int128)k * k % (2 * (unsigned __int128)n)), 2 * n, ret_factor);
}

/* ---- twiddles ---- */

int twiddles_make(struct twiddles *t, uint64_t n, uint64_t rows, bool inverse, bool wide)
{
	*t = (struct twiddles){.n = n, .inverse = inverse, .wide = wide};
	while ((uint64_t)1 << t->shift << t->shift < n)
		t->shift++;
	const uint64_t n_low = (uint64_t)1 << t->shift, n_high = ((n - 1) >> t->shift) + 1;

	t->low = malloc(n_low * sizeof *t->low);
	t->high = malloc(n_high * sizeof *t->high);
	t->steps = malloc((rows / CUT + 1) * 2 * COLUMNS * sizeof *t->steps);
	if (!t->low || !t->high || !t->steps) {
		twiddles_clear(t);
		return -TRNSCI_NO_MEMORY;
	}
	for (uint64_t i = 0; i < n_low; i++)
		unit_root(i < n ? i : 0, n, t->low[i]);
	for (uint64_t i = 0; i < n_high; i++)
		unit_root(i << t->shift, n, t->high[i]);
	for (uint64_t i = 0; inverse && i < n_low; i++)
		t->low[i][1] = -t->low[i][1];
	for (uint64_t i = 0; inverse && i < n_high; i++)
		t->high[i][1] = -t->high[i][1];
	return 0;
}

void twiddles_clear(struct twiddles *t)
{
	free(t->low);
	free(t->high);
	free(t->steps);
	*t = (struct twiddles){0};
}

static void factor_at(const struct twiddles *t, uint64_t k, double *ret_re, double *ret_im)
{
	const double *const a = t->low[k & (((uint64_t)1 << t->shift) - 1)], *const b = t->high[k >> t->shift];

	*ret_re = a[0] * b[0] - a[1] * b[1];
	*ret_im = a[0] * b[1] + a[1] * b[0];
}

/* Elements times the products of two factors each. */
#define DEFINE_MULTIPLY(name, type)                                                                                    \
	WIDER_VECTORS static void name(type *x, const double *a_re, const double *a_im, const double *b_re,            \
				       const double *b_im, uint64_t count)                                             \
	{                                                                                                              \
		for (uint64_t j = 0; j < count; j++) {                                                                 \
			const double re = a_re[j] * b_re[j] - a_im[j] * b_im[j];                                       \
			const double im = a_re[j] * b_im[j] + a_im[j] * b_re[j];                                       \
			const double a = (double)x[2 * j], b = (double)x[2 * j + 1];                                   \
                                                                                                                       \
			x[2 * j] = (type)(a * re - b * im);                                                            \
			x[2 * j + 1] = (type)(a * im + b * re);                                                        \
		}                                                                                                      \
	}
DEFINE_MULTIPLY(multiply_f32, float)
DEFINE_MULTIPLY(multiply_f64, double)

static void multiply_row(const struct twiddles *t, void *data, uint64_t at, const double *a_re, const double *a_im,
			 const double *b_re, const double *b_im, uint64_t count)
{
	if (t->wide)
		multiply_f64((double *)data + 2 * at, a_re, a_im, b_re, b_im, count);
	else
		multiply_f32((float *)data + 2 * at, a_re, a_im, b_re, b_im, count);
}

/* Some columns, from row to row: both tables hold a row of factors for each step, real parts before imaginary ones. */
static void apply_columns(const struct twiddles *t, const struct box *box, uint64_t first, uint64_t count, void *data)
{
	const uint64_t columns = box->high[1] - box->low[1], first_step = box->low[0] / CUT;
	double within[CUT][2][COLUMNS];

	for (uint64_t j = 0; j < count; j++) {
		const uint64_t column = box->low[1] + first + j;

		for (uint64_t i = 0; i < CUT && i < box->high[0]; i++)
			factor_at(t, i * column, &within[i][0][j], &within[i][1][j]);
		for (uint64_t s = first_step; s * CUT < box->high[0]; s++) {
			double *const step = t->steps + 2 * COLUMNS * (s - first_step);

			factor_at(t, s * CUT * column, &step[j], &step[COLUMNS + j]);
		}
	}
	for (uint64_t i = box->low[0]; i < box->high[0]; i++) {
		const double *const step = t->steps + 2 * COLUMNS * (i / CUT - first_step);

		multiply_row(t, data, (i - box->low[0]) * columns + first, step, step + COLUMNS, within[i % CUT][0], within[i % CUT][1],
			     count);
	}
}

/* A row, whose columns are cut. */
static void apply_row(const struct twiddles *t, const struct box *box, uint64_t row, void *data)
{
	const uint64_t columns = box->high[1] - box->low[1];
	double within[2][CUT], step[2][CUT];

	for (uint64_t j = 0; j < CUT && j < box->high[1]; j++)
		factor_at(t, row * j, &within[0][j], &within[1][j]);
	for (uint64_t j = box->low[1]; j < box->high[1];) {
		const uint64_t start = j % CUT, left = box->high[1] - j, count = left < CUT - start ? left : CUT - start;

		factor_at(t, row * (j - start), &step[0][0], &step[1][0]);
		for (uint64_t k = 1; k < count; k++) {
			step[0][k] = step[0][0];
			step[1][k] = step[1][0];
		}
		multiply_row(t, data, (row - box->low[0]) * columns + j - box->low[1], step[0], step[1], within[0] + start,
			     within[1] + start, count);
		j += count;
	}
}

void twiddles_apply(const void *twiddles, const struct box *box, void *data)
{
	const struct twiddles *t = twiddles;
	const uint64_t columns = box->high[1] - box->low[1];

	for (uint64_t i = box->low[0]; t->inverse && i < box->high[0]; i++)
		apply_row(t, box, i, data);
	for (uint64_t j = 0; !t->inverse && j < columns; j += COLUMNS)
		apply_columns(t, box, j, columns - j < COLUMNS ? columns - j : COLUMNS, data);
}
