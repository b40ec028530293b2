/* SPDX-License-Identifier: Apache-2.0 */
/* Estimates of the trace of a matrix from products with random probes, which are drawn where they are used.
 *
 * Hutchinson: the mean of x' A x over probes x with independent entries of mean 0 and variance 1.
 * Source: M. F. Hutchinson, Communications in Statistics 18 (1989) 1059.
 * Hutch++: exact on the range of A S for a few probes S, by an orthonormal basis Q of it, and Hutchinson's estimate on
 * what is orthogonal to Q. Source: R. A. Meyer, C. Musco, C. Musco, D. P. Woodruff, "Hutch++", SOSA 2021, algorithm 1.
 * Component c of probe i is sample i n + c of the distribution, in the matrix's dtype; Hutch++ takes S first. All
 * arithmetic is float64 in a fixed order: the bytes are the same for any threads and instruction set.
 *
 * The phases of an estimate: the sketch A S, its basis Q, the rest G - Q Q' G, and the forms x' A x of all columns
 * (trace_core.h has the states).
 *
 * Hutchinson's has the forms alone, of columns that are drawn tile by tile and never stored. A form is the sum of its
 * tiles' parts, tile after tile: chunks leave theirs in slots, and the next stage begins by adding them up. */
#include "engine/steps/trace_core.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "distributions/draw/draw_fill.h"

/* --- what all phases share --- */

/* Draws rows [row, row + rows) of `columns` probes from `probe` on, as float64, row by row with PANEL_COLUMNS to a
 * row. rows is at most TRACE_COLUMNS; probes from `end` on are 0, so that the last panel is whole. A probe is drawn
 * anew for each tile that needs it: that costs less than storing and reading n probes. */
static void draw_probes(const struct trace *t, uint64_t probe, uint64_t end, unsigned columns, size_t row, size_t rows,
			double *to)
{
	const struct position *position = &t->run.bound->positions[t->run.step->placement];
	const bool wide = position->draw.dtype == DTYPE_F64;
	double drawn[TRACE_COLUMNS];
	const float *drawn_f32 = (const float *)(const void *)drawn;

	for (unsigned c = 0; c < columns; c++) {
		if (probe + c < end)
			draw_fill(&t->run.engine->kernels, &position->draw,
				  position->begin + (probe + c) * t->n + row, rows, drawn);
		else
			memset(drawn, 0, sizeof drawn);
		for (size_t i = 0; i < rows; i++)
			to[i * PANEL_COLUMNS + c] = wide ? drawn[i] : drawn_f32[i];
	}
}

/* Adds to y the product of the matrix's tile at (row, column) and x. Rounding is that of one chain of fused multiply-
 * adds for each element of y, from column 0 on, whichever kernel runs. */
static void multiply_probes(const struct trace *t, size_t row, size_t rows, size_t column, size_t columns,
			    const double *x, double *y)
{
	const struct buffer *in = t->run.step->in[0];
	const size_t size = dtype_size(in->shape.dtype);
	const struct panel_matrix a = {bound_base(t->run.bound, in) + (row * t->n + column) * size, t->n, 1};

	if (in->shape.dtype == DTYPE_F32)
		t->kernel->multiply_f32(a, rows, columns, x, t->width, y);
	else
		t->kernel->multiply_f64(a, rows, columns, x, t->width, y);
}

/* Rows and columns of a tile; the last ones of the matrix have fewer. */
static size_t rows_of_tile(const struct trace *t, size_t tile_row)
{
	return size_min(TRACE_ROWS, t->n - tile_row * TRACE_ROWS);
}

static size_t columns_of_tile(const struct trace *t, size_t tile_column)
{
	return size_min(TRACE_COLUMNS, t->n - tile_column * TRACE_COLUMNS);
}

/* A chunk has `width` columns of a panel: all of them for kernels with vectors, one for the scalar kernel, which is
 * slower by as much. */
static size_t parts_of_panel(const struct trace *t)
{
	return PANEL_COLUMNS / t->width;
}

