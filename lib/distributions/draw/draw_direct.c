/* SPDX-License-Identifier: Apache-2.0 */
/* Whole groups straight into the output, and the cut groups at both ends by way of the stack.
 *
 * The generator fills a block of groups in first-level cache and a kernel turns it into samples there, in place: normal
 * is uniform, then box_muller. */
#include "distributions/draw/draw_direct.h"

#include <assert.h>
#include <string.h>

#include "base/checked.h"
#include "distributions/rows/dist_row.h"
#include "math/box_muller.h"
#include "math/uniform.h"

enum {
	/* Groups of one pass of generator and kernel: 8 KiB of words, well inside first-level cache. */
	BLOCK_GROUPS = 512,
	/* Groups that the widest vectors hold. */
	VECTOR_GROUPS = 16,
};

/* Writes the samples of n_groups groups from the span's first on, to an aligned out. */
typedef void (*fill_fn)(const struct draw_kernels *kernels, const struct draw *draw, const struct rng_span *span,
			size_t n_groups, void *out);

static const struct rng_kernel *generator_of(const struct draw_kernels *kernels, const struct draw *draw)
{
	return kernels->generators[draw->stream.generator];
}

/* Low and high, or mean and standard deviation. */
static double first(const struct draw *draw)
{
	return draw->parameters[0].real;
}

static double second(const struct draw *draw)
{
	return draw->parameters[1].real;
}

/* ---- fill functions: the generator writes a block, then kernels change it in place ---- */

static void fill_bits(const struct draw_kernels *kernels, const struct draw *draw, const struct rng_span *span,
		      size_t n_groups, void *out)
{
	/* A u64 is its two words, low first: the words as they lie in memory. */
	static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "64-bit samples are laid out as their words");
	generator_of(kernels, draw)->bits(span, n_groups, out);
}

static void fill_uniform_f32(const struct draw_kernels *kernels, const struct draw *draw, const struct rng_span *span,
			     size_t n_groups, void *out)
{
	generator_of(kernels, draw)->uniform_f32(span, n_groups, out);
	if (first(draw) != 0 || second(draw) != 1)
		kernels->uniform->range_f32(out, 4 * n_groups, first(draw), second(draw));
}

static void fill_uniform_f64(const struct draw_kernels *kernels, const struct draw *draw, const struct rng_span *span,
			     size_t n_groups, void *out)
{
	generator_of(kernels, draw)->uniform_f64(span, n_groups, out);
	if (first(draw) != 0 || second(draw) != 1)
		kernels->uniform->range_f64(out, 2 * n_groups, first(draw), second(draw));
}

static void fill_normal_f32(const struct draw_kernels *kernels, const struct draw *draw, const struct rng_span *span,
			    size_t n_groups, void *out)
{
	generator_of(kernels, draw)->uniform_f32(span, n_groups, out);
	kernels->box_muller->f32(out, 2 * n_groups, out);
	if (first(draw) != 0 || second(draw) != 1)
		kernels->uniform->affine_f32(out, 4 * n_groups, second(draw), first(draw));
}

static void fill_normal_f64(const struct draw_kernels *kernels, const struct draw *draw, const struct rng_span *span,
			    size_t n_groups, void *out)
{
	generator_of(kernels, draw)->uniform_f64(span, n_groups, out);
	kernels->box_muller->f64(out, n_groups, out);
	if (first(draw) != 0 || second(draw) != 1)
		kernels->uniform->affine_f64(out, 2 * n_groups, second(draw), first(draw));
}

/* By dtype: pairs of normals never need a word of another group. */
static const fill_fn rows[][DTYPE_F64 + 1] = {
	[DIRECT_NONE] = {NULL},
	[DIRECT_BITS] = {[DTYPE_U32] = fill_bits, [DTYPE_U64] = fill_bits},
	[DIRECT_UNIFORM] = {[DTYPE_F32] = fill_uniform_f32, [DTYPE_F64] = fill_uniform_f64},
	[DIRECT_NORMAL] = {[DTYPE_F32] = fill_normal_f32, [DTYPE_F64] = fill_normal_f64},
};

/* Returns the draw's function; NULL: it has none. */
static fill_fn find_fill(const struct draw *draw)
{
	const enum dist_direct direct = dist_row(draw->distribution)->direct;

	if (draw->dtype >= sizeof *rows / sizeof **rows ||
	    (direct == DIRECT_NORMAL && draw->parameters[2].natural != NORMAL_BOXMULLER))
		return NULL;
	return rows[direct][draw->dtype];
}

bool draw_direct_apply(const struct draw *draw)
{
	return find_fill(draw) != NULL;
}

/* Writes samples [skip, skip + n) of at most BLOCK_GROUPS groups, from the span's first on. Draws whole vectors, which
 * cost less than cut ones. */
static void fill_cut(const struct draw_kernels *kernels, const struct draw *draw, fill_fn fill,
		     const struct rng_span *span, size_t skip, size_t n, void *out)
{
	const size_t size = dtype_size(draw->dtype);
	const size_t vectors = ((skip + n) * size + VECTOR_GROUPS * DRAW_GROUP_BYTES - 1) / (VECTOR_GROUPS * DRAW_GROUP_BYTES);
	uint64_t block[BLOCK_GROUPS * DRAW_GROUP_BYTES / sizeof(uint64_t)];

	assert(vectors <= BLOCK_GROUPS / VECTOR_GROUPS);
	fill(kernels, draw, span, vectors * VECTOR_GROUPS, block);
	memcpy(out, (char *)block + skip * size, n * size);
}

/* Returns the samples of the next pass. One that is not the last ends where a batch of the generator does, so that no batch is
 * cut by passes: the generator evaluates a part of a vector at the end of each part of a batch. */
static size_t count_pass(uint64_t group, size_t skip, size_t n, size_t per_group)
{
	const size_t most = BLOCK_GROUPS * per_group - skip;

	return n <= most ? n : most - (size_t)(group % STREAM_PARTITIONS) * per_group;
}

void draw_direct_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	const size_t size = dtype_size(draw->dtype);
	const unsigned shift = size == sizeof(uint64_t) ? 1 : 2; /* a division takes as long as some ten samples */
	const size_t per_group = (size_t)1 << shift;
	const bool aligned = ((uintptr_t)out & (size - 1)) == 0;
	const fill_fn fill = find_fill(draw);
	struct rng_span span = {.group = begin >> shift};
	size_t skip = (size_t)begin & (per_group - 1), done;

	stream_key(&draw->stream, span.key);
	for (char *at = out; n > 0; at += done * size, n -= done, skip = 0) {
		done = count_pass(span.group, skip, n, per_group);
		if (aligned && skip == 0 && (done & (per_group - 1)) == 0)
			fill(kernels, draw, &span, done >> shift, at);
		else
			fill_cut(kernels, draw, fill, &span, skip, done, at);
		span.group += (skip + done) >> shift;
	}
}
