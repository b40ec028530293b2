/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a batch times the panels of W.
 *
 * Transforms go in groups that fill the rows of the register kernel. If a group would take too long, or W would not
 * stay in the cache from group to group, packing is a phase of its own and a chunk is a group times some panels. */
#include "fft/precision/dft_gemm.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/chunk.h"
#include "base/error.h"
#include "fft/precision/dft_gemm_core.h"

enum {
	ELEMENTS_PER_STEP = 1024, /* of W, that one step builds: below CHUNK_MOST_NS */
	/* The most for a chunk that is not cut. Products take what they are estimated at, and bf16_refined in phases took 2.9
	 * times as long (220 elements, AVX2). */
	LONG_NS = CHUNK_MOST_NS * 18 / 25,
	CACHED_BYTES = 512 << 10, /* the largest W that stays in a second-level cache */
	PASS_BYTES = 640 << 10,   /* of packed groups, which stay there beside a panel */
};

/* --- sizes --- */

/* Returns the bytes of one fetched transform, of doubles in any mode. */
static size_t row_bytes(const struct fft_plan *plan)
{
	return fft_round_line(2 * plan->n * sizeof(double));
}

/* Return the bytes of a group's packed left side, of its sums over one panel, and of its exponents. */
static size_t left_bytes(const struct dft_gemm *gemm)
{
	return fft_round_line(gemm_left_bytes(&gemm->shape, gemm->rows));
}

static size_t sum_bytes(const struct dft_gemm *gemm)
{
	return fft_round_line(gemm->rows * GEMM_MAX_LANES * sizeof(double));
}

static size_t exponents_bytes(void)
{
	return fft_round_line(DFT_GEMM_MAX_ROWS * sizeof(int));
}

static size_t floats_bytes(const struct fft_plan *plan)
{
	return dft_gemm_of(plan)->refined ? fft_round_line(dft_gemm_of(plan)->rows * 2 * plan->n * sizeof(float)) : 0;
}

/* Returns the bytes of a group that live from phase to phase: exponents, the left side, and if refined x, y and
 * residual. */
static size_t packed_bytes(const struct fft_plan *plan)
{
	return exponents_bytes() + left_bytes(dft_gemm_of(plan)) + 3 * floats_bytes(plan);
}

static size_t scratch_bytes(const struct fft_plan *plan, size_t batch)
{
	(void)batch;
	return packed_bytes(plan) + row_bytes(plan) + sum_bytes(dft_gemm_of(plan)) + floats_bytes(plan);
}

/* Returns the groups of a batch; the last one may be partial. */
static size_t count_groups(const struct fft_plan *plan, size_t batch)
{
	return (batch + dft_gemm_of(plan)->rows - 1) / dft_gemm_of(plan)->rows;
}

static size_t work_bytes(const struct fft_plan *plan, size_t batch, enum fft_reuse reuse)
{
	(void)reuse;
	return dft_gemm_of(plan)->has_phases ? count_groups(plan, batch) * packed_bytes(plan) : 0;
}

static size_t count_phases(const struct fft_plan *plan)
{
	return !dft_gemm_of(plan)->has_phases ? 1 : dft_gemm_of(plan)->refined ? DFT_GEMM_REFINED_PHASES : 2;
}

/* Returns whether a phase's chunks are parts of a group's columns; else they are whole groups. */
static bool has_parts(const struct dft_gemm *gemm, size_t phase)
{
	return gemm->has_phases && phase != DFT_GEMM_PACK && phase != DFT_GEMM_PACK_RESIDUAL;
}

static size_t count_chunks(const struct fft_plan *plan, size_t phase, size_t batch)
{
	const size_t groups = (count_groups(plan, batch) + dft_gemm_of(plan)->groups - 1) / dft_gemm_of(plan)->groups;

	return groups * (has_parts(dft_gemm_of(plan), phase) ? dft_gemm_parts(dft_gemm_of(plan)) : 1);
}

/* --- running --- */

/* Returns the next `bytes` of a block of memory and advances behind them. */
static char *take_bytes(char **at, size_t bytes)
{
	char *const part = *at;

	*at += bytes;
	return part;
}

/* Lays out the memory of the group of transforms [first, end). What lives from phase to phase comes first, since it may
 * lie in `work`. */
