/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths without a prime factor above 13: whole transforms in scratch, or, when one would take too long or leave the
 * cache, a phase for each stage, whose units are groups of blocks. The kernels are the same, and so are the bytes. */
#include "fft/plan/smooth.h"

#include "base/checked.h"
#include "base/error.h"
#include "fft/plan/factor.h"
#include "fft/plan/plan.h"

/* A transform whose numbers between stages exceed this is cut: thread scratch is to stay within half of a second
 * cache. */
enum { MAX_BETWEEN_BYTES = 288 << 10 };

/* Beyond this, the numbers between stages are found in no cache near a core. */
enum { FAR_BYTES = 12 << 20 };

/* Column buffers of blocks that run interleaved stay well within the first cache. */
enum { TOGETHER_BYTES = 9 << 10 };

/* Nanoseconds a vector operation, measured generously; scalar ones do one element each. */
static double operation_ns(const struct fft_plan *plan)
{
	return plan->ops->lanes == 1 ? 0.45 : 0.35;
}

static double item_ns(const struct fft_plan *plan, unsigned stage)
{
	return (plan->smooth.far ? 1.5 : 1) * operation_ns(plan) * factor_item_cost(&plan->smooth, stage, plan->ops->lanes);
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
	if (plan->smooth.flat)
		return plan->smooth.flat * fft_group(plan->cost_ns * (double)plan->smooth.flat);
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

/* Buffers of a long transform's own. One that the last stage does not read can be the output, where rows have no
 * padding; the other the input, where the first stage, which reads that, does not write it. */
static size_t own_buffers(const struct fft_plan *plan, enum fft_reuse reuse)
{
	const struct fft_smooth *smooth = &plan->smooth;
	const size_t all = buffers(plan);

	if (reuse == FFT_REUSE_NONE || smooth->n_stages < 3 || smooth->row != smooth->stage[0].columns.length)
		return all;
	return reuse == FFT_REUSE_BOTH && smooth->n_stages % 2 ? all - 2 : all - 1;
}

static size_t work_bytes(const struct fft_plan *plan, size_t batch, enum fft_reuse reuse)
{
	return plan->is_long ? batch * own_buffers(plan, reuse) * plan->smooth.between_bytes : 0;
}

/* The buffers of a long transform. */
static void place_buffers(const struct fft_plan *plan, const struct fft_call *call, size_t b, void *between[2])
{
	const size_t bytes = plan->smooth.between_bytes, own = own_buffers(plan, call->reuse);
	const unsigned of_out = plan->smooth.n_stages % 2 ? 0 : 1;
	char *work = own ? (char *)call->work + b * own * bytes : NULL;

	between[0] = work;
	between[1] = own == 2 ? work + bytes : NULL;
	if (own == buffers(plan))
		return;
	between[of_out] = fft_at(plan, call->out, b * call->out_distance);
	between[!of_out] = own ? work : fft_at(plan, call->in, b * call->in_distance);
}

/* Transforms that go through their stages together, to fill `together` blocks of the first. */
static size_t gang(const struct fft_plan *plan)
{
	const size_t gang = plan->smooth.together / plan->smooth.stage[0].items;

	return gang ? gang : 1;
}

static size_t scratch_bytes(const struct fft_plan *plan)
{
	const struct fft_smooth *smooth = &plan->smooth;

	return smooth->together * smooth->columns_bytes +
	       (plan->is_long ? 0 : gang(plan) * buffers(plan) * smooth->between_bytes);
}

/* Blocks on their way to the kernels. */
struct queue {
	const struct fft_plan *plan;
	const struct fft_call *call;
	void *scratch;
	unsigned stage;
	size_t count;
	struct fft_place at[FFT_MAX_TOGETHER];
};

static void flush(struct queue *queue)
{
	const struct fft_plan *plan = queue->plan;

	if (queue->stage == 0)
		plan->ops->first(&plan->smooth, queue->call, queue->at, queue->count, queue->scratch);
	else if (queue->stage + 1 == plan->smooth.n_stages)
		plan->ops->last(&plan->smooth, queue->call, queue->at, queue->count, queue->scratch);
	else
		plan->ops->middle(&plan->smooth, queue->stage, queue->at, queue->count, queue->scratch);
	queue->count = 0;
}

static void push(struct queue *queue, const struct fft_place *at)
{
	struct fft_place *to = &queue->at[queue->count++];

	/* Member by member: a copy in wide loads would wait for the narrow stores. */
	to->b = at->b, to->p = at->p, to->rep = at->rep, to->lane = at->lane;
	to->between[0] = at->between[0], to->between[1] = at->between[1];
	if (queue->count == queue->plan->smooth.together)
		flush(queue);
}

/* Items are counted by lanes, then repetitions, then rows. */
static void run_items(struct queue *queue, size_t begin, size_t end)
{
	const struct fft_plan *plan = queue->plan;
	const struct fft_stage *stage = &plan->smooth.stage[queue->stage];
	const size_t lanes = plan->ops->lanes, blocks = plan->smooth.row / lanes;

	for (size_t i = begin; i < end; i++) {
		const size_t item = i % stage->items, row = item / blocks;
		struct fft_place at = {.b = i / stage->items, .p = item * lanes};

		place_buffers(plan, queue->call, at.b, at.between);
		if (queue->stage > 0) {
			at.p = row / stage->reps;
			at.rep = row % stage->reps;
			at.lane = item % blocks * lanes;
		}
		push(queue, &at);
	}
	flush(queue);
}

/* Transforms of one stage each, LANES at once. */
static void run_direct(const struct fft_plan *plan, const struct fft_call *call, size_t begin, size_t end,
		       void *scratch)
{
	const size_t lanes = plan->ops->lanes;

	if (plan->smooth.group_rows && plan->ops->short_rows && call->in_stride == 1 && call->out_stride == 1) {
		plan->ops->short_rows(&plan->smooth, call, begin, end - begin);
		return;
	}
	for (size_t b = begin; b < end; b += lanes)
		plan->ops->direct(&plan->smooth, call, b, size_min(lanes, end - b), scratch);
}

/* All blocks of one stage of one transform. */
static void push_stage(struct queue *queue, struct fft_place *at)
{
	const struct fft_smooth *smooth = &queue->plan->smooth;
	const struct fft_stage *stage = &smooth->stage[queue->stage];
	const size_t lanes = queue->plan->ops->lanes;

	at->rep = at->lane = 0;
	if (queue->stage == 0) {
		for (at->p = 0; at->p < stage->m; at->p += lanes)
			push(queue, at);
		return;
	}
	for (at->p = 0; at->p < stage->m; at->p++)
		for (at->rep = 0; at->rep < stage->reps; at->rep++)
			for (at->lane = 0; at->lane < smooth->row; at->lane += lanes)
				push(queue, at);
}

/* Transforms of several stages, `gang` at a time wholly in scratch. */
static void run_short(struct queue *queue, size_t begin, size_t end)
{
	const struct fft_plan *plan = queue->plan;
	const size_t bytes = plan->smooth.between_bytes;
	char *work = (char *)queue->scratch + plan->smooth.together * plan->smooth.columns_bytes;

	if (plan->smooth.flat && queue->call->in_stride == 1 && queue->call->out_stride == 1) {
		begin += plan->ops->flat(&plan->smooth, queue->call, begin, end - begin, work);
	}
	for (size_t b = begin; b < end; b += gang(plan))
		for (queue->stage = 0; queue->stage < plan->smooth.n_stages; queue->stage++) {
			for (size_t i = 0; i < gang(plan) && b + i < end; i++) {
				char *own = work + i * buffers(plan) * bytes;
				struct fft_place at = {.b = b + i, .between = {own, own + bytes}};

				push_stage(queue, &at);
			}
			flush(queue);
		}
}

static void run_unit(const struct fft_plan *plan, const struct fft_call *call, size_t phase, size_t unit, void *scratch)
{
	const size_t size = unit_size(plan, phase), begin = unit * size;
	const size_t end = size_min(begin + size, total(plan, phase, call->batch));
	struct queue queue = {.plan = plan, .call = call, .scratch = scratch, .stage = (unsigned)phase};

	if (plan->is_long)
		run_items(&queue, begin, end);
	else if (plan->smooth.n_stages == 1)
		run_direct(plan, call, begin, end, scratch);
	else
		run_short(&queue, begin, end);
}

static const struct fft_kind kind_smooth = {step,       release,       phases,          units,
					    work_bytes, scratch_bytes, fft_pair_either, run_unit};

int fft_plan_create_smooth(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan)
{
	struct fft_plan *plan = fft_plan_allocate(n, precision, features);
	struct fft_smooth *smooth;
	size_t lanes;

	if (!plan)
		return -ERROR_NO_MEMORY;
	smooth = &plan->smooth;
	lanes = plan->ops->lanes;
	plan->kind = &kind_smooth;
	factor_stages(n, lanes, smooth);
	smooth->columns_bytes =
		fft_round_line(2 * fft_columns_bytes(max_column(smooth), lanes, tables_real_bytes(plan->precision)));
	/* Whole blocks of columns. */
	smooth->between_bytes = fft_round_line((smooth->stage[0].m + lanes - 1) / lanes * lanes * smooth->row *
					       fft_pair_bytes(plan));
	smooth->together = 2 * TOGETHER_BYTES / smooth->columns_bytes;
	smooth->together = smooth->together < 1 ? 1 : size_min(smooth->together, FFT_MAX_TOGETHER);
	plan->cost_ns = operation_ns(plan) * factor_cost(smooth, lanes);
	plan->is_long = smooth->n_stages > 1 &&
			(plan->cost_ns > FFT_LONG_NS || buffers(plan) * smooth->between_bytes > MAX_BETWEEN_BYTES);
	smooth->far = plan->is_long && smooth->between_bytes > FAR_BYTES;
	*ret_plan = plan;
	return 0;
}
