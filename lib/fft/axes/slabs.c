/* SPDX-License-Identifier: Apache-2.0 */
/* Short transforms along several axes, slab by slab.
 *
 * Between the passes a slab lies in scratch. Stores to memory that no near cache holds would read it first; so only the last pass
 * writes to the output, around the caches where that is large. Where it cannot do that, slabs stay in the output if the elements of all
 * passes do: a later pass finds them in the near cache. So does an array of one chunk, which is a single slab. Each element goes
 * through the same transforms in the same order as pass by pass. */
#include "base/chunk.h"
#include "fft/axes/axes_core.h"

enum {
	LEAST_BYTES = 32 << 10,  /* of a slab: with less, starting each axis of it takes longer than what is saved */
	CHUNK_BYTES = 256 << 10, /* of several slabs */
	/* What the transforms of a chunk may take, by first values, beside the copies into scratch and out of it. */
	CHUNK_NS = CHUNK_ESTIMATE_NS * 4 / 5,
	SLABS_EACH = 2,          /* of a thread, at least: else the threads share the axes one by one */
	CHUNKS_EACH = 8,         /* of a thread, while slabs are small */
	ONE_PASS = 16, /* columns up to here have one pass of their kernel, which never writes around the caches */
};

/* How the array of some passes is cut. */
struct slabs {
	enum array from, to;
	uint32_t inner;       /* mask of the axes of a slab */
	struct loops outer;
	size_t count;
	size_t bytes;         /* of one, the most before, between and after the transforms */
	size_t between_bytes; /* of one, in scratch; 0: none lies there */
	double ns;            /* that its transforms take, by first values */
};

/* Returns the axes that a slab has: those of the passes, and all whose elements are nearer than these. */
static uint32_t find_inner(const struct layout *layout, const struct slabs *slabs, unsigned first, unsigned end)
{
	const size_t *in = layout->stride[slabs->from], *out = layout->stride[slabs->to];
	size_t most_in = 0, most_out = 0;
	uint32_t inner = 0;

	for (unsigned i = first; i < end; i++) {
		most_in = size_max(most_in, in[i]);
		most_out = size_max(most_out, out[i]);
	}
	for (unsigned i = 0; i < layout->n_axes; i++)
		if ((i >= first && i < end) || in[i] <= most_in || out[i] <= most_out)
			inner |= UINT32_C(1) << i;
	return inner;
}

/* Returns whether all passes but the last write where that does. */
static bool stays_there(const struct layout *layout, unsigned first, unsigned end)
{
	for (unsigned i = first; i < end; i++)
		if (layout_to(layout, i) != layout_to(layout, end - 1))
			return false;
	return true;
}

/* Returns whether transforms from scratch to the output are fast: rows, or columns of whole lines of memory. */
static bool writes_lines(const struct layout *layout, const struct fft_pass *pass)
{
	const struct fft_plan *plan = layout->problem->along[pass->transform].plan;

	return pass->out.stride <= 2 || (pass->out.stride * pass->out.size % LINE_BYTES == 0 &&
					 (pass->out.n > ONE_PASS || !fft_takes_columns(plan) || pass->batch < VECTOR));
}

/* Describes the slabs of passes that were cut one by one. */
static struct slabs find_slabs(struct layout *layout, const struct fft_pass *pass, unsigned first, unsigned end)
{
	struct slabs slabs = {.from = layout_from(layout, first), .to = layout_to(layout, end - 1), .count = 1};

	for (unsigned i = first; i < end; i++) {
		slabs.bytes = size_max(slabs.bytes, pass[i].all * size_max(pass[i].in.n * pass[i].in.size,
									       pass[i].out.n * pass[i].out.size));
		slabs.ns += pass[i].cost_ns;
	}
	slabs.inner = slabs.bytes <= UNIT_BYTES ? UINT32_MAX : find_inner(layout, &slabs, first, end);
	slabs.outer = layout_loops(layout, ~slabs.inner, first, slabs.from, slabs.to);
	for (unsigned i = 0; i < slabs.outer.n; i++)
		slabs.count *= slabs.outer.at[i].n;
	slabs.bytes /= slabs.count;
	slabs.ns /= (double)slabs.count;
	if (!stays_there(layout, first, end) || (slabs.count == 1 ? slabs.bytes > UNIT_BYTES : writes_lines(layout, &pass[end - 1])))
		slabs.between_bytes = layout_compact(layout, slabs.inner, first + 1, slabs.from, true, ARRAY_SCRATCH);
	return slabs;
}

