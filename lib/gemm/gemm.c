/* SPDX-License-Identifier: Apache-2.0 */
/* A unit: for each block of k, rows are packed once, then panel by panel packed and multiplied into sums. */
#include "gemm/gemm.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"

enum { K_BLOCK = 128, MAX_ROWS = 96, MAX_SLICED_ROWS = 64, MAX_COLUMNS = 128, UNIT_NS = 100000 };

struct unit {
	const struct gemm_cut *cut;
	const struct gemm_call *call;
	const char *a, *b; /* of this product */
	char *c;
	size_t row, rows, column, columns;
	/* In the slot: */
	double *row_tops;  /* the largest magnitudes */
	void *column_tops; /* in the mode's type, of each part */
	char *sums;
	/* In scratch: */
	double *line;            /* a row of a or of a panel, contiguous */
	void *column_factors[2]; /* whose product is a column's power of two, in the mode's type; for each part */
	char *left, *panel;
};

static size_t round_line(size_t bytes)
{
	return (bytes + 63) / 64 * 64;
}

static size_t pair_bytes(const struct gemm_mode *mode)
{
	return mode->wide ? 16 : 8;
}

static struct gemm_shape shape_of(const struct gemm_cut *cut, size_t k)
{
	return (struct gemm_shape){cut->kernel, cut->mode, k};
}

static size_t columns_panel(const struct gemm_cut *cut)
{
	const struct gemm_shape shape = shape_of(cut, K_BLOCK);

	return gemm_lanes(&shape) / 2;
}

static size_t panel_sums_bytes(const struct gemm_cut *cut)
{
	return cut->rows * columns_panel(cut) * pair_bytes(cut->mode);
}

static bool is_zero(const double x[2])
{
	return x[0] == 0 && x[1] == 0;
}

/* --- elements of op(x) --- */

static bool is_turned(const struct gemm_operand *x)
{
	return x->op == GEMM_TRANSPOSE || x->op == GEMM_CONJUGATE_TRANSPOSE;
}

/* count elements of a row of op(x), from (i, j) on: where they lie, if they lie so, else copied. */
#define FETCH(real)                                                                                                    \
	static const void *fetch_##real(const char *at, const struct gemm_operand *x, size_t i, size_t j,              \
					size_t count, real *to)                                                        \
	{                                                                                                              \
		const bool turned = is_turned(x);                                                                      \
		const real *from = (const real *)at + 2 * (turned ? j * x->row + i : i * x->row + j);                  \
		const size_t stride = turned ? x->row : 1;                                                             \
		const real sign = x->op == GEMM_CONJUGATE || x->op == GEMM_CONJUGATE_TRANSPOSE ? -1 : 1;               \
                                                                                                                       \
		if (x->op == GEMM_NONE)                                                                                \
			return from;                                                                                   \
		for (size_t e = 0; e < count; e++) {                                                                   \
			to[2 * e] = from[2 * e * stride];                                                              \
			to[2 * e + 1] = sign * from[2 * e * stride + 1];                                               \
		}                                                                                                      \
		return to;                                                                                             \
	}

FETCH(float)
FETCH(double)

static const void *fetch(const struct unit *u, const char *at, const struct gemm_operand *x, size_t i, size_t j,
			 size_t count)
{
	if (u->cut->mode->wide)
		return fetch_double(at, x, i, j, count, u->line);
	return fetch_float(at, x, i, j, count, (float *)u->line);
}

/* --- powers of two --- */

static void find_row_tops(const struct unit *u, size_t begin, size_t end)
{
	const struct gemm_vectors *vectors = u->cut->kernel->vectors;

	for (size_t r = 0; r < u->rows; r++)
		for (size_t k = begin; k < end; k += K_BLOCK) {
			const size_t count = size_min(K_BLOCK, end - k);
			const void *row = fetch(u, u->a, &u->call->a, u->row + r, k, count);
			const double top = u->cut->mode->wide ? vectors->top_f64(row, 2 * count)
							      : (double)vectors->top_f32(row, 2 * count);

			u->row_tops[r] = fmax(u->row_tops[r], top);
		}
}

static void find_column_tops(const struct unit *u, size_t begin, size_t end)
{
	const struct gemm_vectors *vectors = u->cut->kernel->vectors;

	for (size_t k = begin; k < end; k++) {
		const void *row = fetch(u, u->b, &u->call->b, k, u->column, u->columns);

		if (u->cut->mode->wide)
			vectors->raise_f64(row, 2 * u->columns, u->column_tops);
		else
			vectors->raise_f32(row, 2 * u->columns, u->column_tops);
	}
}

