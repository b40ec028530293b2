/* SPDX-License-Identifier: Apache-2.0 */
/* Runs each mode and kind of transform on several signals and measures the distance from the reference.
 *
 * Rows are numbered in a fixed order: complex transforms by mode and length, then transforms of reals, then each
 * series. The selftest walks them. */
#include "selftest/proofs/error_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "fft/plan/real.h"

/* Signals of each kind: sinusoids on a bin and between two, impulses at several places. */
enum { SIGNALS_PER_KIND = 4 };

static const uint16_t short_lengths[] = {1, 2, 3, 8, 16, 30, 60, 64, 100, 127, 128, 200, 255, 256};
static const uint32_t long_lengths[] = {360, 997, 1000, 1024, 1920, 2011, 2048, 4096, 4097, 16384, 65536};
/* Lengths that cover each algorithm: even, odd with small factors, and prime ones. */
static const uint32_t real_lengths[] = {1, 2, 3, 8, 101, 128, 255, 256, 1000, 1001, 1024, 4095, 4096, 16384};
static const uint32_t series_lengths[] = {2, 3, 8, 63, 101, 128, 255, 256, 500};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Returns the row of a mode and a length, or false past the last. Matrix modes end at 256. */
static bool find_complex_row(size_t index, struct error_row *ret_row)
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

static size_t count_complex_rows(void)
{
	struct error_row row;
	size_t rows = 0;

	while (find_complex_row(rows, &row))
		rows++;
	return rows;
}

bool error_row_at(size_t index, struct error_row *ret_row)
{
	/* The modes that are not products with the matrix. */
	static const enum precision precisions[] = {PRECISION_FAST, PRECISION_KAHAN, PRECISION_DOUBLE};

	if (find_complex_row(index, ret_row))
		return true;
	index -= count_complex_rows();
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

/* Returns a number in (-1, 1) by splitmix64 (G. Steele, D. Lea, C. Flood, OOPSLA 2014). */
static double draw_uniform(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return (double)(int64_t)((z ^ z >> 31) | 1) * 0x1p-63;
}

static double draw_normal(uint64_t *state)
{
	const double radius = sqrt(-2 * log(fabs(draw_uniform(state))));

	return radius * cos(M_PI * draw_uniform(state));
}

/* `which` is the number of the signal within its kind, part 0 real and 1 imaginary. */
static double signal_element(enum error_signal signal, size_t n, size_t j, unsigned which, unsigned part,
			     uint64_t *state)
{
	/* On a bin, or a third of the way to the next one. */
	const double cycles = (double)(n / 3 + which / 2) + (which % 2 ? 1.0 / 3 : 0);

	switch (signal) {
	case ERROR_RANDOM:
		return draw_normal(state);
	case ERROR_IMPULSE:
		return j == (which * 7 + 1) % n ? (part ? -1.19 : 1.7) : 0;
	case ERROR_SINUSOID:
		return (part ? sin : cos)(2 * M_PI * fmod(cycles * (double)j / (double)n, 1));
	default:
		return draw_normal(state) * pow(10, 30 * draw_uniform(state));
	}
}

/* Stores `count` numbers: complex pairs, or reals. All are exact in float32. */
static void fill_signal(enum error_signal signal, size_t count, bool pairs, unsigned which, double *in)
{
	const size_t parts = pairs ? 2 : 1, n = count / parts;
	uint64_t state = n * 64 + signal * 8 + which;

	for (size_t i = 0; i < count; i++)
		in[i] = (float)signal_element(signal, n, i / parts, which, (unsigned)(i % parts), &state);
}

/* ---- measuring ---- */

/* The memory and the plan of one row's measurement. */
struct trial {
	const struct error_row *row;
	struct fft_plan *plan;
	struct reference *reference;
	bool wide_inside, wide; /* float64 arithmetic; float64 results */
	void *x, *y;            /* input and output, float or double by wide_inside */
	void *work, *scratch;
	double *in;             /* the input as the reference takes it */
	long double *want;      /* the reference's result */
};

/* kahan computes in double and rounds at the end, which is part of its error. */
static double result_at(const struct trial *trial, size_t i)
{
	if (!trial->wide_inside)
		return ((const float *)trial->y)[i];
	return trial->wide ? ((const double *)trial->y)[i] : (float)((const double *)trial->y)[i];
}

/* The inverse transform of conj x is the conjugate of the forward transform of x. */
static void conjugate_both(double *in, long double *want, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		in[2 * i + 1] = -in[2 * i + 1];
		want[2 * i + 1] = -want[2 * i + 1];
	}
}

/* Returns the relative L2 error of one direction. Measure forward first: the inverse of complex input reuses its
 * reference. */
