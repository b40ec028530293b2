/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: Stockham passes of any small prime radix, Bluestein for the lengths that have a larger prime factor. */
#include "fft/fft.h"

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"

enum { MAX_FACTORS = 32, MAX_RADIX = 13 };

struct fft_plan {
	uint64_t n, inner; /* inner: the length that is factored; larger than n for Bluestein */
	enum fft_precision precision;
	unsigned n_factors, factors[MAX_FACTORS];
	double complex *roots, *chirp, *spectrum;
};

static double complex cpx(double re, double im)
{
	union {
		double parts[2];
		double complex value;
	} both = {{re, im}};

	return both.value;
}

static double complex root(uint64_t k, uint64_t n)
{
	uint64_t quarter = 4 * k / n, rest = 4 * k % n;
	bool reflect = 2 * rest > n;
	long double angle = (long double)(reflect ? n - rest : rest) / n * 1.57079632679489661923132169163975144L;
	double c = (double)cosl(angle), s = (double)sinl(angle);
	double complex w = reflect ? cpx(s, -c) : cpx(c, -s);

	for (; quarter; quarter--)
		w = cpx(cimag(w), -creal(w));
	return w;
}

static unsigned factor(uint64_t n, unsigned factors[MAX_FACTORS])
{
	unsigned count = 0;

	for (unsigned r = 2; r <= MAX_RADIX; r++)
		for (; n % r == 0; n /= r)
			factors[count++] = r;
	return n == 1 ? count : 0;
}

int fft_plan_create(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan)
{
	struct fft_plan *plan;

	(void)features;
	if (n == 0 || n > FFT_MAX_LENGTH)
		return -ERROR_OUT_OF_RANGE;
	plan = calloc(1, sizeof *plan);
	if (!plan)
		return -ERROR_NO_MEMORY;
	plan->n = plan->inner = n;
	plan->precision = precision;
	plan->n_factors = factor(n, plan->factors);
	if (n > 1 && plan->n_factors == 0) {
		for (plan->inner = 1; plan->inner < 2 * n - 1;)
			plan->inner *= 2;
		plan->n_factors = factor(plan->inner, plan->factors);
	}
	*ret_plan = plan;
	return 0;
}

/* y[q + s (r p + k)] = w^(p k) sum over j of x[q + s (p + m j)] w_r^(j k), radix by radix; the result is in the
 * returned one of x and y. */
static double complex *stockham(const struct fft_plan *plan, double complex *x, double complex *y)
{
	uint64_t n = plan->inner, s = 1;

	for (unsigned f = 0; f < plan->n_factors; f++) {
		uint64_t r = plan->factors[f], m = n / s / r;

		for (uint64_t p = 0; p < m; p++)
			for (uint64_t k = 0; k < r; k++)
				for (uint64_t q = 0; q < s; q++) {
					double complex sum = 0;

					for (uint64_t j = 0; j < r; j++)
						sum += x[q + s * (p + m * j)] * plan->roots[j * k % r * (n / r)];
					y[q + s * (r * p + k)] = sum * plan->roots[p * k * s];
				}
		s *= r;
		double complex *t = x;
		x = y;
		y = t;
	}
	return x;
}

static double complex *bluestein(const struct fft_plan *plan, double complex *x, double complex *y)
{
	double complex *z;

	for (uint64_t i = 0; i < plan->inner; i++)
		x[i] = i < plan->n ? x[i] * plan->chirp[i] : 0;
	z = stockham(plan, x, y);
	for (uint64_t i = 0; i < plan->inner; i++)
		z[i] = conj(z[i] * plan->spectrum[i]);
	z = stockham(plan, z, z == x ? y : x);
	for (uint64_t i = 0; i < plan->n; i++)
		z[i] = conj(z[i]) * plan->chirp[i];
	return z;
}

