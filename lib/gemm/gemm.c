/* SPDX-License-Identifier: Apache-2.0 */
/* Complex matrix products, chunk by chunk.
 *
 * A chunk takes K_BLOCK of the inner index at a time: it packs its rows once, then packs panel after panel and adds the
 * products to its sums. The results are scaled, multiplied by alpha and added to beta c at the end. */
#include "gemm/gemm.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "base/chunk.h"

enum {
	K_BLOCK = 128, /* the inner index at once: a panel of it stays in the first-level cache */
	MAX_ROWS = 96, /* of a chunk; with MAX_COLUMNS they bound its scratch to 640 KiB in any mode */
	MAX_SLICED_ROWS = 64,
	MAX_COLUMNS = 128,
	WORK_BYTES = 32 << 20, /* the most for sums between phases */
};

/* One chunk of a product, and its memory. Made anew for each phase, on the stack. */
struct chunk {
	const struct gemm_cut *cut;
	const struct gemm_call *call;
	const char *a, *b; /* the operands of this product of the batch */
	char *c; /* of this product; chunks write parts of it that do not overlap */
	size_t row, rows, column, columns; /* the part of c, in complex elements */
	/* In the slot, kept between phases: */
	double *row_max_abs;  /* the largest magnitude in each row */
	void *column_max_abs; /* and in each column, of each part; float, or double in a wide mode */
	char *sums; /* panel after panel: rows of gemm_lanes reals, float, or double in a wide mode */
	/* In scratch: */
	double *line;            /* a row of a or of a panel, contiguous */
	void *column_factors[2]; /* their product is the power of two of each column, of the same type as column_max_abs */
	char *left, *panel; /* packed (product.h) */
};

/* Rounds up to whole lines of memory, to which all parts of scratch are aligned. */
static size_t round_line(size_t bytes)
{
	return (bytes + 63) / 64 * 64;
}

/* Returns the bytes of a complex element of the operands and of c. */
static size_t pair_bytes(const struct gemm_mode *mode)
{
	return mode->wide ? 16 : 8;
}

static struct gemm_shape make_shape(const struct gemm_cut *cut, size_t k)
{
	return (struct gemm_shape){cut->kernel, cut->mode, k};
}

/* Returns the complex columns of a panel. */
static size_t panel_columns(const struct gemm_cut *cut)
{
	const struct gemm_shape shape = make_shape(cut, K_BLOCK);

	return gemm_lanes(&shape) / 2;
}

/* Returns the bytes of a chunk's sums over one panel. */
static size_t panel_sums_bytes(const struct gemm_cut *cut)
{
	return cut->rows * panel_columns(cut) * pair_bytes(cut->mode);
}

static bool is_zero(const double x[2])
{
	return x[0] == 0 && x[1] == 0;
}

/* --- elements of op(x) --- */

static bool is_transposed(const struct gemm_operand *x)
{
	return x->op == GEMM_TRANSPOSE || x->op == GEMM_CONJUGATE_TRANSPOSE;
}

