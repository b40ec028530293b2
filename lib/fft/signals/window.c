/* SPDX-License-Identifier: Apache-2.0 */
/* Each family is a function of the index k and of span, the last index of the symmetric window. window_fill folds k
 * into the first half, so mirror images are equal bit by bit. The definitions and coefficients are those of
 * scipy.signal.windows. */
#include "fft/signals/window.h"

#include <math.h>

#define PI 3.141592653589793238462643383279502884L

static const struct window_row rows[] = {
#define X(id, name, parameter, fallback, least, most) {name, parameter, fallback, least, most},
	WINDOW_TABLE(X)
#undef X
};

const struct window_row *window_row(enum window_kind kind)
{
	return &rows[kind];
}

/* Returns cos(pi a / b), 0 <= a <= b, from an angle of at most pi / 4. */
static long double cos_of_pi(uint64_t a, uint64_t b)
{
	if (2 * a > b)
		return -cos_of_pi(b - a, b);
	if (4 * a > b)
		return sinl(PI * (long double)(b - 2 * a) / (long double)(2 * b));
	return cosl(PI * (long double)a / (long double)b);
}

/* Returns the sum over i of (-1)^i a[i] cos(i t) from c = cos t, by Chebyshev's recurrence. */
static double cosine_sum(const double *a, unsigned terms, long double c)
{
	long double before = 1, now = c, sum = a[0];

	for (unsigned i = 1; i < terms; i++) {
		const long double next = 2 * c * now - before;

		sum += i % 2 ? -a[i] * now : a[i] * now;
		before = now;
		now = next;
	}
	return (double)sum;
}

/* Returns that sum for t = 2 pi k / span, k <= span / 2. */
static double sum_cosines_at(const double *a, unsigned terms, uint64_t k, uint64_t span)
{
	return cosine_sum(a, terms, cos_of_pi(2 * k, span));
}

static double hamming(double alpha, uint64_t k, uint64_t span)
{
	return sum_cosines_at((double[]){alpha, 1 - alpha}, 2, k, span);
}

/* sin^2, so that 0 and 1 are exact. */
static double tukey(double alpha, uint64_t k, uint64_t span)
{
	const double width = floor(alpha * (double)span / 2);
	long double x;

	if (alpha <= 0 || (double)k > width)
		return 1;
	if (alpha >= 1)
		return hamming(0.5, k, span);
	x = sinl(PI * (long double)k / alpha / (long double)span);
	return (double)(x * x);
}

/* Even and odd lengths differ: the peak of 1 lies on an element or between two. */
static double triang(uint64_t k, uint64_t span)
{
	const double n = (double)(span + 1);

	return span % 2 ? (double)(2 * k + 1) / n : (double)(2 * k + 2) / (n + 1);
}

/* d is the distance to the middle, relative to half of the window's length. */
static double parzen(uint64_t k, uint64_t span)
{
	const long double d = (long double)(span - 2 * k) / (long double)(span + 1), rest = 1 - d;

	if (2 * (span - 2 * k) <= span)
		return (double)(1 - 6 * d * d * rest);
	return (double)(2 * rest * rest * rest);
}

static double bohman(uint64_t k, uint64_t span)
{
	const long double d = (long double)(span - 2 * k) / (long double)span;
	const long double c = cos_of_pi(span - 2 * k, span), s = sinl(PI * (long double)(2 * k) / (long double)span);

	return k == 0 ? 0 : (double)((1 - d) * c + s / PI);
}

static double barthann(uint64_t k, uint64_t span)
{
	const long double d = (long double)(span - 2 * k) / (long double)(2 * span);

	return (double)(0.62L - 0.48L * d + 0.38L * cos_of_pi(span - 2 * k, span));
}

/* sinc of the distance to the middle, 1 there. */
static double lanczos(uint64_t k, uint64_t span)
{
	const long double x = PI * (long double)(span - 2 * k) / (long double)span;

	/* sin(x) = sin(pi - x): the smaller argument keeps the digits at the window's end. */
	return span == 2 * k ? 1 : (double)(sinl(PI * (long double)(2 * k) / (long double)span) / x);
}

/* Sums the power series, whose terms are all positive: no cancellation. */
static long double bessel_i0(long double x)
{
	const long double q = x * x / 4;
	long double term = 1, sum = 1;

	for (unsigned k = 1; term > sum * 0x1p-68L; k++) {
		term *= q / ((long double)k * k);
		sum += term;
	}
	return sum;
}

/* 1 - (distance / half)^2 = 4 k (span - k) / span^2. */
static double kaiser(double beta, uint64_t k, uint64_t span, long double peak)
{
	const long double last = (long double)span;

	return (double)(bessel_i0(2 * beta * sqrtl((long double)k * (last - (long double)k)) / last) / peak);
}

static double gaussian(double std, uint64_t k, uint64_t span)
{
	const long double x = (long double)(span - 2 * k) / 2 / std;

	return (double)expl(-x * x / 2);
}

static double window_value(const struct window *window, uint64_t k, uint64_t span, long double peak)
{
	static const double blackman[] = {0.42, 0.50, 0.08};
	static const double blackmanharris[] = {0.35875, 0.48829, 0.14128, 0.01168};
	static const double nuttall[] = {0.3635819, 0.4891775, 0.1365995, 0.0106411};
	static const double flattop[] = {0.21557895, 0.41663158, 0.277263158, 0.083578947, 0.006947368};

	switch (window->kind) {
	case WINDOW_HANN:
		return hamming(0.5, k, span);
	case WINDOW_HAMMING:
		return hamming(0.54, k, span);
	case WINDOW_GENERAL_HAMMING:
		return hamming(window->parameter, k, span);
	case WINDOW_BLACKMAN:
		return sum_cosines_at(blackman, 3, k, span);
	case WINDOW_BLACKMANHARRIS:
		return sum_cosines_at(blackmanharris, 4, k, span);
	case WINDOW_NUTTALL:
		return sum_cosines_at(nuttall, 4, k, span);
	case WINDOW_FLATTOP:
		return sum_cosines_at(flattop, 5, k, span);
	case WINDOW_BARTLETT:
		return (double)(2 * k) / (double)span;
	case WINDOW_TRIANG:
		return triang(k, span);
	case WINDOW_COSINE:
		return (double)sinl(PI * (long double)(2 * k + 1) / (long double)(2 * (span + 1)));
	case WINDOW_LANCZOS:
		return lanczos(k, span);
	case WINDOW_PARZEN:
		return parzen(k, span);
	case WINDOW_BOHMAN:
		return bohman(k, span);
	case WINDOW_BARTHANN:
		return barthann(k, span);
	case WINDOW_KAISER:
		return kaiser(window->parameter, k, span, peak);
	case WINDOW_GAUSSIAN:
		return gaussian(window->parameter, k, span);
	case WINDOW_EXPONENTIAL:
		return (double)expl(-(long double)(span - 2 * k) / 2 / window->parameter);
	case WINDOW_TUKEY:
		return tukey(window->parameter, k, span);
	default:
		return 1;
	}
}

/* One element is 1 in every family, as scipy has it. */
void window_fill(const struct window *window, uint64_t begin, size_t count, double *out)
{
	const uint64_t span = window->symmetric ? window->n - 1 : window->n;
	const long double peak = window->kind == WINDOW_KAISER ? bessel_i0(window->parameter) : 1;

	for (size_t i = 0; i < count; i++) {
		const uint64_t k = begin + i;

		out[i] = window->n == 1 ? 1 : window_value(window, 2 * k > span ? span - k : k, span, peak);
	}
}
