/* SPDX-License-Identifier: Apache-2.0 */
/* A block of coordinates: its cells by a permutation of each dimension, then the places inside the cells. */
#include "distributions/quasi/latin_hypercube.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/chunk.h"
#include "base/error.h"
#include "math/feistel.h"
#include "distributions/rows/permutation.h"
#include "distributions/quasi/points_keys.h"

enum {
	BLOCK = FEISTEL_BLOCK,
	/* Groups (two 64-bit words each) that the generators' widest vectors hold. */
	VECTOR_GROUPS = 16,
	/* Time for a key, and for an item of a shuffle: measured with the scalar generators, rounded up. */
	KEY_NS = 30,
	SHUFFLED_NS = 5,
	FEISTEL8_KEYS = 2,
	SHUFFLED_TOGETHER = 16,
};

/* SHUFFLED: a table of each dimension's order. KEYED and FEISTEL8: keys of a modular and of a binary network. */
enum cells { CELLS_SHUFFLED, CELLS_KEYED, CELLS_FEISTEL8 };

struct latin_hypercube {
	enum cells cells;
	uint32_t dims, dims_built;
	bool jitter;
	uint64_t items, side; /* of the permutation's network */
	unsigned cell_bits;   /* bits of a cell's number, rounded up to an even number */
	struct stream stream;
	const struct feistel_kernel *kernel;
	const struct rng_kernel *generator;
	/* Networks: key k of dimension j is keys[k][j], repeated at keys[k][j + dims] and so on, so that a block that
	 * begins with the last dimension finds its keys side by side. */
	unsigned n_keys;
	uint64_t *keys[FEISTEL_MODULAR_KEYS];
	uint16_t *orders; /* SHUFFLED: the cell of point i in dimension j is orders[i dims + j] */
};

/* Returns how the settings' cells are chosen. */
static enum cells cells_of(const struct points_settings *settings)
{
	if (settings->method == LHS_FEISTEL8)
		return CELLS_FEISTEL8;
	return settings->n <= PERMUTATION_SHUFFLED ? CELLS_SHUFFLED : CELLS_KEYED;
}

static unsigned count_keys(enum cells cells)
{
	return cells == CELLS_SHUFFLED ? 0 : cells == CELLS_KEYED ? FEISTEL_MODULAR_KEYS : FEISTEL8_KEYS;
}

/* Returns the length of a row of keys. */
static size_t count_row(uint32_t dims)
{
	return (size_t)dims + BLOCK;
}

static size_t table_bytes(const struct points_settings *settings)
{
	const enum cells cells = cells_of(settings);

	return cells == CELLS_SHUFFLED ? settings->n * settings->dims * sizeof(uint16_t)
				       : count_keys(cells) * count_row(settings->dims) * sizeof(uint64_t);
}

size_t latin_hypercube_bytes(const struct points_settings *settings)
{
	return sizeof(struct latin_hypercube) + table_bytes(settings);
}

/* Returns about how many nanoseconds the table of one dimension takes. */
static uint64_t dimension_ns(enum cells cells, uint64_t items)
{
	return cells == CELLS_SHUFFLED ? 50 + SHUFFLED_NS * items : KEY_NS * count_keys(cells);
}

uint64_t latin_hypercube_cost_ns(const struct points_settings *settings)
{
	return settings->dims * dimension_ns(cells_of(settings), settings->n);
}

int latin_hypercube_create(const struct points_settings *settings, uint32_t features,
			   struct latin_hypercube **ret_design)
{
	struct latin_hypercube *design = calloc(1, latin_hypercube_bytes(settings));

	if (!design)
		return -ERROR_NO_MEMORY;
	design->cells = cells_of(settings);
	design->dims = settings->dims;
	design->jitter = settings->scramble == SCRAMBLE_JITTER;
	design->items = settings->n;
	while (UINT64_C(1) << design->cell_bits < settings->n)
		design->cell_bits += 2;
	design->stream = settings->stream;
	design->kernel = feistel_select(features);
	design->generator = generator_select(settings->stream.generator, features);
	design->n_keys = count_keys(design->cells);
	design->orders = (uint16_t *)(design + 1);
	for (unsigned k = 0; k < design->n_keys; k++)
		design->keys[k] = (uint64_t *)(design + 1) + k * count_row(settings->dims);
	*ret_design = design;
	return 0;
}

void latin_hypercube_free(struct latin_hypercube *design)
{
	free(design);
}

/* Shuffles several dimensions together, so that the cells of a point are written side by side. */
static void build_orders(struct latin_hypercube *design, uint32_t dim, uint32_t n_dims)
{
	const size_t items = (size_t)design->items;
	uint16_t orders[SHUFFLED_TOGETHER][PERMUTATION_SHUFFLED];

	for (uint32_t j = 0; j < n_dims; j++)
		permutation_shuffle(design->generator, &design->stream, (dim + j) * design->items, items, orders[j]);
	for (size_t i = 0; i < items; i++)
		for (uint32_t j = 0; j < n_dims; j++)
			design->orders[i * design->dims + dim + j] = orders[j][i];
}

/* Derives the keys of one dimension. */
static void build_keys(struct latin_hypercube *design, uint32_t dim)
{
	struct feistel_modular network;

	if (design->cells == CELLS_FEISTEL8) {
		points_key(&design->stream, dim, network.keys);
	} else {
		permutation_network(design->generator, &design->stream, dim * design->items, design->items, &network);
		design->side = network.side;
	}
	for (unsigned k = 0; k < design->n_keys; k++)
		design->keys[k][dim] = network.keys[k];
}