static int make_chirp(struct fft_plan *plan)
{
	uint64_t n = plan->n, m = plan->inner;
	double complex *x = calloc(2 * m, sizeof *x), *z;

	plan->chirp = malloc(n * sizeof *plan->chirp);
	plan->spectrum = malloc(m * sizeof *plan->spectrum);
	if (!x || !plan->chirp || !plan->spectrum) {
		free(x);
		return -ERROR_NO_MEMORY;
	}
	for (uint64_t i = 0; i < n; i++) {
		plan->chirp[i] = root(i * i % (2 * n), 2 * n);
		x[i] = conj(plan->chirp[i]) / (double)m;
		x[(m - i) % m] = x[i];
	}
	z = stockham(plan, x, x + m);
	memcpy(plan->spectrum, z, m * sizeof *z);
	free(x);
	return 0;
}

int fft_plan_step(struct fft_plan *plan)
{
	if (plan->roots)
		return 0;
	plan->roots = malloc(plan->inner * sizeof *plan->roots);
	if (!plan->roots)
		return -ERROR_NO_MEMORY;
	for (uint64_t i = 0; i < plan->inner; i++)
		plan->roots[i] = root(i, plan->inner);
	return plan->inner == plan->n ? 0 : make_chirp(plan);
}

void fft_plan_free(struct fft_plan *plan)
{
	if (!plan)
		return;
	free(plan->roots);
	free(plan->chirp);
	free(plan->spectrum);
	free(plan);
}

size_t fft_plan_bytes(const struct fft_plan *plan)
{
	return sizeof *plan + 3 * plan->inner * sizeof *plan->roots;
}

size_t fft_work_bytes(const struct fft_plan *plan, size_t batch)
{
	(void)plan, (void)batch;
	return 0;
}

size_t fft_phases(const struct fft_plan *plan)
{
	(void)plan;
	return 1;
}

static size_t unit_transforms(const struct fft_plan *plan)
{
	return 1 + 4096 / plan->inner;
}

size_t fft_units(const struct fft_plan *plan, size_t phase, size_t batch)
{
	(void)phase;
	return (batch + unit_transforms(plan) - 1) / unit_transforms(plan);
}

static double complex fetch(const struct fft_plan *plan, const void *from, size_t at)
{
	if (plan->precision == FFT_F32)
		return cpx(((const float *)from)[2 * at], ((const float *)from)[2 * at + 1]);
	return cpx(((const double *)from)[2 * at], ((const double *)from)[2 * at + 1]);
}

static void put(const struct fft_plan *plan, void *to, size_t at, double complex value)
{
	if (plan->precision == FFT_F32) {
		((float *)to)[2 * at] = (float)creal(value);
		((float *)to)[2 * at + 1] = (float)cimag(value);
	} else {
		((double *)to)[2 * at] = creal(value);
		((double *)to)[2 * at + 1] = cimag(value);
	}
}

static void run_one(const struct fft_plan *plan, const struct fft_call *call, size_t b, double complex *x)
{
	double complex *y = x + plan->inner, *z;

	for (uint64_t j = 0; j < plan->n; j++) {
		x[j] = fetch(plan, call->in, b * call->in_distance + j * call->in_stride);
		if (call->inverse)
			x[j] = conj(x[j]);
	}
	z = plan->inner == plan->n ? stockham(plan, x, y) : bluestein(plan, x, y);
	for (uint64_t k = 0; k < plan->n; k++)
		put(plan, call->out, b * call->out_distance + k * call->out_stride,
		    (call->inverse ? conj(z[k]) : z[k]) * call->scale);
}

void fft_run_unit(const struct fft_plan *plan, const struct fft_call *call, size_t phase, size_t unit, void *scratch)
{
	size_t per = unit_transforms(plan);

	(void)phase;
	for (size_t b = unit * per; b < size_min(call->batch, (unit + 1) * per); b++)
		run_one(plan, call, b, scratch);
}

size_t fft_scratch_bytes(const struct fft_plan *plan)
{
	return 2 * plan->inner * sizeof(double complex);
}

void fft_run(const struct fft_plan *plan, const struct fft_call *call, void *scratch)
{
	for (size_t phase = 0; phase < fft_phases(plan); phase++)
		for (size_t unit = 0; unit < fft_units(plan, phase, call->batch); unit++)
			fft_run_unit(plan, call, phase, unit, scratch);
}

double fft_error_bound(uint64_t n, enum fft_precision precision)
{
	(void)n;
	return precision == FFT_F32 ? 1e-6 : 1e-14;
}
