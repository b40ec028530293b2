/* SPDX-License-Identifier: Apache-2.0 */
/* The self-test of the kernels. Expected results are compiled in, or computed here in the plainest way.
 *
 * For each level of instruction sets, an engine of its own with 128 threads draws and transforms. Every chunk is
 * compared with the definition of a stream, and the lanes' counters must show that all 128 took part. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpu.h"
#include "rng/ars.h"
#include "rng/stream.h"
#include "rng/threefry.h"
#include "suites.h"

enum {
	CHUNK_WORDS = 16384,
	LANES = 128,
	ALL_LANES_WORDS = LANES * CHUNK_WORDS,
	FFT_LENGTH = 60, /* radices 4, 3 and 5 */
	TEXT = 160,
};

/* Salmon et al., SC'11: threefry4x32-20 and ars4x32-7 of zeros, of ones, of the digits of pi; trnrand's threefry of zeros. */
static const struct {
	void (*block)(const uint32_t counter[4], const uint32_t key[4], unsigned rounds, uint32_t ret_words[4]);
	unsigned rounds;
	uint32_t counter[4], key[4], words[4];
} known_answers[] = {
	{threefry4x32, 20, {0}, {0}, {0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8}},
	{threefry4x32, 20,
	 {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
	 {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
	 {0x2a881696, 0x57012287, 0xf6c7446e, 0xa16a6732}},
	{threefry4x32, 20,
	 {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
	 {0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89},
	 {0x59cd1dbb, 0xb8879579, 0x86b5d00c, 0xac8b6d84}},
	{ars4x32, 7, {0}, {0}, {0xdacf61ff, 0xc45798f3, 0x113c7eeb, 0x101e27f3}},
	{ars4x32, 7,
	 {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
	 {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
	 {0xfbaaff1f, 0xbb547ef9, 0x13d8cd78, 0x7aaa969b}},
	{ars4x32, 7,
	 {0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
	 {0xa4093822, 0x299f31d0, 0x082efa98, 0xec4e6c89},
	 {0xd1df87af, 0xf67d43ba, 0x4f66afdb, 0x393dcb2d}},
	{threefry4x32_trn, 20, {0}, {0}, {0x3425621e, 0x64af086c, 0x4939f9f4, 0x02f34bf4}},
};

/* The stream contract, computed by an independent program; of ARS by Random123. */
static const struct {
	const char *generator;
	uint64_t seed, stream, position;
	uint32_t words[4];
} stream_vectors[] = {
	{NULL, 0x0, 0x0, 0, {0x9c6ca96a, 0xe17eae66, 0xfc10ecd4, 0x5256a7d8}},
	{NULL, 0x1, 0x0, 0, {0xb8ed4609, 0x11293615, 0x20738f4f, 0xf7a0783a}},
	{NULL, 0x1, 0x0, 508, {0x428b4d10, 0x0e255f58, 0x8cda7b2c, 0xe6c07d00}},
	{NULL, 0x1, 0x0, 512, {0x9ca4c2d0, 0x52b79a44, 0x746ff6b9, 0xd2bc40a8}},
	{NULL, 0x7, 0x3, 8589934592, {0xd6bdf39c, 0x13033c63, 0xc0c54c40, 0x2cd6b8c2}},
	{"ars4x32_7", 0x2a, 0x0, 0, {0x0a662832, 0x70f3d1e8, 0x5baa117d, 0x2d2c7cb5}},
	{"ars4x32_7", 0x2a, 0x0, 4, {0x292f74e3, 0xb18da264, 0xf1a0697a, 0x9cf01715}},
	{"ars4x32_7", 0x0123456789abcdef, 0x5, 2199023256572, {0xa185998d, 0x0f63fdee, 0xe61e6717, 0xb57e0eac}},
	{"threefry4x32_trn", 0x2a, 0x0, 0, {0xfc63f5a4, 0x4e2310f1, 0xeca8367d, 0x796c4c68}},
	{"threefry4x32_trn", 0x00abcdef00123456, 0x0, 1020, {0xfe0e029a, 0x9bc5b65a, 0xcca46455, 0x3b59023f}},
	{"threefry2x32", 0x1, 0x0, 256, {0x9508b247, 0x2e413c49, 0xd02845c1, 0x947e258d}},
	{"threefry2x32", 0x1, 0x0, 1020, {0xc35005be, 0x486a84e9, 0x29cd4219, 0x62cdfe3f}},
	{"threefry4x64", 0x1, 0x0, 256, {0x6fb14e07, 0x9c79819b, 0x513b5dfe, 0xb4b96ca9}},
	{"threefry4x64", 0x1, 0x0, 1020, {0x2fdaee70, 0x9529802c, 0x9aceacf5, 0x00552523}},
	{"philox2x32", 0x1, 0x0, 256, {0xe510b33f, 0xbd478300, 0x2f238f38, 0x58f16994}},
	{"philox2x32", 0x1, 0x0, 1020, {0x8495282e, 0xa8b0277e, 0x0ba2cc75, 0xb1d26c09}},
	{"philox4x64", 0x1, 0x0, 256, {0x3bcf9c2b, 0x87451c96, 0x53ef4f9e, 0x6bc7fab7}},
	{"philox4x64", 0x1, 0x0, 1020, {0xb86f046e, 0x71deed33, 0x61ac8484, 0xb613ccae}},
};

static const struct {
	uint64_t seed, stream, position;
	double normals[4];
} normal_vectors[] = {
	{0x1, 0x0, 0, {0.206820315, 0.330382577, -0.881507061, -0.902066469}},
	{0x1, 0x0, 1, {0.330382577, -0.881507061, -0.902066469, -0.291441672}},
	{0x7, 0x3, 8589934592, {0.770103698, 0.061291005, 0.381961668, -0.612397849}},
};

struct kernels {
	struct selftest *test;
	const char *variant;
	struct trnsci_session *session;
};

static void report(struct kernels *kernels, const char *name, bool passed, const char *detail)
{
	selftest_report(
		kernels->test,
		(struct trnsci_check){.subject = kernels->variant, .name = name, .detail = detail, .passed = passed});
}

static void report_skip(struct kernels *kernels, const char *detail)
{
	selftest_report(
		kernels->test,
		(struct trnsci_check){
			.subject = kernels->variant, .name = "all", .detail = detail, .passed = true, .skipped = true});
}

/* The counters of ones and of pi lie outside any stream, so only the reference takes them. */
static void check_known_answers(struct kernels *kernels)
{
	const size_t count = sizeof known_answers / sizeof *known_answers;
	char detail[TEXT];

	snprintf(detail, sizeof detail, "threefry4x32-20 and ars4x32-7 of zeros, ones and pi; threefry4x32_trn of zeros");
	for (size_t i = 0; i < count; i++) {
		uint32_t words[4];

		known_answers[i].block(known_answers[i].counter, known_answers[i].key, known_answers[i].rounds, words);
		if (memcmp(words, known_answers[i].words, sizeof words) == 0)
			continue;
		snprintf(detail, sizeof detail, "answer %zu: expected %08" PRIx32 ", got %08" PRIx32, i,
			 known_answers[i].words[0], words[0]);
		report(kernels, "known answers", false, detail);
		return;
	}
	report(kernels, "known answers", true, detail);
}

/* Draws of four words at positions that begin a chunk, and that do not. */
static void check_stream_vectors(struct kernels *kernels)
{
	const size_t count = sizeof stream_vectors / sizeof *stream_vectors;
	struct trnsci_error err;
	char detail[TEXT];

	for (size_t i = 0; i < count; i++) {
		const struct trnsci_source source = {.generator = stream_vectors[i].generator,
						     .seed = stream_vectors[i].seed,
						     .stream = stream_vectors[i].stream,
						     .offset = stream_vectors[i].position};
		uint32_t words[4] = {0};

		if (trnsci_draw_array(kernels->session, "bits", NULL, &source, TRNSCI_U32, 4, words, NULL, &err) < 0) {
			report(kernels, "stream vectors", false, err.text);
			return;
		}
		if (memcmp(words, stream_vectors[i].words, sizeof words) == 0)
			continue;
		snprintf(detail, sizeof detail, "vector %zu: expected %08" PRIx32 ", got %08" PRIx32, i,
			 stream_vectors[i].words[0], words[0]);
		report(kernels, "stream vectors", false, detail);
		return;
	}
	snprintf(detail, sizeof detail, "%zu vectors of the stream contract", count);
	report(kernels, "stream vectors", true, detail);
}

/* The contract allows float32 an error of 4 ulp. */
static void check_normals(struct kernels *kernels)
{
	const size_t count = sizeof normal_vectors / sizeof *normal_vectors;
	struct trnsci_error err;
	char detail[TEXT];

	for (size_t i = 0; i < count; i++) {
		const struct trnsci_source source = {.seed = normal_vectors[i].seed,
						     .stream = normal_vectors[i].stream,
						     .offset = normal_vectors[i].position};
		float normals[4] = {0};

		if (trnsci_draw_array(kernels->session, "normal", NULL, &source, TRNSCI_F32, 4, normals, NULL, &err) < 0) {
			report(kernels, "normals", false, err.text);
			return;
		}
		for (size_t j = 0; j < 4; j++) {
			double expected = normal_vectors[i].normals[j];

			if (fabs((double)normals[j] - expected) <= 4 * 0x1p-24 * fabs(expected))
				continue;
			snprintf(detail, sizeof detail, "vector %zu: expected %.9g within 4 ulp, got %.9g", i, expected,
				 (double)normals[j]);
			report(kernels, "normals", false, detail);
			return;
		}
	}
	snprintf(detail, sizeof detail, "%zu vectors within 4 ulp of float64 Box-Muller", count);
	report(kernels, "normals", true, detail);
}

/* Returns the first word of a draw (one chunk for each lane) that differs from the stream's definition, or -1. */
static int64_t find_wrong(const uint32_t *words)
{
	const struct stream stream = {.generator = GENERATOR_THREEFRY4X32, .seed = 42, .stream = 7};
	uint32_t block[4] = {0};
	uint32_t key[4];

	stream_key(&stream, key);
	for (uint32_t i = 0; i < ALL_LANES_WORDS; i++) {
		const uint32_t counter[4] = {i % STREAM_BATCH_WORDS / 4, i / STREAM_BATCH_WORDS, 0, 0};

		if (i % 4 == 0)
			threefry4x32(counter, key, 20, block);
		if (words[i] != block[i % 4])
			return i;
	}
	return -1;
}

/* Returns how many lanes have worked since the engine was made. */
static size_t count_lanes(struct trnsci_session *session)
{
	struct trnsci_call *call = NULL;
	size_t used = 0;

	if (trnsci_call_new(session, "stats", &call) == 0 && trnsci_run(call, NULL) == 0) {
		const struct trnsci_value *lanes = trnsci_value_get(trnsci_value_get(trnsci_call_reply(call), "engine"), "lanes");

		for (size_t i = 0; i < trnsci_value_count(lanes); i++) {
			uint64_t chunks = 0;

			trnsci_value_to_u64(trnsci_value_get(trnsci_value_at(lanes, i), "chunks"), &chunks);
			used += chunks > 0;
		}
	}
	trnsci_call_free(call);
	return used;
}

/* Chunk i of a job belongs to lane i mod 128: 128 chunks use every lane, whichever threads run them. */
static void check_lanes(struct kernels *kernels)
{
	const uint64_t n = ALL_LANES_WORDS;
	const struct trnsci_source source = {.seed = 42, .stream = 7};
	struct trnsci_tile *tile = NULL;
	struct trnsci_error err;
	char detail[TEXT];
	bool passed = false;

	if (trnsci_tile_new(kernels->session, TRNSCI_U32, 1, &n, &tile, &err) < 0 ||
	    trnsci_draw_tile(kernels->session, "bits", NULL, &source, &tile, NULL, &err) < 0) {
		snprintf(detail, sizeof detail, "%.*s", TEXT - 1, err.text);
	} else {
		const uint32_t *words = trnsci_tile_data(tile);
		int64_t wrong = find_wrong(words);
		size_t lanes = count_lanes(kernels->session);

		passed = wrong < 0 && lanes == LANES;
		if (wrong >= 0)
			snprintf(detail, sizeof detail,
				 "seed 42, stream 7: word %" PRId64 " in lane %" PRId64
				 " is not the definition's: %08" PRIx32,
				 wrong, wrong / CHUNK_WORDS, words[wrong]);
		else
			snprintf(detail, sizeof detail, "%zu of %d lanes, %d words as the definition says", lanes,
				 LANES, ALL_LANES_WORDS);
	}
	trnsci_tile_free(tile);
	report(kernels, "lanes", passed, detail);
}

/* Returns the relative L2 error of a spectrum, against sums over n terms in double. */
static double spectrum_error(const float *signal, const float *spectrum, size_t n)
{
	double wrong = 0, whole = 0;

	for (size_t k = 0; k < n; k++) {
		double re = 0, im = 0;

		for (size_t j = 0; j < n; j++) {
			double angle = -2 * 3.14159265358979323846 * (double)(j * k % n) / (double)n;

			re += (double)signal[2 * j] * cos(angle) - (double)signal[2 * j + 1] * sin(angle);
			im += (double)signal[2 * j] * sin(angle) + (double)signal[2 * j + 1] * cos(angle);
		}
		wrong += pow((double)spectrum[2 * k] - re, 2) + pow((double)spectrum[2 * k + 1] - im, 2);
		whole += re * re + im * im;
	}
	return sqrt(wrong / whole);
}

/* A length of several radices. The direct sums, in double, are exact to about 1e-15. */
static void check_fft(struct kernels *kernels)
{
	const struct trnsci_source source = {.seed = 42};
	struct trnsci_error err;
	char detail[TEXT];
	float signal[2 * FFT_LENGTH], spectrum[2 * FFT_LENGTH];
	bool passed = false;

	if (trnsci_draw_array(kernels->session, "normal", NULL, &source, TRNSCI_F32, 2 * FFT_LENGTH, signal, NULL, &err) < 0 ||
	    trnsci_apply_array(kernels->session, "fft", NULL, trnsci_array_vector(TRNSCI_C64, FFT_LENGTH, signal),
			       trnsci_array_vector(TRNSCI_C64, FFT_LENGTH, spectrum), &err) < 0) {
		snprintf(detail, sizeof detail, "%.*s", TEXT - 1, err.text);
	} else {
		double error = spectrum_error(signal, spectrum, FFT_LENGTH);

		passed = error <= 1e-6;
		snprintf(detail, sizeof detail, "length %d against direct sums: error %.2g, allowed 1e-6", FFT_LENGTH,
			 error);
	}
	report(kernels, "fft", passed, detail);
}

/* 128 threads are more than there are CPUs: a result that depends on which thread runs a chunk would show. */
static void check_variant(struct kernels *kernels)
{
	const struct trnsci_options options = {.threads = LANES, .cpu = kernels->variant, .arena_bytes = 16 << 20};
	struct trnsci_error err;

	if (trnsci_open("embedded:", &options, &kernels->session, &err) < 0) {
		report(kernels, "engine", false, err.text);
		return;
	}
	check_known_answers(kernels);
	check_stream_vectors(kernels);
	check_normals(kernels);
	check_lanes(kernels);
	check_fft(kernels);
	trnsci_close(kernels->session);
}

/* A level that this CPU lacks is reported by name as skipped: a skip is not a pass. */
int selftest_kernels(struct selftest *test)
{
	struct kernels kernels = {.test = test};
	size_t count;
	const struct cpu_level *levels = cpu_levels(&count);

	for (size_t i = 0; i < count; i++) {
		kernels.variant = levels[i].name;
		if (levels[i].features & ~cpu_detect())
			report_skip(&kernels, "this CPU has no such instructions");
		else
			check_variant(&kernels);
	}
	return 0;
}
