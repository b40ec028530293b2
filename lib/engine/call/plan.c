/* SPDX-License-Identifier: Apache-2.0 */
/* Builds a plan, and cuts it into segments: runs of element-wise steps that go through scratch block by block, and
 * steps that run by themselves.
 *
 *     steps      draw -> A     scale A -> B     add B, C -> out   |   fft out -> out   |   scale out -> D
 *     segments   0: one block of A, B and out after the other     |   1                |   2
 *
 * A and B live in slots of scratch, 8 KiB each: only segment 0 uses them. A temporary that several segments use has
 * memory from its first segment to its last. */
#include "engine/call/plan.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/chunk.h"
#include "engine/steps/step_table.h"

enum {
	CHUNK_BYTES = 64 * 1024, /* 16,384 words of the widest buffer */
	CHUNK_BYTES_MOST = 4 * CHUNK_BYTES,
	SLOTS_MAX = 24,        /* 192 KiB of scratch; at most 31, the bits of give_slots */
	CHUNK_MIN = 256,       /* elements; shorter chunks are not halved any more */
	CHUNKS_EACH = 8,        /* of a short segment, for each thread that may join */
	CHUNK_LEAST_NS = 4000,  /* by what was learned: below, too much is spent around it */
};

void *plan_grow(struct bump *bump, void *at, size_t count, size_t *room, size_t size)
{
	const size_t more = *room ? 2 * *room : 4;
	void *bigger;

	if (count < *room)
		return at;
	bigger = bump_alloc(bump, more * size);
	if (!bigger)
		return NULL;
	if (count)
		memcpy(bigger, at, count * size);
	*room = more;
	return bigger;
}

struct buffer *plan_buffer(struct plan *plan, enum buffer_kind kind, const struct shape *shape)
{
	struct buffer *buffer = bump_alloc(plan->bump, sizeof *buffer);
	struct buffer **at = plan_grow(plan->bump, plan->buffers, plan->n_buffers, &plan->buffers_room,
					  sizeof *at);

	if (!buffer || !at)
		return NULL;
	*buffer = (struct buffer){.kind = kind, .shape = *shape, .index = (unsigned)plan->n_buffers, .slot = -1};
	plan->buffers = at;
	plan->buffers[plan->n_buffers++] = buffer;
	return buffer;
}

struct step *plan_step(struct plan *plan, enum step_kind kind, struct buffer *in, struct buffer *out)
{
	struct step *at = plan_grow(plan->bump, plan->steps, plan->n_steps, &plan->steps_room, sizeof *at);
	struct step *step;

	if (!at)
		return NULL;
	plan->steps = at;
	step = &plan->steps[plan->n_steps++];
	*step = (struct step){.ops = step_ops(kind), .placement = -1, .in = {in}, .out = out, .transform = STEP_NO_TRANSFORM};
	return step;
}

int plan_add_transform(struct plan *plan, struct plan_key key, int *ret_transform)
{
	struct plan_key *at = plan_grow(plan->bump, plan->transforms, plan->n_transforms, &plan->transforms_room, sizeof *at);

	if (!at)
		return -ERROR_NO_MEMORY;
	plan->transforms = at;
	plan->transforms[plan->n_transforms] = key;
	*ret_transform = (int)plan->n_transforms++;
	return 0;
}

int plan_field(struct plan *plan, struct reply_field field)
{
	struct reply_field *at =
		plan_grow(plan->bump, plan->fields, plan->n_fields, &plan->fields_room, sizeof *at);

	if (!at)
		return -ERROR_NO_MEMORY;
	plan->fields = at;
	plan->fields[plan->n_fields++] = field;
	return 0;
}

/* --- segments --- */

/* Returns whether a step has nothing to write, or nobody reads what it writes and it reports nothing in the reply. A
 * producer's draw has no elements until its size is set (sampler.c). */
static bool is_dead(const struct plan *plan, const struct step *step)
{
	return (step->out->shape.n == 0 && !plan->is_background) ||
	       (step->out->kind == BUFFER_TEMP && !step->out->used && !step->ops->replies);
}

/* Drops steps without elements and steps whose results nobody reads, from the last to the first, so that those which
 * only fed them go as well. What cuts a step into chunks may therefore divide by sizes of its output. The steps that
 * are left move to the end of the array. */
static void drop_dead(struct plan *plan)
{
	size_t kept = plan->n_steps;

	for (size_t i = plan->n_steps; i-- > 0;) {
		const struct step *step = &plan->steps[i];

		if (is_dead(plan, step))
			continue;
		for (unsigned k = 0; k < STEP_INPUTS; k++)
			if (step->in[k])
				step->in[k]->used = true;
		if (--kept != i)
			plan->steps[kept] = *step;
	}
	plan->steps += kept;
	plan->n_steps -= kept;
}

