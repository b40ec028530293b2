/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a batch times the panels of W. Transforms go in groups that fill the register kernel's rows; where a group
 * would take too long, or W would not stay in the cache from group to group, packing is a phase of its own and a unit
 * is a group times a panel. */
#include "fft/dft_gemm.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "fft/plan.h"
#include "fft/roots.h"
#include "gemm/product.h"

enum { MAX_ROWS = 64, ELEMENTS_PER_STEP = 1024, GROUP_NS = 100000, LONG_NS = 180000, CACHED_BYTES = 512 << 10 };

/* Of cut plans; the last three of refined ones. */
enum phase { PACK, MULTIPLY, BACK, PACK_REST, ADD, REFINED_PHASES };

struct dft_gemm {
	struct gemm_shape shape, back; /* back: float32, for the residual */
	bool refined, cut;
	size_t rows;                /* of a group */
	size_t panels, panels_unit; /* in all; of a unit, where cut */
	size_t back_panels;
	char *w, *w_back;
};

/* What a unit works with; parts of scratch, or of work where packing is a phase. */
struct group {
	const struct fft_plan *plan;
	const struct fft_call *call;
	size_t first, count; /* transforms */
	int *exponents;
	void *left;
	void *row;                       /* one transform, contiguous */
	void *sum;                       /* count rows of a panel */
	float *x, *y, *back_left, *rest; /* refined: scaled input, result so far; sides of the residual */
};

static bool is_wide(const struct fft_plan *plan)
{
	return plan->precision == FFT_F64;
}

/* --- sizes --- */

static size_t row_bytes(const struct fft_plan *plan)
{
	return fft_round_line(2 * plan->n * sizeof(double));
}

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
	return fft_round_line(MAX_ROWS * sizeof(int));
}

static size_t floats_bytes(const struct fft_plan *plan)
{
	return plan->gemm->refined ? fft_round_line(plan->gemm->rows * 2 * plan->n * sizeof(float)) : 0;
}

/* Of a group, from phase to phase: exponents, the left side, and refined x, y and rest. */
static size_t packed_bytes(const struct fft_plan *plan)
{
	return exponents_bytes() + left_bytes(plan->gemm) + 3 * floats_bytes(plan);
}

static size_t scratch_bytes(const struct fft_plan *plan)
{
	return packed_bytes(plan) + row_bytes(plan) + sum_bytes(plan->gemm) + floats_bytes(plan);
}

static size_t groups(const struct fft_plan *plan, size_t batch)
{
	return (batch + plan->gemm->rows - 1) / plan->gemm->rows;
}

static size_t work_bytes(const struct fft_plan *plan, size_t batch)
{
	return plan->gemm->cut ? groups(plan, batch) * packed_bytes(plan) : 0;
}

static size_t phases(const struct fft_plan *plan)
{
	return !plan->gemm->cut ? 1 : plan->gemm->refined ? REFINED_PHASES : 2;
}

/* Whether a phase's units are parts of a group's columns, else whole groups. */
static bool has_parts(const struct dft_gemm *gemm, size_t phase)
{
	return gemm->cut && phase != PACK && phase != PACK_REST;
}

static size_t parts(const struct dft_gemm *gemm)
{
	return (gemm->panels + gemm->panels_unit - 1) / gemm->panels_unit;
}

static size_t units(const struct fft_plan *plan, size_t phase, size_t batch)
{
	return groups(plan, batch) * (has_parts(plan->gemm, phase) ? parts(plan->gemm) : 1);
}

/* --- rows in and out --- */

/* Where a transform lies contiguous and in order, no copy is made of it. */
static bool lies_plain(const struct fft_call *call, size_t stride)
{
	return stride == 1 && !call->inverse;
}

