/* SPDX-License-Identifier: Apache-2.0 */
/* An orthonormal basis of the columns of the sketch, panel by panel: classical Gram-Schmidt against the panels before
 * it and within it, each twice. A column that lies in the span of those before it becomes zero.
 * Source: L. Giraud, J. Langou, M. Rozloznik, J. van den Eshof, Numer. Math. 101 (2005) 87: twice is enough. */
#include <math.h>
#include <string.h>

#include "base/checked.h"
#include "engine/steps/trace_core.h"

size_t trace_fit(const struct trace *t, double fmas, size_t most)
{
	const double fits = CHUNK_AIM_NS / (fmas * t->kernel->fma_ns);

	return fits < 1 ? 1 : fits < (double)most ? (size_t)fits : most;
}

/* A column of which less than this part is left lies in the span of those before it, and what is left is rounding.
 * Setting it to zero changes the trace by as little. */
static const double DEPENDENT = 0x1p-40;

/* In the second round a column has length 1, less rounding: where the square of its length then falls below this, what
 * the first round had left of it was rounding. */
static const double SHRUNK = 0.25;

enum { ROWS_AT_ONCE = 4 }; /* of a product, to a chunk */

/* Operations within a panel, in this order for each column but the first. */
enum { NORMS, PRODUCTS, DIFFERENCE, PRODUCTS_AGAIN, DIFFERENCE_AGAIN, LENGTH, SCALE };

/* --- projections --- */

/* Rows of a stage of products Q' v, and of a chunk of the difference v - Q (Q' v). */
static size_t segment_rows(const struct trace *t)
{
	return trace_fit(t, ROWS_AT_ONCE * PANEL_COLUMNS, t->n);
}

static size_t update_rows(const struct trace *t)
{
	return trace_fit(t, TRACE_BLOCK * (double)t->projection.onto, TRACE_ROWS);
}

bool projection_advance(struct trace *t, size_t *ret_chunks)
{
	struct trace_projection *p = &t->projection;

	if (p->updating)
		return false;
	if (p->started)
		p->row += segment_rows(t);
	p->started = true;
	p->updating = p->row >= t->n;
	if (p->updating)
		*ret_chunks = (t->n + update_rows(t) - 1) / update_rows(t) * p->count;
	else
		*ret_chunks = p->onto * p->count * (PANEL_COLUMNS / ROWS_AT_ONCE);
	return true;
}

/* Adds the products of some rows of one panel's transpose with another panel, over a segment of their rows. */
static void run_products(const struct trace *t, size_t chunk)
{
	const struct trace_projection *p = &t->projection;
	const unsigned r = chunk % (PANEL_COLUMNS / ROWS_AT_ONCE) * ROWS_AT_ONCE;
	const size_t which = chunk / (PANEL_COLUMNS / ROWS_AT_ONCE) % p->count;
	const size_t q = chunk / (PANEL_COLUMNS / ROWS_AT_ONCE) / p->count;
	const struct panel_matrix a = {trace_panel(t, q, p->row) + r, 1, PANEL_COLUMNS};
	double *to = trace_product(t, q, which) + r * PANEL_COLUMNS;

	if (p->row == 0)
		memset(to, 0, ROWS_AT_ONCE * PANEL_COLUMNS * sizeof *to);
	t->kernel->multiply_f64(a, ROWS_AT_ONCE, size_min(segment_rows(t), t->n - p->row),
				trace_panel(t, p->first + which, p->row), PANEL_COLUMNS, to);
}

/* Subtracts from some rows of a panel their projections onto all panels before it. */
static void run_update(const struct trace *t, size_t chunk, double *scratch)
{
	const struct trace_projection *p = &t->projection;
	const size_t row = chunk / p->count * update_rows(t), rows = size_min(update_rows(t), t->n - row);
	double *to = trace_panel(t, p->first + chunk % p->count, row);

	for (size_t q = 0; q < p->onto; q++) {
		const double *product = trace_product(t, q, chunk % p->count);
		const struct panel_matrix a = {trace_panel(t, q, row), PANEL_COLUMNS, 1};

		for (size_t i = 0; i < TRACE_BLOCK; i++)
			scratch[i] = -product[i];
		t->kernel->multiply_f64(a, rows, PANEL_COLUMNS, scratch, PANEL_COLUMNS, to);
	}
}

