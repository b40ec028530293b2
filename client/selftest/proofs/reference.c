/* SPDX-License-Identifier: Apache-2.0 */
/* Complex transforms go by the divisors of n, real ones as complex ones, cosine and sine transforms by their
 * definition. */
#include "selftest/proofs/reference.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fft/plan/roots.h"

struct reference {
	enum reference_kind kind;
	size_t n, order; /* roots[k] = exp(-2 pi i k / order) */
	long double (*roots)[2];
	double *in; /* complex */
	long double (*out)[2], (*column)[2];
};

const char *reference_kind_name(enum reference_kind kind)
{
	static const char *const names[REFERENCE_KINDS] = {"complex", "real", "dct1", "dct2", "dct3",
							   "dct4",    "dst1", "dst2", "dst3", "dst4"};

	return names[kind];
}

size_t reference_in_length(enum reference_kind kind, size_t n, bool inverse)
{
	if (kind == REFERENCE_COMPLEX)
		return 2 * n;
	return kind == REFERENCE_REAL && inverse ? 2 * (n / 2 + 1) : n;
}

/* ---- complex: out[k] = sum of in[j stride] w^(j k), by the smallest divisor of n; roots are `step` apart ---- */

/* Combines p transforms of m = n / p that lie one behind the other: plain sums over p terms, with exactly reduced
 * roots. A prime n is one such sum, of n^2 operations. */