/* Rows from `row` on of the columns of a group, of which a panel has parts_of_panel. */
static double *group_columns(const struct trace *t, size_t group, size_t row)
{
	return trace_panel(t, group / parts_of_panel(t), row) + group % parts_of_panel(t) * t->width;
}

/* --- the sketch A S: a chunk is a row of tiles times some columns of S --- */

/* A stage has a few tiles of each row, as many as fit a chunk's time; the chains of sums go on in memory from stage to
 * stage. */
static bool sketch_advance(struct trace *t, size_t *ret_chunks)
{
	t->tiles_at += t->tiles_now;
	t->tiles_now = trace_fit(t, (double)TRACE_ROWS * TRACE_COLUMNS * t->width, t->tiles_across - t->tiles_at);
	*ret_chunks = t->tiles_down * t->basis * parts_of_panel(t);
	return t->tiles_at < t->tiles_across;
}

static void sketch_run(const struct trace *t, size_t chunk, double *x)
{
	const size_t groups = t->basis * parts_of_panel(t), tile_row = chunk / groups, group = chunk % groups;
	const size_t row = tile_row * TRACE_ROWS, rows = rows_of_tile(t, tile_row);
	double *y = group_columns(t, group, row);

	for (size_t i = 0; t->tiles_at == 0 && i < rows; i++)
		memset(y + i * PANEL_COLUMNS, 0, t->width * sizeof *y);
	for (size_t tile_column = t->tiles_at; tile_column < t->tiles_at + t->tiles_now; tile_column++) {
		const size_t column = tile_column * TRACE_COLUMNS, columns = columns_of_tile(t, tile_column);

		draw_probes(t, group * t->width, t->run.step->trace.basis, t->width, column, columns, x);
		multiply_probes(t, row, rows, column, columns, x, y);
	}
}

/* --- the rest G - Q Q' G: G is drawn into memory, a row of tiles to a chunk, then projected --- */

static bool rest_advance(struct trace *t, size_t *ret_chunks)
{
	if (t->rest_drawn)
		return projection_advance(t, ret_chunks);
	t->rest_drawn = true;
	t->projection = (struct trace_projection){.onto = t->basis, .first = t->basis, .count = t->rest};
	*ret_chunks = t->rest * t->tiles_down * parts_of_panel(t);
	return true;
}

static void rest_run(const struct trace *t, size_t chunk, double *scratch)
{
	const size_t group = chunk / t->tiles_down, tile_row = chunk % t->tiles_down, row = tile_row * TRACE_ROWS;
	const uint64_t first = t->run.step->trace.basis;
	double *to;

	if (t->projection.started) {
		projection_run(t, chunk, scratch);
		return;
	}
	to = group_columns(t, t->basis * parts_of_panel(t) + group, row);
	draw_probes(t, first + group * t->width, first + t->run.step->trace.probes, t->width, row,
		    rows_of_tile(t, tile_row), to);
}

/* --- the forms x' A x: a chunk is one tile with some columns --- */

/* Groups of columns: those of the basis, where there is one, then the rest's. */
static size_t form_groups(const struct trace *t)
{
	return ((t->stored ? t->basis : 0) + t->rest) * parts_of_panel(t);
}

/* Adds what the chunks of the last stage left, tile after tile, on the one thread that advances the job: so the order
 * of sums depends on no schedule. */
static void add_slots(struct trace *t)
{
	const size_t groups = form_groups(t);

	for (size_t chunk = 0; chunk < t->chunks; chunk++)
		for (unsigned c = 0; c < t->width; c++)
			t->sums[(t->first + chunk) % groups * t->width + c] += t->slots[chunk * t->width + c];
}

static bool forms_advance(struct trace *t, size_t *ret_chunks)
{
	const size_t total = t->tiles_down * t->tiles_across * form_groups(t);

	add_slots(t);
	t->first += t->chunks;
	t->chunks = size_min(TRACE_SLOTS / t->width, total - t->first);
	*ret_chunks = t->chunks;
	return t->chunks > 0;
}

