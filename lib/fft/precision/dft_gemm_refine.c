/* SPDX-License-Identifier: Apache-2.0 */
/* One step of iterative refinement: y = W x in bfloat16, then y += W (x - W^-1 y) with W^-1 y in float32 (N. Higham,
 * "Accuracy and Stability of Numerical Algorithms", chapter 12). */
#include "fft/precision/dft_gemm_core.h"

#include <string.h>

/* Panels [begin, end) of W or of its float32 copy. */
struct panels {
	size_t begin, end;
};

static struct panels find_share(const struct dft_gemm *gemm, size_t part, size_t of_panels)
{
	const size_t count = gemm->has_phases ? dft_gemm_parts(gemm) : 1;

	return (struct panels){part * of_panels / count, (part + 1) * of_panels / count};
}

static void add_row(const float *restrict from, size_t n, float *restrict to)
{
	for (size_t i = 0; i < n; i++)
		to[i] += from[i];
}

/* Computes to[r] = row r of left times these panels, or adds that to to[r]. Rows of `to` have 2 n floats. The kernel
 * stores whole panels, so the last one may have to go through g->sum. */
static void multiply_share(const struct dft_gemm_group *g, const struct gemm_shape *shape, struct panels panels,
			   const void *left, const char *w, bool add, float *to)
{
	const size_t n = g->plan->n, lanes = gemm_lanes(shape), rows = dft_gemm_of(g->plan)->rows;

	for (size_t panel = panels.begin; panel < panels.end; panel++) {
		const size_t first = panel * lanes, count = 2 * dft_gemm_count_columns(shape, panel);
		const bool direct = !add && count == lanes;
		const float *const sum = g->sum;

		gemm_product(shape, left, rows, 0, g->count, dft_gemm_find_panel(shape, w, panel), false,
			     direct ? to + first : g->sum, direct ? 2 * n : lanes);
		for (size_t r = 0; r < g->count && !direct; r++) {
			if (add)
				add_row(sum + r * lanes, count, to + r * 2 * n + first);
			else
				memcpy(to + r * 2 * n + first, sum + r * lanes, count * sizeof *to);
		}
	}
}

/* These go pair by pair, so that compilers vectorise them. */
static void swap_parts(const float *restrict x, size_t pairs, float *restrict to)
{
	for (size_t i = 0; i < 2 * pairs; i += 2) {
		to[i] = x[i + 1];
		to[i + 1] = x[i];
	}
}

static void subtract_swapped(const float *restrict x, const float *restrict y, size_t pairs, float factor,
			     float *restrict to)
{
	for (size_t i = 0; i < 2 * pairs; i += 2) {
		to[i] = x[i] - y[i + 1] * factor;
		to[i + 1] = x[i + 1] - y[i] * factor;
	}
}

/* Computes n W^-1 y with its parts exchanged: W^-1 y is W y / n with parts exchanged on both sides. */
static void transform_back(const struct dft_gemm_group *g, size_t part)
{
	const struct dft_gemm *gemm = dft_gemm_of(g->plan);

	swap_parts(g->y, g->count * g->plan->n, g->back_left);
	multiply_share(g, &gemm->back, find_share(gemm, part, gemm->back_panels), g->back_left, gemm->w_back, false,
		       g->residual);
}

/* Packs x - W^-1 y as the left side. */
static void pack_residual(const struct dft_gemm_group *g)
{
	const struct dft_gemm *gemm = dft_gemm_of(g->plan);
	const size_t n = g->plan->n;
	const float factor = 1 / (float)n;

	subtract_swapped(g->x, g->residual, g->count * n, factor, g->back_left);
	for (size_t r = 0; r < g->count; r++)
		gemm_put_row(&gemm->shape, g->back_left + r * 2 * n, 0, g->left, gemm->rows, r);
}

static void add_correction(const struct dft_gemm_group *g, size_t part)
{
	const struct dft_gemm *gemm = dft_gemm_of(g->plan);
	const struct panels panels = find_share(gemm, part, gemm->panels);
	const size_t n = g->plan->n, columns = gemm_lanes(&gemm->shape) / 2, first = panels.begin * columns;
	const size_t end = size_min(panels.end * columns, n);

	multiply_share(g, &gemm->shape, panels, g->left, gemm->w, true, g->y);
	for (size_t r = 0; r < g->count; r++) {
		const struct dft_gemm_factors factors = dft_gemm_find_factors(g, g->exponents[r]);

		dft_gemm_finish_row(g, r, &factors, g->y + 2 * (r * n + first), first, end - first);
	}
}

void dft_gemm_refine(const struct dft_gemm_group *g, enum dft_gemm_phase phase, size_t part)
{
	const struct dft_gemm *gemm = dft_gemm_of(g->plan);

	if (phase == DFT_GEMM_MULTIPLY)
		multiply_share(g, &gemm->shape, find_share(gemm, part, gemm->panels), g->left, gemm->w, false, g->y);
	else if (phase == DFT_GEMM_BACK)
		transform_back(g, part);
	else if (phase == DFT_GEMM_PACK_RESIDUAL)
		pack_residual(g);
	else if (phase == DFT_GEMM_ADD)
		add_correction(g, part);
}
