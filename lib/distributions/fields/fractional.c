/* SPDX-License-Identifier: Apache-2.0 */
#include "distributions/fields/fractional.h"

#include <math.h>

#include "base/error.h"
#include "math/elementary_turn.h"
#include "math/special.h"

/* Elements of a chunk. Sums depend on it. */
enum { PIECE = 4096, FIRST = 4, TERMS = 16 };

static double natural_log(double x)
{
	double ret;

	algebra_scalar.functions[ALGEBRA_log][1](NULL, (const void *const[]){&x, NULL, NULL}, 1, &ret);
	return ret;
}

static double power(double x, double y)
{
	return x > 0 ? special_exp(y * natural_log(x)) : 0;
}

/* Terms of the series fall as 16^-m from k = 4 on, those of its end below 2^-60. Its first is H (2H - 1): for large k the three powers
 * would cancel. */
static void prepare(struct fractional_work *f)
{
	const double h = 2 * f->fractional->hurst;
	double binomial = 1;

	for (int k = 0; k < FIRST; k++)
		f->first[k] = (power(k + 1, h) - 2 * power(k, h) + power(k > 0 ? k - 1 : 1, h)) / 2;
	for (int m = 0; m < TERMS; m++) {
		const int i = 2 * m;

		binomial *= (h - i) * (h - i - 1) / ((i + 1.0) * (i + 2.0));
		f->series[m] = binomial;
	}
}

static void fill_covariance(const struct fractional_work *f, uint64_t begin, size_t n, double *scratch, double *out)
{
	const uint64_t ring = f->fractional->n;
	const void *const in[] = {scratch, NULL, NULL};
	const struct algebra_numbers by = {.by = 2 * f->fractional->hurst - 2};

	for (size_t i = 0; i < n; i++) {
		const uint64_t k = begin + i < ring - (begin + i) ? begin + i : ring - (begin + i);

		scratch[i] = k < FIRST ? 1 : (double)k;
		out[i] = (double)k;
	}
	f->kernel->functions[ALGEBRA_log][1](NULL, in, n, scratch);
	f->kernel->functions[ALGEBRA_scale][1](&by, in, n, scratch);
	f->kernel->functions[ALGEBRA_exp][1](NULL, in, n, scratch);
	for (size_t i = 0; i < n; i++) {
		const double x = out[i] < FIRST ? 0 : 1 / (out[i] * out[i]);
		double sum = 0;

		for (int m = TERMS - 1; m >= 0; m--)
			sum = sum * x + f->series[m];
		out[i] = out[i] < FIRST ? f->first[(int)out[i]] : sum * scratch[i];
	}
}

/* Finds what a chunk of a transform has. */
static struct fractional_checked check_piece(const struct fractional *task, uint64_t begin, size_t n, const double *spectrum)
{
	struct fractional_checked ret = {.least = INFINITY, .most = -INFINITY};

	for (uint64_t i = begin; i < begin + n; i++) {
		const uint64_t column = i % task->columns;
		const double x = spectrum[2 * i], mirrors = column == 0 || (task->has_last && column + 1 == task->columns) ? 1 : 2;

		ret.least = x < ret.least ? x : ret.least;
		ret.most = x > ret.most ? x : ret.most;
		ret.negative += x < 0 ? x * mirrors : 0;
		ret.sum += x * mirrors;
	}
	return ret;
}

/* Joins what the chunks have, and checks the least. */
static int check_all(const struct fractional_work *f, const struct fractional_checked *pieces, struct fractional_checked *ret)
{
	*ret = pieces[0];
	for (size_t i = 1; i < f->chunks; i++) {
		ret->least = pieces[i].least < ret->least ? pieces[i].least : ret->least;
		ret->most = pieces[i].most > ret->most ? pieces[i].most : ret->most;
		ret->negative += pieces[i].negative;
		ret->sum += pieces[i].sum;
	}
	return ret->least < f->fractional->least * ret->most ? -ERROR_OUT_OF_RANGE : 0;
}

/* Rounding leaves some 1e-16 of the largest on either side of 0. */
static void weigh(const struct fractional_work *f, uint64_t begin, size_t n, const double *spectrum, void *scratch, char *out)
{
	const bool wide = f->fractional->wide;
	const struct algebra_numbers by = {.by = f->fractional->std};
	double *roots = scratch;
	const void *const in[] = {roots, NULL, NULL};
	float *narrow = scratch;
	char *at = out + 2 * begin * (wide ? sizeof(double) : sizeof(float));

	for (size_t i = 0; i < n; i++)
		roots[i] = spectrum[2 * (begin + i)] > 0 ? spectrum[2 * (begin + i)] : 0;
	f->kernel->functions[ALGEBRA_sqrt][1](NULL, in, n, roots);
	f->kernel->functions[ALGEBRA_scale][1](&by, in, n, roots);
	if (!wide)
		narrow = (float *)(roots + n);
	for (size_t i = 0; i < n && !wide; i++)
		narrow[i] = (float)roots[i];
	f->kernel->functions[ALGEBRA_multiply_real][wide ? 3 : 2](NULL, (const void *const[]){at, wide ? scratch : narrow, NULL}, n, at);
}