/* Inverse: with parts exchanged. Contiguous elements apart, so that the compiler sees it. */
#define ROWS_OF(real)                                                                                                  \
	static const real *fetch_##real(const struct fft_call *call, size_t transform, size_t n, real *restrict to)    \
	{                                                                                                              \
		const real *at = (const real *)call->in + 2 * transform * call->in_distance;                           \
		const size_t re = call->inverse, stride = call->in_stride;                                             \
                                                                                                                       \
		if (lies_plain(call, stride))                                                                          \
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

/* Packs the group's transforms, each scaled by its own power of two. */
static void pack(const struct group *g)
{
	const struct fft_plan *plan = g->plan;
	const struct dft_gemm *gemm = plan->gemm;
	const struct gemm_vectors *vectors = gemm->shape.kernel->vectors;
	const bool sliced = gemm->shape.mode->slices > 0;
	const size_t n = plan->n;

	for (size_t r = 0; r < g->count; r++) {
		const void *row = is_wide(plan) ? (const void *)fetch_double(g->call, g->first + r, n, g->row)
						: (const void *)fetch_float(g->call, g->first + r, n, g->row);
		double top = 0;
		float factors[2];

		if (sliced)
			top = is_wide(plan) ? vectors->top_f64(row, 2 * n) : (double)vectors->top_f32(row, 2 * n);
		g->exponents[r] = gemm_exponent(top);
		gemm_put_row(&gemm->shape, row, g->exponents[r], g->left, gemm->rows, r);
		if (gemm->refined) {
			gemm_power_f32(-g->exponents[r], factors);
			vectors->scale_f32(row, 2 * n, factors, g->x + r * 2 * n);
		}
	}
}

/* The call's scale times the power of two of a row, as two factors. */
struct factors {
	double wide[2];
	float narrow[2];
};

static struct factors factors_of(const struct group *g, int exponent_of_row)
{
	struct factors factors;
	int exponent = 0;
	const double fraction = frexp(g->call->scale, &exponent);

	exponent += exponent_of_row;
	if (is_wide(g->plan)) {
		gemm_power_f64(exponent, factors.wide);
		factors.wide[0] *= fraction;
	} else {
		gemm_power_f32(exponent, factors.narrow);
		factors.narrow[0] *= (float)fraction;
	}
	return factors;
}

/* Row r of a panel's result, or more columns, times its factors. */
static void finish_row(const struct group *g, size_t r, const struct factors *factors, void *sum, size_t first,
		       size_t count)
{
	const struct gemm_vectors *vectors = g->plan->gemm->shape.kernel->vectors;
	const struct fft_call *call = g->call;
	const size_t at = 2 * ((g->first + r) * call->out_distance + first * call->out_stride);
	const bool plain = lies_plain(call, call->out_stride);

	if (is_wide(g->plan)) {
		double *out = (double *)call->out + at;

		vectors->scale_f64(sum, 2 * count, factors->wide, plain ? out : sum);
		if (!plain)
			deliver_double(call, count, sum, out);
	} else {
		float *out = (float *)call->out + at;

		vectors->scale_f32(sum, 2 * count, factors->narrow, plain ? out : sum);
		if (!plain)
			deliver_float(call, count, sum, out);
	}
}

static const char *panel_at(const struct gemm_shape *shape, const char *panels, size_t panel)
{
	return panels + panel * gemm_panel_bytes(shape);
}

static size_t columns_of(const struct gemm_shape *shape, size_t panel)
{
	const size_t columns = gemm_lanes(shape) / 2;

	return size_min(shape->k - panel * columns, columns);
}

/* Whether products read the caller's rows as they lie: reals are not scaled on the way in. */
static bool reads_plain(const struct group *g)
{
	return !g->plan->gemm->shape.mode->slices && lies_plain(g->call, g->call->in_stride);
}

/* Whether a panel's result goes where it belongs at once. */
static bool writes_plain(const struct group *g, size_t panel)
{
	const struct gemm_shape *shape = &g->plan->gemm->shape;

	return g->call->scale == 1 && lies_plain(g->call, g->call->out_stride) &&
	       columns_of(shape, panel) == gemm_lanes(shape) / 2;
}

/* Reals as they lie, without a copy on the way in, nor on the way out where that is possible. */
static void multiply_plain(const struct group *g, size_t first_panel, size_t end_panel)
{
	const struct dft_gemm *gemm = g->plan->gemm;
	const struct fft_call *call = g->call;
	const size_t lanes = gemm_lanes(&gemm->shape), real = is_wide(g->plan) ? 8 : 4;
	const char *rows = (const char *)call->in + 2 * real * g->first * call->in_distance;
	const struct factors factors = factors_of(g, 0); /* reals are not scaled by rows */

	for (size_t panel = first_panel; panel < end_panel; panel++) {
		char *out = (char *)call->out + real * (2 * g->first * call->out_distance + panel * lanes);
		const bool plain = writes_plain(g, panel);

		gemm_product_of_rows(&gemm->shape, rows, 2 * call->in_distance, g->count,
				     panel_at(&gemm->shape, gemm->w, panel), plain ? out : g->sum,
				     plain ? 2 * call->out_distance : lanes);
		for (size_t r = 0; r < g->count && !plain; r++)
			finish_row(g, r, &factors, (char *)g->sum + r * lanes * real, panel * lanes / 2,
				   columns_of(&gemm->shape, panel));
	}
}

/* Whole panels of floats go where they belong, and are scaled there row by row. */
static bool sums_lie_plain(const struct group *g)
{
	const struct gemm_shape *shape = &g->plan->gemm->shape;

	return !is_wide(g->plan) && lies_plain(g->call, g->call->out_stride) && g->plan->n % (gemm_lanes(shape) / 2) == 0;
}

static void multiply(const struct group *g, size_t first_panel, size_t end_panel)
{
	const struct dft_gemm *gemm = g->plan->gemm;
	const struct fft_call *call = g->call;
	const size_t lanes = gemm_lanes(&gemm->shape), real = is_wide(g->plan) ? 8 : 4, columns = lanes / 2;
	const bool plain = sums_lie_plain(g);
	char *const out = (char *)call->out + 2 * real * g->first * call->out_distance;
	struct factors factors[MAX_ROWS];

	for (size_t r = 0; r < g->count; r++)
		factors[r] = factors_of(g, g->exponents[r]);
	for (size_t panel = first_panel; panel < end_panel; panel++) {
		gemm_product(&gemm->shape, g->left, gemm->rows, 0, g->count, panel_at(&gemm->shape, gemm->w, panel),
			     false, plain ? out + panel * lanes * real : g->sum, plain ? 2 * call->out_distance : lanes);
		for (size_t r = 0; r < g->count && !plain; r++)
			finish_row(g, r, &factors[r], (char *)g->sum + r * lanes * real, panel * columns,
				   columns_of(&gemm->shape, panel));
	}
	for (size_t r = 0; r < g->count && plain; r++)
		finish_row(g, r, &factors[r], out + real * (2 * r * call->out_distance + first_panel * lanes),
			   first_panel * columns, (end_panel - first_panel) * columns);
}

/* --- one step of refinement --- */

/* Panels [begin, end) of W, and of the float32 one that are the same share. */
struct panels {
	size_t begin, end;
};

static struct panels share_of(const struct dft_gemm *gemm, size_t part, size_t of_panels)
{
	const size_t count = gemm->cut ? parts(gemm) : 1;

	return (struct panels){part * of_panels / count, (part + 1) * of_panels / count};
}

/* to[r] (+)= rows of left times these panels; to holds whole rows of 2 n floats. */
static void part_rows(const struct group *g, const struct gemm_shape *shape, struct panels panels, const void *left,
		      const char *w, bool add, float *to)
{
	const size_t n = g->plan->n, lanes = gemm_lanes(shape);

	for (size_t panel = panels.begin; panel < panels.end; panel++) {
		const size_t first = panel * lanes, end = first + 2 * columns_of(shape, panel);

		gemm_product(shape, left, g->plan->gemm->rows, 0, g->count, panel_at(shape, w, panel), false, g->sum,
			     lanes);
		for (size_t r = 0; r < g->count; r++)
			for (size_t i = first; i < end; i++) {
				const float one = ((const float *)g->sum)[r * lanes + i - first];

				to[r * 2 * n + i] = add ? to[r * 2 * n + i] + one : one;
			}
	}
}

/* n W^-1 y with parts exchanged: W^-1 y is W y with parts exchanged on both sides, over n. */
static void go_back(const struct group *g, size_t part)
{
	const struct dft_gemm *gemm = g->plan->gemm;

	for (size_t i = 0; i < g->count * 2 * g->plan->n; i++)
		g->back_left[i] = g->y[i ^ 1];
	part_rows(g, &gemm->back, share_of(gemm, part, gemm->back_panels), g->back_left, gemm->w_back, false, g->rest);
}

/* x - W^-1 y into the left side. */
static void pack_rest(const struct group *g)
{
	const struct dft_gemm *gemm = g->plan->gemm;
	const size_t n = g->plan->n;
	const float factor = 1 / (float)n;

	for (size_t i = 0; i < g->count * 2 * n; i++)
		g->back_left[i] = g->x[i] - g->rest[i ^ 1] * factor;
	for (size_t r = 0; r < g->count; r++)
		gemm_put_row(&gemm->shape, g->back_left + r * 2 * n, 0, g->left, gemm->rows, r);
}

static void add_rest(const struct group *g, size_t part)
{
	const struct dft_gemm *gemm = g->plan->gemm;
	const struct panels panels = share_of(gemm, part, gemm->panels);
	const size_t n = g->plan->n, columns = gemm_lanes(&gemm->shape) / 2, first = panels.begin * columns;
	const size_t end = size_min(panels.end * columns, n);

	part_rows(g, &gemm->shape, panels, g->left, gemm->w, true, g->y);
	for (size_t r = 0; r < g->count; r++) {
		const struct factors factors = factors_of(g, g->exponents[r]);

		finish_row(g, r, &factors, g->y + 2 * (r * n + first), first, end - first);
	}
}

static void refine(const struct group *g, enum phase phase, size_t part)
{
	const struct dft_gemm *gemm = g->plan->gemm;

	if (phase == MULTIPLY)
		part_rows(g, &gemm->shape, share_of(gemm, part, gemm->panels), g->left, gemm->w, false, g->y);
	else if (phase == BACK)
		go_back(g, part);
	else if (phase == PACK_REST)
		pack_rest(g);
	else if (phase == ADD)
		add_rest(g, part);
}

/* --- units --- */

static char *carve(char **at, size_t bytes)
{
	char *const part = *at;

	*at += bytes;
	return part;
}

static struct group group_of(const struct fft_plan *plan, const struct fft_call *call, size_t index, char *scratch)
{
	const struct dft_gemm *gemm = plan->gemm;
	char *packed =
		gemm->cut ? (char *)call->work + index * packed_bytes(plan) : carve(&scratch, packed_bytes(plan));
	struct group g = {
		.plan = plan,
		.call = call,
		.first = index * gemm->rows,
		.count = size_min(gemm->rows, call->batch - index * gemm->rows),
	};

	g.exponents = (int *)carve(&packed, exponents_bytes());
	g.left = carve(&packed, left_bytes(gemm));
	g.x = (float *)carve(&packed, floats_bytes(plan));
	g.y = (float *)carve(&packed, floats_bytes(plan));
	g.rest = (float *)packed;
	g.row = carve(&scratch, row_bytes(plan));
	g.sum = carve(&scratch, sum_bytes(gemm));
	g.back_left = (float *)scratch;
	return g;
}

static void run_unit(const struct fft_plan *plan, const struct fft_call *call, size_t phase, size_t unit, void *scratch)
{
	const struct dft_gemm *gemm = plan->gemm;
	/* Panels outside, groups inside: what is read from memory once serves all groups. */
	const size_t n_groups = groups(plan, call->batch), part = unit / n_groups;
	struct group g = group_of(plan, call, unit % n_groups, scratch);
	/* In place, what one panel writes another would still read. */
	const bool plain = !gemm->refined && !gemm->cut && reads_plain(&g) && call->in != call->out;

	if (phase == PACK && !plain)
		pack(&g);
	gemm_begin(&gemm->shape);
	for (enum phase p = MULTIPLY; gemm->refined && !gemm->cut && p < REFINED_PHASES; p++)
		refine(&g, p, 0);
	if (gemm->refined)
		refine(&g, gemm->cut ? (enum phase)phase : PACK, part);
	else if (plain)
		multiply_plain(&g, 0, gemm->panels);
	else if (!gemm->cut)
		multiply(&g, 0, gemm->panels);
	else if (phase == MULTIPLY)
		multiply(&g, part * gemm->panels_unit, size_min((part + 1) * gemm->panels_unit, gemm->panels));
	gemm_end(&gemm->shape);
}

/* --- making --- */

static void put(const struct gemm_shape *shape, char *panels, size_t j, size_t k, const long double root[2])
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

static int step(struct fft_plan *plan)
{
	struct dft_gemm *gemm = plan->gemm;
	const size_t end = size_min(plan->n, plan->row + ELEMENTS_PER_STEP / plan->n);
	long double root[2];

	if (plan->row == 0 && roots_step(&plan->tables.roots))
		return 1;
	for (; plan->row < end; plan->row++)
		for (size_t k = 0; k < plan->n; k++) {
			roots_at(&plan->tables.roots, plan->row * k, root);
			put(&gemm->shape, gemm->w, plan->row, k, root);
			if (gemm->refined)
				put(&gemm->back, gemm->w_back, plan->row, k, root);
		}
	if (plan->row < plan->n)
		return 1;
	roots_free(&plan->tables.roots);
	return 0;
}

static void release(struct fft_plan *plan)
{
	free(plan->gemm->w);
	free(plan->gemm->w_back);
	free(plan->gemm);
}

static const struct fft_kind kind_gemm = {
	.step = step,
	.release = release,
	.phases = phases,
	.units = units,
	.work_bytes = work_bytes,
	.scratch_bytes = scratch_bytes,
	.in_bytes = fft_pair_either,
	.run_unit = run_unit,
};

static size_t panels_of(const struct gemm_shape *shape)
{
	return (2 * shape->k + gemm_lanes(shape) - 1) / gemm_lanes(shape);
}

/* How many transforms make a group, and whether its packing is a phase of its own. */
static void cut(struct fft_plan *plan)
{
	struct dft_gemm *gemm = plan->gemm;
	const size_t least = gemm_rows_at_once(&gemm->shape);
	const double padded = (double)(gemm->panels * gemm_lanes(&gemm->shape) / 2);

	plan->cost_ns = (double)plan->n * padded * gemm_cost_ns(&gemm->shape) + 10 * (double)plan->n;
	if (gemm->refined)
		plan->cost_ns = 2 * plan->cost_ns + (double)plan->n * padded * gemm_cost_ns(&gemm->back);
	gemm->rows = size_min((size_t)(GROUP_NS / (plan->cost_ns * (double)least)) * least, MAX_ROWS);
	if (gemm->rows > 0)
		return;
	gemm->rows = plan->cost_ns * (double)least <= LONG_NS ? least : 1;
	if (gemm->refined && plan->cost_ns * (double)gemm->rows <= LONG_NS)
		return;
	if (!gemm->refined && gemm->rows == least &&
	    gemm->panels * gemm_panel_bytes(&gemm->shape) <= CACHED_BYTES)
		return;
	gemm->cut = true;
	gemm->panels_unit = 1;
	gemm->rows = (size_t)(GROUP_NS * (double)gemm->panels / (plan->cost_ns * (double)least)) * least;
	gemm->rows = size_min(gemm->rows ? gemm->rows : 1, MAX_ROWS);
}

static int allocate(struct fft_plan *plan)
{
	struct dft_gemm *gemm = plan->gemm;
	const size_t bytes = gemm->panels * gemm_panel_bytes(&gemm->shape);
	const size_t back_bytes = gemm->refined ? gemm->back_panels * gemm_panel_bytes(&gemm->back) : 64;

	gemm->w = aligned_alloc(64, fft_round_line(bytes));
	gemm->w_back = aligned_alloc(64, fft_round_line(back_bytes));
	if (!gemm->w || !gemm->w_back || roots_create(plan->n, &plan->tables.roots) < 0)
		return -ERROR_NO_MEMORY;
	memset(gemm->w, 0, bytes);
	memset(gemm->w_back, 0, back_bytes);
	plan->bytes = sizeof *plan + sizeof *gemm + bytes + back_bytes;
	return 0;
}

int fft_plan_create_gemm(uint64_t n, enum gemm_precision precision, bool refined, uint32_t features,
			 struct fft_plan **ret_plan)
{
	struct fft_plan *plan;
	struct dft_gemm *gemm;

	assert(!refined || precision == GEMM_BF16);
	if (n == 0 || n > GEMM_MAX_K)
		return -ERROR_OUT_OF_RANGE;
	plan = calloc(1, sizeof *plan);
	gemm = calloc(1, sizeof *gemm);
	if (!plan || !gemm) {
		free(plan);
		free(gemm);
		return -ERROR_NO_MEMORY;
	}
	plan->kind = &kind_gemm;
	plan->n = n;
	plan->features = features;
	plan->gemm = gemm;
	gemm->refined = refined;
	gemm->shape = (struct gemm_shape){gemm_select(features), gemm_mode(precision), n};
	gemm->back = (struct gemm_shape){gemm->shape.kernel, gemm_mode(GEMM_F32), n};
	gemm->panels = panels_of(&gemm->shape);
	gemm->back_panels = panels_of(&gemm->back);
	plan->precision = gemm->shape.mode->wide ? FFT_F64 : FFT_F32;
	gemm->panels_unit = gemm->panels;
	cut(plan);
	if (allocate(plan) < 0) {
		fft_plan_free(plan);
		return -ERROR_NO_MEMORY;
	}
	*ret_plan = plan;
	return 0;
}
