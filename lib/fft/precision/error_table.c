/* SPDX-License-Identifier: Apache-2.0 */
/* Each mode and kind of transform on several signals, and its distance from the reference. */
#include "fft/precision/error_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "fft/plan/real.h"

/* Sinusoids fall on a bin and between two, impulses anywhere: signals of a kind that are measured together. */
enum { EACH = 4 };

static const uint16_t short_lengths[] = {1, 2, 3, 8, 16, 30, 60, 64, 100, 127, 128, 200, 255, 256};
static const uint32_t long_lengths[] = {360, 997, 1000, 1024, 1920, 2011, 2048, 4096, 4097, 16384, 65536};
/* Of the other kinds: halves, thirds and primes of either parity. */
static const uint32_t real_lengths[] = {1, 2, 3, 8, 101, 128, 255, 256, 1000, 1001, 1024, 4095, 4096, 16384};
static const uint32_t series_lengths[] = {2, 3, 8, 63, 101, 128, 255, 256, 500};

#define COUNT(array) (sizeof(array) / sizeof *(array))

static bool complex_row(size_t index, struct error_row *ret_row)
{
	for (enum precision p = 0; p < PRECISIONS; p++) {
		const size_t rows = COUNT(short_lengths) + (precision_is_gemm(p) ? 0 : COUNT(long_lengths));

		if (index < rows) {
			*ret_row = (struct error_row){.precision = p};
			ret_row->n = index < COUNT(short_lengths) ? short_lengths[index]
								  : long_lengths[index - COUNT(short_lengths)];
			return true;
		}
		index -= rows;
	}
	return false;
}

static size_t complex_rows(void)
{
	struct error_row row;
	size_t rows = 0;

	while (complex_row(rows, &row))
		rows++;
	return rows;
}

bool error_row_at(size_t index, struct error_row *ret_row)
{
	/* Those that are no product with the matrix. */
	static const enum precision precisions[] = {PRECISION_FAST, PRECISION_KAHAN, PRECISION_DOUBLE};

	if (complex_row(index, ret_row))
		return true;
	index -= complex_rows();
	for (enum reference_kind kind = REFERENCE_REAL; kind < REFERENCE_KINDS; kind++) {
		const uint32_t *lengths = kind == REFERENCE_REAL ? real_lengths : series_lengths;
		const size_t count = kind == REFERENCE_REAL ? COUNT(real_lengths) : COUNT(series_lengths);

		if (index < COUNT(precisions) * count) {
			*ret_row = (struct error_row){
				.precision = precisions[index / count], .kind = kind, .n = lengths[index % count]};
			return true;
		}
		index -= COUNT(precisions) * count;
	}
	return false;
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

/* `count` numbers: pairs of parts, or reals. */
static void fill(enum error_signal signal, size_t count, bool pairs, unsigned which, double *in)
{
	const size_t parts = pairs ? 2 : 1, n = count / parts;
	uint64_t state = n * 64 + signal * 8 + which;

	for (size_t i = 0; i < count; i++)
		in[i] = (float)element(signal, n, i / parts, which, (unsigned)(i % parts), &state);
}

/* ---- measuring ---- */

struct bench {
	const struct error_row *row;
	struct fft_plan *plan;
	struct reference *reference;
	bool wide_inside, wide;
	void *x, *y, *work, *scratch;
	double *in;
	long double *want;
};

static double got(const struct bench *bench, size_t i)
{
	if (!bench->wide_inside)
		return ((const float *)bench->y)[i];
	return bench->wide ? ((const double *)bench->y)[i] : (float)((const double *)bench->y)[i];
}

/* The inverse of conj x is the conjugate of the forward transform of x. */
static void conjugate(double *in, long double *want, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		in[2 * i + 1] = -in[2 * i + 1];
		want[2 * i + 1] = -want[2 * i + 1];
	}
}

