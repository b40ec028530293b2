/* SPDX-License-Identifier: Apache-2.0 */
/* Transforms by their definitions, sums in long double over arrays without gaps, one axis after the other. */
#ifndef TRNSCI_TESTS_FFTW_REFERENCE_H
#define TRNSCI_TESTS_FFTW_REFERENCE_H

#include <complex.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

typedef long double complex reference_t;

static inline uint64_t reference_random(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9E3779B97F4A7C15);

	z = (z ^ z >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ z >> 27) * UINT64_C(0x94D049BB133111EB);
	return z ^ z >> 31;
}

static inline size_t reference_below(uint64_t *state, size_t n)
{
	return reference_random(state) % n;
}

/* In [-1, 1), exact in float. */
static inline double reference_sample(uint64_t *state)
{
	return (double)(int64_t)(reference_random(state) >> 40) * 0x1p-23 - 1;
}

/* Returns exp(2 pi i numerator / denominator). The roots of small denominators are kept. */
static inline reference_t reference_root(size_t numerator, size_t denominator)
{
	enum { KEPT = 8192 };
	static reference_t *roots[KEPT];
	const size_t count = denominator < KEPT && !roots[denominator] ? denominator : 0;

	numerator %= denominator;
	if (count)
		roots[denominator] = malloc(count * sizeof **roots);
	for (size_t i = 0; i < count; i++)
		roots[denominator][i] = cosl(2 * acosl(-1) * i / denominator) + I * sinl(2 * acosl(-1) * i / denominator);
	if (denominator < KEPT)
		return roots[denominator][numerator];
	return cosl(2 * acosl(-1) * numerator / denominator) + I * sinl(2 * acosl(-1) * numerator / denominator);
}

/* FFTW's eleven kinds by their numbers, by the formulas of FFTW's manual ("What FFTW Really Computes"). */
static inline long double reference_real(int kind, size_t n, const long double *x, size_t k)
{
	long double sum = 0;

	for (size_t j = 0; j < n; j++) {
		const reference_t turn = reference_root(j * k, n);

		switch (kind) {
		case 0: /* R2HC */
			sum += x[j] * (k <= n / 2 ? creall(turn) : -cimagl(reference_root(j * (n - k), n)));
			break;
		case 1: /* HC2R: x[0] + sum of both halves */
			if (j == 0 || 2 * j == n)
				sum += x[j] * creall(turn);
			else if (j < n - j)
				sum += 2 * x[j] * creall(turn) - 2 * x[n - j] * cimagl(turn);
			break;
		case 2: /* DHT */
			sum += x[j] * (creall(turn) + cimagl(turn));
			break;
		case 3: /* REDFT00 */
			sum += (j == 0 || j == n - 1 ? 1 : 2) * x[j] * creall(reference_root(j * k, 2 * (n - 1)));
			break;
		case 4: /* REDFT01 */
			sum += (j == 0 ? 1 : 2) * x[j] * creall(reference_root(j * (2 * k + 1), 4 * n));
			break;
		case 5: /* REDFT10 */
			sum += 2 * x[j] * creall(reference_root((2 * j + 1) * k, 4 * n));
			break;
		case 6: /* REDFT11 */
			sum += 2 * x[j] * creall(reference_root((2 * j + 1) * (2 * k + 1), 8 * n));
			break;
		case 7: /* RODFT00 */
			sum += 2 * x[j] * cimagl(reference_root((j + 1) * (k + 1), 2 * (n + 1)));
			break;
		case 8: /* RODFT01 */
			sum += (j == n - 1 ? (k % 2 ? -1 : 1) : 2 * cimagl(reference_root((j + 1) * (2 * k + 1), 4 * n))) * x[j];
			break;
		case 9: /* RODFT10 */
			sum += 2 * x[j] * cimagl(reference_root((2 * j + 1) * (k + 1), 4 * n));
			break;
		default: /* RODFT11 */
			sum += 2 * x[j] * cimagl(reference_root((2 * j + 1) * (2 * k + 1), 8 * n));
		}
	}
	return sum;
}

enum { REFERENCE_FORWARD = -1, REFERENCE_BACKWARD = -2, REFERENCE_R2C = -3, REFERENCE_C2R = -4 };

/* Transforms a row of n by a kind of reals, or by one of the above; half spectra have n / 2 + 1. */
static inline void reference_row(int kind, size_t n, const reference_t *x, reference_t *y)
{
	long double *reals;

	if (kind == REFERENCE_FORWARD || kind == REFERENCE_BACKWARD || kind == REFERENCE_R2C) {
		for (size_t k = 0; k < (kind == REFERENCE_R2C ? n / 2 + 1 : n); k++) {
			y[k] = 0;
			for (size_t j = 0; j < n; j++) {
				const reference_t turn = reference_root(j * k, n);

				y[k] += x[j] * (kind == REFERENCE_BACKWARD ? turn : conjl(turn));
			}
		}
		return;
	}
	if (kind == REFERENCE_C2R) {
		for (size_t j = 0; j < n; j++) {
			long double sum = creall(x[0]);

			for (size_t k = 1; k <= n / 2; k++)
				sum += (2 * k == n ? 1 : 2) * (2 * k == n ? creall(x[k]) * creall(reference_root(j * k, n)) :
									     creall(x[k] * reference_root(j * k, n)));
			y[j] = sum;
		}
		return;
	}
	reals = malloc(n * sizeof *reals);
	for (size_t j = 0; j < n; j++)
		reals[j] = creall(x[j]);
	for (size_t k = 0; k < n; k++)
		y[k] = reference_real(kind, n, reals, k);
	free(reals);
}

/* Transforms the axis of `before` elements that stand `inside` apart in x into one of `after` in y, `outside` times. */
static inline void reference_axis(int kind, size_t n, size_t before, size_t after, size_t outside, size_t inside,
				  const reference_t *x, reference_t *y)
{
	reference_t *row = malloc((before + after) * sizeof *row), *result = row + before;

	for (size_t i = 0; i < outside * inside; i++) {
		const reference_t *from = x + i / inside * inside * before + i % inside;
		reference_t *to = y + i / inside * inside * after + i % inside;

		for (size_t j = 0; j < before; j++)
			row[j] = from[j * inside];
		reference_row(kind, n, row, result);
		for (size_t k = 0; k < after; k++)
			to[k * inside] = result[k];
	}
	free(row);
}

#endif
