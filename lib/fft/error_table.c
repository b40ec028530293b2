/* SPDX-License-Identifier: Apache-2.0 */
/* A plain transform in long double, and the distance of each mode from it. */
#include "fft/error_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "fft/roots.h"

/* Sinusoids fall on a bin and between two, impulses anywhere: signals of a kind that are measured together. */
enum { EACH = 4 };

static const uint16_t short_lengths[] = {1, 2, 3, 8, 16, 30, 60, 64, 100, 127, 128, 200, 255, 256};
static const uint32_t long_lengths[] = {360, 997, 1000, 1024, 1920, 2011, 2048, 4096, 4097, 16384, 65536};

enum { N_SHORT = sizeof short_lengths / sizeof *short_lengths, N_LONG = sizeof long_lengths / sizeof *long_lengths };

bool error_row_at(size_t index, enum precision *ret_precision, uint64_t *ret_n)
{
	for (enum precision p = 0; p < PRECISIONS; p++) {
		const size_t rows = precision_is_gemm(p) ? N_SHORT : N_SHORT + N_LONG;

		if (index < rows) {
			*ret_precision = p;
			*ret_n = index < N_SHORT ? short_lengths[index] : long_lengths[index - N_SHORT];
			return true;
		}
		index -= rows;
	}
	return false;
}

/* ---- the reference: out[k] = sum of in[j stride] w^(j k), by the smallest divisor of n; of roots every step-th ---- */

static void butterfly(const long double (*roots)[2], size_t step, size_t n, size_t p, long double (*out)[2],
		      long double (*column)[2])
{
	const size_t m = n / p;

	for (size_t k = 0; k < m; k++) {
		for (size_t i = 0; i < p; i++)
			memcpy(column[i], out[i * m + k], sizeof *column);
		for (size_t l = 0; l < p; l++) {
			const size_t turn = k + l * m;
			long double re = 0, im = 0;
			size_t at = 0;

			for (size_t i = 0; i < p; i++) {
				const long double *root = roots[at * step];

				re += column[i][0] * root[0] - column[i][1] * root[1];
				im += column[i][0] * root[1] + column[i][1] * root[0];
				at = at + turn < n ? at + turn : at + turn - n;
			}
			out[l * m + k][0] = re;
			out[l * m + k][1] = im;
		}
	}
}

static size_t least_divisor(size_t n)
{
	for (size_t p = 2; p * p <= n; p++)
		if (n % p == 0)
			return p;
	return n;
}

static void transform(const long double (*roots)[2], size_t n, const double *in, size_t stride, long double (*out)[2],
		      long double (*column)[2])
{
	const size_t p = least_divisor(n);

	if (n == 1) {
		out[0][0] = in[0];
		out[0][1] = in[1];
		return;
	}
	for (size_t i = 0; i < p; i++)
		transform(roots, n / p, in + 2 * i * stride, stride * p, out + i * (n / p), column);
	butterfly(roots, stride, n, p, out, column);
}

/* ---- signals, exact in float32 ---- */

/* In (-1, 1): splitmix64 (Steele, Lea, Flood, OOPSLA 2014). */
static double uniform(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return (double)(int64_t)((z ^ z >> 31) | 1) * 0x1p-63;
}

static double normal(uint64_t *state)
{
	const double radius = sqrt(-2 * log(fabs(uniform(state))));

	return radius * cos(M_PI * uniform(state));
}

static double element(enum error_signal signal, size_t n, size_t j, unsigned which, unsigned part, uint64_t *state)
{
	/* On a bin, or a third of the way to the next. */
	const double cycles = (double)(n / 3 + which / 2) + (which % 2 ? 1.0 / 3 : 0);

	switch (signal) {
	case ERROR_RANDOM:
		return normal(state);
	case ERROR_IMPULSE:
		return j == (which * 7 + 1) % n ? (part ? -1.19 : 1.7) : 0;
	case ERROR_SINUSOID:
		return (part ? sin : cos)(2 * M_PI * fmod(cycles * (double)j / (double)n, 1));
	default:
		return normal(state) * pow(10, 30 * uniform(state));
	}
}

static void fill(enum error_signal signal, size_t n, unsigned which, double *in)
{
	uint64_t state = n * 64 + signal * 8 + which;

	for (size_t i = 0; i < 2 * n; i++)
		in[i] = (float)element(signal, n, i / 2, which, i % 2, &state);
}

/* ---- measuring ---- */

