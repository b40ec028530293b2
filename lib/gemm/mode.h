/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetics of a product: how many bfloat16 slices each operand is split into, and which products of slices are
 * added.
 *
 * A product of two bfloat16 numbers is exact in float32. Float modes split an operand into slices, each the rounded
 * rest of those before, and add the products in one float32 sum, small ones first. Exact modes split into integers of 8
 * bits on a common exponent: their products add up in float32 without rounding while 2 k products 2^14 <= 2^24, and the
 * sums are added in float64. Source: Ozaki, Ogita, Oishi, Rump, Numerical Algorithms 59 (2012). */
#ifndef TRNSCI_GEMM_MODE_H
#define TRNSCI_GEMM_MODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum gemm_precision {
	GEMM_F32,
	GEMM_F64,
	GEMM_BF16,
	GEMM_OZAKI,      /* two slices, three products */
	GEMM_OZAKI6,     /* three slices, six products in chains of 32 terms */
	GEMM_OZAKI_HQ,   /* five aligned slices, 15 products, float64 in and out */
	GEMM_OZAKI_FP64, /* seven aligned slices, 28 products */
	GEMM_PRECISIONS,
};

enum { GEMM_MAX_SLICES = 7, GEMM_FLOAT_PRODUCTS = 6 };

struct gemm_mode {
	const char *name;
	bool wide;           /* float64 in and out, else float32 */
	unsigned slices;     /* 0: none, the reals themselves */
	bool exact;          /* integer slices */
	bool is_short;       /* chains of GEMM_SHORT_PAIRS */
	unsigned n_products; /* of slices; those of a float mode stand in `products`, in order of addition */
	struct {
		uint8_t a, b;
	} products[GEMM_FLOAT_PRODUCTS];
};

/* Returns the row of an arithmetic. */
const struct gemm_mode *gemm_mode(enum gemm_precision precision);

/* Returns the guaranteed error of every element of c = alpha op(a) op(b) + beta c with k terms in a sum, relative to
 * |alpha| ||row of op(a)|| ||column of op(b)|| + |beta c| (2-norms), and so of c in the Frobenius norm. It holds on any
 * CPU, for finite inputs without overflow or denormals. It is proved, not measured, and grows with k, while typical
 * rounding errors grow with the square root of k. */
double gemm_error_bound(enum gemm_precision precision, uint64_t k);

/* Return 2^exponent as two factors, since one may be out of the range of a float or double. */
void gemm_power_f32(int exponent, float ret_factors[2]);
void gemm_power_f64(int exponent, double ret_factors[2]);

/* Returns the exponent e for which x 2^-e is in [0.5, 1); 0 for x = 0. */
int gemm_exponent(double x);

#endif
