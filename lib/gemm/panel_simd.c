/* SPDX-License-Identifier: Apache-2.0 */
/* Panel kernels, written once over base/simd/simd.h: PANEL_ROWS rows by PANEL_VECTORS vectors of columns in registers. */
#include "gemm/panel.h"

#include <math.h>

#include "base/simd/simd.h"

/* Vectors of columns in registers, and about what a fused multiply-add takes. */
#if defined(SIMD_AVX512)
#define PANEL_VECTORS 2
#define PANEL_FMA_NS  0.06
#elif defined(SIMD_AVX2)
#define PANEL_VECTORS 2
#define PANEL_FMA_NS  0.08
#elif defined(SIMD_NEON)
#define PANEL_VECTORS 2
#define PANEL_FMA_NS  0.25
#else
#define PANEL_VECTORS 1
#define PANEL_FMA_NS  2.5
#endif

enum {
	PANEL_ROWS = 4,                          /* rows at once: 8 chains hide the latency of a multiply-add */
	PANEL_WIDTH = PANEL_VECTORS * F64_LANES, /* columns at once */
	PANEL_STRIP = 256,                       /* elements of a row that are widened at once: 8 KiB on the stack */
};

/* Computes PANEL_ROWS rows. A caller with fewer repeats the last one, which then stores the same values again. */
static inline void multiply_rows(const double *const a[PANEL_ROWS], size_t step, size_t n, const double *x,
				 double *const y[PANEL_ROWS])
{
	f64v sums[PANEL_ROWS][PANEL_VECTORS];

	for (unsigned r = 0; r < PANEL_ROWS; r++)
		for (unsigned v = 0; v < PANEL_VECTORS; v++)
			sums[r][v] = f64_load(y[r] + v * F64_LANES);
	for (size_t i = 0; i < n; i++)
		for (unsigned r = 0; r < PANEL_ROWS; r++)
			for (unsigned v = 0; v < PANEL_VECTORS; v++)
				sums[r][v] = f64_fma(f64_set(a[r][i * step]),
						     f64_load(x + i * PANEL_COLUMNS + v * F64_LANES), sums[r][v]);
	for (unsigned r = 0; r < PANEL_ROWS; r++)
		for (unsigned v = 0; v < PANEL_VECTORS; v++)
			f64_store(y[r] + v * F64_LANES, sums[r][v]);
}

/* Computes up to PANEL_ROWS rows of y, PANEL_WIDTH columns at a time. */
static void multiply_strip(const double *a, size_t row, size_t column, size_t rows, size_t n, const double *x,
			   unsigned columns, double *y)
{
	const double *of_a[PANEL_ROWS];
	double *of_y[PANEL_ROWS];

	for (unsigned c = 0; c < columns; c += PANEL_WIDTH) {
		for (unsigned r = 0; r < PANEL_ROWS; r++) {
			const size_t which = r < rows ? r : rows - 1;

			of_a[r] = a + which * row;
			of_y[r] = y + which * PANEL_COLUMNS + c;
		}
		multiply_rows(of_a, column, n, x + c, of_y);
	}
}

/* Chains continue in memory from call to call, so cutting the inner index changes no bit. */
static void multiply_f64(struct panel_matrix a, size_t rows, size_t n, const double *x, unsigned columns, double *y)
{
	const double *at = a.at;

	for (size_t r = 0; r < rows; r += PANEL_ROWS)
		multiply_strip(at + r * a.row, a.row, a.column, rows - r, n, x, columns, y + r * PANEL_COLUMNS);
}

/* Exact: a float is a double. */
static void widen(const float *from, size_t step, size_t n, double *to)
{
	size_t i = 0;

	for (; step == 1 && i + F64_LANES <= n; i += F64_LANES)
		f64_store(to + i, f64_load_f32(from + i));
	for (; i < n; i++)
		to[i] = from[i * step];
}

/* A strip of rows is widened once for all columns. */
static void multiply_f32(struct panel_matrix a, size_t rows, size_t n, const double *x, unsigned columns, double *y)
{
	double strip[PANEL_ROWS * PANEL_STRIP];
	const float *at = a.at;

	for (size_t r = 0; r < rows; r += PANEL_ROWS)
		for (size_t i = 0; i < n; i += PANEL_STRIP) {
			const size_t count = n - i < PANEL_STRIP ? n - i : PANEL_STRIP;

			for (size_t k = 0; k < PANEL_ROWS && r + k < rows; k++)
				widen(at + (r + k) * a.row + i * a.column, a.column, count, strip + k * PANEL_STRIP);
			multiply_strip(strip, PANEL_STRIP, 1, rows - r, count, x + i * PANEL_COLUMNS, columns,
				       y + r * PANEL_COLUMNS);
		}
}

/* One chain for each column, over the rows in order. */
static void dots(const double *x, const double *y, size_t rows, unsigned columns, double *sums)
{
	for (unsigned c = 0; c < columns; c += F64_LANES) {
		f64v sum = f64_load(sums + c);

		for (size_t i = 0; i < rows; i++)
			sum = f64_fma(f64_load(x + i * PANEL_COLUMNS + c), f64_load(y + i * PANEL_COLUMNS + c), sum);
		f64_store(sums + c, sum);
	}
}

/* Scalar: each row is a chain over the columns before j, and j is below PANEL_COLUMNS. */
static void deflate(double *x, size_t rows, unsigned j, const double *h)
{
	for (size_t i = 0; i < rows; i++) {
		double *row = x + i * PANEL_COLUMNS, rest = row[j];

		for (unsigned c = 0; c < j; c++)
			rest = fma(-h[c], row[c], rest);
		row[j] = rest;
	}
}

static void scale(double *x, size_t rows, unsigned j, double by)
{
	for (size_t i = 0; i < rows; i++)
		x[i * PANEL_COLUMNS + j] *= by;
}

const struct panel_kernel SIMD_SUFFIX(panel) = {
	SIMD_NAME, SIMD_NEEDS, PANEL_WIDTH, PANEL_FMA_NS, multiply_f32, multiply_f64, dots, deflate, scale,
};