/* The power of two that takes a column to [0.5, 1), or back. */
#define FACTORS(real, power)                                                                                           \
	static void factors_##real(const struct unit *u, int direction)                                                \
	{                                                                                                              \
		const real *tops = u->column_tops;                                                                     \
		real *first = u->column_factors[0], *second = u->column_factors[1], factors[2];                        \
                                                                                                                       \
		for (size_t i = 0; i < 2 * u->columns; i += 2) {                                                       \
			const real top = tops[i] > tops[i + 1] ? tops[i] : tops[i + 1];                                \
                                                                                                                       \
			power(direction *gemm_exponent((double)top), factors);                                         \
			first[i] = first[i + 1] = factors[0];                                                          \
			second[i] = second[i + 1] = factors[1];                                                        \
		}                                                                                                      \
	}

FACTORS(float, gemm_power_f32)
FACTORS(double, gemm_power_f64)

static void find_factors(const struct unit *u, int direction)
{
	if (u->cut->mode->wide)
		factors_double(u, direction);
	else
		factors_float(u, direction);
}

static void scale_columns(const struct unit *u, const void *row, size_t column, size_t count)
{
	const struct gemm_vectors *vectors = u->cut->kernel->vectors;

	if (u->cut->mode->wide)
		vectors->weigh_f64(row, 2 * count, (double *)u->column_factors[0] + 2 * column,
				   (double *)u->column_factors[1] + 2 * column, u->line);
	else
		vectors->weigh_f32(row, 2 * count, (float *)u->column_factors[0] + 2 * column,
				   (float *)u->column_factors[1] + 2 * column, (float *)u->line);
}

/* --- products --- */

static void pack_rows(const struct unit *u, const struct gemm_shape *shape, size_t k)
{
	for (size_t r = 0; r < u->rows; r++) {
		const void *row = fetch(u, u->a, &u->call->a, u->row + r, k, shape->k);

		gemm_put_row(shape, row, shape->mode->slices ? gemm_exponent(u->row_tops[r]) : 0, u->left, u->rows, r);
	}
}

static void pack_panel(const struct unit *u, const struct gemm_shape *shape, size_t k, size_t column, size_t count)
{
	for (size_t i = 0; i < shape->k; i++) {
		const void *row = fetch(u, u->b, &u->call->b, k + i, u->column + column, count);

		if (shape->mode->slices) {
			scale_columns(u, row, column, count);
			row = u->line;
		}
		gemm_put_panel_row(shape, row, count, u->panel, i);
	}
}

static void multiply(const struct unit *u, size_t begin, size_t end)
{
	const size_t width = columns_panel(u->cut), sums_bytes = panel_sums_bytes(u->cut);

	struct gemm_shape shape = shape_of(u->cut, K_BLOCK);

	if (u->cut->mode->slices)
		find_factors(u, -1);
	gemm_begin(&shape);
	for (size_t k = begin; k < end; k += K_BLOCK) {
		shape.k = size_min(K_BLOCK, end - k);

		pack_rows(u, &shape, k);
		for (size_t column = 0; column < u->columns; column += width) {
			pack_panel(u, &shape, k, column, size_min(width, u->columns - column));
			gemm_product(&shape, u->left, u->rows, 0, u->rows, u->panel, k > 0,
				     u->sums + column / width * sums_bytes, gemm_lanes(&shape));
		}
	}
	gemm_end(&shape);
}

/* --- results --- */

/* a b, without a real factor's zero imaginary part, which would make NaN of infinity. */
static void times(const double a[2], const double b[2], double ret[2])
{
	ret[0] = a[1] == 0 ? a[0] * b[0] : a[0] * b[0] - a[1] * b[1];
	ret[1] = a[1] == 0 ? a[0] * b[1] : a[0] * b[1] + a[1] * b[0];
}

/* alpha sum 2^exponents + beta c in float64, rounded once where c is float32. Factors in turns: only a result that
 * is out of range leaves it on the way. */