/* Returns count elements of a row of op(x) from (i, j) on: in place if they are contiguous there, else a copy. */
#define FETCH(real)                                                                                                    \
	static const void *fetch_##real(const char *at, const struct gemm_operand *x, size_t i, size_t j,              \
					size_t count, real *to)                                                        \
	{                                                                                                              \
		const bool transposed = is_transposed(x);                                                              \
		const real *from = (const real *)at + 2 * (transposed ? j * x->row + i : i * x->row + j);              \
		const size_t stride = transposed ? x->row : 1;                                                         \
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

/* Fetches in the type of the mode. A copy lies in chunk->line until the next call. */
static const void *fetch_row(const struct chunk *chunk, const char *at, const struct gemm_operand *x, size_t i,
			     size_t j, size_t count)
{
	if (chunk->cut->mode->wide)
		return fetch_double(at, x, i, j, count, chunk->line);
	return fetch_float(at, x, i, j, count, (float *)chunk->line);
}

/* --- powers of two --- */

/* Raises the maxima of the rows of op(a) by the part [begin, end) of the inner index. NaN and infinity do not count. */
static void find_row_max_abs(const struct chunk *chunk, size_t begin, size_t end)
{
	const struct gemm_vectors *vectors = chunk->cut->kernel->vectors;

	for (size_t r = 0; r < chunk->rows; r++)
		for (size_t k = begin; k < end; k += K_BLOCK) {
			const size_t count = size_min(K_BLOCK, end - k);
			const void *row = fetch_row(chunk, chunk->a, &chunk->call->a, chunk->row + r, k, count);
			const double top = chunk->cut->mode->wide ? vectors->max_abs_f64(row, 2 * count)
								  : (double)vectors->max_abs_f32(row, 2 * count);

			chunk->row_max_abs[r] = fmax(chunk->row_max_abs[r], top);
		}
}

/* Raises the maxima of the columns of op(b) likewise, of real and imaginary parts apart. */
static void find_column_max_abs(const struct chunk *chunk, size_t begin, size_t end)
{
	const struct gemm_vectors *vectors = chunk->cut->kernel->vectors;

	for (size_t k = begin; k < end; k++) {
		const void *row = fetch_row(chunk, chunk->b, &chunk->call->b, k, chunk->column, chunk->columns);

		if (chunk->cut->mode->wide)
			vectors->update_max_abs_f64(row, 2 * chunk->columns, chunk->column_max_abs);
		else
			vectors->update_max_abs_f32(row, 2 * chunk->columns, chunk->column_max_abs);
	}
}

/* Computes the power of two that scales each column to [0.5, 1), or back. */
#define FACTORS(real, power)                                                                                           \
	static void factors_##real(const struct chunk *chunk, int direction)                                           \
	{                                                                                                              \
		const real *max_abs = chunk->column_max_abs;                                                                 \
		real *first = chunk->column_factors[0], *second = chunk->column_factors[1], factors[2];                \
                                                                                                                       \
		for (size_t i = 0; i < 2 * chunk->columns; i += 2) {                                                   \
			const real top = max_abs[i] > max_abs[i + 1] ? max_abs[i] : max_abs[i + 1];                                \
                                                                                                                       \
			power(direction *gemm_exponent((double)top), factors);                                         \
			first[i] = first[i + 1] = factors[0];                                                          \
			second[i] = second[i + 1] = factors[1];                                                        \
		}                                                                                                      \
	}

FACTORS(float, gemm_power_f32)
FACTORS(double, gemm_power_f64)

/* Computes the factors of all columns: direction -1 before the products, 1 after them. */
static void find_factors(const struct chunk *chunk, int direction)
{
	if (chunk->cut->mode->wide)
		factors_double(chunk, direction);
	else
		factors_float(chunk, direction);
}

/* Multiplies `count` elements of a row of op(b) by the factors of their columns, into chunk->line. */
static void scale_columns(const struct chunk *chunk, const void *row, size_t column, size_t count)
{
	const struct gemm_vectors *vectors = chunk->cut->kernel->vectors;

	if (chunk->cut->mode->wide)
		vectors->multiply_f64(row, 2 * count, (double *)chunk->column_factors[0] + 2 * column,
				   (double *)chunk->column_factors[1] + 2 * column, chunk->line);
	else
		vectors->multiply_f32(row, 2 * count, (float *)chunk->column_factors[0] + 2 * column,
				   (float *)chunk->column_factors[1] + 2 * column, (float *)chunk->line);
}

/* --- products --- */

/* Packs the rows of op(a) for one block. A sliced mode scales each by its own power of two. */
static void pack_rows(const struct chunk *chunk, const struct gemm_shape *shape, size_t k)
{
	for (size_t r = 0; r < chunk->rows; r++) {
		const void *row = fetch_row(chunk, chunk->a, &chunk->call->a, chunk->row + r, k, shape->k);

		gemm_put_row(shape, row, shape->mode->slices ? gemm_exponent(chunk->row_max_abs[r]) : 0, chunk->left,
			     chunk->rows, r);
	}
}

/* Packs `count` columns of op(b) for one block. */
static void pack_panel(const struct chunk *chunk, const struct gemm_shape *shape, size_t k, size_t column, size_t count)
{
	for (size_t i = 0; i < shape->k; i++) {
		const void *row = fetch_row(chunk, chunk->b, &chunk->call->b, k + i, chunk->column + column, count);

		if (shape->mode->slices) {
			scale_columns(chunk, row, column, count);
			row = chunk->line;
		}
		gemm_put_panel_row(shape, row, count, chunk->panel, i);
	}
}

/* Adds the products of the part [begin, end) of the inner index. From the second block on, the chains continue from the
 * sums, so neither blocks nor phases change the order of additions. */
static void add_products(const struct chunk *chunk, size_t begin, size_t end)
{
	const size_t width = panel_columns(chunk->cut), sums_bytes = panel_sums_bytes(chunk->cut);

	struct gemm_shape shape = make_shape(chunk->cut, K_BLOCK);

	if (chunk->cut->mode->slices)
		find_factors(chunk, -1);
	gemm_begin(&shape);
	for (size_t k = begin; k < end; k += K_BLOCK) {
		shape.k = size_min(K_BLOCK, end - k);

		pack_rows(chunk, &shape, k);
		for (size_t column = 0; column < chunk->columns; column += width) {
			pack_panel(chunk, &shape, k, column, size_min(width, chunk->columns - column));
			gemm_product(&shape, chunk->left, chunk->rows, 0, chunk->rows, chunk->panel, k > 0,
				     chunk->sums + column / width * sums_bytes, gemm_lanes(&shape));
		}
	}
	gemm_end(&shape);
}

/* --- results --- */

/* Multiplies a by b. Skips a zero imaginary part: times infinity it would give NaN. */
static void multiply_complex(const double a[2], const double b[2], double ret[2])
{
	ret[0] = a[1] == 0 ? a[0] * b[0] : a[0] * b[0] - a[1] * b[1];
	ret[1] = a[1] == 0 ? a[0] * b[1] : a[0] * b[1] + a[1] * b[0];
}

/* Stores alpha sum 2^exponents + beta c, computed in float64 and rounded once if c is float32. The factors alternate,
 * so that only a result that is out of range leaves the range on the way. */
#define FINISH(real)                                                                                                   \
	static void store_row_##real(const struct chunk *chunk, size_t r, const double factors[2], bool has_sum)       \
	{                                                                                                              \
		const size_t width = panel_columns(chunk->cut), sums_bytes = panel_sums_bytes(chunk->cut);             \
		const bool sliced = chunk->cut->mode->slices > 0, reads = !is_zero(chunk->call->beta);                 \
		real *to = (real *)chunk->c + 2 * ((chunk->row + r) * chunk->call->c_row + chunk->column);             \
                                                                                                                       \
		for (size_t c = 0; c < chunk->columns; c++, to += 2) {                                                 \
			const real *sum =                                                                              \
				(const real *)(chunk->sums + c / width * sums_bytes) + 2 * (r * width + c % width);    \
			const real *first = (const real *)chunk->column_factors[0] + 2 * c;                            \
			const real *second = (const real *)chunk->column_factors[1] + 2 * c;                           \
			double x[2] = {0, 0}, result[2] = {0, 0}, old[2];                                              \
                                                                                                                       \
			for (unsigned i = 0; i < 2 && has_sum; i++)                                                    \
				x[i] = !sliced ? sum[i] : sum[i] * factors[0] * first[i] * factors[1] * second[i];     \
			if (has_sum)                                                                                   \
				multiply_complex(chunk->call->alpha, x, result);                                       \
			if (reads) {                                                                                   \
				multiply_complex(chunk->call->beta, (const double[2]){to[0], to[1]}, old);             \
				result[0] += old[0];                                                                   \
				result[1] += old[1];                                                                   \
			}                                                                                              \
			to[0] = (real)result[0];                                                                       \
			to[1] = (real)result[1];                                                                       \
		}                                                                                                      \
	}

FINISH(float)
FINISH(double)

/* Stores the results of a chunk. Without a sum (alpha or k is 0) they are beta c. */
static void store_results(const struct chunk *chunk, bool has_sum)
{
	double factors[2];

	if (has_sum && chunk->cut->mode->slices)
		find_factors(chunk, 1);
	for (size_t r = 0; r < chunk->rows; r++) {
		gemm_power_f64(gemm_exponent(chunk->row_max_abs[r]), factors);
		if (chunk->cut->mode->wide)
			store_row_double(chunk, r, factors, has_sum);
		else
			store_row_float(chunk, r, factors, has_sum);
	}
}

/* --- chunks --- */

static size_t doubles_bytes(size_t count)
{
	return round_line(count * sizeof(double));
}

/* Returns the next `bytes` of a block of memory and advances behind them. */
static char *take_bytes(char **at, size_t bytes)
{
	char *const part = *at;

	*at += bytes;
	return part;
}

/* Returns the bytes of the longest row that is copied: of a block of op(a), or of a chunk's columns, in doubles. */
static size_t line_bytes(const struct gemm_cut *cut)
{
	return doubles_bytes(2 *
			     (K_BLOCK > cut->panels * panel_columns(cut) ? K_BLOCK : cut->panels * panel_columns(cut)));
}

/* Returns the bytes of the maxima of rows and columns. */
static size_t max_abs_bytes(const struct gemm_cut *cut)
{
	return doubles_bytes(cut->rows) + doubles_bytes(2 * cut->panels * panel_columns(cut));
}

/* Returns the bytes of what a chunk keeps from phase to phase. */
static size_t state_bytes(const struct gemm_cut *cut)
{
	return max_abs_bytes(cut) + round_line(cut->panels * panel_sums_bytes(cut));
}

static size_t scratch_bytes(const struct gemm_cut *cut)
{
	const struct gemm_shape shape = make_shape(cut, K_BLOCK);

	return 3 * line_bytes(cut) + round_line(gemm_left_bytes(&shape, cut->rows)) +
	       round_line(gemm_panel_bytes(&shape)) + (cut->phases > 1 ? 0 : state_bytes(cut));
}

/* Finds the part of the call that chunk `index` computes, and lays out its memory. Panels change fastest: neighbouring
 * chunks read the same rows. */
static struct chunk describe_chunk(const struct gemm_cut *cut, const struct staged_io *io, size_t index, char *slot,
				   char *scratch)
{
	const struct gemm_call *call = &cut->call;
	const struct gemm_shape shape = make_shape(cut, K_BLOCK);
	const size_t width = cut->panels * panel_columns(cut), pair = pair_bytes(cut->mode);
	const size_t panel_block = index % cut->panel_blocks, rest = index / cut->panel_blocks;
	const size_t row_block = rest % cut->row_blocks, product = rest / cut->row_blocks;
	struct chunk chunk = {.cut = cut, .call = call};

	chunk.a = io->in[0] + product * call->a.distance * pair;
	chunk.b = io->in[1] + product * call->b.distance * pair;
	chunk.c = io->out + product * call->c_distance * pair;
	chunk.row = row_block * cut->rows;
	chunk.rows = size_min(cut->rows, call->m - chunk.row);
	chunk.column = panel_block * width;
	chunk.columns = size_min(width, call->n - chunk.column);
	chunk.line = (double *)take_bytes(&scratch, line_bytes(cut));
	chunk.column_factors[0] = take_bytes(&scratch, line_bytes(cut));
	chunk.column_factors[1] = take_bytes(&scratch, line_bytes(cut));
	chunk.left = take_bytes(&scratch, round_line(gemm_left_bytes(&shape, cut->rows)));
	chunk.panel = take_bytes(&scratch, round_line(gemm_panel_bytes(&shape)));
	if (cut->phases == 1)
		slot = scratch;
	chunk.row_max_abs = (double *)take_bytes(&slot, doubles_bytes(cut->rows));
	chunk.column_max_abs = take_bytes(&slot, doubles_bytes(2 * width));
	chunk.sums = slot;
	return chunk;
}

/* Phases: a mode with slices first finds the largest magnitudes, one part of k after another; then all add products. */
static int run_chunk(const struct staged_work *work, const struct staged_io *io, size_t stage, size_t index, void *scratch)
{
	const struct gemm_cut *cut = (const struct gemm_cut *)work;
	const struct gemm_call *call = &cut->call;
	const size_t phase = stage % cut->phases, first = stage / cut->phases * cut->at_once;
	char *slot = io->work ? io->work + index * cut->slot_bytes : NULL;
	const struct chunk chunk = describe_chunk(cut, io, first + index, slot, scratch);
	const bool has_sum = call->k > 0 && !is_zero(call->alpha), one = cut->phases == 1;
	const size_t parts = cut->mode->slices && !one ? cut->phases / 2 : cut->phases, part = phase % parts;
	const size_t begin = part * cut->k, end = size_min(begin + cut->k, call->k);

	if (phase == 0)
		memset(chunk.row_max_abs, 0, max_abs_bytes(cut));
	if (has_sum && cut->mode->slices && (one || phase < parts)) {
		find_row_max_abs(&chunk, begin, end);
		find_column_max_abs(&chunk, begin, end);
	}
	if (has_sum && (one || cut->phases == parts || phase >= parts))
		add_products(&chunk, begin, end);
	if (phase + 1 == cut->phases)
		store_results(&chunk, has_sum);
	return 0;
}

/* Estimates the time of a chunk: products, packing of rows and panels, and 3 ns for each result. */
static double estimate_ns(const struct gemm_cut *cut, size_t k, size_t rows, size_t panels)
{
	const struct gemm_shape shape = make_shape(cut, K_BLOCK);
	const double elements = (double)(panels * panel_columns(cut));
	const double pack_ns = (cut->mode->slices ? 3 + cut->mode->slices : 2) * (cut->kernel->needs ? 0.5 : 2);

	return (double)k * ((double)rows * elements * gemm_cost_ns(&shape) + ((double)rows + elements) * pack_ns) +
	       (double)rows * elements * 3;
}

static double phase_ns(const struct gemm_cut *cut)
{
	return estimate_ns(cut, cut->k, cut->rows, cut->panels);
}

static void find_stage(const struct staged_work *work, const struct staged_io *io, size_t stage, struct staged_stage *ret_stage)
{
	const struct gemm_cut *cut = (const struct gemm_cut *)work;

	(void)io;
	ret_stage->chunks = size_min(cut->at_once, cut->chunks - stage / cut->phases * cut->at_once);
	ret_stage->chunk_ns = phase_ns(cut);
}

/* Cuts a long inner index into phases of about CHUNK_AIM_NS. A sliced mode goes over it twice, first for the maxima. */
static void cut_inner(struct gemm_cut *cut, const struct gemm_call *call)
{
	size_t parts;

	cut->k = call->k ? call->k : 1;
	if (phase_ns(cut) > 2 * CHUNK_AIM_NS)
		cut->k = K_BLOCK;
	while (cut->k < call->k && phase_ns(cut) < CHUNK_AIM_NS / 2)
		cut->k *= 2;
	parts = cut->k < call->k ? (call->k + cut->k - 1) / cut->k : 1;
	cut->phases = cut->mode->slices && parts > 1 ? 2 * parts : parts;
}

/* Finds how many chunks keep their sums at once, and describes the stages. */
static void cut_stages(struct gemm_cut *cut)
{
	static const struct staged_work_ops ops = {find_stage, run_chunk};

	cut->slot_bytes = cut->phases > 1 ? round_line(state_bytes(cut)) : 0;
	cut->at_once = cut->slot_bytes ? size_min(WORK_BYTES / cut->slot_bytes, cut->chunks) : cut->chunks;
	cut->work = (struct staged_work){
		.ops = &ops,
		.stages = (cut->chunks + cut->at_once - 1) / cut->at_once * cut->phases,
		.scratch_bytes = scratch_bytes(cut),
		.work_bytes = cut->at_once * cut->slot_bytes,
		.cost_ns = (double)(cut->chunks * cut->phases) * phase_ns(cut),
	};
}

/* Takes as many columns as fit, then as many rows, in steps of the kernel's. */
void gemm_cut(enum gemm_precision precision, uint32_t features, const struct gemm_call *call, struct gemm_cut *ret_cut)
{
	struct gemm_cut cut = {.call = *call, .kernel = gemm_select(features), .mode = gemm_mode(precision), .phases = 1};
	const struct gemm_shape shape = make_shape(&cut, K_BLOCK);
	const size_t width = panel_columns(&cut), panels = (call->n + width - 1) / width;
	const size_t most = cut.mode->slices ? MAX_SLICED_ROWS : MAX_ROWS,
		     k = size_min(call->k, cut.mode->exact ? K_BLOCK : 4 * K_BLOCK),
		     least = size_min(gemm_rows_at_once(&shape), most / 2);

	*ret_cut = cut;
	if (call->m == 0 || call->n == 0 || call->batch == 0)
		return;
	cut.panels = size_min(panels, MAX_COLUMNS / width);
	cut.rows = most;
	while (cut.panels > 1 && estimate_ns(&cut, k, cut.rows, cut.panels) > CHUNK_AIM_NS)
		cut.panels--;
	while (cut.rows > least && estimate_ns(&cut, k, cut.rows, cut.panels) > CHUNK_AIM_NS)
		cut.rows -= least;
	cut.rows = size_min(cut.rows, call->m);
	cut_inner(&cut, call);
	cut.row_blocks = (call->m + cut.rows - 1) / cut.rows;
	cut.panel_blocks = (panels + cut.panels - 1) / cut.panels;
	cut.chunks = cut.row_blocks * cut.panel_blocks * call->batch;
	cut_stages(&cut);
	*ret_cut = cut;
}
