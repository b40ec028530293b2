/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise arithmetic on arrays: the same bytes in every variant.
 *
 * float32 is computed in float64 and rounded once, which is right to 0.5001 ulp; float64 by one IEEE operation where there
 * is one; scale and noise_add in either width by one fma. The others' errors, each part of a complex number alone: product
 * 1.5 ulp, quotient 4, absolute value 1.5, ln 2, exp 1.5. Complex numbers lie as real and imaginary parts in turn. */
#ifndef TRNSCI_MATH_ALGEBRA_H
#define TRNSCI_MATH_ALGEBRA_H

#include <stddef.h>
#include <stdint.h>

/* X(operation): each has a function for f32, f64, c64 and c128, NULL where it has no meaning. _real: the second operand is
 * real. */
#define ALGEBRA_OPERATIONS(X) \
	X(box_muller) X(scale) X(noise_add) X(add) X(subtract) X(multiply) X(multiply_real) X(divide) X(divide_real) X(abs) X(square) X(sqrt) X(log) X(exp) X(conj) X(real) \
	X(imag) X(clip) X(where)

enum algebra_operation {
#define X(operation) ALGEBRA_##operation,
	ALGEBRA_OPERATIONS(X)
#undef X
		ALGEBRA_COUNT,
};

struct algebra_numbers {
	double low, high; /* clip */
	double by, plus;  /* scale: x by + plus, whose real part alone gets plus; noise_add: a + by b */
};

/* Computes n elements, of box_muller an even number (box_muller.h). in[0] and in[1] are the operands, in[2] (where) n bytes that choose in[0] unless they are 0. ret may
 * be in[0] or in[1] where its elements are as large. */
typedef void algebra_function(const struct algebra_numbers *numbers, const void *const in[3], size_t n, void *ret);

/* What reductions take of each number: itself, the greatest, or its square. */
enum algebra_reduction { ALGEBRA_TAKE_SUM, ALGEBRA_TAKE_MAX, ALGEBRA_TAKE_SQUARES, ALGEBRA_REDUCTIONS };

/* Takes `rows` rows of `columns` numbers, `stride` apart, into as many results: sums and what these have lost by rounding
 * (TwoSum), or maxima, in which NaN stays. */
typedef void algebra_reduce(const void *x, size_t rows, size_t stride, size_t columns, double *sums, double *rests);

struct algebra_kernel {
	const char *name;
	uint32_t needs;                                  /* CPU_ features */
	algebra_function *functions[ALGEBRA_COUNT][4]; /* of f32, f64, c64, c128 */
	algebra_reduce *reductions[ALGEBRA_REDUCTIONS][2]; /* of f32, f64 */
};

extern const struct algebra_kernel algebra_scalar, algebra_avx2, algebra_avx512, algebra_neon;

/* Returns all variants of this build, the fastest first, scalar last. */
const struct algebra_kernel *const *algebra_kernels(size_t *ret_count);

/* Returns the fastest variant that needs nothing beyond these CPU_ features. */
const struct algebra_kernel *algebra_select(uint32_t features);

#endif
