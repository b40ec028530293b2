/* SPDX-License-Identifier: Apache-2.0 */
/* Random123's Threefry4x32-20 and Philox4x32-10, distributions over them in loops that the compiler can vectorise with
 * libmvec; and the words of its other widths. Compiled by each compiler for the CPU, and also with 512-bit vectors. A user free
 * to choose the order of the words writes each word of the state into an array of its own: order=sliced; else a counter's words
 * stand together.
 *
 *   method=uniform|staged_uniform|normal|exponential|lognormal|laplace|bernoulli|randint generator= order= out=TYPE:N
 *   method=bits generator=threefry2x32|threefry4x64|philox2x32|philox4x64 order= out=u32:N
 *   method=bits p.layout=jax out=u32:N: Threefry2x32-20 */
#include <Random123/philox.h>
#include <Random123/threefry.h>
#include <math.h>
#include <stdlib.h>

#include "bench/worker.h"

enum { BLOCK = 1024 };

static inline struct r123array4x32 threefry_of(size_t group)
{
	const threefry4x32_key_t key = {{1, 2, 3, 4}};
	const threefry4x32_ctr_t counter = {{(uint32_t)group, (uint32_t)(group >> 32), 0, 0}};

	return threefry4x32(counter, key);
}

static inline struct r123array4x32 philox_of(size_t group)
{
	const philox4x32_key_t key = {{1, 2}};
	const philox4x32_ctr_t counter = {{(uint32_t)group, (uint32_t)(group >> 32), 3, 0}};

	return philox4x32(counter, key);
}

static inline uint32_t word_of(uint32_t word)
{
	return word;
}

static inline float uniform_of(uint32_t word)
{
	return (float)(int)(word & 0xFFFFFF) * 0x1p-24f;
}

/* Above 0, for logarithms. */
static inline float above_zero(uint32_t word)
{
	return uniform_of(word) + 0x1p-25f;
}

/* A block from word `first` on: words, or uniforms made in the same loop. */
#define BLOCK_OF(name, generator, type, convert, place)                                                                \
	static void name(size_t first, type *out)                                                                      \
	{                                                                                                              \
		for (size_t i = 0; i < BLOCK / 4; i++) {                                                               \
			const struct r123array4x32 words = generator(first / 4 + i);                                   \
                                                                                                                       \
			for (int w = 0; w < 4; w++)                                                                    \
				out[place] = convert(words.v[w]);                                                      \
		}                                                                                                      \
	}
#define NATURAL 4 * i + w
#define SLICED  BLOCK / 4 * w + i
BLOCK_OF(threefry_words, threefry_of, uint32_t, word_of, NATURAL)
BLOCK_OF(threefry_sliced, threefry_of, uint32_t, word_of, SLICED)
BLOCK_OF(philox_words, philox_of, uint32_t, word_of, NATURAL)
BLOCK_OF(philox_sliced, philox_of, uint32_t, word_of, SLICED)
BLOCK_OF(threefry_uniforms, threefry_of, float, uniform_of, NATURAL)
BLOCK_OF(threefry_uniforms_sliced, threefry_of, float, uniform_of, SLICED)
BLOCK_OF(philox_uniforms, philox_of, float, uniform_of, NATURAL)
BLOCK_OF(philox_uniforms_sliced, philox_of, float, uniform_of, SLICED)

/* Words of one of the other widths, all of an array: `type` is a word, of which a counter has `words`. */
#define WORDS_OF(name, generator, type, words, place)                                                                  \
	static void name(void)                                                                                         \
	{                                                                                                              \
		const generator##_key_t key = {{1}};                                                                   \
		const size_t n_words = n * sizeof(uint32_t) / sizeof(type);                                            \
                                                                                                                       \
		for (size_t at = 0; at < n_words; at += BLOCK) {                                                       \
			type *const block = (type *)out + at;                                                          \
                                                                                                                       \
			for (size_t i = 0; i < BLOCK / (words); i++) {                                                 \
				const generator##_ctr_t counter = {{(type)(at / (words) + i), 3}};                     \
				const generator##_ctr_t x = generator(counter, key);                                   \
                                                                                                                       \
				for (int w = 0; w < (words); w++)                                                      \
					block[place] = x.v[w];                                                         \
			}                                                                                              \
		}                                                                                                      \
	}
