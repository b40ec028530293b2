/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of every generator, against words computed one by one from the counter and key that the stream format
 * defines; names and limits. */
#include "rng/generator.h"

#include "base/error.h"
#include "rng/ars.h"
#include "rng/philox.h"
#include "rng/stream.h"
#include "rng/support.h"
#include "rng/threefry.h"

enum { MOST_GROUPS = 700 };

/* An evaluation is half a group; a batch of 128 has 64 groups, and the key is that of the stream and of 2^32 batches. */
static void compute_words_2x32(enum generator generator, const uint32_t key[4], uint64_t group, uint32_t draw,
			       uint32_t ret_words[4])
{
	const uint64_t batch = group / 64;
	const uint32_t chooses[2] = {key[2], (uint32_t)(batch >> 32)};
	uint32_t chosen[2];

	threefry2x32(chooses, key, 20, chosen);
	for (uint32_t half = 0; half < 2; half++) {
		const uint32_t counter[2] = {(uint32_t)(group % 64 * 2) + half + 128 * draw, (uint32_t)batch};

		if (generator == GENERATOR_THREEFRY2X32)
			threefry2x32(counter, chosen, 20, ret_words + 2 * half);
		else
			philox2x32(counter, chosen[0], 10, ret_words + 2 * half);
	}
}

/* An evaluation is two groups; a batch of 128 has 256 groups. */
static void compute_words_4x64(enum generator generator, const struct stream *stream, uint64_t group, uint32_t draw,
			       uint32_t ret_words[4])
{
	const uint64_t key[4] = {stream->seed, stream->stream, 0, 0};
	const uint64_t counter[4] = {group / 2 % 128, group / 256, draw, 0};
	uint64_t words[4];

	if (generator == GENERATOR_THREEFRY4X64)
		threefry4x64(counter, key, 20, words);
	else
		philox4x64(counter, key, 10, words);
	for (unsigned i = 0; i < 4; i++)
		ret_words[i] = (uint32_t)(words[group % 2 * 2 + i / 2] >> i % 2 * 32);
}

/* Computes words from the definition of the stream format, independently of lib/rng/stream.c. */
static void compute_words(enum generator generator, const struct stream *stream, uint64_t group, uint32_t draw,
			  uint32_t ret_words[4])
{
	const uint32_t partition = (uint32_t)(group % 128);
	const uint64_t batch = group / 128;
	const uint32_t key[4] = {(uint32_t)stream->seed, (uint32_t)(stream->seed >> 32), (uint32_t)stream->stream,
				 (uint32_t)(stream->stream >> 32)};

	if (generator == GENERATOR_PHILOX4X32 || generator == GENERATOR_PHILOX4X32_7) {
		const uint32_t counter[4] = {partition + 128 * draw, (uint32_t)batch, (uint32_t)(batch >> 32),
					     (uint32_t)stream->stream};

		philox4x32(counter, key, generator == GENERATOR_PHILOX4X32 ? 10 : 7, ret_words);
	} else if (generator == GENERATOR_THREEFRY2X32 || generator == GENERATOR_PHILOX2X32) {
		compute_words_2x32(generator, key, group, draw, ret_words);
	} else if (generator == GENERATOR_THREEFRY4X64 || generator == GENERATOR_PHILOX4X64) {
		compute_words_4x64(generator, stream, group, draw, ret_words);
	} else {
		const uint32_t counter[4] = {partition, (uint32_t)batch, (uint32_t)(batch >> 32), draw};

		if (generator == GENERATOR_ARS4X32_7)
			ars4x32(counter, key, 7, ret_words);
		else if (generator == GENERATOR_THREEFRY4X32_TRN)
			threefry4x32_trn(counter, key, 20, ret_words);
		else
			threefry4x32(counter, key, generator == GENERATOR_THREEFRY4X32 ? 20 : 13, ret_words);
	}
}

struct sample {
	uint64_t group;
	uint32_t draw;
	size_t n_groups;
};

