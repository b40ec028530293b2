/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of lengths without a prime factor above 13.
 *
 * A short transform runs in scratch. One that would take too long or leave the cache runs in one phase for each stage,
 * whose chunks are groups of blocks. Both ways call the same kernels, so the bytes are the same. */
#include "fft/plan/smooth.h"

#include "base/checked.h"
#include "base/chunk.h"
#include "base/cpu.h"
#include "base/error.h"
#include "base/store_around.h"
#include "fft/plan/factor.h"

/* A transform with larger buffers between stages is cut into phases: a thread's scratch stays within half of a
 * second-level cache. */
enum { MAX_BETWEEN_BYTES = 288 << 10 };

/* Larger buffers between stages leave the caches near a core. */
enum { FAR_BYTES = 4 << 20 };

/* Buffers that a shared cache no longer holds when the next stage reads them, beside input and output (of 32 MiB: three such),
 * or two that are far. A store to memory that no cache holds reads its line first, so these are stored around the caches
 * (measured: 5 to 20 % less time). */
enum { BEYOND_BYTES = 11 << 20 };

/* The least number of chunks in a stage of a long transform. The shortest of them would otherwise have one chunk for all threads, or
 * two of unequal size. */
enum { MIN_CHUNKS = 4 };

/* The longest transform whose stages are joined for transforms as lanes. Longer ones are faster as rows of a copy, since each pass
 * goes through both column buffers, 256 KiB with 1024 points (measured: 1.15 times as long). */
enum { JOINED_MAX = 512 };

/* The column buffers of blocks that run interleaved: well within a first-level cache. */
enum { TOGETHER_BYTES = 9 << 10 };

static struct fft_smooth *smooth_of(const struct fft_plan *plan)
{
	return &((struct fft_smooth_plan *)plan)->smooth;
}

static struct fft_plan *narrow_of(const struct fft_plan *plan)
{
	return ((struct fft_smooth_plan *)plan)->narrow;
}

/* Returns an upper estimate of the time of one vector operation. */
static double operation_ns(const struct fft_plan *plan)
{
	return plan->ops->lanes == 1 ? 0.45 : 0.35;
}

/* Returns the estimated time of an item. Items whose rows come from memory take half as long again. */
static double item_ns(const struct fft_plan *plan, unsigned stage)
{
	return (smooth_of(plan)->exceeds_l2 ? 1.5 : 1) * operation_ns(plan) *
	       factor_item_cost(smooth_of(plan), stage, plan->ops->lanes);
}

/* Returns what follows `numbers` so that rows so far apart share no sets of a cache: two lines where it is whole pages. */
static size_t padding(const struct fft_plan *plan, size_t numbers)
{
	enum { PAGE = 4096, LINES = 128 };

	return numbers * fft_pair_bytes(plan) % PAGE == 0 ? LINES / fft_pair_bytes(plan) : 0;
}

/* Pads the columns of the buffer that the last stage reads, since the caller's output can replace the other one. A block of the first
 * stage writes rows side by side, so no padding may come within these. */
static void pad_columns(struct fft_plan *plan)
{
	struct fft_smooth *smooth = smooth_of(plan);

	for (unsigned i = 1; i < smooth->n_stages; i++) {
		struct fft_stage *stage = &smooth->stage[i];
		const bool reads_last = (smooth->n_stages - 1 - i) % 2 == 0;
		const bool ends_blocks = i > 1 || stage->m % plan->ops->lanes == 0;
		const size_t step = stage->m * stage->reps * smooth->pitch;

		stage->step = step + (reads_last && ends_blocks ? padding(plan, step) : 0);
		smooth->padded |= stage->step > step;
	}
}

/* Sets how rows lie between stages, and the bytes of a buffer of them. */
static void place_rows(struct fft_plan *plan)
{
	struct fft_smooth *smooth = smooth_of(plan);
	const size_t lanes = plan->ops->lanes, whole_blocks = (smooth->stage[0].m + lanes - 1) / lanes * lanes;
	size_t most;

	smooth->pitch = smooth->row;
	if (smooth->n_stages == 2) /* each row is the next one of a column */
		smooth->pitch += padding(plan, smooth->row);
	pad_columns(plan);
	most = whole_blocks * smooth->pitch;
	for (unsigned i = 1; i < smooth->n_stages; i++)
		most = size_max(most, smooth->stage[i].columns.length * smooth->stage[i].step);
	smooth->between_bytes = fft_round_line(most * fft_pair_bytes(plan));
}

