/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of any distribution from any position: a table of distributions over whole groups, and one place that cuts
 * groups.
 *
 * A row fills whole groups of four words; draw_fill gives it the groups that lie wholly inside the request, block by
 * block straight into the output, and the cut groups at the two ends by way of the stack. */
#include "dist/draw.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/checked.h"
#include "dist/box_muller.h"
#include "dist/feistel.h"
#include "dist/dist_plan.h"
#include "dist/dist_table.h"
#include "dist/permutation.h"
#include "dist/sampler.h"
#include "dist/uniform.h"
#include "dist/vectors.h"

enum {
	/* Whole groups in one pass of generator and distribution: 8 KiB of words, well inside first-level cache. */
	BLOCK_GROUPS = 512,
	/* The groups of the widest vectors. */
	VECTOR_GROUPS = 16,
	GROUP_BYTES = STREAM_GROUP_WORDS * sizeof(uint32_t),
};

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

/* One row a distribution and dtype. A sample must not reach outside its group: pairs of normals do not. */
static const struct {
	enum distribution distribution;
	enum dtype dtype;
	fill_fn fill;
} rows[] = {
	{DIST_BITS, DTYPE_U32, fill_bits},           {DIST_BITS, DTYPE_U64, fill_bits},
	{DIST_UNIFORM, DTYPE_F32, fill_uniform_f32}, {DIST_UNIFORM, DTYPE_F64, fill_uniform_f64},
	{DIST_NORMAL, DTYPE_F32, fill_normal_f32},   {DIST_NORMAL, DTYPE_F64, fill_normal_f64},
};

/* The row of a distribution that is drawn straight from whole groups; NULL for the others. */
static fill_fn find_fill(const struct draw *draw)
{
	if (draw->distribution == DIST_NORMAL && draw->parameters[2].natural != NORMAL_BOXMULLER)
		return NULL;
	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		if (rows[i].distribution == draw->distribution && rows[i].dtype == draw->dtype)
			return rows[i].fill;
	return NULL;
}

void draw_select(uint32_t features, struct draw_kernels *ret_kernels)
{
	for (unsigned i = 0; i < GENERATOR_COUNT; i++)
		ret_kernels->generators[i] = generator_select((enum generator)i, features);
	ret_kernels->uniform = uniform_select(features);
	ret_kernels->box_muller = box_muller_select(features);
	ret_kernels->distributions = dist_select(features);
	ret_kernels->feistel = feistel_select(features);
}

unsigned draw_words_per_sample(enum dtype dtype)
{
	return dtype_size(dtype) <= sizeof(uint32_t) ? 1 : 2;
}

/* Samples [skip, skip + n) of the groups from the span's first on, at most BLOCK_GROUPS, by way of the stack. Whole
 * vectors are drawn, since they cost less than cut ones. */
static void fill_cut(const struct draw_kernels *kernels, const struct draw *draw, const struct rng_span *span,
		     size_t skip, size_t n, void *out)
{
	const size_t size = dtype_size(draw->dtype), per_group = GROUP_BYTES / size;
	const size_t vectors = (skip + n + per_group * VECTOR_GROUPS - 1) / (per_group * VECTOR_GROUPS);
	uint64_t block[BLOCK_GROUPS * GROUP_BYTES / sizeof(uint64_t)];

	assert(vectors <= BLOCK_GROUPS / VECTOR_GROUPS);
	find_fill(draw)(kernels, draw, span, vectors * VECTOR_GROUPS, block);
	memcpy(out, (char *)block + skip * size, n * size);
}

static void fill_groups(const struct draw_kernels *kernels, const struct draw *draw, fill_fn fill, uint64_t begin,
			size_t n, void *out)
{
	const size_t size = dtype_size(draw->dtype), per_group = GROUP_BYTES / size, most = BLOCK_GROUPS * per_group;
	const bool aligned = (uintptr_t)out % size == 0;
	struct rng_span span = {.group = begin / per_group};
	size_t skip = (size_t)(begin % per_group), done;

	stream_key(&draw->stream, span.key);
	for (char *at = out; n > 0; at += done * size, n -= done, skip = 0) {
		if (aligned && skip == 0 && (n % per_group == 0 || n >= most)) {
			done = size_min(n, most);
			fill(kernels, draw, &span, done / per_group, at);
		} else {
			/* After a first cut group the rest of a long draw can go straight to its place. */
			done = size_min(n, (aligned && n >= most ? per_group : most) - skip);
			fill_cut(kernels, draw, &span, skip, done, at);
		}
		span.group += (skip + done) / per_group;
	}
}

size_t draw_table_bytes(const struct draw *draw)
{
	if (!draw->table)
		return 0;
	switch (draw->distribution) {
	case DIST_CATEGORICAL:
		return sizeof(struct alias_table) +
		       ((const struct alias_table *)draw->table)->n * sizeof(struct alias_column);
	case DIST_DIRICHLET:
		return sizeof(struct component_table) +
		       ((const struct component_table *)draw->table)->n * sizeof(struct gamma_constants);
	default:
		return sizeof(struct discrete_table);
	}
}

size_t draw_components(const struct draw *draw)
{
	const struct component_table *table = draw->table;

	return draw->distribution == DIST_DIRICHLET ? table->n
	       : draw->distribution == DIST_SPHERE  ? (size_t)draw->parameters[0].natural
						    : 1;
}

void draw_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	const fill_fn fill = find_fill(draw);
	struct dist_plan plan;

	if (fill) {
		fill_groups(kernels, draw, fill, begin, n, out);
	} else if (draw->distribution == DIST_DIRICHLET || draw->distribution == DIST_SPHERE) {
		vectors_fill(kernels, draw, begin, n, out);
	} else if (draw->distribution == DIST_PERMUTATION) {
		permutation_fill(kernels, draw, begin, n, out);
	} else {
		dist_plan(kernels->distributions, draw, &plan);
		sampler_fill(kernels, draw, &plan, begin, n, out);
	}
}
