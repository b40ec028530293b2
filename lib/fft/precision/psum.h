/* SPDX-License-Identifier: Apache-2.0 */
/* What three known mistakes cost a transform by matrix in bfloat16, beside the right arithmetic.
 *
 * The accumulator of a matrix machine (PSUM on Trainium) is float32: rounding it, the angles, or what Ozaki's scheme
 * adds up, to bfloat16, throws away what the scheme is for. */
#ifndef TRNSCI_FFT_PSUM_H
#define TRNSCI_FFT_PSUM_H

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

const char *psum_name(enum psum psum);

/* Relative L2 error over `transforms` transforms of n <= 256 normal numbers each. -ERROR_OUT_OF_RANGE,
 * -ERROR_NO_MEMORY. */
int psum_error(enum psum psum, size_t n, size_t transforms, double *ret_error);

#endif