struct bench {
	struct fft_plan *plan;
	long double (*roots)[2];
	size_t n;
	bool wide_inside, wide;
	void *x, *y, *work, *scratch;
	double *in;
	long double (*out)[2], (*column)[2];
};

static double got(const struct bench *bench, size_t i)
{
	if (!bench->wide_inside)
		return ((const float *)bench->y)[i];
	return bench->wide ? ((const double *)bench->y)[i] : (float)((const double *)bench->y)[i];
}

static double run(const struct bench *bench, bool inverse)
{
	const struct fft_call call = {bench->x, bench->y, 1,   bench->n,
				      1,        bench->n, 1,   inverse,
				      1,        bench->work};
	long double wrong = 0, whole = 0;

	for (size_t i = 0; i < 2 * bench->n; i++)
		if (bench->wide_inside)
			((double *)bench->x)[i] = bench->in[i];
		else
			((float *)bench->x)[i] = (float)bench->in[i];
	fft_run(bench->plan, &call, bench->scratch);
	for (size_t i = 0; i < 2 * bench->n; i++) {
		/* The inverse's spectrum is the forward one's mirrored. */
		const size_t k = inverse ? (bench->n - i / 2) % bench->n : i / 2;
		const long double want = bench->out[k][i % 2], d = got(bench, i) - want;

		wrong += d * d;
		whole += want * want;
	}
	return (double)sqrtl(wrong / whole);
}

static int make_plan(struct bench *bench, enum precision precision, uint32_t features)
{
	int rc = precision_plan_create(precision, bench->n, features, &bench->plan);

	while (rc == 0 && (rc = fft_plan_step(bench->plan)) > 0)
		rc = 0;
	return rc;
}

static int make_roots(size_t n, long double (*ret_roots)[2])
{
	struct roots roots;
	int rc = roots_create(n, &roots);

	if (rc < 0)
		return rc;
	while (roots_step(&roots) > 0)
		;
	for (size_t k = 0; k < n; k++)
		roots_at(&roots, k, ret_roots[k]);
	roots_free(&roots);
	return 0;
}

static int make_memory(struct bench *bench)
{
	const size_t n = bench->n, row = (16 * n + 63) / 64 * 64;

	bench->x = aligned_alloc(64, row);
	bench->y = aligned_alloc(64, row);
	bench->work = aligned_alloc(64, (fft_work_bytes(bench->plan, 1) + 127) / 64 * 64);
	bench->scratch = aligned_alloc(64, (fft_scratch_bytes(bench->plan) + 127) / 64 * 64);
	bench->in = malloc(2 * n * sizeof *bench->in);
	bench->out = malloc(n * sizeof *bench->out);
	bench->column = malloc(n * sizeof *bench->column);
	bench->roots = malloc(n * sizeof *bench->roots);
	if (!bench->x || !bench->y || !bench->work || !bench->scratch || !bench->in || !bench->out || !bench->column ||
	    !bench->roots)
		return -ERROR_NO_MEMORY;
	return make_roots(n, bench->roots);
}

static void release(struct bench *bench)
{
	free(bench->roots);
	fft_plan_free(bench->plan);
	free(bench->x);
	free(bench->y);
	free(bench->work);
	free(bench->scratch);
	free(bench->in);
	free(bench->out);
	free(bench->column);
}

int error_row_measure(enum precision precision, uint64_t n, uint32_t features, struct error_row *ret_row)
{
	struct error_row row = {.precision = precision, .n = n};
	struct bench bench = {.n = (size_t)n, .wide = precision_is_wide(precision)};
	int rc;

	if (n < 1 || n > FFT_MAX_LENGTH || precision_serving(precision, n) != precision)
		return -ERROR_OUT_OF_RANGE;
	row.bound = precision_bound(precision, n);
	bench.wide_inside = bench.wide || precision == PRECISION_KAHAN;
	rc = make_plan(&bench, precision, features);
	if (rc == 0)
		rc = make_memory(&bench);
	for (unsigned i = 0; i < ERROR_SIGNALS * EACH && rc == 0; i++) {
		fill(i / EACH, bench.n, i % EACH, bench.in);
		transform((const long double(*)[2])bench.roots, bench.n, bench.in, 1, bench.out, bench.column);
		row.error[i / EACH] = fmax(row.error[i / EACH], run(&bench, false));
		row.error[i / EACH] = fmax(row.error[i / EACH], run(&bench, true));
	}
	release(&bench);
	if (rc == 0)
		*ret_row = row;
	return rc;
}