/* Notes in which segments each buffer is first and last used, and takes its slot away. */
static void note_lives(struct plan *plan)
{
	for (size_t i = 0; i < plan->n_buffers; i++) {
		plan->buffers[i]->first = SIZE_MAX;
		plan->buffers[i]->slot = -1;
	}
	for (size_t s = 0; s < plan->n_segments; s++) {
		const struct segment *segment = &plan->segments[s];

		for (size_t i = segment->first; i < segment->first + segment->count; i++) {
			const struct step *step = &plan->steps[i];

			for (unsigned k = 0; k <= STEP_INPUTS; k++) {
				struct buffer *at = k < STEP_INPUTS ? step->in[k] : step->out;

				if (!at)
					continue;
				if (at->first == SIZE_MAX)
					at->first = s;
				at->last = s;
			}
		}
	}
}

/* Returns whether a later step of the segment reads the buffer. */
static bool used_later(const struct plan *plan, const struct segment *segment, size_t step,
		       const struct buffer *buffer)
{
	for (size_t i = step + 1; i < segment->first + segment->count; i++)
		for (unsigned k = 0; k < STEP_INPUTS; k++)
			if (plan->steps[i].in[k] == buffer)
				return true;
	return false;
}

static int take_slot(uint32_t *slots)
{
	const int slot = __builtin_ctz(~*slots);

	*slots |= UINT32_C(1) << slot;
	return slot;
}

/* Gives the segment's scratch values their slots: temporaries that it alone uses need no other memory. An input that this step is the last to read leaves its slot to the
 * output, which then overwrites it element by element; not where elements change their size. Returns the number of
 * steps that fit. */
static size_t give_slots(struct plan *plan, const struct segment *segment)
{
	uint32_t slots = 0;

	for (size_t i = segment->first; i < segment->first + segment->count; i++) {
		const struct step *step = &plan->steps[i];
		const bool changes_size = step->ops->changes_size;
		uint32_t dying = 0;

		for (unsigned k = 0; k < STEP_INPUTS; k++)
			if (step->in[k] && step->in[k]->slot >= 0 && !used_later(plan, segment, i, step->in[k]))
				dying |= UINT32_C(1) << step->in[k]->slot;
		if (!changes_size)
			slots &= ~dying;
		if (step->out->kind == BUFFER_TEMP && step->out->first == step->out->last) {
			if (__builtin_popcount(slots) >= SLOTS_MAX)
				return i - segment->first;
			step->out->slot = take_slot(&slots);
		}
		slots &= ~(changes_size ? dying : 0);
	}
	return segment->count;
}

/* Sets what the steps of a segment are like together. Its cost is learned with the step that takes most of it. */
static void measure_segment(const struct plan *plan, const struct bindings *bound, struct segment *segment)
{
	const struct step *steps = &plan->steps[segment->first], *dearest = steps;
	uint64_t most = 0;

	segment->bytes = 1;
	segment->ps = 1;
	segment->ns = 0;
	for (const struct step *step = steps; step < steps + segment->count; step++) {
		const uint64_t ps = step_is_elementwise(step) ? step->ops->element_ps(bound->engine, step) : 0;

		segment->bytes = size_max(segment->bytes, dtype_size(step->out->shape.dtype));
		for (unsigned k = 0; k < STEP_INPUTS; k++)
			if (step->in[k] && !step_reads_whole(step, step->in[k]))
				segment->bytes = size_max(segment->bytes, dtype_size(step->in[k]->shape.dtype));
		segment->ps += ps;
		dearest = ps > most ? step : dearest;
		most = ps > most ? ps : most;
		segment->ns += step_is_elementwise(step) ? 0 : step_cost_ns(bound, step);
	}
	if (step_is_elementwise(steps))
		segment->ns = (uint64_t)((double)segment->n * (double)segment->ps / 1000);
	segment->cost = step_cost(bound->engine, dearest);
}

/* Returns whether threads share a stage with a caller that waits for its end. */
static bool is_shared(const struct plan *plan)
{
	return plan->session->limits.shares_memory && !plan->is_background;
}

/* Returns what a chunk may take so that the threads which share an embedded call end at about the same time. */
static uint64_t chunk_share_ns(const struct plan *plan, const struct segment *segment, uint64_t ps)
{
	const unsigned threads = pool_threads(plan->session->engine->pool);
	const double ns = (double)segment->n * (double)ps / 1000;
	uint64_t share_ns;

	if (threads == 1 || !is_shared(plan) || ns > CHUNK_ESTIMATE_NS * 1000.0)
		return UINT64_MAX;
	share_ns = cost_expect(segment->cost, (uint64_t)ns) / (threads * CHUNKS_EACH);
	return share_ns > CHUNK_LEAST_NS ? share_ns : CHUNK_LEAST_NS;
}

/* A chunk is 16,384 words; but for a producer's, up to four times as many while each thread has some: to take, time and
 * count one costs as much as 5 % of a quick one of 64 KiB. */