#define FINISH(real)                                                                                                   \
	static void finish_row_##real(const struct unit *u, size_t r, const double factors[2], bool has_sum)           \
	{                                                                                                              \
		const size_t width = columns_panel(u->cut), sums_bytes = panel_sums_bytes(u->cut);                     \
		const bool sliced = u->cut->mode->slices > 0, reads = !is_zero(u->call->beta);                         \
		real *to = (real *)u->c + 2 * ((u->row + r) * u->call->c_row + u->column);                             \
                                                                                                                       \
		for (size_t c = 0; c < u->columns; c++, to += 2) {                                                     \
			const real *sum =                                                                              \
				(const real *)(u->sums + c / width * sums_bytes) + 2 * (r * width + c % width);        \
			const real *first = (const real *)u->column_factors[0] + 2 * c;                                \
			const real *second = (const real *)u->column_factors[1] + 2 * c;                               \
			double x[2] = {0, 0}, result[2] = {0, 0}, old[2];                                              \
                                                                                                                       \
			for (unsigned i = 0; i < 2 && has_sum; i++)                                                    \
				x[i] = !sliced ? sum[i] : sum[i] * factors[0] * first[i] * factors[1] * second[i];     \
			if (has_sum)                                                                                   \
				times(u->call->alpha, x, result);                                                      \
			if (reads) {                                                                                   \
				times(u->call->beta, (const double[2]){to[0], to[1]}, old);                            \
				result[0] += old[0];                                                                   \
				result[1] += old[1];                                                                   \
			}                                                                                              \
			to[0] = (real)result[0];                                                                       \
			to[1] = (real)result[1];                                                                       \
		}                                                                                                      \
	}

FINISH(float)
FINISH(double)

static void finish(const struct unit *u, bool has_sum)
{
	double factors[2];

	if (has_sum && u->cut->mode->slices)
		find_factors(u, 1);
	for (size_t r = 0; r < u->rows; r++) {
		gemm_power_f64(gemm_exponent(u->row_tops[r]), factors);
		if (u->cut->mode->wide)
			finish_row_double(u, r, factors, has_sum);
		else
			finish_row_float(u, r, factors, has_sum);
	}
}

/* --- units --- */

static size_t doubles_bytes(size_t count)
{
	return round_line(count * sizeof(double));
}

static char *carve(char **at, size_t bytes)
{
	char *const part = *at;

	*at += bytes;
	return part;
}

static size_t line_bytes(const struct gemm_cut *cut)
{
	return doubles_bytes(2 *
			     (K_BLOCK > cut->panels * columns_panel(cut) ? K_BLOCK : cut->panels * columns_panel(cut)));
}

static size_t tops_bytes(const struct gemm_cut *cut)
{
	return doubles_bytes(cut->rows) + doubles_bytes(2 * cut->panels * columns_panel(cut));
}

static size_t state_bytes(const struct gemm_cut *cut)
{
	return tops_bytes(cut) + round_line(cut->panels * panel_sums_bytes(cut));
}

size_t gemm_slot_bytes(const struct gemm_cut *cut)
{
	return cut->phases > 1 ? state_bytes(cut) : 0;
}

size_t gemm_scratch_bytes(const struct gemm_cut *cut)
{
	const struct gemm_shape shape = shape_of(cut, K_BLOCK);

	return 3 * line_bytes(cut) + round_line(gemm_left_bytes(&shape, cut->rows)) +
	       round_line(gemm_panel_bytes(&shape)) + (cut->phases > 1 ? 0 : state_bytes(cut));
}

static struct unit unit_of(const struct gemm_cut *cut, const struct gemm_call *call, size_t index, char *slot,
			   char *scratch)
{
	const struct gemm_shape shape = shape_of(cut, K_BLOCK);
	const size_t width = cut->panels * columns_panel(cut), pair = pair_bytes(cut->mode);
	const size_t panel_block = index % cut->panel_blocks, rest = index / cut->panel_blocks;
	const size_t row_block = rest % cut->row_blocks, product = rest / cut->row_blocks;
	struct unit u = {.cut = cut, .call = call};

	u.a = (const char *)call->a.at + product * call->a.distance * pair;
	u.b = (const char *)call->b.at + product * call->b.distance * pair;
	u.c = (char *)call->c + product * call->c_distance * pair;
	u.row = row_block * cut->rows;
	u.rows = size_min(cut->rows, call->m - u.row);
	u.column = panel_block * width;
	u.columns = size_min(width, call->n - u.column);
	u.line = (double *)carve(&scratch, line_bytes(cut));
	u.column_factors[0] = carve(&scratch, line_bytes(cut));
	u.column_factors[1] = carve(&scratch, line_bytes(cut));
	u.left = carve(&scratch, round_line(gemm_left_bytes(&shape, cut->rows)));
	u.panel = carve(&scratch, round_line(gemm_panel_bytes(&shape)));
	if (cut->phases == 1)
		slot = scratch;
	u.row_tops = (double *)carve(&slot, doubles_bytes(cut->rows));
	u.column_tops = carve(&slot, doubles_bytes(2 * width));
	u.sums = slot;
	return u;
}