static size_t longest_column(const struct fft_smooth *smooth)
{
	size_t most = 1;

	for (unsigned i = 0; i < smooth->n_stages; i++)
		if (smooth->stage[i].columns.length > most)
			most = smooth->stage[i].columns.length;
	return most;
}

/* Returns how many buffers between stages a transform needs: with more than two stages they take turns. */
static size_t count_buffers(const struct fft_plan *plan)
{
	return smooth_of(plan)->n_stages < 3 ? smooth_of(plan)->n_stages - 1 : 2;
}

static int build_piece(struct fft_plan *plan)
{
	struct fft_plan *narrow = narrow_of(plan);
	int rc = tables_step(&((struct fft_smooth_plan *)plan)->tables, plan->precision, plan->ops->lanes, smooth_of(plan), &plan->bytes);

	if (rc != 0 || !narrow)
		return rc;
	rc = fft_plan_step(narrow);
	if (rc == 0)
		plan->bytes += fft_plan_bytes(narrow);
	return rc;
}

static void free_tables(struct fft_plan *plan)
{
	fft_plan_free(narrow_of(plan));
	tables_free(&((struct fft_smooth_plan *)plan)->tables);
	tables_free_smooth(smooth_of(plan));
}

static size_t count_phases(const struct fft_plan *plan)
{
	return plan->is_long ? smooth_of(plan)->n_stages : 1;
}

/* Returns how many short transforms run together. One-stage transforms fill whole vectors. */
static size_t group_size(const struct fft_plan *plan)
{
	if (smooth_of(plan)->n_stages == 1)
		return plan->ops->lanes;
	return smooth_of(plan)->flat_rows ? smooth_of(plan)->flat : 1;
}

/* Returns the transforms (short) or items (long) of a chunk. */
static size_t chunk_size(const struct fft_plan *plan, size_t phase)
{
	if (!plan->is_long)
		return plan->chunk;
	return size_min(fft_count_per_chunk(item_ns(plan, (unsigned)phase)),
			(smooth_of(plan)->stage[phase].items + MIN_CHUNKS - 1) / MIN_CHUNKS);
}

static size_t count_items(const struct fft_plan *plan, size_t phase, size_t batch)
{
	return plan->is_long ? batch * smooth_of(plan)->stage[phase].items : batch;
}

static size_t count_chunks(const struct fft_plan *plan, size_t phase, size_t batch)
{
	const size_t size = chunk_size(plan, phase);

	return (count_items(plan, phase, batch) + size - 1) / size;
}

/* Returns how many buffers of a long transform need `work`. Where rows are as long as columns, the output can be the buffer that
 * the last stage does not read; without padding, the input can be the other one, if the first stage does not write that. */
static size_t own_buffers(const struct fft_plan *plan, enum fft_reuse reuse)
{
	const struct fft_smooth *smooth = smooth_of(plan);
	const size_t all = count_buffers(plan);

	if (reuse == FFT_REUSE_NONE || smooth->n_stages < 3 || smooth->row != smooth->stage[0].columns.length)
		return all;
	return reuse == FFT_REUSE_BOTH && smooth->n_stages % 2 && !smooth->padded ? all - 2 : all - 1;
}

/* Only a long transform keeps numbers outside scratch between its phases. */
static size_t work_bytes(const struct fft_plan *plan, size_t batch, enum fft_reuse reuse)
{
	return plan->is_long ? batch * own_buffers(plan, reuse) * smooth_of(plan)->between_bytes : 0;
}

/* Finds the buffers of transform b of a long call. */
static void place_buffers(const struct fft_plan *plan, const struct fft_call *call, size_t b, void *between[2])
{
	const size_t bytes = smooth_of(plan)->between_bytes, own = own_buffers(plan, call->reuse);
	const unsigned of_out = smooth_of(plan)->n_stages % 2 ? 0 : 1;
	char *work = own ? (char *)call->work + b * own * bytes : NULL;

	between[0] = work;
	between[1] = own == 2 ? work + bytes : NULL;
	if (own == count_buffers(plan))
		return;
	between[of_out] = fft_at(plan, call->out, b * call->out_distance);
	between[!of_out] = own ? work : fft_at(plan, call->in, b * call->in_distance);
}