/* Rows of the columns of a group: where they are stored, or drawn into scratch. */
static const double *form_columns(const struct trace *t, size_t group, size_t row, size_t rows, double *scratch)
{
	if (t->stored)
		return group_columns(t, group, row);
	draw_probes(t, group * t->width, t->run.step->trace.probes, t->width, row, rows, scratch);
	return scratch;
}

/* One tile A_ij and the columns x: adds x_i' (A_ij x_j) to the slot of the chunk. Both x_i and x_j are needed; where
 * x_i lies within x_j (the tile touches the diagonal) it is not drawn again. */
static void forms_run(const struct trace *t, size_t chunk, double *scratch)
{
	const size_t groups = form_groups(t), tile = (t->first + chunk) / groups, group = (t->first + chunk) % groups;
	const size_t row = tile / t->tiles_across * TRACE_ROWS, rows = rows_of_tile(t, tile / t->tiles_across);
	const size_t column = tile % t->tiles_across * TRACE_COLUMNS, columns = columns_of_tile(t, tile % t->tiles_across);
	double *y = scratch + TRACE_COLUMNS * PANEL_COLUMNS, *more = y + TRACE_ROWS * PANEL_COLUMNS;
	double *slot = t->slots + chunk * t->width;
	const double *x = form_columns(t, group, column, columns, scratch);
	const bool within = row >= column && row + rows <= column + columns;
	const double *left = within ? x + (row - column) * PANEL_COLUMNS : form_columns(t, group, row, rows, more);

	memset(y, 0, rows * PANEL_COLUMNS * sizeof *y);
	multiply_probes(t, row, rows, column, columns, x, y);
	memset(slot, 0, t->width * sizeof *slot);
	t->kernel->dots(left, y, rows, t->width, slot);
}

/* --- the estimate --- */

/* Writes the exact part on the basis plus the mean of the rest's forms, and that mean's standard error, which a
 * single form does not have. */
static void put_estimate(const struct trace *t)
{
	const uint64_t basis = t->run.step->trace.basis, n = t->run.step->trace.probes;
	const double *forms = t->sums + (t->stored ? t->basis * PANEL_COLUMNS : 0);
	double *out = (double *)(void *)bound_base(t->run.bound, t->run.step->out);
	struct value_member *results = t->run.bound->positions[t->run.step->placement].results;
	double exact = 0, mean = 0, squares = 0, error;

	for (uint64_t i = 0; i < basis; i++)
		exact += t->sums[i];
	for (uint64_t i = 0; i < n; i++)
		mean += forms[i];
	mean /= (double)n;
	for (uint64_t i = 0; i < n; i++)
		squares += (forms[i] - mean) * (forms[i] - mean);
	error = n > 1 ? sqrt(squares / ((double)n * (double)(n - 1))) : (double)NAN;
	results[0].value = value_real(exact + mean);
	results[1].value = n > 1 ? value_real(error) : value_nil();
	out[0] = exact + mean;
	out[1] = error;
}

/* --- as a job --- */

/* Places the parts of the work memory, all of doubles, where there is memory; returns its bytes. */
static uint64_t lay_out(struct trace *t)
{
	const uint64_t columns = (t->basis + t->rest) * PANEL_COLUMNS;
	const uint64_t slots = size_min(TRACE_SLOTS, t->tiles_down * t->tiles_across * columns);
	const uint64_t stored = t->stored ? columns * t->n : 0;
	const uint64_t products = t->stored ? t->basis * (t->rest > 1 ? t->rest : 1) * TRACE_BLOCK : 0;

	t->sums = (double *)(void *)t->run.work;
	if (t->run.work) {
		t->slots = t->sums + columns;
		t->panels = t->slots + slots;
		t->products = t->panels + stored;
	}
	return (columns + slots + stored + products) * sizeof(double);
}

static size_t panels_of(uint64_t columns)
{
	return (size_t)((columns + PANEL_COLUMNS - 1) / PANEL_COLUMNS);
}