void projection_run(const struct trace *t, size_t chunk, double *scratch)
{
	if (t->projection.updating)
		run_update(t, chunk, scratch);
	else
		run_products(t, chunk);
}

/* --- within a panel --- */

/* Runs the current operation on the next rows of the panel. */
static void run_operation(struct trace *t, size_t rows)
{
	struct trace_column *column = &t->column;
	double *x = trace_panel(t, t->panel, column->row);
	const struct panel_matrix own = {x + column->j, 0, PANEL_COLUMNS};

	switch (column->operation) {
	case NORMS:
		t->kernel->dots(x, x, rows, PANEL_COLUMNS, t->norms);
		return;
	case DIFFERENCE:
	case DIFFERENCE_AGAIN:
		t->kernel->deflate(x, rows, column->j, column->h);
		return;
	case SCALE:
		t->kernel->scale(x, rows, column->j, column->by);
		return;
	default:
		t->kernel->multiply_f64(own, 1, rows, x, PANEL_COLUMNS, column->h);
	}
}

/* Goes on to the next operation after the last row. Returns false after the last operation of the last column. LENGTH
 * finds the factor that makes the column one long, 0 if it is dependent. */
static bool next_operation(struct trace *t)
{
	struct trace_column *column = &t->column;
	const double squared = column->h[column->j];

	column->row = 0;
	if (column->operation == LENGTH) {
		const double least = t->round ? SHRUNK : t->norms[column->j] * DEPENDENT * DEPENDENT;

		column->by = squared > least ? 1 / sqrt(squared) : 0;
	}
	if (column->operation == NORMS)
		return false;
	if (column->operation == DIFFERENCE || column->operation == DIFFERENCE_AGAIN || column->operation == SCALE)
		memset(column->h, 0, sizeof column->h);
	if (column->operation++ < SCALE)
		return true;
	column->operation = PRODUCTS;
	return ++column->j < PANEL_COLUMNS;
}

/* As many rows as fit a chunk, of one operation after another: they are short and each needs the one before. */
static void run_columns(struct trace *t)
{
	size_t left = trace_fit(t, 4 * PANEL_COLUMNS + 100, SIZE_MAX);

	while (left > 0) {
		const size_t rows = size_min(left, t->n - t->column.row);

		run_operation(t, rows);
		t->column.row += rows;
		left -= rows;
		if (t->column.row == t->n && !next_operation(t)) {
			t->column_runs = false;
			return;
		}
	}
}

static void start_columns(struct trace *t, enum trace_basis_stage stage, int operation)
{
	t->column = (struct trace_column){.operation = operation};
	t->column_runs = true;
	t->basis_stage = stage;
}

static void start_projection(struct trace *t)
{
	t->projection = (struct trace_projection){.onto = t->panel, .first = t->panel, .count = 1};
	t->basis_stage = BASIS_PROJECTION;
}

/* --- the basis --- */

/* Goes on to the second round of a panel, or to the next panel. Returns false after the last. */
static bool next_round(struct trace *t)
{
	if (t->round++ == 0) {
		start_projection(t);
		return true;
	}
	t->round = 0;
	t->basis_stage = BASIS_BEGIN;
	return ++t->panel < t->basis;
}

bool basis_advance(struct trace *t, size_t *ret_chunks)
{
	for (;;) {
		*ret_chunks = 1;
		if (t->basis_stage != BASIS_PROJECTION && t->column_runs)
			return true;
		switch (t->basis_stage) {
		case BASIS_BEGIN:
			memset(t->norms, 0, sizeof t->norms);
			start_columns(t, BASIS_NORMS, NORMS);
			break;
		case BASIS_NORMS:
			start_projection(t);
			break;
		case BASIS_PROJECTION:
			if (t->panel > 0 && projection_advance(t, ret_chunks))
				return true;
			start_columns(t, BASIS_COLUMNS, PRODUCTS);
			break;
		case BASIS_COLUMNS:
			if (!next_round(t))
				return false;
		}
	}
}

void basis_run(struct trace *t, size_t chunk, double *scratch)
{
	if (t->basis_stage == BASIS_PROJECTION)
		projection_run(t, chunk, scratch);
	else
		run_columns(t);
}