/* Returns how many transforms go through their stages together, to fill `together` blocks of the first one. */
static size_t transforms_together(const struct fft_plan *plan)
{
	const size_t transforms_together = smooth_of(plan)->together / smooth_of(plan)->stage[0].items;

	return transforms_together ? transforms_together : 1;
}

/* A short transform keeps everything in scratch, a long one only its column buffers. */
static size_t scratch_bytes(const struct fft_plan *plan, size_t batch)
{
	const struct fft_smooth *smooth = smooth_of(plan);

	(void)batch;
	return smooth->together * smooth->columns_bytes +
	       (plan->is_long ? 0 : transforms_together(plan) * count_buffers(plan) * smooth->between_bytes);
}

/* Collects blocks of one stage until a kernel can take `together` of them. */
struct queue {
	const struct fft_plan *plan;
	const struct fft_call *call;
	void *scratch;
	unsigned stage;
	size_t count;
	struct fft_place at[FFT_MAX_TOGETHER];
};

/* Places that no block has are not initialised: a short transform alone takes no longer than that would. */
static void init_queue(struct queue *queue, const struct fft_plan *plan, const struct fft_call *call, void *scratch)
{
	queue->plan = plan;
	queue->call = call;
	queue->scratch = scratch;
	queue->stage = 0;
	queue->count = 0;
}

/* Runs the collected blocks by the kernel of their place among the stages. */
static void flush_queue(struct queue *queue)
{
	const struct fft_plan *plan = queue->plan;

	if (queue->stage == 0)
		plan->ops->first(smooth_of(plan), queue->call, queue->at, queue->count, queue->scratch);
	else if (queue->stage + 1 == smooth_of(plan)->n_stages)
		plan->ops->last(smooth_of(plan), queue->call, queue->at, queue->count, queue->scratch);
	else
		plan->ops->middle(smooth_of(plan), queue->stage, queue->at, queue->count, queue->scratch);
	queue->count = 0;
}

static void push_block(struct queue *queue, const struct fft_place *at)
{
	struct fft_place *to = &queue->at[queue->count++];

	/* Member by member: a copy by wide loads would stall on the narrow stores before it. */
	to->b = at->b, to->p = at->p, to->rep = at->rep, to->lane = at->lane;
	to->between[0] = at->between[0], to->between[1] = at->between[1];
	if (queue->count == smooth_of(queue->plan)->together)
		flush_queue(queue);
}

/* Runs items [begin, end) of a stage. An item index counts lanes fastest, then repetitions, then rows. */
static void run_items(const struct fft_plan *plan, const struct fft_call *call, unsigned phase, size_t begin, size_t end, void *scratch)
{
	const struct fft_stage *stage = &smooth_of(plan)->stage[phase];
	struct queue queue;
	const size_t lanes = plan->ops->lanes, blocks = smooth_of(plan)->row / lanes;

	init_queue(&queue, plan, call, scratch);
	queue.stage = phase;
	for (size_t i = begin; i < end; i++) {
		const size_t item = i % stage->items, row = item / blocks;
		struct fft_place at = {.b = i / stage->items, .p = item * lanes};

		place_buffers(plan, call, at.b, at.between);
		if (phase > 0) {
			at.p = row / stage->reps;
			at.rep = row % stage->reps;
			at.lane = item % blocks * lanes;
		}
		push_block(&queue, &at);
	}
	flush_queue(&queue);
	store_around_end();
}

/* Returns how many of so many contiguous transforms fill no vector, where those go by narrower ones. */
static size_t count_left(const struct fft_plan *plan, size_t count)
{
	const struct fft_smooth_plan *smooth_plan = (const struct fft_smooth_plan *)plan;

	return smooth_plan->narrow ? count & (smooth_plan->per_vector - 1) : 0;
}

/* Runs contiguous transforms that share vectors, without a buffer. */
static void run_rows(const struct fft_plan *plan, const struct fft_call *call, size_t begin, size_t end)
{
	const size_t left = count_left(plan, end - begin);

	if (end - begin > left)
		plan->ops->short_rows(smooth_of(plan), call, begin, end - begin - left);
	if (left > 0)
		narrow_of(plan)->ops->short_rows(smooth_of(narrow_of(plan)), call, end - left, left);
}

