/* SPDX-License-Identifier: Apache-2.0 */
/* Measures what three known mistakes cost a transform by matrix products in bfloat16.
 *
 * The accumulator of a matrix unit (PSUM on Trainium) is float32. Rounding it to bfloat16, or the angles, or the
 * products that Ozaki's scheme adds, loses the digits that the scheme is for. */
#ifndef TRNSCI_PROOFS_PSUM_H
#define TRNSCI_PROOFS_PSUM_H

#include <stddef.h>

/* X(identifier, what is done) */
#define PSUM_TABLE(X)                                                                                                  \
	X(BF16, "bf16, sums in float32")                                                                               \
	X(ANGLES, "bf16, angles rounded to bf16 before the sine")                                                      \
	X(ACCUMULATOR, "bf16, the accumulator rounded to bf16")                                                        \
	X(OZAKI, "ozaki, sums in float32")                                                                             \
	X(PRODUCTS, "ozaki, its three products rounded to bf16 before they are added")

enum psum {
#define X(id, text) PSUM_##id,
	PSUM_TABLE(X)
#undef X
		PSUMS,
};

/* Returns the text of a row. */
const char *psum_name(enum psum psum);

/* Measures the relative L2 error over `transforms` transforms of n <= 256 normal numbers each. Returns 0,
 * -ERROR_OUT_OF_RANGE or -ERROR_NO_MEMORY. */
int psum_error(enum psum psum, size_t n, size_t transforms, double *ret_error);

#endif
