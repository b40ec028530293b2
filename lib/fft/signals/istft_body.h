/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over samples for one type, REAL (both_body.h). */

static void NAME(add_squares)(const char *window, size_t first, size_t n, double *sums)
{
	const REAL *w = (const REAL *)(const void *)window + first;

	for (size_t i = 0; i < n; i++)
		sums[i] += (double)w[i] * (double)w[i];
}

static void NAME(add_windowed)(const char *from, const char *window, size_t n, bool pairs, char *to)
{
	const REAL *x = (const REAL *)(const void *)from, *w = (const REAL *)(const void *)window;
	REAL *sums = (REAL *)(void *)to;

	for (size_t i = 0; i < n && !pairs; i++)
		sums[i] += x[i] * w[i];
	for (size_t i = 0; i < n && pairs; i++) {
		sums[2 * i] += x[2 * i] * w[i];
		sums[2 * i + 1] += x[2 * i + 1] * w[i];
	}
}

static void NAME(divide)(const double *squares, size_t n, bool pairs, char *at)
{
	REAL *x = (REAL *)(void *)at;

	for (size_t i = 0; i < n && !pairs; i++)
		x[i] = (REAL)(x[i] / squares[i]);
	for (size_t i = 0; i < n && pairs; i++) {
		x[2 * i] = (REAL)(x[2 * i] / squares[i]);
		x[2 * i + 1] = (REAL)(x[2 * i + 1] / squares[i]);
	}
}
