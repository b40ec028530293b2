/* SPDX-License-Identifier: Apache-2.0 */
/* Plain loops that round step by step; not fast. They measure arithmetics that no plan runs, beside two that plans do
 * run, so they share no code with the kernels. */
#include "selftest/proofs/psum.h"

#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/error.h"
#include "fft/plan/roots.h"
#include "gemm/bf16.h"

enum { MAX_N = 256 };

static const double TWO_PI = 6.283185307179586476925;

struct pair {
	float re, im;
};

/* An element, and its two bfloat16 slices. */
struct element {
	struct pair slice[2];
	double re, im;
};

/* To nearest even, as the hardware rounds. */
static float round_bf16(float x)
{
	return bf16_float_of(bf16_round_bits(bf16_float_bits(x)));
}

/* The second slice is what the first one leaves: together they hold 16 bits. */
static struct element split_element(double re, double im)
{
	struct element e = {.re = re, .im = im};

	e.slice[0] = (struct pair){round_bf16((float)re), round_bf16((float)im)};
	e.slice[1] = (struct pair){round_bf16((float)(re - (double)e.slice[0].re)),
				   round_bf16((float)(im - (double)e.slice[0].im))};
	return e;
}

/* Returns a normal number by splitmix64 and Box-Muller. Its bytes may change: nothing else depends on them. */
static double draw_normal(uint64_t *state)
{
	double u[2];

	for (unsigned i = 0; i < 2; i++) {
		uint64_t z = *state += 0x9E3779B97F4A7C15u;

		z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
		z = (z ^ z >> 27) * 0x94D049BB133111EBu;
		u[i] = ((double)((z ^ z >> 31) >> 11) + 0.5) * 0x1p-53;
	}
	return sqrt(-2 * log(u[0])) * cos(TWO_PI * u[1]);
}

/* Returns the sum over j of x[j] w[j k] in float32, of one slice each. */
static struct pair sum_products(const struct element *x, unsigned x_slice, const struct element *const *w,
				unsigned w_slice, size_t n, bool round_sums)
{
	struct pair sum = {0, 0};

	for (size_t j = 0; j < n; j++) {
		const struct pair a = x[j].slice[x_slice], b = w[j]->slice[w_slice];

		sum.re = fmaf(a.re, b.re, fmaf(-a.im, b.im, sum.re));
		sum.im = fmaf(a.re, b.im, fmaf(a.im, b.re, sum.im));
		if (round_sums)
			sum = (struct pair){round_bf16(sum.re), round_bf16(sum.im)};
	}
	return sum;
}

/* Returns the sum of Ozaki's three products, the small ones first. */
static struct pair sum_ozaki(const struct element *x, const struct element *const *w, size_t n, bool round_products)
{
	static const unsigned slices[3][2] = {{1, 0}, {0, 1}, {0, 0}};
	struct pair sum = {0, 0};

	for (unsigned p = 0; p < 3; p++) {
		struct pair one = sum_products(x, slices[p][0], w, slices[p][1], n, false);

		if (round_products)
			one = (struct pair){round_bf16(one.re), round_bf16(one.im)};
		sum.re += one.re;
		sum.im += one.im;
	}
	return sum;
}

/* Returns one bin of the transform by the arithmetic of the row. */
static struct pair compute_bin(enum psum psum, const struct element *x, const struct element *const *w, size_t n)
{
	if (psum == PSUM_OZAKI || psum == PSUM_PRODUCTS)
		return sum_ozaki(x, w, n, psum == PSUM_PRODUCTS);
	return sum_products(x, 0, w, 0, n, psum == PSUM_ACCUMULATOR);
}

/* Roots w^(j k) from exact angles, by j k mod n, and from rounded angles, by (j, k): their product is not reduced. */
struct matrix {
	struct element exact[MAX_N];
	struct element rounded[MAX_N * MAX_N];
};

/* Fills both matrices for n <= MAX_N. */
static int build_matrix(size_t n, struct matrix *matrix)
{
	struct roots roots;
	long double root[2];

	if (roots_create(n, &roots) < 0)
		return -ERROR_NO_MEMORY;
	while (roots_step(&roots))
		;
	for (size_t i = 0; i < n; i++) {
		roots_at(&roots, i, root);
		matrix->exact[i] = split_element((double)root[0], (double)root[1]);
	}
	roots_free(&roots);
	for (size_t i = 0; i < n * n; i++) {
		const double angle = (double)round_bf16((float)(-TWO_PI * (double)(i / n * (i % n)) / (double)n));

		matrix->rounded[i] = split_element(cos(angle), sin(angle));
	}
	return 0;
}

const char *psum_name(enum psum psum)
{
	static const char *const names[PSUMS] = {
#define X(id, text) text,
		PSUM_TABLE(X)
#undef X
	};

	return names[psum];
}

/* Adds one transform's squared error and squared norm. */
static void add_transform(enum psum psum, size_t n, const struct matrix *matrix, const struct element *x,
			  double ret_sums[2])
{
	for (size_t k = 0; k < n; k++) {
		const struct element *w[MAX_N];
		double re = 0, im = 0;
		struct pair bin;

		for (size_t j = 0; j < n; j++) {
			const struct element *root = &matrix->exact[j * k % n];

			re += x[j].re * root->re - x[j].im * root->im;
			im += x[j].re * root->im + x[j].im * root->re;
			w[j] = psum == PSUM_ANGLES ? &matrix->rounded[j * n + k] : root;
		}
		bin = compute_bin(psum, x, w, n);
		ret_sums[0] +=
			((double)bin.re - re) * ((double)bin.re - re) + ((double)bin.im - im) * ((double)bin.im - im);
		ret_sums[1] += re * re + im * im;
	}
}

/* Each row has the same seed: all see the same signals. */
int psum_error(enum psum psum, size_t n, size_t transforms, double *ret_error)
{
	struct matrix *matrix;
	struct element x[MAX_N];
	double sums[2] = {0, 0};
	uint64_t state = 42;

	if (n == 0 || n > MAX_N)
		return -ERROR_OUT_OF_RANGE;
	matrix = malloc(sizeof *matrix);
	if (!matrix || build_matrix(n, matrix) < 0) {
		free(matrix);
		return -ERROR_NO_MEMORY;
	}
	for (size_t t = 0; t < transforms; t++) {
		for (size_t j = 0; j < n; j++) {
			const double re = draw_normal(&state), im = draw_normal(&state);

			x[j] = split_element((double)(float)re, (double)(float)im);
		}
		add_transform(psum, n, matrix, x, sums);
	}
	free(matrix);
	*ret_error = sqrt(sums[0] / sums[1]);
	return 0;
}