/* Forward before inverse. */
static double run(const struct bench *bench, enum error_signal signal, unsigned which, bool inverse)
{
	const size_t n = (size_t)bench->row->n, in = reference_in_length(bench->row->kind, n, inverse);
	const struct fft_call call = {bench->x, bench->y, 1, 0, 1, 0, 1, inverse, 1, bench->work, FFT_REUSE_NONE};
	long double wrong = 0, whole = 0;

	if (bench->row->kind == REFERENCE_COMPLEX && inverse) {
		conjugate(bench->in, bench->want, n);
	} else {
		fill(signal, in, bench->row->kind == REFERENCE_COMPLEX || in != n, which, bench->in);
		reference_run(bench->reference, inverse, bench->in, bench->want);
	}
	for (size_t i = 0; i < in; i++)
		if (bench->wide_inside)
			((double *)bench->x)[i] = bench->in[i];
		else
			((float *)bench->x)[i] = (float)bench->in[i];
	fft_run(bench->plan, &call, bench->scratch);
	for (size_t i = 0; i < reference_in_length(bench->row->kind, n, !inverse); i++) {
		const long double d = got(bench, i) - bench->want[i];

		wrong += d * d;
		whole += bench->want[i] * bench->want[i];
	}
	/* An impulse where a sine is zero has a spectrum of zeros. */
	return whole > 0 ? (double)sqrtl(wrong / whole) : wrong > 0 ? INFINITY : 0;
}

static int create_plan(const struct error_row *row, uint32_t features, struct fft_plan **ret_plan)
{
	const enum fft_precision precision = row->precision == PRECISION_FAST ? FFT_F32 : FFT_F64;

	if (row->kind == REFERENCE_COMPLEX)
		return precision_plan_create(row->precision, row->n, features, ret_plan);
	if (row->kind == REFERENCE_REAL)
		return fft_plan_create_real(row->n, precision, features, ret_plan);
	return fft_plan_create_series((enum fft_series)(row->kind - REFERENCE_SERIES), false, row->n, precision,
				      features, ret_plan);
}

static int make_plan(struct bench *bench, uint32_t features)
{
	int rc = create_plan(bench->row, features, &bench->plan);

	while (rc == 0 && (rc = fft_plan_step(bench->plan)) > 0)
		rc = 0;
	return rc;
}

static int make_memory(struct bench *bench)
{
	const size_t numbers = 2 * (size_t)bench->row->n + 2, row = (8 * numbers + 63) / 64 * 64;

	bench->x = aligned_alloc(64, row);
	bench->y = aligned_alloc(64, row);
	bench->work = aligned_alloc(64, (fft_work_bytes(bench->plan, 1) + 127) / 64 * 64);
	bench->scratch = aligned_alloc(64, (fft_scratch_bytes(bench->plan) + 127) / 64 * 64);
	bench->in = malloc(numbers * sizeof *bench->in);
	bench->want = malloc(numbers * sizeof *bench->want);
	if (!bench->x || !bench->y || !bench->work || !bench->scratch || !bench->in || !bench->want)
		return -ERROR_NO_MEMORY;
	return reference_create(bench->row->kind, (size_t)bench->row->n, &bench->reference);
}

static void release(struct bench *bench)
{
	reference_free(bench->reference);
	fft_plan_free(bench->plan);
	free(bench->x);
	free(bench->y);
	free(bench->work);
	free(bench->scratch);
	free(bench->in);
	free(bench->want);
}

static bool serves(const struct error_row *row)
{
	if (row->kind >= REFERENCE_SERIES &&
	    (row->n < fft_series_least((enum fft_series)(row->kind - REFERENCE_SERIES)) ||
	     row->n > FFT_SERIES_MAX_LENGTH))
		return false;
	return row->n >= 1 && row->n <= FFT_MAX_LENGTH && precision_serving(row->precision, row->n) == row->precision &&
	       (row->kind == REFERENCE_COMPLEX || !precision_is_gemm(row->precision));
}

int error_row_measure(struct error_row *row, uint32_t features)
{
	struct bench bench = {.row = row, .wide = precision_is_wide(row->precision)};
	int rc;

	if (!serves(row))
		return -ERROR_OUT_OF_RANGE;
	row->bound = precision_bound(row->precision, row->n);
	bench.wide_inside = bench.wide || row->precision == PRECISION_KAHAN;
	rc = make_plan(&bench, features);
	if (rc == 0)
		rc = make_memory(&bench);
	for (unsigned i = 0; i < ERROR_SIGNALS * EACH && rc == 0; i++) {
		double *const worst = &row->error[i / EACH];

		*worst = fmax(*worst, run(&bench, i / EACH, i % EACH, false));
		if (row->kind < REFERENCE_SERIES)
			*worst = fmax(*worst, run(&bench, i / EACH, i % EACH, true));
	}
	release(&bench);
	return rc;
}
