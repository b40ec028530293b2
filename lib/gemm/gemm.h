/* SPDX-License-Identifier: Apache-2.0 */
/* Complex matrix products, c = alpha op(a) op(b) + beta c, in any of the arithmetics of gemm/mode.h.
 *
 * A call is cut into independent chunks: a block of rows times a few panels of one product. Each packs what it reads.
 *
 *                 op(b), k x n                        a chunk, for each K_BLOCK of k:
 *                 +------+----+----+                    pack its rows of op(a), once
 *             k   |      |    |    |                    for each of its panels:
 *                 +------+----+----+                      pack the panel of op(b)
 *       +---+     +------+----+----+                      gemm_product: rows x panel, added to the chunk's sums
 *     m |   |     |      |chunk    |                  at the end: alpha sums + beta c, stored
 *       +---+     +------+----+----+
 *      op(a)           c, m x n
 *
 * mode.h describes the arithmetics, product.h packed operands and their products, kernel.h what runs in registers,
 * vectors.h the loops around it, panel.h real products with few columns, which the trace uses.
 *
 * Sums go over k in blocks of 128 in a fixed order, so no byte depends on how a call is cut, on threads or on the place
 * in a batch. Modes with slices first scale the rows of op(a) and the columns of op(b) by powers of two, so that
 * nothing is flushed or overflows. NaN and infinity reach only their own row or column of c. */
#ifndef TRNSCI_GEMM_GEMM_H
#define TRNSCI_GEMM_GEMM_H

#include "base/staged_work.h"
#include "gemm/mode.h"
#include "gemm/product.h"

enum gemm_op { GEMM_NONE, GEMM_TRANSPOSE, GEMM_CONJUGATE_TRANSPOSE, GEMM_CONJUGATE };

/* op(a) is m x k, op(b) k x n, c m x n, all row-major. Elements are pairs of float, or of double if the mode is wide.
 * Rows lie `row` elements apart, the matrices of a batch `distance` elements (0 for a or b: one matrix for all). c must
 * not overlap a or b. c is not read if beta is 0; a and b are not read if alpha is 0. */
struct gemm_operand {
	size_t row, distance;
	enum gemm_op op;
};

struct gemm_call {
	size_t m, n, k, batch;
	struct gemm_operand a, b;
	size_t c_row, c_distance;
	double alpha[2], beta[2];
};

/* How a call is cut: into chunks, and for a long k each chunk into phases, between which it keeps its sums in work; so no
 * piece runs longer than CHUNK_MOST_NS. A stage is a phase of all chunks, or of as many as the work has room for. */
struct gemm_cut {
	struct staged_work work; /* first; a run's in[0], in[1] and out are a, b and c */
	struct gemm_call call;
	const struct gemm_kernel *kernel;
	const struct gemm_mode *mode;
	size_t rows, panels, k;          /* of a chunk; k: of a phase */
	size_t row_blocks, panel_blocks; /* of one product of the batch */
	size_t chunks, phases;
	size_t slot_bytes, at_once; /* of what a chunk keeps; chunks of a stage */
};

/* Cuts a call. Its scratch_bytes are below 640 KiB in any mode. Run chunks between fpenv_enter and fpenv_leave. */
void gemm_cut(enum gemm_precision precision, uint32_t features, const struct gemm_call *call, struct gemm_cut *ret_cut);

#endif
