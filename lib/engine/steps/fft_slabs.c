/* SPDX-License-Identifier: Apache-2.0 */
/* Between the axes a slab lies in scratch. Stores to memory that no near cache holds would read it first; so only the last axis
 * writes to the output, around the caches where that is large. An array of one chunk is a single slab, which stays in the
 * output. */
#include "engine/steps/fft_slabs.h"

#include "base/checked.h"
#include "engine/steps/fft_short.h"

enum {
	LEAST_BYTES = 32 << 10,  /* of a slab: with less, starting each axis of it takes longer than what is saved */
	CHUNK_BYTES = 256 << 10, /* of several slabs */
	CHUNK_NS = 120000,       /* what the transforms of a chunk may take, by first values */
	SLABS_EACH = 2,          /* of a thread, at least: else the threads share the axes one by one */
	CHUNKS_EACH = 8,         /* of a thread, while slabs are small */
};

/* How the array of some steps is cut. */
struct slabs {
	size_t count;
	size_t bytes;         /* of one, the most before, between and after the transforms */
	size_t between_bytes; /* of one, between the axes; 0: it lies in the array */
	size_t rows;          /* of one with two axes, whose rows are a line of memory apart between the axes; else 0 */
	double ns;            /* that its transforms take, by first values */
};

/* Returns the most bytes that the array has. */
static size_t most_bytes(const struct step *steps, size_t count)
{
	uint64_t most = steps->in[0]->shape.bytes;

	for (size_t i = 0; i < count; i++)
		most = steps[i].out->shape.bytes > most ? steps[i].out->shape.bytes : most;
	return (size_t)most;
}

/* Describes the slabs of steps whose array is not empty. */
static struct slabs find_slabs(const struct engine *engine, const struct step *steps, size_t count)
{
	const struct shape *shape = &steps->out->shape;
	struct slabs slabs = {.count = 1, .bytes = most_bytes(steps, count)};
	unsigned depth = shape->ndim;

	for (size_t i = 0; i < count; i++) {
		depth = steps[i].fft.axis < depth ? steps[i].fft.axis : depth;
		slabs.ns += (double)fft_axis_cost_ns(engine, &steps[i]);
	}
	if (slabs.bytes <= UNIT_BYTES)
		return slabs;
	for (unsigned i = 0; i < depth; i++)
		slabs.count *= (size_t)shape->dims[i];
	slabs.ns /= (double)slabs.count;
	slabs.bytes /= slabs.count;
	slabs.rows = shape->ndim - depth == 2 && shape->dims[depth + 1] > 1 ? (size_t)shape->dims[depth] : 0;
	slabs.between_bytes = round_line((size_t)shape->bytes / slabs.count) + slabs.rows * 2 * LINE_BYTES;
	return slabs;
}

/* Returns whether each step transforms what the one before has written, whole transforms in a chunk. */
static bool is_chain(const struct bindings *bound, const struct step *steps, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (!fft_axis_is_short(bound, &steps[i], pool_scratch_bytes(bound->engine->pool) / 2) ||
		    (i > 0 && steps[i].in[0] != steps[i - 1].out))
			return false;
	return true;
}

bool fft_slabs_fuse(const struct bindings *bound, const struct step *steps, size_t count)
{
	const struct engine *engine = bound->engine;
	const size_t threads = pool_threads(engine->pool);
	struct slabs slabs;

	if (!is_chain(bound, steps, count))
		return false;
	slabs = find_slabs(engine, steps, count);
	if (slabs.between_bytes == 0)
		return true;
	return slabs.between_bytes >= LEAST_BYTES && slabs.between_bytes <= pool_scratch_bytes(engine->pool) / 2 &&
	       slabs.bytes <= engine->near_bytes / 2 && slabs.ns <= CHUNK_NS &&
	       (threads == 1 || slabs.count >= SLABS_EACH * threads) && fft_axis_writes_lines(bound, &steps[count - 1]);
}

/* Returns how many slabs make a chunk. */
static size_t find_at_once(const struct engine *engine, const struct slabs *slabs)
{
	const size_t share = slabs->count / (CHUNKS_EACH * pool_threads(engine->pool));
	const size_t most = size_min((size_t)(CHUNK_NS / slabs->ns), CHUNK_BYTES / slabs->bytes);

	return size_max(size_min(most, share), 1);
}

/* Puts rows of two axes a line of memory apart: else the elements of columns would share few sets of the caches. */
static void spread_rows(const struct transform *t, size_t rows, struct side *side)
{
	const bool is_column = t->run.step->fft.axis + 1 < t->run.step->out->shape.ndim;
	size_t *pitch = is_column ? &side->stride : t->axis.stride == 1 ? &side->distance : &side->call_distance;

	if (rows == 0)
		return;
	*pitch = (round_line(*pitch * side->size) + LINE_BYTES) / side->size;
	if (is_column)
		side->call_distance = rows * *pitch;
}

void fft_slabs_cut(struct transform *t)
{
	const struct engine *engine = t->run.engine;
	const struct slabs slabs = find_slabs(engine, t->run.step, t->run.count);

	t->slabs = slabs.count;
	t->at_once = find_at_once(engine, &slabs);
	t->between_bytes = slabs.between_bytes;
	for (size_t i = 0; i < t->run.count; i++) {
		t[i].source = t->run.step->in[0];
		fft_axis_cut(&t[i], pool_scratch_bytes(engine->pool) / 2);
		t[i].pitch = 0;
		t[i].stays = t->between_bytes && i + 1 < t->run.count;
		if (t->between_bytes && i > 0)
			spread_rows(&t[i], slabs.rows, &t[i].axis.in);
		if (t[i].stays)
			spread_rows(&t[i], slabs.rows, &t[i].axis.out);
	}
}

size_t fft_slabs_chunks(const struct transform *t)
{
	return (t->slabs + t->at_once - 1) / t->at_once;
}

/* Runs the transforms along one axis of a slab. */
static void run_axis(const struct transform *t, size_t slabs, void *scratch)
{
	const size_t calls = t->axis.calls / slabs;

	if (t->axis.stride == 1) {
		fft_short_run(t, 0, 1, 0, t->axis.batch / slabs, scratch);
		return;
	}
	for (size_t call = 0; call < calls; call += t->calls)
		for (size_t first = 0; first < t->axis.batch; first += t->piece)
			fft_short_run(t, call, size_min(t->calls, calls - call), first,
				      size_min(t->piece, t->axis.batch - first), scratch);
}

/* Runs all axes of a slab: from the input to scratch, there, and to the output. */
static void run_slab(const struct transform *t, size_t slab, char *scratch)
{
	for (size_t i = 0; i < t->run.count; i++) {
		const struct step *step = t[i].run.step;
		struct transform axis = t[i];

		axis.in += step->in[0]->shape.bytes / t->slabs * slab;
		axis.out += step->out->shape.bytes / t->slabs * slab;
		if (t->between_bytes && i > 0)
			axis.in = scratch;
		if (axis.stays)
			axis.out = scratch;
		run_axis(&axis, t->slabs, scratch + t->between_bytes);
	}
}

void fft_slabs_run(const struct transform *t, size_t chunk, void *scratch)
{
	const size_t begin = chunk * t->at_once, end = size_min(begin + t->at_once, t->slabs);

	for (size_t slab = begin; slab < end; slab++)
		run_slab(t, slab, scratch);
}
