/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks, phases and memory of wrapped transforms. */
#include "fft/plan/wrapper.h"

#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/chunk.h"
#include "base/error.h"

enum {
	PIECE = 16384,           /* elements that a chunk packs or unpacks */
	ENTRIES_PER_STEP = 8192, /* table entries that one step builds: below CHUNK_MOST_NS */
	GROUP_BYTES = 32 << 10,  /* rows that are packed, transformed and unpacked together: the first-level cache */
};

/* Scratch of a short transform, with that of the inner ones, must fit a thread's (engine.c). */
enum { MAX_SCRATCH_BYTES = 768 << 10 };

/* Returns the bytes of all rows of one transform. */
static size_t set_bytes(const struct fft_plan *plan)
{
	return fft_wrapped_of(plan)->rows * fft_wrapped_of(plan)->row_bytes;
}

/* Returns how many transforms are packed before they are transformed together, so that their rows stay in the cache. */
static size_t group_size(const struct fft_plan *plan)
{
	const size_t fit = GROUP_BYTES / set_bytes(plan);

	return fit < 1 ? 1 : fit;
}

void fft_copy(char *to, size_t to_stride, const char *from, size_t from_stride, size_t count, size_t size)
{
	if (to_stride == 1 && from_stride == 1) {
		memcpy(to, from, count * size);
		return;
	}
	/* With a constant size, memcpy is one load and one store. */
#define COPY(bytes)                                                                                                    \
	case bytes:                                                                                                    \
		for (size_t i = 0; i < count; i++)                                                                     \
			memcpy(to + i * to_stride * bytes, from + i * from_stride * bytes, bytes);                     \
		break
	switch (size) {
		COPY(4);
		COPY(8);
		COPY(16);
	}
#undef COPY
}

/* ---- building ---- */

int fft_wrapper_table(struct fft_plan *plan, uint64_t order, size_t entries,
		      void (*put)(struct fft_wrapped *wrapped, size_t entry))
{
	const size_t bytes = fft_round_line(entries * fft_pair_bytes(plan));
	struct fft_wrapped *wrapped = fft_wrapped_of(plan);

	if (!wrapped->table) {
		wrapped->table = aligned_alloc(64, bytes);
		plan->bytes += bytes;
		return !wrapped->table || roots_create_rounded(order, plan->precision, &wrapped->roots) < 0 ? -ERROR_NO_MEMORY : 1;
	}
	if (roots_step(&wrapped->roots) > 0)
		return 1;
	for (size_t end = size_min(entries, wrapped->entry + ENTRIES_PER_STEP); wrapped->entry < end; wrapped->entry++)
		put(wrapped, wrapped->entry);
	if (wrapped->entry < entries)
		return 1;
	roots_free(&wrapped->roots);
	return 0;
}

/* The inner plan first: the wrapper's own tables may depend on it. */
static int build_piece(struct fft_plan *plan)
{
	const int rc = plan->inner->ready ? 0 : fft_plan_step(plan->inner);

	return rc != 0 ? rc : fft_wrapped_of(plan)->wrapper->step(plan);
}

static void free_tables(struct fft_plan *plan)
{
	roots_free(&fft_wrapped_of(plan)->roots);
	free(fft_wrapped_of(plan)->table);
}

/* ---- phases ---- */

static size_t in_bytes(const struct fft_plan *plan, bool inverse)
{
	return fft_wrapped_of(plan)->wrapper->in_bytes(plan, inverse);
}

/* Return where transform b of the caller begins. A side of reals counts its distance in reals. */
static const char *row_in(const struct fft_plan *plan, const struct fft_call *call, size_t b)
{
	return (const char *)call->in + b * call->in_distance * in_bytes(plan, call->inverse);
}

static char *row_out(const struct fft_plan *plan, const struct fft_call *call, size_t b)
{
	return (char *)call->out + b * call->out_distance * in_bytes(plan, !call->inverse);
}

/* The rows of a call's first transform, and the bytes from one transform's rows to those of the next. */
struct placement {
	struct fft_rows rows;
	size_t x_step, y_step;
};

