/* SPDX-License-Identifier: Apache-2.0 */
/* Small permutations are shuffled; large ones are a Feistel network on a square, walked until it lands inside.
 *
 * Shuffle (Fisher and Yates): element i is exchanged with one of 0 .. i, which is chosen without bias from the words of
 * sample c items + i, as randint chooses. Network (feistel.h, modular): side is the least even number whose square holds
 * all items, since with an odd side all permutations would have the same parity. Keys 2 r and 2 r + 1 belong to round r;
 * they are the words of the draws of these numbers, at the permutation's first sample. At most one index in eight has to
 * be walked further. */
#include "distributions/rows/permutation.h"

#include <math.h>

/* Returns the 64-bit word of a sample under a draw number. */
static uint64_t read_word(const struct rng_kernel *generator, const struct stream *stream, uint64_t sample,
			  uint32_t number)
{
	struct rng_span span = {.group = sample / 2, .draw = number};
	uint64_t words[2];

	stream_key(stream, span.key);
	generator->bits(&span, 1, (uint32_t *)words);
	return words[sample % 2];
}

/* Returns one of 0 .. bound - 1, each as likely. `word` is the first word of the sample; a rejected word is replaced by
 * the one of the next draw. */
static inline uint64_t choose_below(const struct rng_kernel *generator, const struct stream *stream, uint64_t sample,
			      uint64_t word, uint64_t bound)
{
	unsigned __int128 product = (unsigned __int128)word * bound;

	/* Most products are at least bound, and need no division (D. Lemire, ACM TOMACS 29(1), 2019). */
	if ((uint64_t)product >= bound)
		return (uint64_t)(product >> 64);
	for (uint32_t attempt = 1; (uint64_t)product < -bound % bound && attempt < PERMUTATION_DRAWS; attempt++)
		product = (unsigned __int128)read_word(generator, stream, sample, attempt) * bound;
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
		const size_t other = (size_t)choose_below(generator, stream, first + i, own[i], i + 1);

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
		ret_network->keys[i] = read_word(generator, stream, first, i);
}
