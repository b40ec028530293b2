/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over spectra for one type, REAL (both_body.h). */

static void NAME(add_powers)(const char *from, size_t bins, double *sums)
{
	const REAL *x = (const REAL *)(const void *)from;

	for (size_t k = 0; k < bins; k++)
		sums[k] += (double)x[2 * k] * x[2 * k] + (double)x[2 * k + 1] * x[2 * k + 1];
}

static void NAME(add_crosses)(const char *first, const char *second, size_t bins, double *sums)
{
	const REAL *x = (const REAL *)(const void *)first, *y = (const REAL *)(const void *)second;

	for (size_t k = 0; k < bins; k++) {
		const double a = x[2 * k], b = x[2 * k + 1], c = y[2 * k], d = y[2 * k + 1];

		sums[2 * k] += a * c + b * d;
		sums[2 * k + 1] += a * d - b * c;
	}
}

static void NAME(sum_window)(const char *window, size_t n, double *ret_sum, double *ret_squares)
{
	const REAL *w = (const REAL *)(const void *)window;
	double sum = 0, squares = 0;

	for (size_t i = 0; i < n; i++) {
		sum += w[i];
		squares += (double)w[i] * w[i];
	}
	*ret_sum = sum;
	*ret_squares = squares;
}

/* Stores numbers [begin, end), scaled and doubled, behind element `at`. */
static void NAME(double_powers)(const double *sums, double scale, size_t begin, size_t end, size_t at, char *to)
{
	REAL *out = (REAL *)(void *)to + at;

	for (size_t k = begin; k < end; k++)
		out[k] = (REAL)(sums[k] * scale * 2);
}
