/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the DFT by matrix product share: the plan's own part, a group of transforms, and its steps. */
#ifndef TRNSCI_FFT_DFT_GEMM_CORE_H
#define TRNSCI_FFT_DFT_GEMM_CORE_H

#include "base/checked.h"
#include "fft/plan/plan.h"
#include "gemm/product.h"

enum { DFT_GEMM_MAX_ROWS = 64 };

/* Of cut plans; the last three of refined ones. */
enum dft_gemm_phase {
	DFT_GEMM_PACK,
	DFT_GEMM_MULTIPLY,
	DFT_GEMM_BACK,
	DFT_GEMM_PACK_REST,
	DFT_GEMM_ADD,
	DFT_GEMM_REFINED_PHASES
};

struct dft_gemm {
	struct gemm_shape shape, back; /* back: float32, for the residual */
	bool refined, cut;
	size_t rows;                 /* of a group */
	size_t panels, panels_chunk; /* in all; of a chunk, where cut */
	size_t back_panels;
	char *w, *w_back;
};

/* What a chunk works with; parts of scratch, or of work where packing is a phase. */
struct dft_gemm_group {
	const struct fft_plan *plan;
	const struct fft_call *call;
	size_t first, count; /* transforms */
	int *exponents;
	void *left;
	void *row;                       /* one transform, contiguous */
	void *sum;                       /* count rows of a panel */
	float *x, *y, *back_left, *rest; /* refined: scaled input, result so far; sides of the residual */
};

/* The call's scale times the power of two of a row, as two factors. */
struct dft_gemm_factors {
	double wide[2];
	float narrow[2];
};

static inline bool dft_gemm_is_wide(const struct fft_plan *plan)
{
	return plan->precision == FFT_F64;
}

/* Where a transform lies contiguous and in order, no copy is made of it. */
static inline bool dft_gemm_lies_plain(const struct fft_call *call, size_t stride)
{
	return stride == 1 && !call->inverse;
}

static inline const char *dft_gemm_panel_at(const struct gemm_shape *shape, const char *panels, size_t panel)
{
	return panels + panel * gemm_panel_bytes(shape);
}

static inline size_t dft_gemm_columns_of(const struct gemm_shape *shape, size_t panel)
{
	const size_t columns = gemm_lanes(shape) / 2;

	return size_min(shape->k - panel * columns, columns);
}

static inline size_t dft_gemm_parts(const struct dft_gemm *gemm)
{
	return (gemm->panels + gemm->panels_chunk - 1) / gemm->panels_chunk;
}

/* Packs the group's transforms, each scaled by its own power of two. */
void dft_gemm_pack(const struct dft_gemm_group *g);

/* Whether products read the caller's rows as they lie: reals are not scaled on the way in. */
bool dft_gemm_reads_plain(const struct dft_gemm_group *g);

/* Reals as they lie, without a copy on the way in, nor on the way out where that is possible. */
void dft_gemm_multiply_plain(const struct dft_gemm_group *g, size_t first_panel, size_t end_panel);

/* Packed rows times panels [first_panel, end_panel), scaled and delivered. */
void dft_gemm_multiply(const struct dft_gemm_group *g, size_t first_panel, size_t end_panel);

struct dft_gemm_factors dft_gemm_factors_of(const struct dft_gemm_group *g, int exponent_of_row);

/* Row r of a panel's result, or more columns, times its factors. */
void dft_gemm_finish_row(const struct dft_gemm_group *g, size_t r, const struct dft_gemm_factors *factors, void *sum,
			 size_t first, size_t count);

/* One phase of a refined transform, on this part of the columns. */
void dft_gemm_refine(const struct dft_gemm_group *g, enum dft_gemm_phase phase, size_t part);

#endif
