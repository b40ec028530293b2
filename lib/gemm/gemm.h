/* SPDX-License-Identifier: Apache-2.0 */
/* Complex matrix products, c = alpha op(a) op(b) + beta c, in any of the arithmetics of gemm/mode.h.
 *
 * A call is cut into units that are independent of each other: a block of rows times a few panels of one product.
 * Each packs what it reads. Sums go over k in blocks of 128 whose order is fixed,
 * so no byte depends on how a call is cut, on threads or on the place in a batch. With slices, rows of op(a) and
 * columns of op(b) are scaled by powers of two first, so that nothing is flushed or overflows; NaN and infinity reach
 * only the row or column of c that they belong to. */
#ifndef TRNSCI_GEMM_GEMM_H
#define TRNSCI_GEMM_GEMM_H

#include "gemm/mode.h"
#include "gemm/product.h"

enum gemm_op { GEMM_NONE, GEMM_TRANSPOSE, GEMM_CONJUGATE_TRANSPOSE, GEMM_CONJUGATE };

/* op(a) is m x k, op(b) k x n, c m x n, row-major; elements are pairs of float, or of double where the mode is wide.
 * Rows lie `row` elements apart, the matrices of a batch `distance` (0 for a or b: the same for all). c overlaps
 * neither a nor b. Where beta is 0 c is not read, where alpha is 0 neither a nor b. */
struct gemm_operand {
	const void *at;
	size_t row, distance;
	enum gemm_op op;
};

struct gemm_call {
	size_t m, n, k, batch;
	struct gemm_operand a, b;
	void *c;
	size_t c_row, c_distance;
	double alpha[2], beta[2];
};

/* How a call is cut: into units, and where k is long each unit into phases, so that no piece runs longer than about
 * 250 us. The units of a phase may run at once, a unit's phases follow one another; other units' need not. */
struct gemm_cut {
	const struct gemm_kernel *kernel;
	const struct gemm_mode *mode;
	size_t rows, panels, k;          /* of a unit, and of a phase */
	size_t row_blocks, panel_blocks; /* of one product */
	size_t units, phases;
};

struct gemm_cut gemm_cut(enum gemm_precision precision, uint32_t features, const struct gemm_call *call);

/* About the time of a phase of a unit. */
double gemm_unit_ns(const struct gemm_cut *cut);

/* Of a thread's own memory, aligned to 64; below 640 KiB in any mode. Where there are several phases a unit also has
 * memory of its own, aligned to 64, from its first phase to its last. */
size_t gemm_scratch_bytes(const struct gemm_cut *cut);
size_t gemm_slot_bytes(const struct gemm_cut *cut); /* 0 with one phase */

/* Inside fpenv_enter. */
void gemm_run_unit(const struct gemm_cut *cut, const struct gemm_call *call, size_t phase, size_t unit, void *slot,
		   void *scratch);

#endif