static struct dft_gemm_group describe_group(const struct fft_plan *plan, const struct fft_call *call, size_t first,
					    size_t end, char *scratch)
{
	const struct dft_gemm *gemm = dft_gemm_of(plan);
	char *packed = gemm->has_phases ? (char *)call->work + first / gemm->rows * packed_bytes(plan)
					: take_bytes(&scratch, packed_bytes(plan));
	struct dft_gemm_group g = {
		.plan = plan, .call = call, .first = first, .count = size_min(gemm->rows, end - first)};

	g.scale_fraction = frexp(call->scale, &g.scale_exponent);
	g.exponents = (int *)take_bytes(&packed, exponents_bytes());
	g.left = take_bytes(&packed, left_bytes(gemm));
	g.x = (float *)take_bytes(&packed, floats_bytes(plan));
	g.y = (float *)take_bytes(&packed, floats_bytes(plan));
	g.residual = (float *)packed;
	g.row = take_bytes(&scratch, row_bytes(plan));
	g.sum = take_bytes(&scratch, sum_bytes(gemm));
	g.back_left = (float *)scratch;
	return g;
}

/* Does everything for a group of a plan without phases. Rows are not read in place if the output lies there: a later
 * panel would read what an earlier one has overwritten. */
static void run_group(const struct dft_gemm_group *g)
{
	const struct dft_gemm *gemm = dft_gemm_of(g->plan);

	if (!gemm->refined && dft_gemm_reads_contiguous(g) && g->call->in != g->call->out) {
		dft_gemm_multiply_contiguous(g, 0, gemm->panels);
		return;
	}
	dft_gemm_pack(g);
	for (enum dft_gemm_phase p = DFT_GEMM_MULTIPLY; gemm->refined && p < DFT_GEMM_REFINED_PHASES; p++)
		dft_gemm_refine(g, p, 0);
	if (!gemm->refined)
		dft_gemm_multiply(g, 0, gemm->panels);
}

/* Runs transforms [first, end). The kernel may take whole rows; those that it leaves go by groups, of one of its blocks
 * while more are behind them. */
static void run_groups(const struct fft_plan *plan, const struct fft_call *call, size_t first, size_t end,
		       char *scratch)
{
	const struct dft_gemm *gemm = dft_gemm_of(plan);
	const bool by_rows = gemm->by_rows && call->in_stride == 1 && call->out_stride == 1;

	for (size_t done; first < end; first += done) {
		struct dft_gemm_group g = describe_group(plan, call, first, end, scratch);

		done = by_rows ? dft_gemm_multiply_rows(plan, call, first, end, g.left) : 0;
		if (done > 0)
			continue;
		done = g.count = by_rows ? size_min(g.count, gemm_rows_at_once(&gemm->shape)) : g.count;
		run_group(&g);
	}
}

/* Does what the phase names, for a part of the columns. */
static void run_phase(const struct dft_gemm_group *g, enum dft_gemm_phase phase, size_t part)
{
	const struct dft_gemm *gemm = dft_gemm_of(g->plan);

	if (phase == DFT_GEMM_PACK)
		dft_gemm_pack(g);
	else if (gemm->refined)
		dft_gemm_refine(g, phase, part);
	else
		dft_gemm_multiply(g, part * gemm->panels_per_chunk,
				  size_min((part + 1) * gemm->panels_per_chunk, gemm->panels));
}

/* A chunk of a plan with phases: a group, and a part of its columns. */
struct group_part {
	size_t group, part;
};

/* The chunks go by passes of as many groups as stay in the cache. The part changes slowest in a pass, so panels that
 * were read from memory serve all of its groups. */
static struct group_part find_group_part(const struct fft_plan *plan, size_t phase, size_t chunk, size_t n_groups)
{
	const size_t parts = has_parts(dft_gemm_of(plan), phase) ? dft_gemm_parts(dft_gemm_of(plan)) : 1;
	const size_t most = size_max(PASS_BYTES / packed_bytes(plan), 1), first = chunk / (most * parts) * most;
	const size_t in_pass = size_min(most, n_groups - first), rest = chunk - first * parts;

	return (struct group_part){first + rest % in_pass, rest / in_pass};
}

