/* SPDX-License-Identifier: Apache-2.0 */
/* Words for a battery of tests, without end, on standard output: write_words GENERATOR ORDER SEED.
 *
 * ORDER says whose neighbours stand side by side, since what a counter-based generator gets wrong shows between
 * inputs that differ little: whole (the stream as it is drawn), partition (one partition's words), seeds, streams and
 * draws (NEIGHBOURS consecutive ones in turn, word by word), positions (counters along a Gray code, each differing from
 * the one before in a single bit; the first words of NEIGHBOURS of them, then the second ones, and so on). GENERATOR is
 * one of the table, or threefry4x32_2: two rounds, which a battery has to refuse. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "rng/generator.h"
#include "rng/stream.h"
#include "rng/threefry.h"

enum { NEIGHBOURS = 256, PIECE_GROUPS = 16, PIECE_WORDS = 4 * PIECE_GROUPS };

struct source {
	struct stream stream;
	const struct rng_kernel *kernel; /* NULL: two rounds of Threefry */
	uint32_t partition;
};

static void two_rounds(const struct rng_span *span, size_t n_groups, uint32_t *words)
{
	for (size_t i = 0; i < n_groups; i++) {
		const uint64_t group = span->group + i, batch = group / STREAM_PARTITIONS;
		const uint32_t counter[4] = {(uint32_t)(group % STREAM_PARTITIONS), (uint32_t)batch,
					     (uint32_t)(batch >> 32), span->draw};

		threefry4x32(counter, span->key, 2, words + 4 * i);
	}
}

static void groups_of(const struct source *source, const struct stream *stream, uint64_t group, uint32_t draw, size_t n,
		      uint32_t *words)
{
	struct rng_span span = {.group = group, .draw = draw};

	stream_key(stream, span.key);
	if (source->kernel)
		source->kernel->bits(&span, n, words);
	else
		two_rounds(&span, n, words);
}

/* Each order: the words of turn `turn`; returns how many. */
typedef size_t order_fn(const struct source *source, uint64_t turn, uint32_t *words);

static size_t in_order(const struct source *source, uint64_t turn, uint32_t *words)
{
	groups_of(source, &source->stream, turn * STREAM_PARTITIONS, 0, STREAM_PARTITIONS, words);
	return STREAM_BATCH_WORDS;
}

static size_t partition(const struct source *source, uint64_t turn, uint32_t *words)
{
	groups_of(source, &source->stream, turn * STREAM_PARTITIONS + source->partition, 0, 1, words);
	return 4;
}

static size_t positions(const struct source *source, uint64_t turn, uint32_t *words)
{
	uint32_t group[4];

	for (uint64_t i = 0; i < NEIGHBOURS; i++) {
		const uint64_t at = turn * NEIGHBOURS + i;

		groups_of(source, &source->stream, at ^ at >> 1, 0, 1, group);
		for (size_t w = 0; w < 4; w++)
			words[w * NEIGHBOURS + i] = group[w];
	}
	return 4 * NEIGHBOURS;
}

/* A piece of each neighbour, woven word by word. */
static size_t interleave(const struct source *source, uint64_t turn, uint64_t seeds, uint64_t streams, uint32_t draws,
			 uint32_t *words)
{
	uint32_t piece[PIECE_WORDS];

	for (uint32_t i = 0; i < NEIGHBOURS; i++) {
		struct stream stream = source->stream;

		stream.seed += seeds * i;
		stream.stream += streams * i;
		groups_of(source, &stream, turn * PIECE_GROUPS, draws * i, PIECE_GROUPS, piece);
		for (size_t w = 0; w < PIECE_WORDS; w++)
			words[w * NEIGHBOURS + i] = piece[w];
	}
	return PIECE_WORDS * NEIGHBOURS;
}

static size_t seeds(const struct source *source, uint64_t turn, uint32_t *words)
{
	return interleave(source, turn, 1, 0, 0, words);
}

static size_t streams(const struct source *source, uint64_t turn, uint32_t *words)
{
	return interleave(source, turn, 0, 1, 0, words);
}

static size_t draws(const struct source *source, uint64_t turn, uint32_t *words)
{
	return interleave(source, turn, 0, 0, 1, words);
}

static const struct {
	const char *name;
	order_fn *words;
} orders[] = {
	{"whole", in_order},  {"partition", partition}, {"seeds", seeds},
	{"streams", streams}, {"draws", draws},         {"positions", positions},
};

static order_fn *order_of(const char *name)
{
	for (size_t i = 0; i < sizeof orders / sizeof *orders; i++)
		if (strcmp(orders[i].name, name) == 0)
			return orders[i].words;
	return NULL;
}

/* Id and partition are taken from the seed too, the id with room for its neighbours in Philox's 32 bits. */
static int source_of(const char *generator, uint64_t seed, struct source *ret_source)
{
	struct source source = {
		.stream = {GENERATOR_THREEFRY4X32, seed, seed * 0x9E3779B97F4A7C15u >> 33},
		.partition = (uint32_t)(seed % STREAM_PARTITIONS),
	};

	if (strcmp(generator, "threefry4x32_2") != 0) {
		if (generator_parse(generator, strlen(generator), &source.stream.generator))
			return -1;
		source.kernel = generator_select(source.stream.generator, cpu_detect());
	}
	*ret_source = source;
	return 0;
}

int main(int argc, char **argv)
{
	static uint32_t words[PIECE_WORDS * NEIGHBOURS];
	struct source source;
	order_fn *order = argc == 4 ? order_of(argv[2]) : NULL;

	if (!order || source_of(argv[1], strtoull(argv[3], NULL, 0), &source)) {
		fprintf(stderr, "usage: write_words GENERATOR whole|partition|seeds|streams|draws|positions SEED\n");
		return 2;
	}
	for (uint64_t turn = 0;; turn++) {
		const size_t n = order(&source, turn, words);

		if (fwrite(words, sizeof *words, n, stdout) != n)
			return 0;
	}
}
