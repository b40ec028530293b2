/* SPDX-License-Identifier: Apache-2.0 */
/* Register kernels: a few rows times one panel, as products of reals.
 *
 * A complex row on the left is read as reals of twice the length (re, im, re, im). The complex matrix on the right is
 * spread over rows of reals: (Br, Bi, ...) for re[k] and (-Bi, Br, ...) for im[k]. So the results are complex pairs
 * without a shuffle. For bfloat16 the two rows are one row of pairs: (Br, -Bi), (Bi, Br).
 *
 *     a row on the left      a panel (2 complex columns), rows of reals      the row of the result
 *     re0 im0 re1 im1 ...    re0 * [ Br00  Bi00 | Br01  Bi01 ]               [ Cr0 Ci0 | Cr1 Ci1 ]
 *                          + im0 * [-Bi00  Br00 |-Bi01  Br01 ]
 *                          + re1 * [ Br10  Bi10 | Br11  Bi11 ]  ...
 *
 * Each element of the result is one chain of multiply-adds in the order of parts and k, so no byte depends on how many
 * rows or panels are computed at once. */
#ifndef TRNSCI_GEMM_KERNEL_H
#define TRNSCI_GEMM_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gemm/tile.h"
#include "gemm/vectors.h"

/* A variant for one instruction set. Packed panels are laid out for its widths, so a plan keeps to one variant. */
struct gemm_kernel {
	const char *name;
	uint32_t needs; /* CPU_ features */
	unsigned rows, dot_rows;                  /* rows at once: of reals; of bf16 pairs */
	unsigned lanes_f32, lanes_f64, lanes_dot; /* in a row of a panel: floats, doubles, bf16 pairs */
	void (*f32)(const struct gemm_tile *tile);
	void (*f64)(const struct gemm_tile *tile);
	/* The arithmetic of VDPBF16PS: fma(even, even', fma(odd, odd', acc)), to nearest even, denormals read and
	 * written as zero. With `tiled` that of TDPBF16PS: acc + (chain of evens + chain of odds) for each
	 * GEMM_SHORT_PAIRS pairs. */
	void (*bf16)(const struct gemm_tile *tile);
	void (*bf16_short)(const struct gemm_tile *tile);
	bool tiled;
	/* Adds the sums of an exact mode. NULL: they go one by one through bf16. */
	void (*exact)(const struct gemm_exact *exact);
	/* Packs and multiplies as many blocks of dot_rows rows as there are, by bf16. Stops before a block with a row
	 * whose e or e + exponent is not between GEMM_LEAST_EXPONENT and GEMM_MOST_EXPONENT, or that is not finite.
	 * Returns the rows that are done. NULL: the CPU is faster with whole tiles, or has no such instruction. */
	size_t (*bf16_rows)(const struct gemm_rows *job);
	void (*begin)(void), (*end)(void); /* enclose calls of bf16 and bf16_short in one thread; may be NULL */
	const struct gemm_vectors *vectors;
	double mac_ns, dot_ns; /* estimated time of a complex multiply-add: float32; bf16 */
};

extern const struct gemm_kernel gemm_scalar, gemm_avx2, gemm_avx512, gemm_avx512bf16, gemm_amx;

/* All variants built in, best first, scalar last; and the best that needs nothing beyond `features`. */
const struct gemm_kernel *const *gemm_kernels(size_t *ret_count);
const struct gemm_kernel *gemm_select(uint32_t features);

#endif
