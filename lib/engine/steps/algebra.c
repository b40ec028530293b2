/* SPDX-License-Identifier: Apache-2.0 */
/* Element-wise arithmetic of one to three operands. An operand that has fewer elements than the result repeats: it is
 * one element, or of the result's last dimensions. */
#include <string.h>

#include "base/checked.h"
#include "base/cpu.h"
#include "engine/steps/step.h"
#include "math/algebra.h"

/* Elements of a piece, whose repeated operands lie on the stack, 24 KiB; bytes of the widest element, c128. */
enum { PIECE = 512, WIDEST = 16 };

/* Returns the column of the kernels' table for a dtype: f32, f64, c64 or c128. */
static unsigned column_of(enum dtype dtype)
{
	return dtype == DTYPE_F32 ? 0 : dtype == DTYPE_F64 ? 1 : dtype == DTYPE_C64 ? 2 : 3;
}

bool step_algebra_has(unsigned operation, enum dtype dtype)
{
	return dtype >= DTYPE_F32 && dtype <= DTYPE_C128 &&
	       algebra_select(0)->functions[operation][column_of(dtype)] != NULL;
}

/* Copies elements [begin, begin + n) of the repeated operand. */
static void copy_periodic(const struct buffer *operand, const char *base, uint64_t begin, size_t n, char *ret)
{
	const size_t size = dtype_size(operand->shape.dtype);
	uint64_t at = begin % operand->shape.n;

	for (size_t done = 0, count; done < n; done += count, at = 0) {
		const uint64_t left = operand->shape.n - at;

		count = left < n - done ? (size_t)left : n - done;
		memcpy(ret + done * size, base + at * size, count * size);
	}
}

/* Makes bytes of a condition: 1 where an element is above the bound, or (test false) not 0. */
static void choose(const struct algebra_step *algebra, enum dtype dtype, const void *condition, size_t n, uint8_t *ret)
{
	const float *f = condition;
	const double *d = condition;
	const int8_t *b = condition;

	for (size_t i = 0; i < n; i++) {
		const double x = dtype == DTYPE_F32 ? (double)f[i] : dtype == DTYPE_F64 ? d[i] : (double)b[i];

		ret[i] = algebra->tests ? x > algebra->above : x != 0;
	}
}

/* One piece: operands that repeat are written out, a condition becomes bytes. */
static void fill_piece(const struct bindings *bound, const struct step *step, uint64_t begin, size_t n,
		       const char *const in[STEP_INPUTS], void *out)
{
	_Alignas(16) char repeated[STEP_INPUTS][PIECE * WIDEST];
	const void *operands[3] = {in[0], in[1], in[2]};
	uint8_t chosen[PIECE];

	for (unsigned k = 0; k < 3; k++)
		if (step->in[k] && step->in[k]->shape.n != step->out->shape.n) {
			copy_periodic(step->in[k], bound_base(bound, step->in[k]), begin, n, repeated[k]);
			operands[k] = repeated[k];
		}
	if (step->in[2]) {
		choose(&step->algebra, step->in[2]->shape.dtype, operands[2], n, chosen);
		operands[2] = chosen;
	}
	bound->engine->kernels.algebra->functions[step->algebra.operation][column_of(step->in[0]->shape.dtype)](
		&step->algebra.numbers, operands, n, out);
}

/* Returns whether the kernel can read all operands where they lie, so that a block need not be cut into pieces. */
static bool is_plain(const struct step *step)
{
	for (unsigned k = 1; k < 3; k++)
		if (step->in[k] && step->in[k]->shape.n != step->out->shape.n)
			return false;
	return !step->in[2] && step->in[0]->shape.n == step->out->shape.n;
}

static void fill(const struct bindings *bound, const struct step *step, uint64_t begin, size_t n,
		 const void *const in[], void *out)
{
	const size_t most = is_plain(step) ? n : PIECE;
	const char *at[STEP_INPUTS] = {in[0], in[1], in[2]};
	char *to = out;

	for (size_t done = 0, count; done < n; done += count) {
		count = size_min(n - done, most);
		fill_piece(bound, step, begin + done, count, at, to);
		for (unsigned k = 0; k < 3; k++)
			at[k] += at[k] ? count * dtype_size(step->in[k]->shape.dtype) : 0;
		to += count * dtype_size(step->out->shape.dtype);
	}
}

static uint64_t element_ps(const struct engine *engine, const struct step *step)
{
	const uint64_t words = dtype_size(step->in[0]->shape.dtype) / 4;

	switch (step->algebra.operation) {
	case ALGEBRA_box_muller:
		return (engine->features & CPU_AVX512 ? 600 : engine->features & CPU_AVX2 ? 1400 : 19000) * words;
	case ALGEBRA_scale:
	case ALGEBRA_add:
	case ALGEBRA_noise_add:
		return 300 * words;
	case ALGEBRA_log:
	case ALGEBRA_exp:
		return 1500 * words;
	case ALGEBRA_divide:
	case ALGEBRA_sqrt:
	case ALGEBRA_where:
		return 800 * words;
	default:
		return 400 * words;
	}
}

const struct step_ops step_algebra = {.fill = fill, .element_ps = element_ps};
const struct step_ops step_algebra_resized = {.fill = fill, .element_ps = element_ps, .changes_size = true};