/* A plan without phases does everything in one chunk; one with phases, the part that the phase names. gemm_begin and
 * gemm_end enclose the products, since AMX loads its tiles there. */
static void run_chunk(const struct fft_plan *plan, const struct fft_call *call, size_t phase, size_t chunk,
		      void *scratch)
{
	const struct dft_gemm *gemm = dft_gemm_of(plan);
	const size_t n_groups = count_groups(plan, call->batch), rows = gemm->rows * gemm->groups;

	gemm_begin(&gemm->shape);
	if (gemm->has_phases) {
		const struct group_part at = find_group_part(plan, phase, chunk, n_groups);
		const struct dft_gemm_group g = describe_group(plan, call, at.group * gemm->rows, call->batch, scratch);

		run_phase(&g, (enum dft_gemm_phase)phase, at.part);
	} else {
		run_groups(plan, call, chunk * rows, size_min((chunk + 1) * rows, call->batch), scratch);
	}
	gemm_end(&gemm->shape);
}

/* --- building --- */

/* Stores element (j, k) of W in the slices of the mode. */
static void put_root(const struct gemm_shape *shape, char *panels, size_t j, size_t k, const long double root[2])
{
	const size_t columns = gemm_lanes(shape) / 2;
	double re[GEMM_MAX_SLICES], im[GEMM_MAX_SLICES], slices[GEMM_MAX_SLICES][2];

	gemm_slice(shape->mode, root[0], re);
	gemm_slice(shape->mode, root[1], im);
	for (unsigned slice = 0; slice < (shape->mode->slices ? shape->mode->slices : 1); slice++) {
		slices[slice][0] = re[slice];
		slices[slice][1] = im[slice];
	}
	gemm_put_element(shape, panels + k / columns * gemm_panel_bytes(shape), j, k % columns,
			 (const double(*)[2])slices);
}

/* Roots take the first steps; then each step builds some rows of W, and of its float32 copy if refined. */
static int build_piece(struct fft_plan *plan)
{
	struct dft_gemm *gemm = dft_gemm_of(plan);
	const size_t end = size_min(plan->n, gemm->row + ELEMENTS_PER_STEP / plan->n);
	long double root[2];

	if (gemm->row == 0 && roots_step(&gemm->roots))
		return 1;
	for (; gemm->row < end; gemm->row++)
		for (size_t k = 0; k < plan->n; k++) {
			roots_at(&gemm->roots, gemm->row * k, root);
			put_root(&gemm->shape, gemm->w, gemm->row, k, root);
			if (gemm->refined)
				put_root(&gemm->back, gemm->w_back, gemm->row, k, root);
		}
	if (gemm->row < plan->n)
		return 1;
	roots_free(&gemm->roots);
	return 0;
}

static void free_tables(struct fft_plan *plan)
{
	roots_free(&dft_gemm_of(plan)->roots);
	free(dft_gemm_of(plan)->w);
	free(dft_gemm_of(plan)->w_back);
}

static const struct fft_kind kind_gemm = {
	.step = build_piece,
	.release = free_tables,
	.phases = count_phases,
	.chunks = count_chunks,
	.work_bytes = work_bytes,
	.scratch_bytes = scratch_bytes,
	.in_bytes = fft_complex_in_bytes,
	.run_chunk = run_chunk,
};

static size_t count_panels(const struct gemm_shape *shape)
{
	return (2 * shape->k + gemm_lanes(shape) - 1) / gemm_lanes(shape);
}

/* Returns whether the kernel can pack and multiply whole rows. W stays in the cache then, and the packed left side of a
 * group has room for the kernel's blocks. */
static bool takes_rows(const struct fft_plan *plan)
{
	const struct dft_gemm *gemm = dft_gemm_of(plan);
	const struct gemm_shape *shape = &gemm->shape;
	const bool is_bf16 = shape->mode->slices == 1 && !gemm->refined;

	return is_bf16 && shape->kernel->bf16_rows && plan->n % 16 == 0 && 2 * plan->n % gemm_lanes(shape) == 0 &&
	       gemm->panels * gemm_panel_bytes(shape) <= CACHED_BYTES &&
	       gemm->rows >= GEMM_LEFT_BLOCKS * gemm_rows_at_once(shape);
}