/* An empty matrix has no sketch: it goes to the forms at once, of which there are none. */
static struct trace trace_of(struct engine *engine, const struct step *step)
{
	const struct panel_kernel *kernel = panel_select(engine->features);
	const size_t n = (size_t)step->in[0]->shape.dims[0];

	return (struct trace){
		.run = {.engine = engine, .step = step},
		.kernel = kernel,
		.n = n,
		.tiles_down = (n + TRACE_ROWS - 1) / TRACE_ROWS,
		.tiles_across = (n + TRACE_COLUMNS - 1) / TRACE_COLUMNS,
		.basis = panels_of(step->trace.basis),
		.rest = panels_of(step->trace.probes),
		.stored = step->trace.basis > 0,
		.width = kernel->columns == 1 ? 1 : PANEL_COLUMNS,
		.phase = step->trace.basis > 0 && n > 0 ? TRACE_SKETCH : TRACE_FORMS,
	};
}

static uint64_t work_bytes(const struct bindings *bound, const struct step *step)
{
	struct trace t = trace_of(bound->engine, step);

	return lay_out(&t);
}

/* Each probe is multiplied by the matrix once, and those of the basis twice (for the sketch, and for their forms);
 * drawing costs about 10 ns an element. */
static uint64_t cost_ns(const struct bindings *bound, const struct step *step)
{
	const struct trace t = trace_of(bound->engine, step);
	const double columns = (double)(2 * step->trace.basis + step->trace.probes), n = (double)t.n;

	return (uint64_t)(columns * n * (n * t.kernel->fma_ns + 10));
}

static int begin_trace(struct step_run *run)
{
	struct trace *t = (struct trace *)run;
	const struct step_run own = *run;

	*t = trace_of(run->engine, run->step);
	t->run = own;
	lay_out(t);
	memset(t->sums, 0, (t->basis + t->rest) * PANEL_COLUMNS * sizeof *t->sums);
	return 0;
}

static bool phase_advance(struct trace *t, size_t *ret_chunks)
{
	switch (t->phase) {
	case TRACE_SKETCH:
		return sketch_advance(t, ret_chunks);
	case TRACE_BASIS:
		return basis_advance(t, ret_chunks);
	case TRACE_REST:
		return rest_advance(t, ret_chunks);
	default:
		return forms_advance(t, ret_chunks);
	}
}

static int advance_trace(struct step_run *run, size_t *ret_chunks)
{
	struct trace *t = (struct trace *)run;

	while (!phase_advance(t, ret_chunks)) {
		if (t->phase == TRACE_FORMS) {
			put_estimate(t);
			return JOB_END;
		}
		t->phase++;
	}
	return JOB_STAGE;
}

/* The words drawn are counted roughly, for the lanes' figures only. */
static uint64_t run_chunk(struct step_run *run, size_t chunk, void *scratch)
{
	struct trace *t = (struct trace *)run;

	switch (t->phase) {
	case TRACE_SKETCH:
		sketch_run(t, chunk, scratch);
		break;
	case TRACE_BASIS:
		basis_run(t, chunk, scratch);
		break;
	case TRACE_REST:
		rest_run(t, chunk, scratch);
		break;
	case TRACE_FORMS:
		forms_run(t, chunk, scratch);
		break;
	}
	return 2 * t->width;
}

static int place_trace(struct bindings *bound, const struct step *step, const struct placement *placement)
{
	struct position *position = &bound->positions[step->placement];

	position_set_draw(position, &step->trace.draw);
	position->begin = position->at.offset + placement->begin;
	return 0;
}

const struct step_ops step_trace = {
	.cost_row = COST_TRACE,
	.cost_ns = cost_ns,
	.work_bytes = work_bytes,
	.run_bytes = sizeof(struct trace),
	.begin = begin_trace,
	.advance = advance_trace,
	.run_chunk = run_chunk,
	.place = place_trace,
	.replies = true,
};
