/* SPDX-License-Identifier: Apache-2.0 */
/* The precision modes of transforms and what each guarantees, in the fixed order of cost.
 *
 * fast, kahan and double are fast transforms in float32, in float64 rounded once to float32, and in float64. The other
 * modes are products with the transform's matrix (dft_gemm.h), for n <= 256. A longer transform runs in the mode of the
 * column `beyond`, whose bound is no worse, except for ozaki_fp64: no other mode is as exact. On a CPU a product costs
 * more than a fast transform, so the order of cost is not that of the bounds. */
#ifndef TRNSCI_FFT_PRECISION_H
#define TRNSCI_FFT_PRECISION_H

#include <stdbool.h>
#include <stdint.h>

#include "fft/fft.h"

/* X(identifier, name, mode beyond n = 256, bound of the relative L2 error, the same on random input, float64 in and
 * out)
 *
 * Bounds hold where no element, sum or result overflows or is denormal. Those of the matrix modes are proved for every
 * input and every n up to 256: tests/statistics/matrix_bounds.py derives them from norms (the worst n: bf16 165,
 * bf16_refined 231, ozaki and ozaki6 253, ozaki_hq and ozaki_fp64 230), and check_bounds.c searches for inputs that
 * exceed them. Those of fast, kahan and double are not proved: they held over the tests' table of hard inputs. "Random"
 * is normal input, over 64 transforms, n <= 256. */
#define PRECISION_TABLE(X)                                            \
	X(FAST, "fast", FAST, 1e-6, 3e-7, false)                      \
	X(KAHAN, "kahan", KAHAN, 1e-7, 5e-8, false)                   \
	X(DOUBLE, "double", DOUBLE, 1e-14, 1e-15, true)               \
	X(BF16, "bf16", FAST, 9.2e-3, 2.5e-3, false)                    \
	X(BF16_REFINED, "bf16_refined", FAST, 1.1e-4, 6e-6, false)      \
	X(OZAKI, "ozaki", FAST, 6.5e-5, 5e-6, false)                    \
	X(OZAKI6, "ozaki6", KAHAN, 9e-6, 2e-7, false)                 \
	X(OZAKI_HQ, "ozaki_hq", DOUBLE, 4.2e-10, 2e-11, true)           \
	X(OZAKI_FP64, "ozaki_fp64", DOUBLE, 8.4e-15, 5e-16, true)

enum precision {
#define X(id, name, beyond, guaranteed, random, wide) PRECISION_##id,
	PRECISION_TABLE(X)
#undef X
	PRECISIONS,
};

/* The names in order, as choices for the operation table. A test compares them with the table. */
#define PRECISION_CHOICES "fast|kahan|double|bf16|bf16_refined|ozaki|ozaki6|ozaki_hq|ozaki_fp64"

enum { PRECISION_MAX_GEMM = 256 };

/* Returns the name of a mode. */
const char *precision_name(enum precision precision);

/* Returns whether input and output are float64. */
bool precision_is_wide(enum precision precision);

/* Returns whether the mode is a product with the transform's matrix. */
bool precision_is_gemm(enum precision precision);

/* Returns the mode that runs a request for `precision` whose longest transform has n elements. */
enum precision precision_serving(enum precision precision, uint64_t n);

/* Creates a plan as fft_plan_create does, in a mode that serves n. Plans of kahan are those of double. */
int precision_plan_create(enum precision precision, uint64_t n, uint32_t features, struct fft_plan **ret_plan);

/* Return the bound of the relative L2 error of one transform of n, in a mode that serves n, and that on random
 * input. */
double precision_bound(enum precision precision, uint64_t n);
double precision_bound_random(enum precision precision);

/* Returns the bound of that many transforms in a row, in a mode that serves all of them. `rounding` is the relative
 * error of the input. */
double precision_bound_in_row(enum precision precision, unsigned transforms, double rounding);

/* Finds the cheapest mode that serves n and whose bound over that many transforms in a row meets target. `rounding` is
 * the relative error of the input in float32 modes. A target below 1e-7 gets a float64 mode. Returns 0, or
 * -ERROR_OUT_OF_RANGE if no mode meets the target. */
int precision_for_target(double target, uint64_t n, unsigned transforms, double rounding,
			 enum precision *ret_precision);

#endif
