/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetics of a product: into how many bfloat16 slices both sides are cut, and which products are added up.
 *
 * Products of bfloat16 are exact in float32. Float modes cut into slices that each hold the rest rounded, and add the
 * products in one float32 sum, small ones first. Exact modes cut into integers of 8 bits on a common exponent, whose
 * products add up in float32 without any rounding as long as 2 k products 2^14 <= 2^24; the sums are joined in
 * float64. Source: Ozaki, Ogita, Oishi, Rump, Numerical Algorithms 59 (2012). */
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
	unsigned slices;     /* 0: the reals themselves */
	bool exact;          /* else the products below */
	bool is_short;       /* chains of GEMM_SHORT_PAIRS */
	unsigned n_products; /* in order; of exact modes: how many there are */
	struct {
		uint8_t a, b;
	} products[GEMM_FLOAT_PRODUCTS];
};

const struct gemm_mode *gemm_mode(enum gemm_precision precision);

/* The guaranteed error of every element of c = alpha op(a) op(b) + beta c with k elements in a sum, relative to
 * |alpha| ||row of op(a)|| ||column of op(b)|| + |beta c| (2-norms), and so of the whole in the Frobenius norm: for
 * finite inputs that neither overflow nor fall among the denormals, on any CPU. It is proved, not measured, and grows
 * with k; errors of rounding that do not conspire grow with its root. */
double gemm_error_bound(enum gemm_precision precision, uint64_t k);

/* A power of two as two factors, since one may be out of a float's or double's range. */
void gemm_power_f32(int exponent, float ret_factors[2]);
void gemm_power_f64(int exponent, double ret_factors[2]);

/* The least power of two above x: x 2^-e is in [0.5, 1). 0 for x = 0. */
int gemm_exponent(double x);

#endif