/* Of a real signal the frequencies 0 and, where the length is even, the highest one are real: they keep their phases. */
static void turn_phases(const struct fractional_work *f, uint64_t begin, size_t n, const double *turns, char *out)
{
	const struct fractional *row = f->fractional;

	for (uint64_t i = begin; i < begin + n; i++) {
		const uint64_t column = i % row->columns;
		double c, s, re, im;

		if (column == 0 || (row->has_last && column + 1 == row->columns))
			continue;
		turn_f64(turns[i], 1, &c, &s);
		re = row->wide ? ((double *)out)[2 * i] : ((float *)out)[2 * i];
		im = row->wide ? ((double *)out)[2 * i + 1] : ((float *)out)[2 * i + 1];
		if (row->wide) {
			((double *)out)[2 * i] = re * c - im * s;
			((double *)out)[2 * i + 1] = re * s + im * c;
		} else {
			((float *)out)[2 * i] = (float)(re * c - im * s);
			((float *)out)[2 * i + 1] = (float)(re * s + im * c);
		}
	}
}

/* Returns a chunk's sum. */
static double sum_piece(const struct fractional_work *f, uint64_t begin, size_t n, const char *in)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += f->fractional->wide ? ((const double *)in)[begin + i] : ((const float *)in)[begin + i];
	return sum;
}

/* Replaces the chunks' sums by those of all before them. */
static void sum_before(const struct fractional_work *f, double *sums)
{
	double before = 0;

	for (size_t i = 0; i < f->chunks; i++) {
		const double own = sums[i];

		sums[i] = before;
		before += own;
	}
}

static void sum_up(const struct fractional_work *f, uint64_t begin, size_t n, double sum, char *out)
{
	for (size_t i = 0; i < n; i++)
		if (f->fractional->wide) {
			sum += ((double *)out)[begin + i];
			((double *)out)[begin + i] = sum;
		} else {
			sum += ((float *)out)[begin + i];
			((float *)out)[begin + i] = (float)sum;
		}
}

static void find_stage(const struct staged_work *work, const struct staged_io *io, size_t stage, struct staged_stage *ret_stage)
{
	const struct fractional_work *f = (const struct fractional_work *)work;

	(void)io;
	*ret_stage = (struct staged_stage){.chunks = stage == 1 ? 1 : f->chunks};
}

static int run_chunk(const struct staged_work *work, const struct staged_io *io, size_t stage, size_t chunk, void *scratch)
{
	const struct fractional_work *f = (const struct fractional_work *)work;
	const uint64_t begin = (uint64_t)chunk * PIECE, left = f->fractional->n - begin;
	const size_t n = left < PIECE ? (size_t)left : PIECE;
	double *sums = (double *)io->work;

	if (f->fractional->task == FRACTIONAL_COVARIANCE)
		fill_covariance(f, begin, n, scratch, (double *)io->out + begin);
	else if (f->fractional->task == FRACTIONAL_CHECK && stage == 0)
		((struct fractional_checked *)io->work)[chunk] = check_piece(f->fractional, begin, n, (const double *)io->in[0]);
	else if (f->fractional->task == FRACTIONAL_CHECK)
		return check_all(f, (const struct fractional_checked *)io->work, (struct fractional_checked *)io->out);
	else if (f->fractional->task == FRACTIONAL_WEIGH)
		weigh(f, begin, n, (const double *)io->in[1], scratch, io->out);
	else if (f->fractional->task == FRACTIONAL_PHASES)
		turn_phases(f, begin, n, (const double *)io->in[1], io->out);
	else if (stage == 0)
		sums[chunk] = sum_piece(f, begin, n, io->out);
	else if (stage == 1)
		sum_before(f, sums);
	else
		sum_up(f, begin, n, sums[chunk], io->out);
	return 0;
}

void fractional_cut(const struct fractional *fractional, uint32_t features, struct fractional_work *ret)
{
	static const struct staged_work_ops ops = {find_stage, run_chunk};
	const uint64_t n = fractional->n;
	const bool sums = fractional->task == FRACTIONAL_SUM, checks = fractional->task == FRACTIONAL_CHECK;

	*ret = (struct fractional_work){.fractional = fractional, .kernel = algebra_select(features), .chunks = (size_t)((n + PIECE - 1) / PIECE)};
	prepare(ret);
	ret->work = (struct staged_work){.ops = &ops,
					 .stages = ret->chunks == 0 ? 0 : sums ? 3 : checks ? 2 : 1,
					 .scratch_bytes = sums || checks ? 0 : PIECE * (sizeof(double) + sizeof(float)),
					 .work_bytes = sums ? ret->chunks * sizeof(double) : checks ? ret->chunks * sizeof(struct fractional_checked) : 0,
					 .cost_ns = (double)n * (fractional->task == FRACTIONAL_COVARIANCE ? 8 : fractional->task == FRACTIONAL_PHASES ? 25 : 3)};
}
