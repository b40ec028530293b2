/* SPDX-License-Identifier: Apache-2.0 */
/* Cells by a permutation of each dimension, places inside them by the stream, for a block of coordinates at once. */
#include "dist/quasi/latin_hypercube.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/checked.h"
#include "base/error.h"
#include "dist/math/feistel.h"
#include "dist/distributions/permutation.h"
#include "dist/quasi/points_keys.h"

enum {
	BLOCK = FEISTEL_BLOCK,
	/* The groups of the generators' widest vectors, of two 64-bit words each. */
	VECTOR_GROUPS = 16,
	PIECE_NS = 100 * 1000,
	/* Measured with the scalar generators, rounded up: a key, and an item of a shuffle. */
	KEY_NS = 30,
	SHUFFLED_NS = 5,
	FEISTEL8_KEYS = 2,
	SHUFFLED_TOGETHER = 16,
};

/* SHUFFLED: each dimension's order as a table. KEYED: keys of a network, the permutation's or FEISTEL8's. */
enum cells { CELLS_SHUFFLED, CELLS_KEYED, CELLS_FEISTEL8 };

struct latin_hypercube {
	enum cells cells;
	uint32_t dims, dims_built;
	bool jitter;
	uint64_t items, side; /* of the permutation's network */
	unsigned cell_bits;   /* an even number of bits, enough for a cell */
	struct stream stream;
	const struct feistel_kernel *kernel;
	const struct rng_kernel *generator;
	/* KEYED: key k of dimension j is keys[k][j], and keys[k][j + dims] and so on, for as long as a block that
	 * begins with the last dimension. */
	unsigned n_keys;
	uint64_t *keys[FEISTEL_MODULAR_KEYS];
	uint16_t *orders; /* SHUFFLED: point i's cell in dimension j is orders[i dims + j] */
};

static enum cells find_cells(const struct points_settings *settings)
{
	if (settings->method == LHS_FEISTEL8)
		return CELLS_FEISTEL8;
	return settings->n <= PERMUTATION_SHUFFLED ? CELLS_SHUFFLED : CELLS_KEYED;
}

static unsigned count_keys(enum cells cells)
{
	return cells == CELLS_SHUFFLED ? 0 : cells == CELLS_KEYED ? FEISTEL_MODULAR_KEYS : FEISTEL8_KEYS;
}

static size_t count_row(uint32_t dims)
{
	return (size_t)dims + BLOCK;
}

static size_t table_bytes(const struct points_settings *settings)
{
	const enum cells cells = find_cells(settings);

	return cells == CELLS_SHUFFLED ? settings->n * settings->dims * sizeof(uint16_t)
				       : count_keys(cells) * count_row(settings->dims) * sizeof(uint64_t);
}

size_t latin_hypercube_bytes(const struct points_settings *settings)
{
	return sizeof(struct latin_hypercube) + table_bytes(settings);
}

static uint64_t dimension_ns(enum cells cells, uint64_t items)
{
	return cells == CELLS_SHUFFLED ? 50 + SHUFFLED_NS * items : KEY_NS * count_keys(cells);
}

uint64_t latin_hypercube_cost_ns(const struct points_settings *settings)
{
	return settings->dims * dimension_ns(find_cells(settings), settings->n);
}

int latin_hypercube_create(const struct points_settings *settings, uint32_t features,
			   struct latin_hypercube **ret_design)
{
	struct latin_hypercube *design = calloc(1, latin_hypercube_bytes(settings));

	if (!design)
		return -ERROR_NO_MEMORY;
	design->cells = find_cells(settings);
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

/* Several dimensions together, so that their cells of one point are written side by side. */
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

/* The dimensions again and again behind the last one. */
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
	const uint64_t affordable = PIECE_NS / dimension_ns(design->cells, design->items);
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

/* The points whose coordinates those from `begin` on are. */
static void put_points(uint32_t dims, uint64_t begin, size_t n, uint64_t *ret_points)
{
	uint64_t point = begin / dims;
	size_t left = dims - (size_t)(begin % dims);

	for (size_t i = 0; i < n; point++, left = dims)
		for (const size_t stop = i + size_min(n - i, left); i < stop; i++)
			ret_points[i] = point;
}

/* The same as halves, 2^32 left + right. */
static void put_halves(uint32_t dims, uint64_t side, uint64_t begin, size_t n, uint64_t *ret_halves)
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

static void put_cells(const struct latin_hypercube *design, uint64_t begin, size_t n, uint64_t *ret_cells)
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
		put_halves(design->dims, design->side, begin, n, ret_cells);
		design->kernel->keyed(design->items, design->side, keys, n, ret_cells);
	} else {
		put_points(design->dims, begin, n, ret_cells);
		design->kernel->binary(&binary, keys, n, ret_cells);
	}
}

/* Fewer bits than a double has left, so that cell + part is exact and two cells keep apart when divided. */
static int part_bits(const struct latin_hypercube *design)
{
	return 50 - (int)design->cell_bits;
}

/* Where in their cells the coordinates from `begin` on lie, in units of 2^-part_bits: by a draw of the stream that
 * gives no cells, whose words of 64 bits are counted as the coordinates of all points. */
static void put_parts(const struct latin_hypercube *design, uint64_t begin, size_t n, uint64_t *ret_parts)
{
	const size_t skip = (size_t)(begin % 2), n_groups = (skip + n + 1) / 2;
	struct rng_span span = {.group = begin / 2, .draw = design->cells == CELLS_FEISTEL8 ? 1 : PERMUTATION_DRAWS};
	uint64_t words[BLOCK + 4 * VECTOR_GROUPS];
	const int bits = part_bits(design);

	stream_key(&design->stream, span.key);
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
	uint64_t cells[BLOCK], parts[BLOCK] = {0};
	double x[BLOCK];

	put_cells(design, begin, n, cells);
	if (design->jitter)
		put_parts(design, begin, n, parts);
	else
		put_middles(design, n, parts);
	design->kernel->place(cells, parts, ldexp(1, -part_bits(design)), design->items, n, x);
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