/* Returns how many of a transform's rows x and y need `work`. The caller's output can be x: nothing reads it before
 * unpacking writes it. The caller's input can be y: it is written only when all input is packed. */
static size_t own_rows(const struct fft_plan *plan, enum fft_reuse reuse)
{
	if (!fft_wrapped_of(plan)->rows_fit_caller || reuse == FFT_REUSE_NONE)
		return 2;
	return reuse == FFT_REUSE_OUT ? 1 : 0;
}

static size_t own_bytes(const struct fft_plan *plan, size_t batch, enum fft_reuse reuse)
{
	return own_rows(plan, reuse) * batch * set_bytes(plan);
}

/* Returns the distance of the caller's input rows as the inner transform counts it. */
static size_t caller_distance(const struct fft_plan *plan, const struct fft_call *call, bool inner_inverse)
{
	return call->in_distance * in_bytes(plan, call->inverse) / fft_in_bytes(plan->inner, inner_inverse);
}

/* Returns whether a long call reads the caller's rows without packing: not where x, or the caller's own input as y, also
 * keeps the inner transform's numbers between its phases. */
static bool skips_packing(const struct fft_plan *plan, const struct fft_call *call)
{
	return fft_wrapped_of(plan)->wrapper->reads_caller && fft_wrapped_of(plan)->wrapper->reads_caller(plan, call) && call->reuse != FFT_REUSE_BOTH &&
	       fft_work_bytes_reusing(plan->inner, 1, FFT_REUSE_OUT) == fft_work_bytes_reusing(plan->inner, 1, FFT_REUSE_BOTH);
}

/* Returns whether the inner transform of a long call writes the caller's rows, which unpacking then changes in place: a row
 * less of memory. It needs x, which lies there, for nothing else. Vectors that cross lines would cost more than that saves. */
static bool writes_caller(const struct fft_plan *plan, const struct fft_call *call)
{
	enum { LINE = 64 };

	return fft_wrapped_of(plan)->wrapper->unpacks_in_place && fft_wrapped_of(plan)->wrapper->unpacks_in_place(plan, call) && skips_packing(plan, call) &&
	       own_rows(plan, call->reuse) == 1 && (uintptr_t)call->out % LINE == 0 &&
	       (call->batch == 1 || call->out_distance * in_bytes(plan, !call->inverse) % LINE == 0);
}

/* Returns where the rows of a long call lie. */
static struct placement place_rows(const struct fft_plan *plan, const struct fft_call *call)
{
	const size_t bytes = set_bytes(plan), own = own_rows(plan, call->reuse);
	struct placement at = {{call->work, call->work}, bytes, bytes};

	if (own == 2) {
		at.rows.y += call->batch * bytes;
		return at;
	}
	at.rows.x = row_out(plan, call, 0);
	at.x_step = call->out_distance * in_bytes(plan, !call->inverse);
	if (writes_caller(plan, call)) {
		at.rows.y = at.rows.x;
		at.y_step = at.x_step;
	}
	if (own == 0) {
		at.rows.y = (char *)call->in;
		at.y_step = call->in_distance * in_bytes(plan, call->inverse);
	}
	return at;
}

/* Describes the inner transforms of the rows of `batch` transforms. A long one may overwrite x. Written where it is read: a copy
 * by wide loads would stall on the narrow stores before it, for as long as a short transform takes. */
static void set_inner_call(const struct fft_plan *plan, const struct fft_call *call, const struct placement *at, size_t batch,
			   void *work, struct fft_call *ret_inner)
{
	const struct fft_wrapped *wrapped = fft_wrapped_of(plan);

	ret_inner->in = at->rows.x;
	ret_inner->out = at->rows.y;
	ret_inner->in_stride = ret_inner->out_stride = 1;
	ret_inner->work = work;
	ret_inner->reuse = plan->is_long ? FFT_REUSE_BOTH : FFT_REUSE_NONE;
	ret_inner->all = 0;
	ret_inner->kept = FFT_KEPT_SHARED;
	wrapped->wrapper->inner(plan, call, &ret_inner->inverse, &ret_inner->scale);
	ret_inner->in_distance = at->x_step / wrapped->rows / fft_in_bytes(plan->inner, ret_inner->inverse);
	ret_inner->out_distance = at->y_step / wrapped->rows / fft_in_bytes(plan->inner, !ret_inner->inverse);
	ret_inner->batch = batch * wrapped->rows;
}

