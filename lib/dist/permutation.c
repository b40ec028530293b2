/* SPDX-License-Identifier: Apache-2.0 */
/* Small permutations are shuffled; large ones are a Feistel network on a square, walked until it lands inside.
 *
 * Shuffle (Fisher and Yates): element i changes places with one of 0 .. i, chosen without bias from the words of sample
 * c items + i as randint chooses. Network (feistel.h, modular): side is the least even number whose square holds all
 * items (an odd one would give all permutations the same parity); keys 2 r and 2 r + 1 are round r's, from the draws of
 * these numbers of sample c items. Few indices are walked further, at most one in eight. */
#include "dist/permutation.h"

#include <math.h>
#include <string.h>

#include "base/checked.h"

/* Word (64 bits) of a sample under a draw number. */
static uint64_t wide_word(const struct rng_kernel *generator, const struct stream *stream, uint64_t sample,
			  uint32_t number)
{
	struct rng_span span = {.group = sample / 2, .draw = number};
	uint64_t words[2];

	stream_key(stream, span.key);
	generator->bits(&span, 1, (uint32_t *)words);
	return words[sample % 2];
}

/* One of 0 .. bound - 1 from the words of a sample, the first of which is given. */
static inline uint64_t choose(const struct rng_kernel *generator, const struct stream *stream, uint64_t sample,
			      uint64_t word, uint64_t bound)
{
	unsigned __int128 product = (unsigned __int128)word * bound;

	/* Most products are above bound itself, and need no division (D. Lemire, ACM TOMACS 29(1), 2019). */
	if ((uint64_t)product >= bound)
		return (uint64_t)(product >> 64);
	for (uint32_t attempt = 1; (uint64_t)product < -bound % bound && attempt < PERMUTATION_DRAWS; attempt++)
		product = (unsigned __int128)wide_word(generator, stream, sample, attempt) * bound;
	return (uint64_t)(product >> 64);
}

void permutation_shuffle(const struct rng_kernel *generator, const struct stream *stream, uint64_t first, size_t items,
			 uint16_t *ret_order)
{
	struct rng_span span = {.group = first / 2};
	uint64_t words[PERMUTATION_SHUFFLED + 2];
	const uint64_t *own = words + first % 2;

	stream_key(stream, span.key);
	generator->bits(&span, ((size_t)(first % 2) + items + 1) / 2, (uint32_t *)words);
	for (size_t i = 0; i < items; i++) {
		const size_t other = (size_t)choose(generator, stream, first + i, own[i], i + 1);

		ret_order[i] = ret_order[other];
		ret_order[other] = (uint16_t)i;
	}
}

void permutation_network(const struct rng_kernel *generator, const struct stream *stream, uint64_t first,
			 uint64_t items, struct feistel_modular *ret_network)
{
	uint64_t side = (uint64_t)sqrt((double)items);

	while (side * side < items)
		side++;
	while ((side - 1) * (side - 1) >= items)
		side--;
	side += side % 2;
	ret_network->items = items;
	ret_network->side = side;
	for (uint32_t i = 0; i < FEISTEL_MODULAR_KEYS; i++)
		ret_network->keys[i] = wide_word(generator, stream, first, i);
}

/* Elements [index, index + n) of the permutation whose first sample is `first`. */
static void shuffled_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t first, size_t index,
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

static void walked_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t first, uint64_t index,
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

void permutation_fill(const struct draw_kernels *kernels, const struct draw *draw, uint64_t begin, size_t n, void *out)
{
	const uint64_t items = draw->parameters[0].natural;
	char *at = out;

	while (n > 0) {
		const uint64_t index = begin % items;
		const size_t count = items - index < n ? (size_t)(items - index) : n;

		if (items <= PERMUTATION_SHUFFLED)
			shuffled_fill(kernels, draw, begin - index, (size_t)index, count, at);
		else
			walked_fill(kernels, draw, begin - index, index, count, at);
		at += count * sizeof(int64_t);
		begin += count;
		n -= count;
	}
}