/* Chooses how many transforms make a group, and whether packing is a phase of its own. */
static void choose_groups(struct fft_plan *plan)
{
	struct dft_gemm *gemm = dft_gemm_of(plan);
	const size_t least = gemm_rows_at_once(&gemm->shape);
	const double padded = (double)(gemm->panels * gemm_lanes(&gemm->shape) / 2);

	/* Packing an element takes as long as about ten multiply-adds. */
	plan->cost_ns = (double)plan->n * (padded * gemm_cost_ns(&gemm->shape) + 10 * gemm_cost_ns(&gemm->back));
	if (gemm->refined)
		plan->cost_ns = 2 * plan->cost_ns + (double)plan->n * padded * gemm_cost_ns(&gemm->back);
	gemm->rows = size_min((size_t)(CHUNK_AIM_NS / (plan->cost_ns * (double)least)) * least,
			      DFT_GEMM_MAX_ROWS / least * least);
	gemm->groups = 1;
	if (gemm->rows > 0) {
		gemm->by_rows = takes_rows(plan);
		if (gemm->by_rows)
			gemm->groups = (size_t)(CHUNK_AIM_NS / (plan->cost_ns * (double)gemm->rows));
		return;
	}
	gemm->rows = plan->cost_ns * (double)least <= LONG_NS ? least : 1;
	if (gemm->refined && plan->cost_ns * (double)gemm->rows <= LONG_NS)
		return;
	if (!gemm->refined && gemm->rows == least && gemm->panels * gemm_panel_bytes(&gemm->shape) <= CACHED_BYTES)
		return;
	gemm->has_phases = true;
	gemm->panels_per_chunk = 1;
	gemm->rows = (size_t)(CHUNK_AIM_NS * (double)gemm->panels / (plan->cost_ns * (double)least)) * least;
	gemm->rows = size_min(gemm->rows ? gemm->rows : 1, DFT_GEMM_MAX_ROWS);
	plan->work_group = gemm->rows;
}

/* Zeros, since the last panel may have columns beyond n. */
static int allocate_tables(struct fft_plan *plan)
{
	struct dft_gemm *gemm = dft_gemm_of(plan);
	const size_t bytes = gemm->panels * gemm_panel_bytes(&gemm->shape);
	const size_t back_bytes = gemm->refined ? gemm->back_panels * gemm_panel_bytes(&gemm->back) : 64;

	gemm->w = aligned_alloc(64, fft_round_line(bytes));
	gemm->w_back = aligned_alloc(64, fft_round_line(back_bytes));
	if (!gemm->w || !gemm->w_back || roots_create(plan->n, &gemm->roots) < 0)
		return -ERROR_NO_MEMORY;
	memset(gemm->w, 0, bytes);
	memset(gemm->w_back, 0, back_bytes);
	plan->bytes += bytes + back_bytes;
	return 0;
}

int fft_plan_create_gemm(uint64_t n, enum gemm_precision precision, bool refined, uint32_t features,
			 struct fft_plan **ret_plan)
{
	const struct gemm_mode *mode = gemm_mode(precision);
	struct fft_plan *plan;
	struct dft_gemm *gemm;

	assert(!refined || precision == GEMM_BF16);
	if (n == 0 || n > GEMM_MAX_K)
		return -ERROR_OUT_OF_RANGE;
	plan = fft_plan_allocate(&kind_gemm, sizeof *gemm, n, mode->wide ? FFT_F64 : FFT_F32, features);
	if (!plan)
		return -ERROR_NO_MEMORY;
	plan->is_product = true;
	gemm = dft_gemm_of(plan);
	gemm->refined = refined;
	gemm->shape = (struct gemm_shape){gemm_select(features), mode, n};
	gemm->back = (struct gemm_shape){gemm->shape.kernel, gemm_mode(GEMM_F32), n};
	gemm->panels = count_panels(&gemm->shape);
	gemm->back_panels = count_panels(&gemm->back);
	gemm->panels_per_chunk = gemm->panels;
	choose_groups(plan);
	if (allocate_tables(plan) < 0) {
		fft_plan_free(plan);
		return -ERROR_NO_MEMORY;
	}
	*ret_plan = plan;
	return 0;
}
