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

/* Contiguous elements by fours: the compiler uses vectors, and the arithmetic is that of the loop over steps below. */
static void NAME(detrend_contiguous)(const REAL *x, const REAL *w, size_t n, double mean, double slope, double middle,
				     REAL *out)
{
	double at[4] = {0 - middle, 1 - middle, 2 - middle, 3 - middle};
	size_t i = 0;

	if (slope == 0) {
		for (; i < n; i++)
			out[i] = (REAL)((x[i] - mean) * w[i]);
		return;
	}
	for (; i + 4 <= n; i += 4)
		for (size_t j = 0; j < 4; j++) {
			out[i + j] = (REAL)((x[i + j] - (mean + slope * at[j])) * w[i + j]);
			at[j] += 4;
		}
	for (size_t j = 0; i < n; i++, j++)
		out[i] = (REAL)((x[i] - (mean + slope * at[j])) * w[i]);
}

static void NAME(detrend)(const char *from, size_t step, const char *window, size_t n, double mean, double slope,
			  double middle, char *to, size_t to_step)
{
	const REAL *x = (const REAL *)(const void *)from, *w = (const REAL *)(const void *)window;
	REAL *out = (REAL *)(void *)to;

	if (step == 1 && to_step == 1) {
		NAME(detrend_contiguous)(x, w, n, mean, slope, middle, out);
		return;
	}
	for (size_t i = 0; i < n; i++)
		out[i * to_step] = (REAL)((x[i * step] - (mean + slope * ((double)i - middle))) * w[i]);
}

/* As detrend_contiguous. */
static double NAME(sum_contiguous)(const REAL *x, size_t n)
{
	double sum[4] = {0};
	size_t i = 0;

	for (; i + 4 <= n; i += 4)
		for (size_t j = 0; j < 4; j++)
			sum[j] += x[i + j];
	for (size_t j = 0; i < n; i++, j++)
		sum[j] += x[i];
	return sum[0] + sum[1] + (sum[2] + sum[3]);
}

static double NAME(moment_contiguous)(const REAL *x, size_t n, double middle)
{
	double at[4] = {0 - middle, 1 - middle, 2 - middle, 3 - middle}, moment[4] = {0};
	size_t i = 0;

	for (; i + 4 <= n; i += 4)
		for (size_t j = 0; j < 4; j++) {
			moment[j] += x[i + j] * at[j];
			at[j] += 4;
		}
	for (size_t j = 0; i < n; i++, j++)
		moment[j] += x[i] * at[j];
	return moment[0] + moment[1] + (moment[2] + moment[3]);
}

/* Four independent sums: a fixed order, and no addition waits for the one before it. Without a slope the moment is 0. */
static void NAME(sum)(const char *from, size_t step, size_t n, double middle, bool slope, double *ret_sum,
		      double *ret_moment)
{
	const REAL *x = (const REAL *)(const void *)from;
	double sum[4] = {0}, moment[4] = {0};

	if (step == 1) {
		*ret_sum = NAME(sum_contiguous)(x, n);
		*ret_moment = slope ? NAME(moment_contiguous)(x, n, middle) : 0;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		sum[i % 4] += x[i * step];
		moment[i % 4] += x[i * step] * ((double)i - middle);
	}
	*ret_sum = sum[0] + sum[1] + (sum[2] + sum[3]);
	*ret_moment = moment[0] + moment[1] + (moment[2] + moment[3]);
}
