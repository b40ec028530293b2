/* SPDX-License-Identifier: Apache-2.0 */
/* Cells by a keyed bijection, places inside them by the stream, for a block of coordinates at once. */
#include "dist/latin_hypercube.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "dist/feistel.h"
#include "dist/points_keys.h"

enum {
	BLOCK = FEISTEL_BLOCK,
	/* The groups of the generators' widest vectors, of two 64-bit words each. */
	VECTOR_GROUPS = 16,
};

struct latin_hypercube {
	uint32_t dims;
	bool jitter;
	struct feistel_binary network;
	const struct feistel_kernel *kernel;
	const struct rng_kernel *generator;
	uint32_t generator_key[4];
	/* Of the dimensions in turn, for as long as a block that begins with the last one. */
	uint64_t *keys[2];
};

static void put_keys(const struct latin_hypercube *design, const struct stream *stream, size_t length)
{
	uint64_t key[2];

	for (size_t e = 0; e < length; e++) {
		if (e < design->dims)
			points_key(stream, e, key);
		for (unsigned half = 0; half < 2; half++)
			design->keys[half][e] = e < design->dims ? key[half] : design->keys[half][e - design->dims];
	}
}

int latin_hypercube_create(const struct points_settings *settings, uint32_t features,
			   struct latin_hypercube **ret_design)
{
	const size_t length = (size_t)settings->dims + BLOCK;
	struct latin_hypercube *design = calloc(1, sizeof *design + 2 * length * sizeof *design->keys[0]);

	if (!design)
		return -ERROR_NO_MEMORY;
	design->dims = settings->dims;
	design->jitter = settings->scramble == SCRAMBLE_JITTER;
	design->network.items = settings->n;
	while (UINT64_C(1) << 2 * design->network.half_bits < settings->n)
		design->network.half_bits++;
	design->kernel = feistel_select(features);
	design->generator = generator_select(settings->stream.generator, features);
	stream_key(&settings->stream, design->generator_key);
	design->keys[0] = (uint64_t *)(design + 1);
	design->keys[1] = design->keys[0] + length;
	put_keys(design, &settings->stream, length);
	*ret_design = design;
	return 0;
}

void latin_hypercube_free(struct latin_hypercube *design)
{
	free(design);
}

size_t latin_hypercube_bytes(uint32_t dims)
{
	return sizeof(struct latin_hypercube) + 2 * ((size_t)dims + BLOCK) * sizeof(uint64_t);
}

/* The points whose coordinates those from `begin` on are. */
static void put_points(uint32_t dims, uint64_t begin, size_t n, uint64_t *ret_points)
{
	uint64_t point = begin / dims;
	size_t left = dims - (size_t)(begin % dims);

	for (size_t i = 0; i < n; point++, left = dims)
		for (const size_t stop = i + size_min(n - i, left); i < stop; i++)
			ret_points[i] = point;
}

/* Half of n's bits fewer than a double has, so that cell + part is exact and two cells keep apart when divided. */
static int part_bits(const struct latin_hypercube *design)
{
	return 50 - 2 * (int)design->network.half_bits;
}

/* Where in their cells the coordinates from `begin` on lie, in units of 2^-part_bits: by draw 1 of the stream, whose
 * words of 64 bits are counted as the coordinates of all points. */
static void put_parts(const struct latin_hypercube *design, uint64_t begin, size_t n, uint64_t *ret_parts)
{
	const size_t skip = (size_t)(begin % 2), n_groups = (skip + n + 1) / 2;
	struct rng_span span = {.group = begin / 2, .draw = 1};
	uint64_t words[BLOCK + 4 * VECTOR_GROUPS];
	const int bits = part_bits(design);

	memcpy(span.key, design->generator_key, sizeof span.key);
	/* Whole vectors cost less than cut ones. */
	design->generator->bits(&span, (n_groups + VECTOR_GROUPS - 1) / VECTOR_GROUPS * VECTOR_GROUPS,
				(uint32_t *)words);
	for (size_t i = 0; i < n; i++)
		ret_parts[i] = words[skip + i] >> (64 - bits);
}

static void put_middles(const struct latin_hypercube *design, size_t n, uint64_t *ret_parts)
{
	for (size_t i = 0; i < n; i++)
		ret_parts[i] = UINT64_C(1) << (part_bits(design) - 1);
}

static void fill_block(const struct latin_hypercube *design, uint64_t begin, size_t n, double *ret_x)
{
	const size_t dim = (size_t)(begin % design->dims);
	const uint64_t *const keys[] = {design->keys[0] + dim, design->keys[1] + dim};
	uint64_t cells[BLOCK], parts[BLOCK] = {0};
	double x[BLOCK];

	put_points(design->dims, begin, n, cells);
	design->kernel->binary(&design->network, keys, n, cells);
	if (design->jitter)
		put_parts(design, begin, n, parts);
	else
		put_middles(design, n, parts);
	design->kernel->place(cells, parts, ldexp(1, -part_bits(design)), design->network.items, n, x);
	memcpy(ret_x, x, n * sizeof *x);
}

void latin_hypercube_fill(const struct latin_hypercube *design, uint64_t begin, size_t n, double *ret_x)
{
	for (size_t i = 0, count; i < n; i += count) {
		/* So that the blocks that follow begin with a group of words. */
		count = size_min(n - i, BLOCK - (size_t)((begin + i) % 2));
		fill_block(design, begin + i, count, ret_x + i);
	}
}
