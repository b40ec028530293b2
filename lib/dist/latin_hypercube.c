/* SPDX-License-Identifier: Apache-2.0 */
/* Cells by a keyed bijection, places inside them by the stream. */
#include "dist/latin_hypercube.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "dist/points_keys.h"

enum { ROUNDS = 8 };

struct latin_hypercube {
	uint64_t n;
	uint32_t dims, half_bits; /* the network's halves: n <= 4^half_bits */
	bool jitter;
	struct stream stream;
	uint64_t keys[][2];
};

int latin_hypercube_create(const struct points_settings *settings, struct latin_hypercube **ret_design)
{
	struct latin_hypercube *design = calloc(1, sizeof *design + settings->dims * sizeof design->keys[0]);

	if (!design)
		return -ERROR_NO_MEMORY;
	design->n = settings->n;
	design->dims = settings->dims;
	design->jitter = settings->scramble == SCRAMBLE_JITTER;
	design->stream = settings->stream;
	while (UINT64_C(1) << 2 * design->half_bits < settings->n)
		design->half_bits++;
	for (uint32_t j = 0; j < settings->dims; j++)
		points_key(&settings->stream, j, design->keys[j]);
	*ret_design = design;
	return 0;
}

void latin_hypercube_free(struct latin_hypercube *design)
{
	free(design);
}

static uint64_t network(const uint64_t key[2], unsigned half_bits, uint64_t x)
{
	const uint64_t mask = (UINT64_C(1) << half_bits) - 1;
	uint64_t left = x >> half_bits, right = x & mask;

	for (unsigned round = 0; round < ROUNDS; round++) {
		const uint64_t hash = points_mix((right ^ key[round % 2]) + round * 0x9E3779B97F4A7C15);
		const uint64_t next = left ^ (hash & mask);

		left = right;
		right = next;
	}
	return left << half_bits | right;
}

/* The network permutes up to 4 n numbers: four steps on average, and the walk returns to where it began at the latest.
 */
static uint64_t cell(const struct latin_hypercube *design, uint32_t dim, uint64_t i)
{
	do
		i = network(design->keys[dim], design->half_bits, i);
	while (i >= design->n);
	return i;
}

/* Coordinate `at` (counted over all points and dimensions) of draw 1, the generator's words as 64 bits. */
static uint64_t jitter_word(const struct latin_hypercube *design, uint64_t at)
{
	struct rng_span span = {.group = at / 2, .draw = 1};
	uint64_t words[2];

	stream_key(&design->stream, span.key);
	generator_select(design->stream.generator, 0)->bits(&span, 1, (uint32_t *)words);
	return words[at % 2];
}

/* Half of n's bits fewer than a double has, so that cell + place is exact and two cells keep apart when divided. */
static double place(const struct latin_hypercube *design, uint64_t at)
{
	const int bits = 50 - 2 * (int)design->half_bits;

	if (!design->jitter)
		return 0.5;
	return ldexp((double)(jitter_word(design, at) >> (64 - bits)), -bits);
}

void latin_hypercube_point(const struct latin_hypercube *design, uint64_t i, uint32_t dim, uint32_t n, double *ret_x)
{
	for (uint32_t j = dim; j < dim + n; j++) {
		const double where = (double)cell(design, j, i) + place(design, i * design->dims + j);

		ret_x[j - dim] = where / (double)design->n;
	}
}