static uint64_t chunk_bytes(const struct plan *plan, const struct segment *segment, size_t bytes)
{
	const unsigned threads = pool_threads(plan->session->engine->pool);
	const uint64_t share = segment->n / (threads == 1 ? 1 : threads * CHUNKS_EACH) * bytes;

	if (plan->is_background || share < CHUNK_BYTES)
		return CHUNK_BYTES;
	return share < CHUNK_BYTES_MOST ? share : CHUNK_BYTES_MOST;
}

/* Less than chunk_bytes where the steps together would take too long. */
static void size_segment(const struct plan *plan, const struct bindings *bound, struct segment *segment)
{
	uint64_t ps, share_ns;

	segment->n = plan->steps[segment->first].out->shape.n;
	measure_segment(plan, bound, segment);
	if (!step_is_elementwise(&plan->steps[segment->first]))
		return;
	ps = segment->ps;
	segment->chunk = (size_t)chunk_bytes(plan, segment, segment->bytes) / segment->bytes / CHUNK_MIN * CHUNK_MIN;
	share_ns = chunk_share_ns(plan, segment, ps);
	while (segment->chunk > CHUNK_MIN && (segment->chunk * ps / 1000 > CHUNK_ESTIMATE_NS ||
					      cost_expect(segment->cost, segment->chunk * ps / 1000) > share_ns))
		segment->chunk /= 2;
	segment->chunk_ns = size_min(segment->chunk, segment->n) * ps / 1000;
	segment->block = segment->count == 1 ? segment->chunk : size_min(segment->chunk, PLAN_BLOCK_BYTES / segment->bytes);
}

/* Returns whether this step must wait for the end of the segment: it reads elements of any index that a step there
 * writes, or the other way round. */
static bool must_wait(const struct plan *plan, const struct segment *segment, const struct step *step)
{
	for (size_t i = segment->first; i < segment->first + segment->count; i++)
		if (step_reads_whole(step, plan->steps[i].out) || step_reads_whole(&plan->steps[i], step->out))
			return true;
	return false;
}

/* Returns whether the step behind a segment may run in it, block by block with the steps before it. */
static bool fuses(const struct plan *plan, const struct segment *segment)
{
	const struct step *first = &plan->steps[segment->first], *step = first + segment->count;

	return step_is_elementwise(step) && step_is_elementwise(first) && first->out->shape.n == step->out->shape.n &&
	       !must_wait(plan, segment, step);
}

/* Segments of consecutive steps; `limit` cuts those that need too many values in scratch at once. */
static void cut_segments(struct plan *plan, size_t limit)
{
	plan->n_segments = 0;
	for (size_t i = 0; i < plan->n_steps; i++) {
		struct segment *last = plan->n_segments ? &plan->segments[plan->n_segments - 1] : NULL;

		if (last && last->count < limit && fuses(plan, last))
			last->count++;
		else
			plan->segments[plan->n_segments++] = (struct segment){.first = i, .count = 1};
	}
}

/* Shorter segments need fewer values at once, so this ends. */
static void assign_slots(struct plan *plan)
{
	size_t limit = plan->n_steps;
	bool fits;

	do {
		cut_segments(plan, limit);
		note_lives(plan);
		fits = true;
		for (size_t s = 0; s < plan->n_segments && fits; s++)
			if (step_is_elementwise(&plan->steps[plan->segments[s].first]))
				fits = give_slots(plan, &plan->segments[s]) == plan->segments[s].count;
		limit = fits ? limit : SLOTS_MAX;
	} while (!fits);
}

/* Returns the most bytes that temporaries and the steps' own work memory hold at once; UINT64_MAX: more than can be. */
static uint64_t temp_peak(const struct plan *plan)
{
	uint64_t peak = 0;

	for (size_t s = 0; s < plan->n_segments; s++) {
		const struct step *step = &plan->steps[plan->segments[s].first];
		uint64_t bytes = step->work_bytes;

		for (size_t i = 0; i < plan->n_buffers; i++) {
			const struct buffer *at = plan->buffers[i];

			if (at->kind == BUFFER_TEMP && at->slot < 0 && at->first <= s && s <= at->last)
				bytes = bytes > UINT64_MAX - at->shape.bytes ? UINT64_MAX : bytes + at->shape.bytes;
		}
		peak = bytes > peak ? bytes : peak;
	}
	return peak;
}

int plan_finish(struct plan *plan, const struct bindings *bound)
{
	drop_dead(plan);
	plan->segments = bump_alloc(plan->bump, (plan->n_steps + 1) * sizeof *plan->segments);
	if (!plan->segments)
		return -ERROR_NO_MEMORY;
	for (size_t i = 0; i < plan->n_steps; i++)
		if (step_cut(bound, plan->bump, &plan->steps[i]))
			return -ERROR_NO_MEMORY;
	assign_slots(plan);
	for (size_t s = 0; s < plan->n_segments; s++)
		size_segment(plan, bound, &plan->segments[s]);
	plan->temp_bytes = temp_peak(plan);
	return 0;
}
