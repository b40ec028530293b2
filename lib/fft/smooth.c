/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths without a prime factor above 13: whole transforms in scratch, or, when one would take too long or leave the
 * cache, a phase for each stage, whose units are groups of blocks. The kernels are the same, and so are the bytes. */
#include "fft/plan.h"

#include "base/checked.h"
#include "fft/factor.h"

/* A transform whose numbers between stages exceed this is cut: thread scratch is to stay within half of a second
 * cache. */
enum { MAX_BETWEEN_BYTES = 288 << 10 };

/* Nanoseconds a vector operation, measured generously; scalar ones do one element each. */
static double operation_ns(const struct fft_plan *plan)
{
	return plan->ops->lanes == 1 ? 0.45 : 0.35;
}

static double item_ns(const struct fft_plan *plan, unsigned stage)
{
	return operation_ns(plan) * factor_item_cost(&plan->smooth, stage, plan->ops->lanes);
}

static size_t max_column(const struct fft_smooth *smooth)
{
	size_t most = 1;

	for (unsigned i = 0; i < smooth->n_stages; i++)
		if (smooth->stage[i].columns.length > most)
			most = smooth->stage[i].columns.length;
	return most;
}

static size_t buffers(const struct fft_plan *plan)
{
	return plan->smooth.n_stages < 3 ? plan->smooth.n_stages - 1 : 2;
}

int fft_smooth_init(struct fft_plan *plan)
{
	struct fft_smooth *smooth = &plan->smooth;
	const size_t lanes = plan->ops->lanes;

	plan->kind = &fft_kind_smooth;
	factor_stages(plan->n, lanes, smooth);
	smooth->columns_bytes =
		fft_round_line(2 * fft_columns_bytes(max_column(smooth), lanes, tables_real_bytes(plan->precision)));
	smooth->between_bytes = fft_round_line(smooth->stage[0].m * smooth->row * fft_pair_bytes(plan));
	plan->cost_ns = operation_ns(plan) * factor_cost(smooth, lanes);
	plan->is_long = smooth->n_stages > 1 &&
			(plan->cost_ns > FFT_LONG_NS || buffers(plan) * smooth->between_bytes > MAX_BETWEEN_BYTES);
	return 0;
}

static int step(struct fft_plan *plan)
{
	return tables_step(&plan->tables, plan->precision, plan->ops->lanes, &plan->smooth, &plan->bytes);
}

static void release(struct fft_plan *plan)
{
	tables_free_smooth(&plan->smooth);
}

static size_t phases(const struct fft_plan *plan)
{
	return plan->is_long ? plan->smooth.n_stages : 1;
}

/* Transforms (short) or items (long) of a unit. One-stage transforms go by whole vectors of them. */
static size_t unit_size(const struct fft_plan *plan, size_t phase)
{
	const size_t lanes = plan->ops->lanes;

	if (plan->is_long)
		return fft_group(item_ns(plan, (unsigned)phase));
	if (plan->smooth.n_stages == 1)
		return lanes * fft_group(plan->cost_ns * (double)lanes);
	return fft_group(plan->cost_ns);
}

static size_t total(const struct fft_plan *plan, size_t phase, size_t batch)
{
	return plan->is_long ? batch * plan->smooth.stage[phase].items : batch;
}

static size_t units(const struct fft_plan *plan, size_t phase, size_t batch)
{
	const size_t size = unit_size(plan, phase);

	return (total(plan, phase, batch) + size - 1) / size;
}

static size_t work_bytes(const struct fft_plan *plan, size_t batch)
{
	return plan->is_long ? batch * buffers(plan) * plan->smooth.between_bytes : 0;
}

static size_t scratch_bytes(const struct fft_plan *plan)
{
	return plan->smooth.columns_bytes + (plan->is_long ? 0 : buffers(plan) * plan->smooth.between_bytes);
}

/* One block of a stage; `work` holds the transform's buffers. */
static void run_block(const struct fft_plan *plan, const struct fft_call *call, size_t b, unsigned stage,
		      const struct fft_place *at, char *work, void *scratch)
{
	const struct fft_smooth *smooth = &plan->smooth;
	char *from = work + (stage - 1) % 2 * smooth->between_bytes, *to = work + stage % 2 * smooth->between_bytes;

	if (stage == 0)
		plan->ops->first(smooth, call, b, at, work, scratch);
	else if (stage + 1 == smooth->n_stages)
		plan->ops->last(smooth, call, b, at, from, scratch);
	else
		plan->ops->middle(smooth, stage, at, from, to, scratch);
}

/* Items are counted by lanes, then repetitions, then rows. */
static struct fft_place place(const struct fft_plan *plan, unsigned stage, size_t item)
{
	const size_t lanes = plan->ops->lanes, blocks = plan->smooth.row / lanes, reps = plan->smooth.stage[stage].reps;

	if (stage == 0)
		return (struct fft_place){item * lanes, 0, 0};
	return (struct fft_place){item / blocks / reps, item / blocks % reps, item % blocks * lanes};
}

static void run_items(const struct fft_plan *plan, const struct fft_call *call, unsigned stage, size_t begin, size_t end,
		      void *scratch)
{
	const size_t items = plan->smooth.stage[stage].items, bytes = work_bytes(plan, 1);

	for (size_t i = begin; i < end; i++) {
		const struct fft_place at = place(plan, stage, i % items);

		run_block(plan, call, i / items, stage, &at, (char *)call->work + i / items * bytes, scratch);
	}
}

/* Transforms of one stage each, LANES at once. */
static void run_direct(const struct fft_plan *plan, const struct fft_call *call, size_t begin, size_t end, void *scratch)
{
	const size_t lanes = plan->ops->lanes;

	for (size_t b = begin; b < end; b += lanes)
		plan->ops->direct(&plan->smooth, call, b, size_min(lanes, end - b), scratch);
}

/* One transform of several stages, wholly in scratch. */
static void run_short(const struct fft_plan *plan, const struct fft_call *call, size_t b, void *scratch)
{
	const struct fft_smooth *smooth = &plan->smooth;
	const size_t lanes = plan->ops->lanes;
	char *work = (char *)scratch + smooth->columns_bytes;
	struct fft_place at = {0, 0, 0};

	for (at.p = 0; at.p < smooth->stage[0].m; at.p += lanes)
		plan->ops->first(smooth, call, b, &at, work, scratch);
	for (unsigned i = 1; i < smooth->n_stages; i++)
		for (at.p = 0; at.p < smooth->stage[i].m; at.p++)
			for (at.rep = 0; at.rep < smooth->stage[i].reps; at.rep++)
				for (at.lane = 0; at.lane < smooth->row; at.lane += lanes)
					run_block(plan, call, b, i, &at, work, scratch);
}

static void run_unit(const struct fft_plan *plan, const struct fft_call *call, size_t phase, size_t unit, void *scratch)
{
	const size_t size = unit_size(plan, phase), begin = unit * size;
	const size_t end = size_min(begin + size, total(plan, phase, call->batch));

	if (plan->is_long)
		run_items(plan, call, (unsigned)phase, begin, end, scratch);
	else if (plan->smooth.n_stages == 1)
		run_direct(plan, call, begin, end, scratch);
	else
		for (size_t b = begin; b < end; b++)
			run_short(plan, call, b, scratch);
}

const struct fft_kind fft_kind_smooth = {step, release, phases, units, work_bytes, scratch_bytes, run_unit};