static size_t count_phases(const struct fft_plan *plan)
{
	return plan->is_long ? 2 + fft_phases(plan->inner) : 1;
}

/* Returns the most elements that packing or unpacking counts, in either direction of the transform. */
static size_t longest_side(const struct fft_plan *plan)
{
	size_t most = 0;

	for (unsigned i = 0; i < 4; i++) {
		const size_t length = (i / 2 ? fft_wrapped_of(plan)->wrapper->in_length : fft_wrapped_of(plan)->wrapper->out_length)(plan, i % 2);

		most = length > most ? length : most;
	}
	return most;
}

/* Returns what a chunk packs or unpacks of each row, in elements. */
static size_t piece_length(const struct fft_plan *plan)
{
	return PIECE / fft_wrapped_of(plan)->rows;
}

/* Returns the chunks that the longer of packing and unpacking needs; the other has chunks that return at once. */
static size_t count_pieces(const struct fft_plan *plan)
{
	return (longest_side(plan) + piece_length(plan) - 1) / piece_length(plan);
}

static size_t count_chunks(const struct fft_plan *plan, size_t phase, size_t batch)
{
	if (!plan->is_long)
		return (batch + plan->chunk - 1) / plan->chunk;
	if (phase == 0 || phase + 1 == count_phases(plan))
		return batch * count_pieces(plan);
	return fft_chunks(plan->inner, phase - 1, batch * fft_wrapped_of(plan)->rows);
}

/* Returns the scratch of the inner transforms of `count` short ones. */
static size_t inner_scratch_bytes(const struct fft_plan *plan, size_t count)
{
	return fft_round_line(fft_scratch_bytes_of(plan->inner, count * fft_wrapped_of(plan)->rows));
}

/* A long transform keeps its rows from phase to phase, and the inner transforms may reuse them as their own work. */
static size_t work_bytes(const struct fft_plan *plan, size_t batch, enum fft_reuse reuse)
{
	return plan->is_long ? own_bytes(plan, batch, reuse) +
				       fft_work_bytes_reusing(plan->inner, batch * fft_wrapped_of(plan)->rows, FFT_REUSE_BOTH)
			     : 0;
}

static size_t scratch_bytes(const struct fft_plan *plan, size_t batch)
{
	const size_t count = size_min(plan->group, batch);

	return plan->is_long ? fft_round_line(fft_scratch_bytes(plan->inner))
			     : inner_scratch_bytes(plan, count) + 2 * count * set_bytes(plan);
}

/* Runs transforms [first, first + count) in scratch; count is at most plan->group. */
static void run_group(const struct fft_plan *plan, const struct fft_call *call, size_t first, size_t count,
		      char *scratch)
{
	const struct fft_wrapper *wrapper = fft_wrapped_of(plan)->wrapper;
	const size_t bytes = set_bytes(plan), in_length = wrapper->in_length(plan, call->inverse);
	const size_t out_length = wrapper->out_length(plan, call->inverse);
	char *x = scratch + inner_scratch_bytes(plan, count), *y = x + count * bytes;
	const struct placement at = {{x, y}, bytes, bytes};
	struct fft_call inner;

	set_inner_call(plan, call, &at, count, NULL, &inner);
	if (wrapper->reads_caller && wrapper->reads_caller(plan, call)) {
		inner.in = row_in(plan, call, first);
		inner.in_distance = caller_distance(plan, call, inner.inverse);
	} else {
		for (size_t i = 0; i < count; i++)
			wrapper->pack(plan, call, row_in(plan, call, first + i), 0, in_length,
				    (struct fft_rows){x + i * bytes, y + i * bytes});
	}
	fft_run(plan->inner, &inner, scratch);
	for (size_t i = 0; i < count; i++)
		wrapper->unpack(plan, call, row_out(plan, call, first + i), 0, out_length,
			      (struct fft_rows){x + i * bytes, y + i * bytes});
}