static void check_outputs(const struct rng_kernel *kernel, enum generator generator, const struct stream *stream,
			  const struct sample *sample)
{
	/* Shifted by one element from alignment, with a guard behind. */
	static uint32_t words[4 * MOST_GROUPS + 8];
	static float floats[4 * MOST_GROUPS + 8];
	static double doubles[2 * MOST_GROUPS + 8];
	struct rng_span span = {.group = sample->group, .draw = sample->draw};
	const size_t n = sample->n_groups;

	stream_key(stream, span.key);
	memset(words, 0xA5, sizeof words);
	memset(floats, 0xA5, sizeof floats);
	memset(doubles, 0xA5, sizeof doubles);
	kernel->bits(&span, n, words + 1);
	kernel->uniform_f32(&span, n, floats + 1);
	kernel->uniform_f64(&span, n, doubles + 1);
	for (size_t g = 0; g < n; g++) {
		uint32_t expected[4];

		compute_words(generator, stream, sample->group + g, sample->draw, expected);
		for (unsigned w = 0; w < 4; w++) {
			const uint64_t x = expected[w & 2] | (uint64_t)expected[(w & 2) + 1] << 32;
			const float f = (float)(expected[w] & 0xFFFFFF) / 16777216.0f;
			const double d = (double)(x >> 11) / 9007199254740992.0;

			if (words[1 + 4 * g + w] != expected[w] || floats[1 + 4 * g + w] != f ||
			    doubles[1 + 2 * g + w / 2] != d)
				fail_msg("%s %s seed %llu stream %llu group %llu+%zu word %u: expected %08x %a %a, got "
					 "%08x %a %a",
					 generator_row(generator)->name, kernel->name, (unsigned long long)stream->seed,
					 (unsigned long long)stream->stream, (unsigned long long)sample->group, g, w,
					 expected[w], f, d, words[1 + 4 * g + w], floats[1 + 4 * g + w],
					 doubles[1 + 2 * g + w / 2]);
		}
	}
	for (size_t i = 0; i < sizeof(uint32_t); i++) {
		assert_int_equal(((unsigned char *)(words + 1 + 4 * n))[i], 0xA5);
		assert_int_equal(((unsigned char *)(floats + 1 + 4 * n))[i], 0xA5);
		assert_int_equal(((unsigned char *)(doubles + 1 + 2 * n))[i], 0xA5);
	}
}

static void test_every_variant(void **state)
{
	static const struct stream streams[] = {
		{.seed = 0, .stream = 0},
		{.seed = 42, .stream = 7},
		{.seed = 0xFEDCBA9876543210, .stream = 0xFFFFFFFF},
		{.seed = UINT64_MAX, .stream = 0xDEADBEEF12345678},
	};
	static const struct sample samples[] = {
		{0, 0, 0},
		{0, 0, 1},
		{0, 0, MOST_GROUPS},
		{127, 0, 2},
		{3, 1, 15},
		{3, 2, 16},
		{3, 3, 17},
		{100, 5, 129},
		{77, (1 << 25) - 1, 65},
		{((uint64_t)128 << 32) - 40, 0, 80},
		{((uint64_t)64 << 32) - 40, 7, 80},
		{1, 0, 1},
		{255, 0, 4},
		{((uint64_t)1 << 62) - 130, 9, 130},
	};

	(void)state;
	for (unsigned g = 0; g < GENERATOR_COUNT; g++) {
		const struct generator_row *row = generator_row((enum generator)g);
		size_t count;
		const struct rng_kernel *const *kernels = row->kernels(&count);

		for (size_t k = 0; k < count; k++) {
			if (!can_run(row->name, kernels[k]->name, kernels[k]->needs))
				continue;
			for (size_t s = 0; s < sizeof streams / sizeof *streams; s++)
				for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
					if (streams[s].stream <= row->most_stream)
						check_outputs(kernels[k], (enum generator)g, &streams[s], &samples[i]);
		}
		assert_string_equal(kernels[count - 1]->name, "scalar");
	}
}

static void test_names_and_limits(void **state)
{
	char choices[256] = "";
	enum generator generator = GENERATOR_COUNT;

	(void)state;
	for (unsigned g = 0; g < GENERATOR_COUNT; g++) {
		const struct generator_row *row = generator_row((enum generator)g);

		snprintf(choices + strlen(choices), sizeof choices - strlen(choices), "%s%s", g ? "|" : "", row->name);
		assert_int_equal(generator_parse(row->name, strlen(row->name), &generator), 0);
		assert_int_equal(generator, g);
	}
	assert_string_equal(choices, GENERATOR_CHOICES);
	assert_int_equal(generator_parse("philox4x3", 9, &generator), -ERROR_OUT_OF_RANGE);
	assert_true(stream_id_fits(&(struct stream){GENERATOR_PHILOX4X32, 1, UINT32_MAX}));
	assert_false(stream_id_fits(&(struct stream){GENERATOR_PHILOX4X32, 1, (uint64_t)UINT32_MAX + 1}));
	assert_true(stream_id_fits(&(struct stream){GENERATOR_THREEFRY4X32, 1, UINT64_MAX}));
	assert_true(stream_id_fits(&(struct stream){GENERATOR_ARS4X32_7, 1, UINT64_MAX}));
}

static void test_word_by_address(void **state)
{
	(void)state;
	for (unsigned g = 0; g < GENERATOR_COUNT; g++) {
		const struct stream stream = {(enum generator)g, 0x123456789ABCDEF0, 17};

		for (uint64_t position = 509; position < 1100; position += 7) {
			uint32_t expected[4];

			compute_words((enum generator)g, &stream, position / 4, 3, expected);
			assert_int_equal(stream_word(&stream, position, 3), expected[position % 4]);
		}
	}
}

static int vector_lines;