static void run_butterfly(const long double (*roots)[2], size_t step, size_t n, size_t p, long double (*out)[2],
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

/* Returns the smallest prime divisor of n; n itself if it is prime or 1. */
static size_t least_divisor(size_t n)
{
	for (size_t p = 2; p * p <= n; p++)
		if (n % p == 0)
			return p;
	return n;
}

/* Splits by the smallest divisor, so that sums are short: errors stay near those of long double itself. */
static void run_divisors(const long double (*roots)[2], size_t n, const double *in, size_t stride,
			 long double (*out)[2], long double (*column)[2])
{
	const size_t p = least_divisor(n);

	if (n == 1) {
		out[0][0] = in[0];
		out[0][1] = in[1];
		return;
	}
	for (size_t i = 0; i < p; i++)
		run_divisors(roots, n / p, in + 2 * i * stride, stride * p, out + i * (n / p), column);
	run_butterfly(roots, stride, n, p, out, column);
}

/* Transforms r->in, which is overwritten. The inverse conjugates both sides. */
static void run_complex(struct reference *r, bool inverse)
{
	for (size_t i = 0; i < r->n && inverse; i++)
		r->in[2 * i + 1] = -r->in[2 * i + 1];
	run_divisors((const long double(*)[2])r->roots, r->n, r->in, 1, r->out, r->column);
	for (size_t i = 0; i < r->n && inverse; i++)
		r->out[i][1] = -r->out[i][1];
}

/* Copies reals, or half a spectrum and its mirror image. Imaginary parts at 0 and n / 2 count as 0. */
static void fill_real(struct reference *r, bool inverse, const double *in)
{
	const size_t n = r->n;

	for (size_t i = 0; i < n; i++) {
		const size_t k = i <= n / 2 ? i : n - i;

		r->in[2 * i] = inverse ? in[2 * k] : in[i];
		r->in[2 * i + 1] = inverse && 2 * k % n != 0 ? (i == k ? in[2 * k + 1] : -in[2 * k + 1]) : 0;
	}
}

/* Transforms reals by the complex transform: forward takes the lower half of the spectrum, inverse the real parts. */
static void run_real(struct reference *r, bool inverse, const double *in, long double *out)
{
	fill_real(r, inverse, in);
	run_complex(r, inverse);
	for (size_t i = 0; i < reference_in_length(REFERENCE_REAL, r->n, !inverse); i++)
		out[i] = inverse ? r->out[i][0] : r->out[i / 2][i % 2];
}

/* ---- series: y[k] = 2 sum over j of x[j] cos or sin of 2 pi (j_step j + j_add) (k_step k + k_add) / order ---- */

struct term {
	uint8_t j_step, j_add, k_step, k_add, order; /* order: in units of n; of type I, in units of n -+ 1 */
};

static const struct term terms[FFT_SERIES] = {
	[FFT_DCT1] = {1, 0, 1, 0, 2}, [FFT_DCT2] = {2, 1, 1, 0, 4}, [FFT_DCT3] = {1, 0, 2, 1, 4},
	[FFT_DCT4] = {2, 1, 2, 1, 8}, [FFT_DST1] = {1, 1, 1, 1, 2}, [FFT_DST2] = {2, 1, 1, 1, 4},
	[FFT_DST3] = {1, 1, 2, 1, 4}, [FFT_DST4] = {2, 1, 2, 1, 8},
};

/* Returns whether the definition counts an element once instead of twice. */
static bool counts_once(enum fft_series series, size_t n, size_t j)
{
	switch (series) {
	case FFT_DCT1:
		return j == 0 || j == n - 1;
	case FFT_DCT3:
		return j == 0;
	case FFT_DST3:
		return j == n - 1;
	default:
		return false;
	}
}

/* Sums n terms for each of n results. `at` is the index of the root, stepped mod order instead of multiplied. */
static void run_series(const struct reference *r, const double *in, long double *out)
{
	const enum fft_series series = (enum fft_series)(r->kind - REFERENCE_SERIES);
	const struct term *term = &terms[series];

	for (size_t k = 0; k < r->n; k++) {
		const size_t turn = (term->k_step * k + term->k_add) % r->order, step = term->j_step * turn % r->order;
		size_t at = term->j_add * turn % r->order;

		out[k] = 0;
		for (size_t j = 0; j < r->n; j++) {
			const long double root = series < FFT_DST1 ? r->roots[at][0] : -r->roots[at][1];

			out[k] += (counts_once(series, r->n, j) ? 1 : 2) * in[j] * root;
			at = at + step < r->order ? at + step : at + step - r->order;
		}
	}
}

/* ---- building ---- */

/* Returns how many roots a transform needs: the least common denominator of its angles. */
static size_t roots_order(enum reference_kind kind, size_t n)
{
	if (kind < REFERENCE_SERIES)
		return n;
	if (kind == REFERENCE_SERIES + FFT_DCT1 || kind == REFERENCE_SERIES + FFT_DST1)
		return (size_t)fft_series_period((enum fft_series)(kind - REFERENCE_SERIES), n);
	return terms[kind - REFERENCE_SERIES].order * n;
}

/* All roots are kept: lengths here are small, and every one is used many times. */
static int build_roots(size_t n, long double (*ret_roots)[2])
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

int reference_create(enum reference_kind kind, size_t n, struct reference **ret_reference)
{
	struct reference *r = calloc(1, sizeof *r);
	int rc;

	if (!r)
		return -ERROR_NO_MEMORY;
	r->kind = kind;
	r->n = n;
	r->order = roots_order(kind, n);
	r->roots = malloc(r->order * sizeof *r->roots);
	r->in = malloc(2 * n * sizeof *r->in);
	r->out = malloc(n * sizeof *r->out);
	r->column = malloc(n * sizeof *r->column);
	rc = r->roots && r->in && r->out && r->column ? build_roots(r->order, r->roots) : -ERROR_NO_MEMORY;
	if (rc < 0) {
		reference_free(r);
		return rc;
	}
	*ret_reference = r;
	return 0;
}

void reference_free(struct reference *r)
{
	if (!r)
		return;
	free(r->roots);
	free(r->in);
	free(r->out);
	free(r->column);
	free(r);
}

void reference_run(struct reference *r, bool inverse, const double *in, long double *out)
{
	if (r->kind >= REFERENCE_SERIES) {
		run_series(r, in, out);
	} else if (r->kind == REFERENCE_REAL) {
		run_real(r, inverse, in, out);
	} else {
		memcpy(r->in, in, 2 * r->n * sizeof *in);
		run_complex(r, inverse);
		memcpy(out, r->out, r->n * sizeof *r->out);
	}
}
