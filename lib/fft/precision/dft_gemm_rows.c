/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a group: they are fetched and scaled, multiplied by the panels of W, scaled back and stored.
 *
 * The inverse transform exchanges real and imaginary parts on the way in and out (dft(swap x) = swap of the inverse of
 * x), so one W serves both directions. */
#include "fft/precision/dft_gemm_core.h"

#include <math.h>

/* fetch_REAL copies a transform unless it can be read directly; deliver_REAL stores one. The inverse exchanges parts. A
 * stride of 1 has a loop of its own, which the compiler vectorises. */
#define ROWS_OF(real)                                                                                                  \
	static const real *fetch_##real(const struct fft_call *call, size_t transform, size_t n, real *restrict to)    \
	{                                                                                                              \
		const real *at = (const real *)call->in + 2 * transform * call->in_distance;                           \
		const size_t re = call->inverse, stride = call->in_stride;                                             \
                                                                                                                       \
		if (dft_gemm_is_contiguous(call, stride))                                                              \
			return at;                                                                                     \
		for (size_t j = 0; j < n && stride == 1; j++) {                                                        \
			to[2 * j] = at[2 * j + 1];                                                                     \
			to[2 * j + 1] = at[2 * j];                                                                     \
		}                                                                                                      \
		for (size_t j = 0; j < n && stride != 1; j++, at += 2 * stride) {                                      \
			to[2 * j] = at[re];                                                                            \
			to[2 * j + 1] = at[!re];                                                                       \
		}                                                                                                      \
		return to;                                                                                             \
	}                                                                                                              \
                                                                                                                       \
	static void deliver_##real(const struct fft_call *call, size_t n, const real *from, real *restrict at)         \
	{                                                                                                              \
		const size_t re = call->inverse, stride = call->out_stride;                                            \
                                                                                                                       \
		for (size_t k = 0; k < n && stride == 1; k++) {                                                        \
			at[2 * k] = from[2 * k + 1];                                                                   \
			at[2 * k + 1] = from[2 * k];                                                                   \
		}                                                                                                      \
		for (size_t k = 0; k < n && stride != 1; k++, at += 2 * stride) {                                      \
			at[re] = from[2 * k];                                                                          \
			at[!re] = from[2 * k + 1];                                                                     \
		}                                                                                                      \
	}

ROWS_OF(float)
ROWS_OF(double)

/* Unsliced modes keep the exponent 0: their arithmetic is floating-point already. */
void dft_gemm_pack(const struct dft_gemm_group *g)
{
	const struct fft_plan *plan = g->plan;
	const struct dft_gemm *gemm = dft_gemm_of(plan);
	const struct gemm_vectors *vectors = gemm->shape.kernel->vectors;
	const bool sliced = gemm->shape.mode->slices > 0;
	const size_t n = plan->n;

	for (size_t r = 0; r < g->count; r++) {
		const void *row = dft_gemm_is_wide(plan) ? (const void *)fetch_double(g->call, g->first + r, n, g->row)
							 : (const void *)fetch_float(g->call, g->first + r, n, g->row);
		double top = 0;
		float factors[2];

		if (sliced)
			top = dft_gemm_is_wide(plan) ? vectors->max_abs_f64(row, 2 * n)
						     : (double)vectors->max_abs_f32(row, 2 * n);
		g->exponents[r] = gemm_exponent(top);
		gemm_put_row(&gemm->shape, row, g->exponents[r], g->left, gemm->rows, r);
		if (gemm->refined) {
			gemm_power_f32(-g->exponents[r], factors);
			vectors->scale_f32(row, 2 * n, factors, g->x + r * 2 * n);
		}
	}
}

/* The call's scale is split into a fraction and a power of two, and the power is joined with the row's own. So a scale
 * near the ends of the range and a badly scaled row cancel before either can overflow. Float32 takes one factor where
 * gemm_kernel.bf16_rows does. */
struct dft_gemm_factors dft_gemm_find_factors(const struct dft_gemm_group *g, int exponent_of_row)
{
	const int exponent = g->scale_exponent + exponent_of_row;
	struct dft_gemm_factors factors;

	if (dft_gemm_is_wide(g->plan)) {
		gemm_power_f64(exponent, factors.wide);
		factors.wide[0] *= g->scale_fraction;
		return factors;
	}
	gemm_power_f32(exponent, factors.narrow);
	if (exponent >= GEMM_LEAST_EXPONENT && exponent <= GEMM_MOST_EXPONENT) {
		factors.narrow[0] *= factors.narrow[1];
		factors.narrow[1] = 1;
	}
	factors.narrow[0] *= (float)g->scale_fraction;
	return factors;
}

/* Scales in place where the output is strided, and delivers after that. */
void dft_gemm_finish_row(const struct dft_gemm_group *g, size_t r, const struct dft_gemm_factors *factors, void *sum,
			 size_t first, size_t count)
{
	const struct gemm_vectors *vectors = dft_gemm_of(g->plan)->shape.kernel->vectors;
	const struct fft_call *call = g->call;
	const size_t at = 2 * ((g->first + r) * call->out_distance + first * call->out_stride);
	const bool direct = dft_gemm_is_contiguous(call, call->out_stride);

	if (dft_gemm_is_wide(g->plan)) {
		double *out = (double *)call->out + at;

		vectors->scale_f64(sum, 2 * count, factors->wide, direct ? out : sum);
		if (!direct)
			deliver_double(call, count, sum, out);
	} else {
		float *out = (float *)call->out + at;

		vectors->scale_f32(sum, 2 * count, factors->narrow, direct ? out : sum);
		if (!direct)
			deliver_float(call, count, sum, out);
	}
}