/* A line of another width than 4x32, on every variant. */
static void check_stream_vector(char *line)
{
	unsigned long long seed, stream, draw, position;
	enum generator generator;
	const struct rng_kernel *const *kernels;
	uint32_t want[4], words[4];
	size_t n_kernels;
	char name[32];

	if (sscanf(line, "%31s %llx %llx %llu %llu : %x %x %x %x", name, &seed, &stream, &draw, &position, &want[0], &want[1],
		   &want[2], &want[3]) != 9 || generator_parse(name, strlen(name), &generator) < 0)
		return;
	kernels = generator_row(generator)->kernels(&n_kernels);
	for (size_t v = 0; v < n_kernels; v++) {
		struct rng_span span = {.group = position / 4, .draw = (uint32_t)draw};

		if (kernels[v]->needs & ~cpu_detect())
			continue;
		stream_key(&(struct stream){generator, seed, stream}, span.key);
		kernels[v]->bits(&span, 1, words);
		for (int i = 0; i < 4; i++)
			if (words[i] != want[i])
				fail_msg("%s %s, position %llu + %d: expected %08x, got %08x", name, kernels[v]->name, position, i,
					 want[i], words[i]);
	}
	vector_lines++;
}

static void test_stream_vectors(void **state)
{
	(void)state;
	vector_lines = 0;
	for_each_line("tests/vectors/stream_vectors.txt", check_stream_vector);
	assert_int_equal(vector_lines, 4 * 9);
}

/* layout=trn24 draws the stream of a machine that puts 24 bits of the seed into each half of the key. */
static void test_trn24_layout(void **state)
{
	const uint64_t seed = 0xABCDEF123456;
	uint32_t key[4];

	(void)state;
	stream_key(&(struct stream){GENERATOR_THREEFRY4X32, stream_seed_trn24(seed), 0}, key);
	assert_int_equal(key[0], 0x123456);
	assert_int_equal(key[1], 0xABCDEF);
	assert_int_equal(key[2], 0);
	assert_int_equal(key[3], 0);
	assert_int_equal(stream_seed_trn24(0xFFFFFF), 0xFFFFFF);
	/* Published by the authors of trnrand. */
	assert_int_equal(stream_word(&(struct stream){GENERATOR_THREEFRY4X32_TRN, stream_seed_trn24(42), 0}, 0, 0), 4234409380);
}

/* Finds a word of the stream whose low 24 bits are `low`, and returns its position: one of some 16 million is. */
static uint64_t find_low_bits(const struct stream *stream, const struct rng_kernel *kernel, uint32_t low)
{
	enum { GROUPS = 64 * STREAM_PARTITIONS };
	static uint32_t words[4 * GROUPS];
	struct rng_span span = {.group = 0};

	stream_key(stream, span.key);
	for (;; span.group += GROUPS) {
		kernel->bits(&span, GROUPS, words);
		for (size_t i = 0; i < 4 * GROUPS; i++)
			if ((words[i] & 0xFFFFFF) == low)
				return 4 * span.group + i;
	}
}

/* Uniforms are 0 for the lowest words, with a positive sign, and below 1 for the highest, in every variant. */
static void test_ends_of_uniforms(void **unused)
{
	static const struct {
		uint32_t low;
		float uniform;
	} ends[] = {{0, 0}, {1, 0x1p-24f}, {0x800000, 0.5f}, {0xFFFFFF, 1 - 0x1p-24f}};
	const enum generator generators[] = {GENERATOR_THREEFRY4X32, GENERATOR_PHILOX4X32,   GENERATOR_ARS4X32_7,
					     GENERATOR_THREEFRY2X32, GENERATOR_THREEFRY4X64, GENERATOR_PHILOX2X32,
					     GENERATOR_PHILOX4X64};

	(void)unused;
	for (size_t g = 0; g < sizeof generators / sizeof *generators; g++)
		for (size_t e = 0; e < sizeof ends / sizeof *ends; e++) {
			const struct stream stream = {.generator = generators[g], .seed = 24};
			const struct generator_row *row = generator_row(generators[g]);
			const uint64_t at = find_low_bits(&stream, row->select(cpu_detect()), ends[e].low);
			struct rng_span span = {.group = at / 4};
			const struct rng_kernel *const *kernels;
			size_t n_kernels;

			stream_key(&stream, span.key);
			kernels = row->kernels(&n_kernels);
			for (size_t v = 0; v < n_kernels; v++) {
				float uniforms[4];

				if (kernels[v]->needs & ~cpu_detect())
					continue;
				kernels[v]->uniform_f32(&span, 1, uniforms);
				if (memcmp(&uniforms[at % 4], &ends[e].uniform, sizeof *uniforms))
					fail_msg("%s on %s: word %llu gives %a, not %a", row->name, kernels[v]->name,
						 (unsigned long long)at, (double)uniforms[at % 4],
						 (double)ends[e].uniform);
			}
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_every_variant),    cmocka_unit_test(test_names_and_limits),
		cmocka_unit_test(test_word_by_address),  cmocka_unit_test(test_trn24_layout),
		cmocka_unit_test(test_ends_of_uniforms), cmocka_unit_test(test_stream_vectors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