/* Runs contiguous transforms of a plan with flat_rows. */
static void run_flat(const struct fft_plan *plan, const struct fft_call *call, size_t begin, size_t end, void *scratch)
{
	const size_t left = count_left(plan, end - begin);

	if (end - begin > left)
		plan->ops->flat(smooth_of(plan), call, begin, end - begin - left, scratch);
	if (left > 0)
		narrow_of(plan)->ops->flat(smooth_of(narrow_of(plan)), call, end - left, left, scratch);
}

/* Runs one-stage transforms, `lanes` at once. */
static void run_direct(const struct fft_plan *plan, const struct fft_call *call, size_t begin, size_t end,
		       void *scratch)
{
	const size_t lanes = plan->ops->lanes;

	if (smooth_of(plan)->group_rows && plan->ops->short_rows && call->in_stride == 1 && call->out_stride == 1) {
		run_rows(plan, call, begin, end);
		return;
	}
	if (smooth_of(plan)->group_rows && plan->ops->short_columns && call->in_distance == 1 && call->out_distance == 1)
		begin += plan->ops->short_columns(smooth_of(plan), call, begin, end - begin);
	const size_t singles = call->in_stride == 1 && call->out_stride == 1 ? smooth_of(plan)->singles : 0;

	for (size_t b = begin; b < end; b += lanes)
		(end - b <= singles ? plan->ops->single : plan->ops->direct)(smooth_of(plan), call, b,
									     size_min(lanes, end - b), scratch);
	if (call->out_distance == 1 && call->in != call->out)
		store_around_end();
}

/* Queues all blocks of one stage of one transform. */
static void push_stage(struct queue *queue, struct fft_place *at)
{
	const struct fft_smooth *smooth = smooth_of(queue->plan);
	const struct fft_stage *stage = &smooth->stage[queue->stage];
	const size_t lanes = queue->plan->ops->lanes;

	at->rep = at->lane = 0;
	if (queue->stage == 0) {
		for (at->p = 0; at->p < stage->m; at->p += lanes)
			push_block(queue, at);
		return;
	}
	for (at->p = 0; at->p < stage->m; at->p++)
		for (at->rep = 0; at->rep < stage->reps; at->rep++)
			for (at->lane = 0; at->lane < smooth->row; at->lane += lanes)
				push_block(queue, at);
}

/* Runs the joined stages of transforms side by side. */
static void run_lanes(const struct fft_plan *plan, const struct fft_call *call, size_t begin, size_t end, void *scratch)
{
	const size_t lanes = plan->ops->lanes;

	for (size_t b = begin; b < end; b += lanes)
		plan->ops->direct(smooth_of(plan), call, b, size_min(lanes, end - b), scratch);
	if (call->in != call->out)
		store_around_end();
}

/* Runs transforms of several stages in scratch, transforms_together of them at a time. */
static void run_short(const struct fft_plan *plan, const struct fft_call *call, size_t begin, size_t end, void *scratch)
{
	const size_t bytes = smooth_of(plan)->between_bytes;
	char *work = (char *)scratch + smooth_of(plan)->together * smooth_of(plan)->columns_bytes;
	struct queue queue;

	if (smooth_of(plan)->flat_rows && plan->ops->flat && call->in_stride == 1 && call->out_stride == 1) {
		run_flat(plan, call, begin, end, work);
		return;
	}
	if (smooth_of(plan)->joined.length && call->as_lanes) {
		run_lanes(plan, call, begin, end, scratch);
		return;
	}
	init_queue(&queue, plan, call, scratch);
	for (size_t b = begin; b < end; b += transforms_together(plan))
		for (queue.stage = 0; queue.stage < smooth_of(plan)->n_stages; queue.stage++) {
			for (size_t i = 0; i < transforms_together(plan) && b + i < end; i++) {
				char *own = work + i * count_buffers(plan) * bytes;
				struct fft_place at = {.b = b + i, .between = {own, own + bytes}};

				push_stage(&queue, &at);
			}
			flush_queue(&queue);
		}
	if (call->batch > 1 || call->all > 1) /* one alone is not far */
		store_around_end();
}

