/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the DFT by matrix product: the plan, a group of transforms, and its phases.
 *
 *     transforms, one a row     W, n x n, in panels           results
 *     [ rows: a group ]    x    [ panel | panel | ... ]   =   [ group x panel | ... ]
 *
 * A group's rows are scaled by powers of two and packed once; each panel of the result is scaled back when it is
 * stored. With a small W a chunk does this for one group or several. Otherwise packing is a phase of its own, and a
 * chunk of the next is a group times some panels. */
#ifndef TRNSCI_FFT_DFT_GEMM_CORE_H
#define TRNSCI_FFT_DFT_GEMM_CORE_H

#include "base/checked.h"
#include "fft/plan/plan.h"
#include "fft/plan/roots.h"
#include "gemm/product.h"

enum { DFT_GEMM_MAX_ROWS = 64 };

/* The phases of a plan that has them. The last three exist in refined plans only. */
enum dft_gemm_phase {
	DFT_GEMM_PACK,
	DFT_GEMM_MULTIPLY,
	DFT_GEMM_BACK,
	DFT_GEMM_PACK_RESIDUAL,
	DFT_GEMM_ADD,
	DFT_GEMM_REFINED_PHASES
};

struct dft_gemm {
	struct fft_plan plan; /* first */
	struct gemm_shape shape, back; /* back: float32, for the residual */
	bool refined;
	bool has_phases;                 /* a group, or all of W, is too much for one chunk */
	bool by_rows;                    /* the kernel packs and multiplies whole rows, where they are contiguous */
	size_t rows, groups;             /* transforms of a group, at most DFT_GEMM_MAX_ROWS; groups of a chunk */
	size_t panels, panels_per_chunk; /* of W; of a chunk where it has phases */
	size_t back_panels;
	char *w, *w_back; /* owned: panels of W, and of its inverse for the residual (refined; else NULL) */
	struct roots roots; /* while they are built */
	size_t row;         /* of W, that is next */
};

static inline struct dft_gemm *dft_gemm_of(const struct fft_plan *plan)
{
	return (struct dft_gemm *)plan;
}

/* The memory of a group: in scratch, or in `work` where packing is a phase of its own. */
struct dft_gemm_group {
	const struct fft_plan *plan;
	const struct fft_call *call;
	size_t first, count;   /* transforms */
	double scale_fraction; /* with the power of two 2^scale_exponent the call's scale */
	int scale_exponent;
	int *exponents; /* of each row: its largest magnitude is in [2^(e - 1), 2^e); 0 in unsliced modes */
	void *left;     /* the packed rows (gemm/product.h) */
	void *row; /* one transform, contiguous */
	void *sum; /* count rows of a panel */
	float *x, *y, *back_left,
		*residual; /* refined: scaled input, result so far, left side of its inverse transform, residual */
};

/* The call's scale times the power of two of a row, as two factors: one alone could overflow. */
struct dft_gemm_factors {
	double wide[2];
	float narrow[2];
};

static inline bool dft_gemm_is_wide(const struct fft_plan *plan)
{
	return plan->precision == FFT_F64;
}

/* Returns whether a transform lies contiguous and in order, so that it needs no copy. */
static inline bool dft_gemm_is_contiguous(const struct fft_call *call, size_t stride)
{
	return stride == 1 && !call->inverse;
}

static inline const char *dft_gemm_find_panel(const struct gemm_shape *shape, const char *panels, size_t panel)
{
	return panels + panel * gemm_panel_bytes(shape);
}

static inline size_t dft_gemm_count_columns(const struct gemm_shape *shape, size_t panel)
{
	const size_t columns = gemm_lanes(shape) / 2;

	return size_min(shape->k - panel * columns, columns);
}

static inline size_t dft_gemm_parts(const struct dft_gemm *gemm)
{
	return (gemm->panels + gemm->panels_per_chunk - 1) / gemm->panels_per_chunk;
}

/* Packs the group's transforms, each scaled by its own power of two. */
void dft_gemm_pack(const struct dft_gemm_group *g);

/* Returns whether the products can read the caller's rows without packing: unsliced modes, which do not scale. */
bool dft_gemm_reads_contiguous(const struct dft_gemm_group *g);

/* Multiplies the caller's rows by panels [first_panel, end_panel) without packing, and stores the result directly where
 * it can. */
void dft_gemm_multiply_contiguous(const struct dft_gemm_group *g, size_t first_panel, size_t end_panel);

/* Multiplies packed rows by panels [first_panel, end_panel), scales the result and stores it. */
void dft_gemm_multiply(const struct dft_gemm_group *g, size_t first_panel, size_t end_panel);

/* Packs, multiplies and stores transforms [first, end) by gemm_kernel.bf16_rows, as far as it goes. Returns how many.
 */
size_t dft_gemm_multiply_rows(const struct fft_plan *plan, const struct fft_call *call, size_t first, size_t end,
			      uint32_t *left);

/* Returns the factors of a row with that exponent. */
struct dft_gemm_factors dft_gemm_find_factors(const struct dft_gemm_group *g, int exponent_of_row);

/* Multiplies columns [first, first + count) of row r by its factors and stores them. `sum` holds the columns. */
void dft_gemm_finish_row(const struct dft_gemm_group *g, size_t r, const struct dft_gemm_factors *factors, void *sum,
			 size_t first, size_t count);

/* Runs one phase of a refined transform on this part of the columns. */
void dft_gemm_refine(const struct dft_gemm_group *g, enum dft_gemm_phase phase, size_t part);

#endif