bool dft_gemm_reads_contiguous(const struct dft_gemm_group *g)
{
	return !dft_gemm_of(g->plan)->shape.mode->slices && dft_gemm_is_contiguous(g->call, g->call->in_stride);
}

/* Returns whether the kernel can store a panel's result directly in the output. */
static bool writes_directly(const struct dft_gemm_group *g, size_t panel)
{
	const struct gemm_shape *shape = &dft_gemm_of(g->plan)->shape;

	return g->call->scale == 1 && dft_gemm_is_contiguous(g->call, g->call->out_stride) &&
	       dft_gemm_count_columns(shape, panel) == gemm_lanes(shape) / 2;
}

/* A panel that is cut off by the end of the row goes through g->sum: the kernel stores whole panels. */
void dft_gemm_multiply_contiguous(const struct dft_gemm_group *g, size_t first_panel, size_t end_panel)
{
	const struct dft_gemm *gemm = dft_gemm_of(g->plan);
	const struct fft_call *call = g->call;
	const size_t lanes = gemm_lanes(&gemm->shape), real = dft_gemm_is_wide(g->plan) ? 8 : 4;
	const char *rows = (const char *)call->in + 2 * real * g->first * call->in_distance;
	const struct dft_gemm_factors factors = dft_gemm_find_factors(g, 0); /* unsliced modes do not scale rows */

	for (size_t panel = first_panel; panel < end_panel; panel++) {
		char *out = (char *)call->out + real * (2 * g->first * call->out_distance + panel * lanes);
		const bool direct = writes_directly(g, panel);

		gemm_product_of_rows(&gemm->shape, rows, 2 * call->in_distance, g->count,
				     dft_gemm_find_panel(&gemm->shape, gemm->w, panel), direct ? out : g->sum,
				     direct ? 2 * call->out_distance : lanes);
		for (size_t r = 0; r < g->count && !direct; r++)
			dft_gemm_finish_row(g, r, &factors, (char *)g->sum + r * lanes * real, panel * lanes / 2,
					    dft_gemm_count_columns(&gemm->shape, panel));
	}
}

/* Returns whether the kernel can store float sums in the output, where they are then scaled row by row. */
static bool sums_fit_output(const struct dft_gemm_group *g)
{
	const struct gemm_shape *shape = &dft_gemm_of(g->plan)->shape;

	return !dft_gemm_is_wide(g->plan) && dft_gemm_is_contiguous(g->call, g->call->out_stride) &&
	       g->plan->n % (gemm_lanes(shape) / 2) == 0;
}

/* Sums in the output are scaled at the end, row by row, when all panels are there. */
void dft_gemm_multiply(const struct dft_gemm_group *g, size_t first_panel, size_t end_panel)
{
	const struct dft_gemm *gemm = dft_gemm_of(g->plan);
	const struct fft_call *call = g->call;
	const size_t lanes = gemm_lanes(&gemm->shape), real = dft_gemm_is_wide(g->plan) ? 8 : 4, columns = lanes / 2;
	const bool direct = sums_fit_output(g);
	char *const out = (char *)call->out + 2 * real * g->first * call->out_distance;
	struct dft_gemm_factors factors[DFT_GEMM_MAX_ROWS];

	for (size_t r = 0; r < g->count; r++)
		factors[r] = dft_gemm_find_factors(g, g->exponents[r]);
	for (size_t panel = first_panel; panel < end_panel; panel++) {
		gemm_product(&gemm->shape, g->left, gemm->rows, 0, g->count,
			     dft_gemm_find_panel(&gemm->shape, gemm->w, panel), false,
			     direct ? out + panel * lanes * real : g->sum, direct ? 2 * call->out_distance : lanes);
		for (size_t r = 0; r < g->count && !direct; r++)
			dft_gemm_finish_row(g, r, &factors[r], (char *)g->sum + r * lanes * real, panel * columns,
					    dft_gemm_count_columns(&gemm->shape, panel));
	}
	for (size_t r = 0; r < g->count && direct; r++)
		dft_gemm_finish_row(g, r, &factors[r], out + real * (2 * r * call->out_distance + first_panel * lanes),
				    first_panel * columns, (end_panel - first_panel) * columns);
}

/* The rows of W's panels are the columns of the result, so panels must fill them. */
size_t dft_gemm_multiply_rows(const struct fft_plan *plan, const struct fft_call *call, size_t first, size_t end,
			      uint32_t *left)
{
	const struct dft_gemm *gemm = dft_gemm_of(plan);
	struct gemm_rows job = {
		.in = (const float *)call->in + 2 * first * call->in_distance,
		.out = (float *)call->out + 2 * first * call->out_distance,
		.rows = end - first,
		.k = plan->n,
		.in_row = 2 * call->in_distance,
		.out_row = 2 * call->out_distance,
		.swaps = call->inverse,
		.panels = (const uint32_t *)gemm->w,
		.n_panels = gemm->panels,
		.left = left,
	};

	job.fraction = (float)frexp(call->scale, &job.exponent);
	return gemm->shape.kernel->bf16_rows(&job);
}
