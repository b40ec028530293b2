/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/steps/step_table.h"

static const struct step_ops *const table[STEP_KINDS] = {
	[STEP_DRAW] = &step_draw,
	[STEP_ALGEBRA] = &step_algebra,
	[STEP_ALGEBRA_RESIZED] = &step_algebra_resized,
	[STEP_REDUCE] = &step_reduce,
	[STEP_DRAW_PER_SAMPLE] = &step_draw_per_sample,
	[STEP_POINTS] = &step_points,
	[STEP_CAST] = &step_cast,
	[STEP_RESIZE] = &step_resize,
	[STEP_FFT] = &step_fft,
	[STEP_GEMM] = &step_gemm,
	[STEP_TRACE] = &step_trace,
	[STEP_SIGNAL] = &step_signal,
	[STEP_COLORED] = &step_colored,
	[STEP_FIELD] = &step_field,
	[STEP_CHECK] = &step_check,
};

const struct step_ops *step_ops(enum step_kind kind)
{
	return table[kind];
}