static void run_short(const struct fft_plan *plan, const struct fft_call *call, size_t chunk, void *scratch)
{
	const size_t end = size_min((chunk + 1) * plan->chunk, call->batch);

	for (size_t b = chunk * plan->chunk; b < end; b += plan->group)
		run_group(plan, call, b, size_min(plan->group, end - b), scratch);
}

/* Packs (in) or unpacks one piece of one transform. A chunk beyond the shorter side has nothing to do. */
static void run_piece(const struct fft_plan *plan, const struct fft_call *call, bool in, size_t chunk,
		      const struct placement *at)
{
	const size_t length = (in ? fft_wrapped_of(plan)->wrapper->in_length : fft_wrapped_of(plan)->wrapper->out_length)(plan, call->inverse);
	const size_t b = chunk / count_pieces(plan), begin = chunk % count_pieces(plan) * piece_length(plan);
	const size_t end = size_min(begin + piece_length(plan), length);
	const struct fft_rows own = {at->rows.x + b * at->x_step, at->rows.y + b * at->y_step};

	if (begin >= end)
		return;
	if (in)
		fft_wrapped_of(plan)->wrapper->pack(plan, call, row_in(plan, call, b), begin, end, own);
	else
		fft_wrapped_of(plan)->wrapper->unpack(plan, call, row_out(plan, call, b), begin, end, own);
}

static void run_chunk(const struct fft_plan *plan, const struct fft_call *call, size_t phase, size_t chunk,
		      void *scratch)
{
	struct placement at;
	struct fft_call inner;
	size_t own;

	if (!plan->is_long) {
		run_short(plan, call, chunk, scratch);
		return;
	}
	at = place_rows(plan, call);
	if (phase == 0 && skips_packing(plan, call))
		return;
	if (phase == 0 || phase + 1 == count_phases(plan)) {
		run_piece(plan, call, phase == 0, chunk, &at);
	} else {
		own = own_bytes(plan, call->batch, call->reuse);
		set_inner_call(plan, call, &at, call->batch, own ? (char *)call->work + own : call->work, &inner);
		if (skips_packing(plan, call)) {
			inner.in = row_in(plan, call, 0);
			inner.in_distance = caller_distance(plan, call, inner.inverse);
			inner.reuse = FFT_REUSE_OUT;
		}
		fft_run_chunk(plan->inner, &inner, phase - 1, chunk, scratch);
	}
}

static const struct fft_kind kind_wrapped = {build_piece, free_tables,   count_phases, count_chunks,
					     work_bytes,  scratch_bytes, in_bytes,     run_chunk};

int fft_wrapper_create(const struct fft_wrapper *wrapper, size_t size, uint64_t n, enum fft_precision precision, uint32_t features,
		       fft_create *create, uint64_t inner_n, unsigned rows, size_t row_pairs, struct fft_plan **ret_plan)
{
	struct fft_plan *plan = fft_plan_allocate(&kind_wrapped, size, n, precision, features);
	struct fft_wrapped *wrapped = fft_wrapped_of(plan);
	int rc;

	if (!plan)
		return -ERROR_NO_MEMORY;
	rc = create(inner_n, precision, features, &plan->inner);
	if (rc < 0) {
		fft_plan_free(plan);
		return rc;
	}
	wrapped->wrapper = wrapper;
	wrapped->rows = rows;
	wrapped->row_bytes = fft_round_line(row_pairs * fft_pair_bytes(plan));
	plan->cost_ns = rows * plan->inner->cost_ns + 50 + 3 * (double)n;
	plan->is_long = plan->inner->is_long || plan->cost_ns > 2 * CHUNK_ESTIMATE_NS ||
			2 * set_bytes(plan) + fft_scratch_bytes(plan->inner) > MAX_SCRATCH_BYTES;
	fft_plan_set_group(plan, group_size(plan));
	*ret_plan = plan;
	return 0;
}
