/* SPDX-License-Identifier: Apache-2.0 */
/* The byte-tile model's report, and the pure functions that derive streams. */
#include <assert.h>
#include <string.h>

#include <trnsci/trnsci.h>

#include "rng/byte_tiles.h"
#include "rng/derive.h"

enum { BATCHES = 128 };

static_assert((int)N_TILE_STEPS <= (int)TRNSCI_MAX_TILE_STEPS, "the header's array is too short");

static int tell(enum generator generator, enum conversion conversion,
		void (*report)(void *arg, const struct trnsci_byte_tiles *row), void *arg)
{
	const struct stream stream = {.seed = 42};
	struct trnsci_byte_tiles row = {
		.generator = generator_row(generator)->name, .conversion = conversion_name(conversion), .passed = true};
	struct tile_figures figures;

	byte_tiles_measure(generator, conversion, &stream, BATCHES, &figures);
	row.n_words = figures.n_words;
	row.n_right = figures.n_right;
	row.n_before_wrong = figures.n_before_wrong;
	row.mean_low = figures.mean_low;
	row.mean_high = figures.mean_high;
	row.chi_square = figures.chi_square;
	for (unsigned s = 0; s < N_TILE_STEPS; s++) {
		if (figures.most[s] == 0)
			continue;
		row.steps[row.n_steps++] = (struct trnsci_tile_step){tile_step_name((enum tile_step)s), figures.most[s],
								     tile_step_bound((enum tile_step)s)};
		row.passed &= figures.most[s] <= tile_step_bound((enum tile_step)s);
	}
	/* Threefry is right everywhere, Philox where integers are whole. */
	if (generator == GENERATOR_THREEFRY4X32 || conversion == CONVERSION_EXACT)
		row.passed &= row.n_right == row.n_words;
	if (report)
		report(arg, &row);
	return row.passed ? 0 : 1;
}

int trnsci_byte_tiles(void (*report)(void *arg, const struct trnsci_byte_tiles *row), void *arg)
{
	int failed = 0;

	for (unsigned g = 0; g <= GENERATOR_PHILOX4X32; g++)
		for (unsigned c = 0; c < N_CONVERSIONS; c++)
			failed += tell((enum generator)g, (enum conversion)c, report, arg);
	return failed;
}

/* 0 and the stream, or a negative error. */
static int find_stream(const struct trnsci_stream *parent, struct stream *ret)
{
	const char *name = parent->generator ? parent->generator : "threefry4x32";
	struct stream stream = {.seed = parent->seed, .stream = parent->stream};

	if (generator_parse(name, strlen(name), &stream.generator) < 0 || !stream_id_fits(&stream))
		return -TRNSCI_OUT_OF_RANGE;
	*ret = stream;
	return 0;
}

static int give(const struct trnsci_stream *parent, const struct stream *stream, struct trnsci_stream *ret_stream)
{
	*ret_stream = (struct trnsci_stream){parent->generator, stream->seed, stream->stream};
	return 0;
}

int trnsci_stream_label(const struct trnsci_stream *parent, const void *label, size_t size,
			struct trnsci_stream *ret_stream)
{
	struct stream stream;
	int r = find_stream(parent, &stream);

	if (r < 0)
		return r;
	derive_label(&stream, label, size, &stream);
	return give(parent, &stream, ret_stream);
}

int trnsci_stream_fold_in(const struct trnsci_stream *parent, uint64_t number, struct trnsci_stream *ret_stream)
{
	struct stream stream;
	int r = find_stream(parent, &stream);

	if (r < 0)
		return r;
	derive_fold_in(&stream, number, &stream);
	return give(parent, &stream, ret_stream);
}

int trnsci_stream_split(const struct trnsci_stream *parent, uint64_t index, struct trnsci_stream *ret_stream)
{
	struct stream stream;
	int r = find_stream(parent, &stream);

	if (r < 0)
		return r;
	derive_split(&stream, index, &stream);
	return give(parent, &stream, ret_stream);
}