/* Phases: the largest magnitudes, one part of k after another, if there are slices; then the products. */
void gemm_run_unit(const struct gemm_cut *cut, const struct gemm_call *call, size_t phase, size_t unit, void *slot,
		   void *scratch)
{
	const struct unit u = unit_of(cut, call, unit, slot, scratch);
	const bool has_sum = call->k > 0 && !is_zero(call->alpha), one = cut->phases == 1;
	const size_t parts = cut->mode->slices && !one ? cut->phases / 2 : cut->phases, part = phase % parts;
	const size_t begin = part * cut->k, end = size_min(begin + cut->k, call->k);

	if (phase == 0)
		memset(u.row_tops, 0, tops_bytes(cut));
	if (has_sum && cut->mode->slices && (one || phase < parts)) {
		find_row_tops(&u, begin, end);
		find_column_tops(&u, begin, end);
	}
	if (has_sum && (one || cut->phases == parts || phase >= parts))
		multiply(&u, begin, end);
	if (phase + 1 == cut->phases)
		finish(&u, has_sum);
}

static double block_ns(const struct gemm_cut *cut, size_t k, size_t rows, size_t panels)
{
	const struct gemm_shape shape = shape_of(cut, K_BLOCK);
	const double elements = (double)(panels * columns_panel(cut));
	const double pack_ns = (cut->mode->slices ? 3 + cut->mode->slices : 2) * (cut->kernel->needs ? 0.5 : 2);

	return (double)k * ((double)rows * elements * gemm_cost_ns(&shape) + ((double)rows + elements) * pack_ns) +
	       (double)rows * elements * 3;
}

double gemm_unit_ns(const struct gemm_cut *cut)
{
	return block_ns(cut, cut->k, cut->rows, cut->panels);
}

static void cut_k(struct gemm_cut *cut, const struct gemm_call *call)
{
	size_t parts;

	cut->k = call->k ? call->k : 1;
	if (gemm_unit_ns(cut) > 2 * UNIT_NS)
		cut->k = K_BLOCK;
	while (cut->k < call->k && gemm_unit_ns(cut) < UNIT_NS / 2)
		cut->k *= 2;
	parts = cut->k < call->k ? (call->k + cut->k - 1) / cut->k : 1;
	cut->phases = cut->mode->slices && parts > 1 ? 2 * parts : parts;
}

struct gemm_cut gemm_cut(enum gemm_precision precision, uint32_t features, const struct gemm_call *call)
{
	struct gemm_cut cut = {.kernel = gemm_select(features), .mode = gemm_mode(precision), .phases = 1};
	const struct gemm_shape shape = shape_of(&cut, K_BLOCK);
	const size_t width = columns_panel(&cut), panels = (call->n + width - 1) / width;
	const size_t most = cut.mode->slices ? MAX_SLICED_ROWS : MAX_ROWS,
		     k = size_min(call->k, cut.mode->exact ? K_BLOCK : 4 * K_BLOCK),
		     least = size_min(gemm_rows_at_once(&shape), most / 2);

	if (call->m == 0 || call->n == 0 || call->batch == 0)
		return cut;
	cut.panels = size_min(panels, MAX_COLUMNS / width);
	cut.rows = most;
	while (cut.panels > 1 && block_ns(&cut, k, cut.rows, cut.panels) > UNIT_NS)
		cut.panels--;
	while (cut.rows > least && block_ns(&cut, k, cut.rows, cut.panels) > UNIT_NS)
		cut.rows -= least;
	cut.rows = size_min(cut.rows, call->m);
	cut_k(&cut, call);
	cut.row_blocks = (call->m + cut.rows - 1) / cut.rows;
	cut.panel_blocks = (panels + cut.panels - 1) / cut.panels;
	cut.units = cut.row_blocks * cut.panel_blocks * call->batch;
	return cut;
}