/* The three ways differ in where numbers lie between stages; the kernels are the same. */
static void run_chunk(const struct fft_plan *plan, const struct fft_call *call, size_t phase, size_t chunk,
		      void *scratch)
{
	const size_t size = chunk_size(plan, phase), begin = chunk * size;
	const size_t end = size_min(begin + size, count_items(plan, phase, call->batch));

	if (plan->is_long)
		run_items(plan, call, (unsigned)phase, begin, end, scratch);
	else if (smooth_of(plan)->n_stages == 1)
		run_direct(plan, call, begin, end, scratch);
	else
		run_short(plan, call, begin, end, scratch);
}

static const struct fft_kind kind_smooth = {build_piece, free_tables,   count_phases,         count_chunks,
					    work_bytes,  scratch_bytes, fft_complex_in_bytes, run_chunk};

/* Where transforms share vectors, those too few to fill one leave lanes idle. Creates the plan that they go by, of vectors half as
 * wide, if there is such a variant: its bytes are the same. */
static int create_narrow(struct fft_plan *plan)
{
	const uint32_t features = plan->features & ~(uint32_t)CPU_AVX512;
	const struct fft_smooth *smooth = smooth_of(plan);
	const struct fft_ops *ops = fft_select(features)->ops[plan->precision];
	const size_t per_vector = smooth->group_rows ? plan->ops->lanes * smooth->group_rows / smooth->n : smooth->flat;
	struct fft_smooth_plan *smooth_plan = (struct fft_smooth_plan *)plan;

	if (plan->is_long || per_vector < 2 || !ops->flat || 2 * ops->lanes != plan->ops->lanes)
		return 0;
	smooth_plan->per_vector = per_vector;
	return fft_plan_create_smooth(plan->n, plan->precision, features, &smooth_plan->narrow);
}

/* All limits below choose only where numbers lie and how work is cut, never the arithmetic: that is factor_stages'. */
int fft_plan_create_smooth(uint64_t n, enum fft_precision precision, uint32_t features, struct fft_plan **ret_plan)
{
	struct fft_plan *plan = fft_plan_allocate(&kind_smooth, sizeof(struct fft_smooth_plan), n, precision, features);
	struct fft_smooth *smooth;
	size_t lanes;

	if (!plan)
		return -ERROR_NO_MEMORY;
	smooth = smooth_of(plan);
	lanes = plan->ops->lanes;
	factor_stages(n, fft_width(precision), smooth);
	factor_lay_out(smooth, lanes);
	if (smooth->flat_rows && n <= JOINED_MAX) {
		smooth->joined = factor_join_stages(smooth);
		plan->lanes_bytes = fft_round_line(2 * fft_columns_bytes(n, lanes, tables_real_bytes(plan->precision)));
	}
	plan->takes_columns = smooth->n_stages == 1 || smooth->joined.length; /* as the lanes of its vectors */
	smooth->lanes_dealt = plan->ops->lanes_dealt && (smooth->flat_rows || smooth->group_rows || smooth->single_flat);
	smooth->columns_bytes = fft_round_line(
		2 * fft_columns_bytes(longest_column(smooth), lanes, tables_real_bytes(plan->precision)));
	place_rows(plan);
	smooth->together = 2 * TOGETHER_BYTES / smooth->columns_bytes;
	smooth->together = smooth->together < 1 ? 1 : size_min(smooth->together, FFT_MAX_TOGETHER);
	smooth->singles = plan->ops->single ? factor_singles(smooth, lanes, plan->ops->flat != NULL) : 0;
	plan->cost_ns = operation_ns(plan) * factor_cost(smooth, lanes);
	plan->is_long = smooth->n_stages > 1 && (plan->cost_ns > CHUNK_ESTIMATE_NS ||
						 count_buffers(plan) * smooth->between_bytes > MAX_BETWEEN_BYTES);
	fft_plan_set_group(plan, group_size(plan));
	smooth->exceeds_l2 = plan->is_long && smooth->between_bytes > FAR_BYTES;
	smooth->exceeds_l3 = smooth->exceeds_l2 && (smooth->n_stages > 2 || smooth->between_bytes > BEYOND_BYTES);
	if (create_narrow(plan) < 0) {
		fft_plan_free(plan);
		return -ERROR_NO_MEMORY;
	}
	*ret_plan = plan;
	return 0;
}