/* Cuts the passes so that they run slab by slab. */
static void cut_passes(const struct layout *layout, const struct slabs *slabs, struct fft_pass *pass, unsigned first, unsigned end)
{
	for (unsigned i = first; i < end; i++) {
		pass[i].from = i == first || !slabs->between_bytes ? layout_from(layout, i) : ARRAY_SCRATCH;
		pass[i].to = i + 1 == end || !slabs->between_bytes ? layout_to(layout, i) : ARRAY_SCRATCH;
		pass[i].apart = slabs->from != slabs->to && (slabs->between_bytes || i == first) &&
				(slabs->from == ARRAY_WORK || layout->problem->apart);
		if (i + 1 < end)
			pass[i].kept = FFT_KEPT_NEAR;
		layout_pass(layout, slabs->inner, i, &pass[i]);
		cut_pass(layout, layout->machine->scratch_bytes / 2, &pass[i]);
	}
}

/* Returns whether whole transforms of all passes are chunks, and the elements between them are the same. */
static bool is_chain(const struct layout *layout, const struct fft_pass *pass, unsigned first, unsigned end)
{
	for (unsigned i = first; i < end; i++) {
		const struct fft_plan *plan = layout->problem->along[i].plan;

		if (!pass[i].piece || fft_scratch_bytes(plan) > layout->machine->scratch_bytes / 2)
			return false;
		if (i > first && i + 1 < end && pass[i].in.size != pass[i].out.size)
			return false;
	}
	return true;
}

/* Returns whether slabs are faster than pass by pass. */
static bool is_faster(const struct layout *layout, const struct slabs *slabs, const struct fft_pass *last)
{
	const struct fft_machine *machine = layout->machine;

	if (slabs->between_bytes > machine->scratch_bytes / 2)
		return false;
	if (slabs->count == 1 && slabs->bytes <= UNIT_BYTES)
		return true;
	return slabs->bytes >= LEAST_BYTES && slabs->bytes <= machine->near_bytes / 2 && slabs->ns <= CHUNK_NS &&
	       (machine->threads == 1 || slabs->count >= SLABS_EACH * machine->threads) &&
	       (!slabs->between_bytes || writes_lines(layout, last));
}

/* Returns how many slabs make a chunk. */
static size_t find_at_once(const struct fft_machine *machine, const struct slabs *slabs)
{
	const size_t share = slabs->count / (CHUNKS_EACH * machine->threads);
	const size_t most = size_min((size_t)(CHUNK_NS / slabs->ns), CHUNK_BYTES / slabs->bytes);

	return size_max(size_min(most, share), 1);
}

bool slabs_cut(struct layout *layout, struct fft_axes *axes, unsigned first, unsigned end)
{
	struct fft_pass *pass = axes->pass;
	struct slabs slabs;

	for (unsigned i = first; i < end; i++)
		if (!pass[i].piece)
			return false;
	slabs = find_slabs(layout, pass, first, end);
	if (!is_faster(layout, &slabs, &pass[end - 1]))
		return false;
	cut_passes(layout, &slabs, pass, first, end);
	if (!is_chain(layout, pass, first, end))
		return false;
	pass[first].count = end - first;
	pass[first].slabs = slabs.outer;
	pass[first].n_slabs = slabs.count;
	pass[first].slabs_at_once = find_at_once(layout->machine, &slabs);
	pass[first].between_bytes = slabs.between_bytes;
	return true;
}

/* Runs the transforms along one axis of a slab. */
static void run_pass(const struct fft_pass *pass, const struct pass_io *io, void *scratch)
{
	if (pass_is_rows(pass)) {
		for (size_t call = 0; call < pass->calls; call++)
			short_run(pass, io, call, 1, 0, pass->batch, scratch);
		return;
	}
	for (size_t call = 0; call < pass->calls; call += pass->at_once)
		for (size_t first = 0; first < pass->batch; first += pass->piece)
			short_run(pass, io, call, size_min(pass->at_once, pass->calls - call), first,
				  size_min(pass->piece, pass->batch - first), scratch);
}

/* Runs all passes of a slab: from the input to scratch, there, and to the output. */
static void run_slab(const struct fft_pass *group, const struct staged_io *io, const char *in, char *out, char *scratch)
{
	for (const struct fft_pass *pass = group; pass < group + group->count; pass++) {
		const struct pass_io at = {
			.plan = io->tables[pass->transform],
			.in = pass->from == ARRAY_SCRATCH ? scratch : pass == group ? in : out,
			.out = pass->to == ARRAY_SCRATCH ? scratch : out,
		};

		run_pass(pass, &at, scratch + group->between_bytes);
	}
}

void slabs_run_chunk(const struct fft_pass *pass, const struct staged_io *io, const char *in, char *out, size_t chunk, void *scratch)
{
	const size_t begin = chunk * pass->slabs_at_once, end = size_min(begin + pass->slabs_at_once, pass->n_slabs);
	const size_t in_size = pass->in.size, out_size = pass[pass->count - 1].out.size;

	for (size_t slab = begin; slab < end; slab++)
		run_slab(pass, io, in + loops_in(&pass->slabs, slab) * in_size, out + loops_out(&pass->slabs, slab) * out_size,
			 scratch);
}
