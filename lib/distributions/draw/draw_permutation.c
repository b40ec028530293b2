/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts a draw at the borders of its permutations, and makes the part that each contributes. */
#include "distributions/draw/draw_permutation.h"

#include <string.h>

#include "base/checked.h"
#include "distributions/rows/permutation.h"

/* Writes elements [index, index + n) of the shuffled permutation whose first sample is `first`. */
static void fill_shuffled(const struct draw_kernels *kernels, const struct draw *draw, uint64_t first, size_t index,
			  size_t n, char *out)
{
	uint16_t order[PERMUTATION_SHUFFLED];

	permutation_shuffle(kernels->generators[draw->stream.generator], &draw->stream, first,
			    (size_t)draw->parameters[0].natural, order);
	for (size_t i = 0; i < n; i++) {
		const int64_t value = order[index + i];

		memcpy(out + i * sizeof value, &value, sizeof value);
	}
}

/* Writes the same elements of a permutation that is too large to shuffle. */
static void fill_network(const struct draw_kernels *kernels, const struct draw *draw, uint64_t first, uint64_t index,
			 size_t n, char *out)
{
	struct feistel_modular network;
	uint64_t images[FEISTEL_BLOCK];

	permutation_network(kernels->generators[draw->stream.generator], &draw->stream, first,
			    draw->parameters[0].natural, &network);
	for (size_t i = 0, count; i < n; i += count) {
		count = size_min(n - i, FEISTEL_BLOCK);
		kernels->feistel->modular(&network, index + i, count, images);
		memcpy(out + i * sizeof *images, images, count * sizeof *images);
	}
}

void draw_permutation_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n,
			   void *out)
{
	const uint64_t items = draw->parameters[0].natural;
	char *at = out;

	while (n > 0) {
		const uint64_t index = begin % items;
		const size_t count = items - index < n ? (size_t)(items - index) : n;

		if (items <= PERMUTATION_SHUFFLED)
			fill_shuffled(kernels, draw, begin - index, (size_t)index, count, at);
		else
			fill_network(kernels, draw, begin - index, index, count, at);
		at += count * sizeof(int64_t);
		begin += count;
		n -= count;
	}
}
