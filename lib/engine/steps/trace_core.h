/* SPDX-License-Identifier: Apache-2.0 */
/* A trace that is being estimated; for trace*.c.
 *
 * Machines inside each other. One call of advance() goes on until a stage of chunks is there. Chunks change memory only, but for
 * the one of a stage of NORMS or COLUMNS, which moves `column` on.
 *
 *     phase         Hutch++: SKETCH --> BASIS --> REST --> FORMS --> the estimate       Hutchinson begins with FORMS
 *                   a stage:  some tiles  |         |       TRACE_SLOTS sums, added up by the next advance()
 *                             of each row |         |
 *                                         |         +-- G is drawn (rest_drawn), then one projection onto all of Q
 *     basis_stage   for each panel:       v
 *                   BEGIN --> NORMS --> PROJECTION --> COLUMNS --> PROJECTION --> COLUMNS --> the next panel's BEGIN
 *                                       `---- round 0 -------'    `---- round 1 -------'
 *     projection    started: products Q' v, a segment of rows to a stage --> updating: v -= Q (Q' v); the first panel has none
 *     column        for each column j of a panel, rows by rows:
 *                   PRODUCTS --> DIFFERENCE --> PRODUCTS_AGAIN --> DIFFERENCE_AGAIN --> LENGTH --> SCALE --> j + 1
 *                   (NORMS alone, of all columns at once, in the stage of that name) */
#ifndef TRNSCI_ENGINE_STEPS_TRACE_CORE_H
#define TRNSCI_ENGINE_STEPS_TRACE_CORE_H

#include "base/chunk.h"
#include "engine/steps/step.h"
#include "gemm/panel.h"

enum {
	/* A tile of the matrix: fixed, since sums are made tile by tile. Few rows, since each begins on a page of its
	 * own, which may have to be mapped first; many columns, since both sides of a tile are drawn for it. */
	TRACE_ROWS = 128,
	TRACE_COLUMNS = 512,
	TRACE_SLOTS = 1 << 16,       /* doubles that tiles leave between their stage and the sums */
	TRACE_BLOCK = PANEL_COLUMNS * PANEL_COLUMNS,
};

/* A panel of the basis: its norms; then twice a projection and what is within the panel. */
enum trace_basis_stage { BASIS_BEGIN, BASIS_NORMS, BASIS_PROJECTION, BASIS_COLUMNS };

enum trace_phase { TRACE_SKETCH, TRACE_BASIS, TRACE_REST, TRACE_FORMS };

/* v -= Q (Q' v) for the panels [first, first + count) and the basis' first `onto`: products by segments of rows, whose
 * chains go on from one to the next, then the difference by blocks of rows. */
struct trace_projection {
	size_t onto, first, count;
	size_t row;             /* the next segment's */
	bool started, updating; /* the products are there */
};

/* Within one panel of the basis; each operation goes through all rows, piece by piece. */
struct trace_column {
	int operation;
	unsigned j;
	size_t row;
	double by;
	double h[PANEL_COLUMNS];
};

struct trace {
	struct step_run run; /* first */
	const struct panel_kernel *kernel;
	size_t n;                        /* the matrix is n x n */
	size_t tiles_down, tiles_across; /* its tiles of TRACE_ROWS x TRACE_COLUMNS */
	size_t basis, rest;      /* panels: of S, later Q; of G, or of all probes when they are drawn */
	bool stored;             /* the columns of the forms are in memory, not drawn */
	unsigned width;          /* columns of a chunk */
	double *sums;     /* of each column: x' A x */
	double *slots;    /* of the chunks of a stage */
	double *panels;   /* n rows each: the basis', then the rest's */
	double *products; /* blocks Q' v, those of a panel of the basis together */
	enum trace_phase phase;
	bool rest_drawn;            /* the columns of the rest are being drawn, or are there */
	size_t first, chunks;       /* of the stage that runs */
	size_t tiles_at, tiles_now; /* of the sketch: the tiles of a row that are done, and that are being done */
	/* Of the basis: */
	size_t panel;
	unsigned round;
	enum trace_basis_stage basis_stage;
	bool column_runs;
	struct trace_projection projection;
	struct trace_column column;
	double norms[PANEL_COLUMNS]; /* before the first projection */
};

/* Doubles of panel p from row on. */
static inline double *trace_panel(const struct trace *t, size_t p, size_t row)
{
	return t->panels + (p * t->n + row) * PANEL_COLUMNS;
}

/* The products of panel `which` of those projected with panel q of the basis. */
static inline double *trace_product(const struct trace *t, size_t q, size_t which)
{
	return t->products + (q * t->projection.count + which) * TRACE_BLOCK;
}

/* What fits a chunk, when one of them takes fmas multiply-adds; at least 1, at most `most`. */
size_t trace_fit(const struct trace *t, double fmas, size_t most);

/* The next stage of the projection, of the basis; chunks of it. False at its end. */
bool projection_advance(struct trace *t, size_t *ret_chunks);
void projection_run(const struct trace *t, size_t chunk, double *scratch);
bool basis_advance(struct trace *t, size_t *ret_chunks);
void basis_run(struct trace *t, size_t chunk, double *scratch);

#endif