/* Repeats the keys behind those of the last dimension. */
static void repeat_keys(struct latin_hypercube *design)
{
	const size_t end = count_row(design->dims);

	for (unsigned k = 0; k < design->n_keys; k++)
		for (size_t have = design->dims, more; have < end; have += more) {
			more = size_min(have, end - have);
			memcpy(design->keys[k] + have, design->keys[k], more * sizeof *design->keys[k]);
		}
}

int latin_hypercube_build(struct latin_hypercube *design)
{
	const uint32_t first = design->dims_built, left = design->dims - first;
	const uint64_t affordable = CHUNK_AIM_NS / dimension_ns(design->cells, design->items);
	uint32_t n = (uint32_t)(affordable < 1 ? 1 : affordable < left ? affordable : left);

	if (design->cells == CELLS_SHUFFLED) {
		n = n < SHUFFLED_TOGETHER ? n : SHUFFLED_TOGETHER;
		build_orders(design, first, n);
	} else {
		for (uint32_t j = 0; j < n; j++)
			build_keys(design, first + j);
	}
	design->dims_built += n;
	if (design->dims_built < design->dims)
		return 1;
	repeat_keys(design);
	return 0;
}

/* Writes the number of the point that each of n coordinates from `begin` on belongs to. */
static void list_points(uint32_t dims, uint64_t begin, size_t n, uint64_t *ret_points)
{
	uint64_t point = begin / dims;
	size_t left = dims - (size_t)(begin % dims);

	for (size_t i = 0; i < n; point++, left = dims)
		for (const size_t stop = i + size_min(n - i, left); i < stop; i++)
			ret_points[i] = point;
}

/* Writes the same numbers as halves, 2^32 left + right. */
static void list_halves(uint32_t dims, uint64_t side, uint64_t begin, size_t n, uint64_t *ret_halves)
{
	uint64_t left = begin / dims / side, right = begin / dims % side;
	size_t stop = dims - (size_t)(begin % dims);

	for (size_t i = 0; i < n; stop = dims) {
		for (stop = i + size_min(n - i, stop); i < stop; i++)
			ret_halves[i] = left << 32 | right;
		right = right + 1 < side ? right + 1 : 0;
		left += right == 0;
	}
}

/* Writes the cells of n coordinates from `begin` on. */
static void find_cells(const struct latin_hypercube *design, uint64_t begin, size_t n, uint64_t *ret_cells)
{
	const struct feistel_binary binary = {design->items, design->cell_bits / 2};
	const size_t dim = (size_t)(begin % design->dims);
	const uint64_t *keys[FEISTEL_MODULAR_KEYS];

	for (unsigned k = 0; k < design->n_keys; k++)
		keys[k] = design->keys[k] + dim;
	if (design->cells == CELLS_SHUFFLED) {
		for (size_t i = 0; i < n; i++)
			ret_cells[i] = design->orders[begin + i];
	} else if (design->cells == CELLS_KEYED) {
		list_halves(design->dims, design->side, begin, n, ret_cells);
		design->kernel->keyed(design->items, design->side, keys, n, ret_cells);
	} else {
		list_points(design->dims, begin, n, ret_cells);
		design->kernel->binary(&binary, keys, n, ret_cells);
	}
}

/* Returns the bits of a place within a cell: few enough that cell + part is exact in double, and that coordinates of
 * two cells differ after the division. */
static int part_bits(const struct latin_hypercube *design)
{
	return 50 - (int)design->cell_bits;
}

/* Writes random places within cells, in units of 2^-part_bits. They are the 64-bit words, one for each coordinate, of a
 * draw of the stream that the permutations do not read. */
static void draw_parts(const struct latin_hypercube *design, uint64_t begin, size_t n, uint64_t *ret_parts)
{
	const size_t skip = (size_t)(begin % 2), n_groups = (skip + n + 1) / 2;
	struct rng_span span = {.group = begin / 2, .draw = design->cells == CELLS_FEISTEL8 ? 1 : PERMUTATION_DRAWS};
	uint64_t words[BLOCK + 4 * VECTOR_GROUPS];
	const int bits = part_bits(design);

	stream_key(&design->stream, span.key);
	/* Draw whole vectors, which cost less than cut ones. */
	design->generator->bits(&span, (n_groups + VECTOR_GROUPS - 1) / VECTOR_GROUPS * VECTOR_GROUPS,
				(uint32_t *)words);
	for (size_t i = 0; i < n; i++)
		ret_parts[i] = words[skip + i] >> (64 - bits);
}

/* Writes the middles of cells in the same units. */
static void set_middles(const struct latin_hypercube *design, size_t n, uint64_t *ret_parts)
{
	for (size_t i = 0; i < n; i++)
		ret_parts[i] = UINT64_C(1) << (part_bits(design) - 1);
}

static void fill_block(const struct latin_hypercube *design, uint64_t begin, size_t n, double *ret_x)
{
	uint64_t cells[BLOCK], parts[BLOCK] = {0};
	double x[BLOCK];

	find_cells(design, begin, n, cells);
	if (design->jitter)
		draw_parts(design, begin, n, parts);
	else
		set_middles(design, n, parts);
	design->kernel->place(cells, parts, ldexp(1, -part_bits(design)), design->items, n, x);
	memcpy(ret_x, x, n * sizeof *x);
}

void latin_hypercube_fill(const struct latin_hypercube *design, uint64_t begin, size_t n, double *ret_x)
{
	for (size_t i = 0, count; i < n; i += count) {
		/* Make the blocks that follow begin with a group of words. */
		count = size_min(n - i, BLOCK - (size_t)((begin + i) % 2));
		fill_block(design, begin + i, count, ret_x + i);
	}
}
