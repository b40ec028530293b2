/* SPDX-License-Identifier: Apache-2.0 */
/* Checks for the kernels of every generator, against stream_word: random cases, most of them near carries and ends. */
#ifndef TRNSCI_TESTS_RNG_KERNEL_CHECKS_H
#define TRNSCI_TESTS_RNG_KERNEL_CHECKS_H

#include "rng/kernel.h"
#include "rng/stream.h"
#include "rng/support.h"

enum { MAX_GROUPS = 300 };

/* Returns a first group, often near the end of a batch, of 2^32 batches (where word 1 of the counter carries into word
 * 2), or of the stream (2^62). */
static uint64_t choose_group(uint64_t *state)
{
	const uint64_t group = next_case(state) >> 2;

	switch (below(state, 7)) {
	case 0:
		return below(state, 4 * STREAM_PARTITIONS);
	case 1:
		return (group | (UINT64_C(1) << 39)) / STREAM_PARTITIONS * STREAM_PARTITIONS - below(state, 70);
	case 2:
		return ((below(state, 1 << 20) + 1) << 39) - below(state, 2 * MAX_GROUPS);
	case 3: /* the key of 2x32 changes */
		return ((below(state, 1 << 20) + 1) << 38) - below(state, 2 * MAX_GROUPS);
	case 4:
		return (UINT64_C(1) << 62) - MAX_GROUPS - below(state, 300);
	default:
		return group < (UINT64_C(1) << 62) - MAX_GROUPS ? group : 0;
	}
}

static size_t choose_length(uint64_t *state)
{
	static const size_t lengths[] = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 256};
	const size_t pick = (size_t)below(state, 2 * sizeof lengths / sizeof *lengths);

	return pick < sizeof lengths / sizeof *lengths ? lengths[pick] : (size_t)below(state, MAX_GROUPS + 1);
}

struct kernel_case {
	struct stream stream;
	struct rng_span span;
	size_t n_groups, shift;
	uint64_t seed;
	const char *variant;
};

#define fail_case(c, what)                                                                                             \
	fail_msg("%s, %s: group %#llx, %zu groups, draw %#x, shift %zu; TRNSCI_TEST_SEED=%llu", (c)->variant, what,    \
		 (unsigned long long)(c)->span.group, (c)->n_groups, (c)->span.draw, (c)->shift,                       \
		 (unsigned long long)(c)->seed)

static void check_bits(const struct rng_kernel *kernel, const struct kernel_case *c, const uint32_t *words)
{
	struct guarded out = guarded_new(c->n_groups * 16, c->shift * 4);

	kernel->bits(&c->span, c->n_groups, (uint32_t *)out.at);
	if (memcmp(out.at, words, out.size) != 0)
		fail_case(c, "words differ from the reference");
	if (!guarded_free(out))
		fail_case(c, "words written outside the buffer");
}

/* Scatters to random groups of the span and of the batches around it, some of them twice, of two draws. */
static void check_scatter(const struct rng_kernel *kernel, const struct kernel_case *c, uint64_t *state)
{
	const size_t n = c->n_groups < 200 ? c->n_groups : 200;
	struct guarded out = guarded_new(n * 16, c->shift * 4);
	const uint32_t *words = (const uint32_t *)out.at;
	struct rng_place places[200];

	for (size_t i = 0; i < n; i++)
		places[i] =
			(struct rng_place){c->span.group + below(state, c->n_groups), c->span.draw ^ (uint32_t)below(state, 2)};
	kernel->scatter(c->span.key, places, n, (uint32_t *)out.at);
	for (size_t i = 0; i < 4 * n; i++) {
		const struct rng_place *place = &places[i / 4];

		if (words[i] != stream_word(&c->stream, 4 * place->group + i % 4, place->draw))
			fail_case(c, "scattered words differ from the reference");
	}
	if (!guarded_free(out))
		fail_case(c, "scattered words written outside the buffer");
}

static void check_f32(const struct rng_kernel *kernel, const struct kernel_case *c, const uint32_t *words)
{
	struct guarded out = guarded_new(c->n_groups * 16, c->shift * 4);
	const float *uniforms = (const float *)out.at;

	kernel->uniform_f32(&c->span, c->n_groups, (float *)out.at);
	for (size_t i = 0; i < 4 * c->n_groups; i++)
		if (uniforms[i] != (float)(words[i] % (1u << 24)) / 16777216.0f)
			fail_case(c, "float32 uniforms differ from the reference");
	if (!guarded_free(out))
		fail_case(c, "float32 uniforms written outside the buffer");
}

static void check_f64(const struct rng_kernel *kernel, const struct kernel_case *c, const uint32_t *words)
{
	struct guarded out = guarded_new(c->n_groups * 16, c->shift * 8);
	const double *uniforms = (const double *)out.at;

	kernel->uniform_f64(&c->span, c->n_groups, (double *)out.at);
	for (size_t i = 0; i < 2 * c->n_groups; i++) {
		const uint64_t x = words[2 * i] + ((uint64_t)words[2 * i + 1] << 32);

		if (uniforms[i] != (double)(x / 2048) / 9007199254740992.0)
			fail_case(c, "float64 uniforms differ from the reference");
	}
	if (!guarded_free(out))
		fail_case(c, "float64 uniforms written outside the buffer");
}

/* Runs n_cases random cases on one variant of a generator whose draw numbers are below max_draw. */
static void check_kernel(const struct rng_kernel *kernel, enum generator generator, uint64_t max_draw, int n_cases)
{
	uint64_t state = case_seed();
	uint32_t *words = malloc(MAX_GROUPS * 16);

	assert_non_null(words);
	for (int i = 0; i < n_cases; i++) {
		struct kernel_case c = {.seed = case_seed(), .variant = kernel->name};

		c.stream.generator = generator;
		c.stream.seed = next_case(&state);
		c.stream.stream = next_case(&state) & generator_row(generator)->most_stream;
		stream_key(&c.stream, c.span.key);
		c.span.group = choose_group(&state);
		c.span.draw = (uint32_t)(below(&state, 2) ? 0 : below(&state, max_draw));
		c.n_groups = choose_length(&state);
		c.shift = (size_t)below(&state, 8);
		for (size_t w = 0; w < 4 * c.n_groups; w++)
			words[w] = stream_word(&c.stream, 4 * c.span.group + w, c.span.draw);
		check_bits(kernel, &c, words);
		check_scatter(kernel, &c, &state);
		check_f32(kernel, &c, words);
		check_f64(kernel, &c, words);
	}
	free(words);
}

#endif