#define WORDS_IN_ORDERS(generator, type, words)                                                                        \
	WORDS_OF(generator##_natural, generator, type, words, (words) * i + w)                                         \
	WORDS_OF(generator##_sliced, generator, type, words, BLOCK / (words) * w + i)

static void *out;
static size_t n;

WORDS_IN_ORDERS(threefry2x32, uint32_t, 2)
WORDS_IN_ORDERS(threefry4x64, uint64_t, 4)
WORDS_IN_ORDERS(philox2x32, uint32_t, 2)
WORDS_IN_ORDERS(philox4x64, uint64_t, 4)

static void staged_uniform(const uint32_t *w, void *out)
{
	for (int i = 0; i < BLOCK; i++)
		((float *)out)[i] = uniform_of(w[i]);
}

static void exponential(const uint32_t *w, void *out)
{
	for (int i = 0; i < BLOCK; i++)
		((float *)out)[i] = -logf(above_zero(w[i]));
}

/* The first half of a block becomes radii, the second angles; three loops, since one that has both sine and cosine of
 * an angle asks for sincosf, which libmvec does not have for vectors. */
static void normal(const uint32_t *w, void *to)
{
	float radii[BLOCK / 2], angles[BLOCK / 2], *const out = to;

	for (int i = 0; i < BLOCK / 2; i++) {
		radii[i] = sqrtf(-2 * logf(above_zero(w[i])));
		angles[i] = 6.2831853f * uniform_of(w[BLOCK / 2 + i]);
	}
	for (int i = 0; i < BLOCK / 2; i++)
		out[i] = radii[i] * cosf(angles[i]);
	for (int i = 0; i < BLOCK / 2; i++)
		out[BLOCK / 2 + i] = radii[i] * sinf(angles[i]);
}

static void lognormal(const uint32_t *w, void *out)
{
	normal(w, out);
	for (int i = 0; i < BLOCK; i++)
		((float *)out)[i] = expf(((float *)out)[i]);
}

static void laplace(const uint32_t *w, void *out)
{
	for (int i = 0; i < BLOCK; i++) {
		const float x = -logf((float)(int)(w[i] >> 8 & 0x7FFFFF) * 0x1p-23f + 0x1p-24f);

		((float *)out)[i] = w[i] >> 31 ? -x : x;
	}
}

static void bernoulli(const uint32_t *w, void *out)
{
	for (int i = 0; i < BLOCK; i++)
		((signed char *)out)[i] = w[i] < 1288490189u;
}

static void randint(const uint32_t *w, void *out)
{
	for (int i = 0; i < BLOCK; i++)
		((int *)out)[i] = (int)((uint64_t)w[i] * 1005 >> 32) - 5;
}

/* A loop of its own for each pair, so that the compiler sees words and distribution together. */
#define LOOPS(method, size)                                                                                            \
	LOOP(threefry_words, method, size)                                                                             \
	LOOP(threefry_sliced, method, size) LOOP(philox_words, method, size) LOOP(philox_sliced, method, size)
#define LOOP(words, method, size)                                                                                      \
	static void words##_##method(void)                                                                             \
	{                                                                                                              \
		uint32_t block[BLOCK];                                                                                 \
                                                                                                                       \
		for (size_t i = 0; i < n; i += BLOCK) {                                                                \
			words(i, block);                                                                               \
			method(block, (char *)out + i * (size));                                                       \
		}                                                                                                      \
	}
#define UNIFORMS(block)                                                                                                \
	static void run_##block(void)                                                                                  \
	{                                                                                                              \
		for (size_t i = 0; i < n; i += BLOCK)                                                                  \
			block(i, (float *)out + i);                                                                    \
	}
#define NAMES(method, size)                                                                                            \
	{#method, {threefry_words_##method, threefry_sliced_##method, philox_words_##method, philox_sliced_##method}},
#define METHODS(X)                                                                                                     \
	X(staged_uniform, 4) X(normal, 4) X(exponential, 4) X(lognormal, 4) X(laplace, 4) X(bernoulli, 1) X(randint, 4)

static void (*run)(void);

/* Words as jax.random.bits has them, of Threefry2x32-20; each is a block, in either order. */
static void run_jax_words(void)
{
	const threefry2x32_key_t key = {{1, 2}};

	for (size_t i = 0; i < n; i++) {
		const threefry2x32_ctr_t counter = {{(uint32_t)(i >> 32), (uint32_t)i}}, words = threefry2x32(counter, key);

		((uint32_t *)out)[i] = words.v[0] ^ words.v[1];
	}
}

METHODS(LOOPS)
UNIFORMS(threefry_uniforms)
UNIFORMS(threefry_uniforms_sliced)
UNIFORMS(philox_uniforms)
UNIFORMS(philox_uniforms_sliced)

void work_open(void)
{
	static const struct {
		const char *name;
		void (*runs[4])(void);
	} methods[] = {METHODS(NAMES){"uniform",
				      {run_threefry_uniforms, run_threefry_uniforms_sliced, run_philox_uniforms,
				       run_philox_uniforms_sliced}}};
#define WIDTH(generator) {#generator, {generator##_natural, generator##_sliced}}
	static const struct {
		const char *name;
		void (*runs[2])(void);
	} widths[] = {WIDTH(threefry2x32), WIDTH(threefry4x64), WIDTH(philox2x32), WIDTH(philox4x64)};
	const bool philox = case_is("generator", "philox4x32"), sliced = case_is("order", "sliced");
	struct case_array array;

	for (size_t i = 0; i < sizeof methods / sizeof *methods && !case_is("generator", "ars4x32_7"); i++)
		if (case_is("method", methods[i].name))
			run = methods[i].runs[2 * philox + sliced];
	if (case_is("method", "bits") && case_is("p.layout", "jax"))
		run = run_jax_words;
	for (size_t i = 0; i < sizeof widths / sizeof *widths; i++)
		if (case_is("method", "bits") && case_is("generator", widths[i].name))
			run = widths[i].runs[sliced];
	if (!run || !case_has_array("out", &array))
		work_decline("no such distribution");
	n = array.count;
	out = work_memory((n + 2 * BLOCK) * 4);
}

void work_run(void)
{
	run();
}

void work_close(void)
{
	free(out);
}
