/* SPDX-License-Identifier: Apache-2.0 */
/* Loops over the elements of a frame for one type, REAL (both_body.h). Steps count REALs. */

static void NAME(multiply)(const char *from, size_t step, const char *window, size_t n, char *to)
{
	const REAL *x = (const REAL *)(const void *)from, *w = (const REAL *)(const void *)window;
	REAL *out = (REAL *)(void *)to;

	if (step == 1)
		for (size_t i = 0; i < n; i++)
			out[i] = x[i] * w[i];
	else
		for (size_t i = 0; i < n; i++)
			out[i] = x[i * step] * w[i];
}

static void NAME(multiply_pairs)(const char *from, size_t step, const char *window, size_t n, char *to)
{
	const REAL *x = (const REAL *)(const void *)from, *w = (const REAL *)(const void *)window;
	REAL *out = (REAL *)(void *)to;

	for (size_t i = 0; i < n; i++) {
		out[2 * i] = x[i * step] * w[i];
		out[2 * i + 1] = x[i * step + 1] * w[i];
	}
}

static void NAME(detrend)(const char *from, size_t step, const char *window, size_t n, double mean, double slope,
			  double middle, char *to, size_t to_step)
{
	const REAL *x = (const REAL *)(const void *)from, *w = (const REAL *)(const void *)window;
	REAL *out = (REAL *)(void *)to;

	for (size_t i = 0; i < n; i++)
		out[i * to_step] = (REAL)((x[i * step] - (mean + slope * ((double)i - middle))) * w[i]);
}

/* Four independent sums: a fixed order, and no addition waits for the one before it. */
static void NAME(sum)(const char *from, size_t step, size_t n, double middle, double *ret_sum, double *ret_moment)
{
	const REAL *x = (const REAL *)(const void *)from;
	double sum[4] = {0}, moment[4] = {0};

	for (size_t i = 0; i < n; i++) {
		sum[i % 4] += x[i * step];
		moment[i % 4] += x[i * step] * ((double)i - middle);
	}
	*ret_sum = sum[0] + sum[1] + (sum[2] + sum[3]);
	*ret_moment = moment[0] + moment[1] + (moment[2] + moment[3]);
}