static double measure_direction(const struct trial *trial, enum error_signal signal, unsigned which, bool inverse)
{
	const size_t n = (size_t)trial->row->n, in = reference_in_length(trial->row->kind, n, inverse);
	const struct fft_call call = {trial->x, trial->y, 1, 0, 1, 0, 1, inverse, 1, trial->work, FFT_REUSE_NONE, 0, 0, false};
	long double error = 0, norm = 0;

	if (trial->row->kind == REFERENCE_COMPLEX && inverse) {
		conjugate_both(trial->in, trial->want, n);
	} else {
		fill_signal(signal, in, trial->row->kind == REFERENCE_COMPLEX || in != n, which, trial->in);
		reference_run(trial->reference, inverse, trial->in, trial->want);
	}
	for (size_t i = 0; i < in; i++)
		if (trial->wide_inside)
			((double *)trial->x)[i] = trial->in[i];
		else
			((float *)trial->x)[i] = (float)trial->in[i];
	fft_run(trial->plan, &call, trial->scratch);
	for (size_t i = 0; i < reference_in_length(trial->row->kind, n, !inverse); i++) {
		const long double d = result_at(trial, i) - trial->want[i];

		error += d * d;
		norm += trial->want[i] * trial->want[i];
	}
	/* A spectrum can be all zeros: that of an impulse where the sine is zero. */
	return norm > 0 ? (double)sqrtl(error / norm) : error > 0 ? INFINITY : 0;
}

/* kahan and double run the same plan; only the rounding of the result differs. */
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

static int build_plan(struct trial *trial, uint32_t features)
{
	int rc = create_plan(trial->row, features, &trial->plan);

	while (rc == 0 && (rc = fft_plan_step(trial->plan)) > 0)
		rc = 0;
	return rc;
}

/* Room for the longer side: n complex numbers and one more. */
static int allocate_trial(struct trial *trial)
{
	const size_t numbers = 2 * (size_t)trial->row->n + 2, row = (8 * numbers + 63) / 64 * 64;

	trial->x = aligned_alloc(64, row);
	trial->y = aligned_alloc(64, row);
	trial->work = aligned_alloc(64, (fft_work_bytes(trial->plan, 1) + 127) / 64 * 64);
	trial->scratch = aligned_alloc(64, (fft_scratch_bytes(trial->plan) + 127) / 64 * 64);
	trial->in = malloc(numbers * sizeof *trial->in);
	trial->want = malloc(numbers * sizeof *trial->want);
	if (!trial->x || !trial->y || !trial->work || !trial->scratch || !trial->in || !trial->want)
		return -ERROR_NO_MEMORY;
	return reference_create(trial->row->kind, (size_t)trial->row->n, &trial->reference);
}

static void free_trial(struct trial *trial)
{
	reference_free(trial->reference);
	fft_plan_free(trial->plan);
	free(trial->x);
	free(trial->y);
	free(trial->work);
	free(trial->scratch);
	free(trial->in);
	free(trial->want);
}

/* Returns whether the mode serves this kind and length. Only complex transforms have matrix modes. */
static bool can_measure(const struct error_row *row)
{
	if (row->kind >= REFERENCE_SERIES &&
	    (row->n < fft_series_least((enum fft_series)(row->kind - REFERENCE_SERIES)) ||
	     row->n > FFT_SERIES_MAX_LENGTH))
		return false;
	return row->n >= 1 && row->n <= FFT_MAX_LENGTH && precision_serving(row->precision, row->n) == row->precision &&
	       (row->kind == REFERENCE_COMPLEX || !precision_is_gemm(row->precision));
}

/* Each error is the largest over the signals of its kind and, where there are two, the directions. */
int error_row_measure(struct error_row *row, uint32_t features)
{
	struct trial trial = {.row = row, .wide = precision_is_wide(row->precision)};
	int rc;

	if (!can_measure(row))
		return -ERROR_OUT_OF_RANGE;
	row->bound = precision_bound(row->precision, row->n);
	trial.wide_inside = trial.wide || row->precision == PRECISION_KAHAN;
	rc = build_plan(&trial, features);
	if (rc == 0)
		rc = allocate_trial(&trial);
	for (unsigned i = 0; i < ERROR_SIGNALS * SIGNALS_PER_KIND && rc == 0; i++) {
		double *const worst = &row->error[i / SIGNALS_PER_KIND];

		*worst = fmax(*worst, measure_direction(&trial, i / SIGNALS_PER_KIND, i % SIGNALS_PER_KIND, false));
		if (row->kind < REFERENCE_SERIES)
			*worst = fmax(*worst,
				      measure_direction(&trial, i / SIGNALS_PER_KIND, i % SIGNALS_PER_KIND, true));
	}
	free_trial(&trial);
	return rc;
}
