/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of samples: words and normals in, the kernel's attempts, retries of what it rejected.
 *
 * Attempt a of a plan with m inputs reads the draws a m .. a m + m - 1. The groups of words of retried samples are
 * evaluated scattered, and the retried are packed, so that both ways run the same kernel on the same numbers. */
#include "dist/sampler.h"

#include <assert.h>
#include <string.h>

#include "base/checked.h"
#include "dist/box_muller.h"
#include "dist/uniform.h"

enum {
	/* Samples of one pass, for distributions of several inputs and of one; words of the latter. */
	BLOCK = DIST_BLOCK_REJECTING,
	BLOCK_WORDS = DIST_BLOCK,
	RETRIED = 128, /* at once */
	GROUP_BYTES = STREAM_GROUP_WORDS * sizeof(uint32_t),
};

struct sampler {
	const struct draw_kernels *kernels;
	const struct rng_kernel *generator;
	const struct dist_plan *plan;
	uint32_t key[4];
	size_t word_bytes, per_group; /* of a sample's words: 4 or 8; samples in a group */
	unsigned group_shift;         /* log2 per_group */
	size_t size;                  /* bytes of a sample */
	size_t block;                 /* samples of one pass */
};

/* Inputs of one attempt, for samples side by side; arrays of dirichlet's constants after them. A single input may fill
 * the room of several. */
struct inputs {
	uint64_t arrays[DIST_INPUTS][BLOCK];
	const void *at[DIST_INPUTS];
};

static void normals_fill(const struct sampler *s, const struct rng_span *span, size_t n_groups, void *out)
{
	if (s->word_bytes == 4) {
		s->generator->uniform_f32(span, n_groups, out);
		s->kernels->box_muller->f32(out, 2 * n_groups, out);
	} else {
		s->generator->uniform_f64(span, n_groups, out);
		s->kernels->box_muller->f64(out, n_groups, out);
	}
}

/* Puts the constants of a component at place `at` of the three arrays. */
static void component_fill(const struct gamma_constants *constants, size_t at, uint64_t *const arrays[3])
{
	memcpy(&arrays[0][at], &constants->d, sizeof(double));
	memcpy(&arrays[1][at], &constants->c, sizeof(double));
	memcpy(&arrays[2][at], &constants->boost, sizeof(double));
}

static void inputs_point(struct inputs *inputs)
{
	for (unsigned j = 0; j < DIST_INPUTS; j++)
		inputs->at[j] = inputs->arrays[j];
}

/* The constants of the components that n samples from `first` on are, if the plan has any. */
static void components_fill(const struct sampler *s, uint64_t first, size_t n, struct inputs *inputs)
{
	uint64_t *const arrays[] = {inputs->arrays[3], inputs->arrays[4], inputs->arrays[5]};
	size_t component = s->plan->components ? (size_t)(first % s->plan->n_components) : 0;

	for (size_t i = 0; s->plan->components && i < n; i++) {
		component_fill(&s->plan->components[component], i, arrays);
		component = component + 1 == s->plan->n_components ? 0 : component + 1;
	}
}

/* Attempt 0 for the samples of n_groups groups. */
static void inputs_fill(const struct sampler *s, uint64_t group, size_t n_groups, struct inputs *inputs)
{
	struct rng_span span = {.group = group};

	memcpy(span.key, s->key, sizeof span.key);
	for (unsigned j = 0; j < s->plan->n_inputs; j++) {
		span.draw = j;
		if (s->plan->inputs[j] == INPUT_WORDS)
			s->generator->bits(&span, n_groups, (uint32_t *)inputs->arrays[j]);
		else
			normals_fill(s, &span, n_groups, inputs->arrays[j]);
	}
	components_fill(s, group * s->per_group, n_groups * s->per_group, inputs);
}

/* The groups of the samples base + list[i] (ascending) for draw number d, packed: batch by batch. */
static void groups_gather(const struct sampler *s, uint32_t d, uint64_t base, const uint16_t list[], size_t n,
			  uint32_t *ret_words)
{
	struct rng_span span = {.draw = d};
	uint8_t partitions[RETRIED];

	memcpy(span.key, s->key, sizeof span.key);
	for (size_t i = 0, count; i < n; i += count) {
		span.group = (base + list[i]) >> s->group_shift;
		for (count = 0; i + count < n; count++) {
			const uint64_t group = (base + list[i + count]) >> s->group_shift;

			if (group / STREAM_PARTITIONS != span.group / STREAM_PARTITIONS)
				break;
			partitions[count] = (uint8_t)(group % STREAM_PARTITIONS);
		}
		s->generator->scatter(&span, partitions, count, ret_words + i * STREAM_GROUP_WORDS);
	}
}

/* Groups of words to uniforms of the words' width, in place, as the generators make them. */
static void uniforms_of(const struct sampler *s, size_t n_groups, void *groups)
{
	uint32_t *const narrow = groups;
	uint64_t *const wide = groups;

	for (size_t i = 0; s->word_bytes == 4 && i < 4 * n_groups; i++) {
		const float u = (float)(int32_t)(narrow[i] & 0xFFFFFF) * 0x1p-24f;

		memcpy(&narrow[i], &u, sizeof u);
	}
	for (size_t i = 0; s->word_bytes == 8 && i < 2 * n_groups; i++) {
		const double u = (double)(int64_t)(wide[i] >> 11) * 0x1p-53;

		memcpy(&wide[i], &u, sizeof u);
	}
}

/* 1, 4 or 8 bytes, without a call. */
static inline void element_copy(void *to, const void *from, size_t size)
{
	if (size == 8)
		memcpy(to, from, 8);
	else if (size == 4)
		memcpy(to, from, 4);
	else
		*(char *)to = *(const char *)from;
}

/* One input of attempt `attempt` for the samples base + list[i] (ascending), packed. */
static void input_gather(const struct sampler *s, unsigned attempt, unsigned j, uint64_t base, const uint16_t list[],
			 size_t n, void *ret_array)
{
	const enum dist_input input = s->plan->inputs[j];
	uint64_t groups[RETRIED * GROUP_BYTES / sizeof(uint64_t)];

	groups_gather(s, attempt * s->plan->n_inputs + j, base, list, n, (uint32_t *)groups);
	if (input == INPUT_NORMALS)
		uniforms_of(s, n, groups);
	if (input == INPUT_NORMALS && s->word_bytes == 4)
		s->kernels->box_muller->f32((float *)groups, 2 * n, (float *)groups);
	else if (input == INPUT_NORMALS)
		s->kernels->box_muller->f64((double *)groups, n, (double *)groups);
	for (size_t i = 0; i < n; i++)
		element_copy((char *)ret_array + i * s->word_bytes,
			     (char *)groups + i * GROUP_BYTES + ((base + list[i]) & (s->per_group - 1)) * s->word_bytes,
			     s->word_bytes);
}

/* One more attempt for n <= RETRIED samples; those rejected again stay in list, their number is returned. */
static size_t retry_some(const struct sampler *s, unsigned attempt, uint64_t base, uint16_t list[], size_t n,
			 char *samples)
{
	const size_t padded = (n + DIST_PAD - 1) / DIST_PAD * DIST_PAD;
	uint64_t arrays[DIST_INPUTS][RETRIED], *const last[] = {arrays[3], arrays[4], arrays[5]};
	const void *const at[] = {arrays[0], arrays[1], arrays[2], arrays[3], arrays[4], arrays[5]};
	uint64_t again[RETRIED];
	uint16_t rejected[RETRIED + DIST_REJECTED_PAD];
	size_t n_rejected, left = 0;

	for (unsigned j = 0; j < s->plan->n_inputs; j++) {
		input_gather(s, attempt, j, base, list, n, arrays[j]);
		memset((char *)arrays[j] + n * s->word_bytes, 0, (padded - n) * s->word_bytes);
	}
	for (size_t i = 0; s->plan->components && i < padded; i++)
		component_fill(&s->plan->components[(base + list[i < n ? i : 0]) % s->plan->n_components], i, last);
	n_rejected = s->plan->kernel(&s->plan->constants, at, attempt, padded, again, rejected);
	for (size_t i = 0; i < n; i++)
		element_copy(samples + list[i] * s->size, (char *)again + i * s->size, s->size);
	for (size_t i = 0; i < n_rejected; i++)
		if (rejected[i] < n)
			list[left++] = list[rejected[i]];
	return left;
}

/* Samples base + i, i in list, again until none is rejected. */
static void retry(const struct sampler *s, uint64_t base, uint16_t list[], size_t n, char *samples)
{
	for (unsigned attempt = 1; n > 0 && attempt < SAMPLER_ATTEMPTS; attempt++) {
		size_t left = 0;

		for (size_t i = 0; i < n; i += RETRIED) {
			const size_t count = size_min(n - i, RETRIED);
			const size_t some = retry_some(s, attempt, base, list + i, count, samples);

			memmove(list + left, list + i, some * sizeof *list);
			left += some;
		}
		n = left;
	}
}

/* Drops from list the numbers outside [skip, end). */
static size_t list_cut(uint16_t list[], size_t n, size_t skip, size_t end)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		if (list[i] >= skip && list[i] < end)
			list[left++] = list[i];
	return left;
}

/* Samples [skip, skip + n) of those from group `group` on: at most a block of them. */
static void block_fill(const struct sampler *s, uint64_t group, size_t skip, size_t n, void *out)
{
	const size_t padded = (skip + n + DIST_PAD - 1) / DIST_PAD * DIST_PAD;
	const bool direct = skip == 0 && n == padded && (uintptr_t)out % s->size == 0;
	struct inputs inputs;
	uint64_t block[BLOCK_WORDS / 2];
	uint16_t rejected[BLOCK_WORDS + DIST_REJECTED_PAD];
	char *const samples = direct ? out : (char *)block;
	size_t n_rejected;

	assert(padded <= s->block);
	inputs_point(&inputs);
	inputs_fill(s, group, padded / s->per_group, &inputs);
	n_rejected = s->plan->kernel(&s->plan->constants, inputs.at, 0, padded, samples, rejected);
	if (n_rejected > 0) {
		n_rejected = list_cut(rejected, n_rejected, skip, skip + n);
		retry(s, group * s->per_group, rejected, n_rejected, samples);
	}
	if (s->plan->affine && s->size == sizeof(float))
		s->kernels->uniform->affine_f32((float *)samples + skip, n, s->plan->constants.scale,
						s->plan->constants.shift);
	else if (s->plan->affine)
		s->kernels->uniform->affine_f64((double *)samples + skip, n, s->plan->constants.scale,
						s->plan->constants.shift);
	if (!direct)
		memcpy(out, samples + skip * s->size, n * s->size);
}

void sampler_fill(const struct draw_kernels *kernels, const struct draw *draw, const struct dist_plan *plan,
		  uint64_t begin, size_t n, void *out)
{
	const size_t word_bytes = draw_words_per_sample(draw->dtype) * sizeof(uint32_t);
	struct sampler s = {
		.kernels = kernels,
		.generator = kernels->generators[draw->stream.generator],
		.plan = plan,
		.word_bytes = word_bytes,
		.per_group = GROUP_BYTES / word_bytes,
		.group_shift = word_bytes == 4 ? 2 : 1,
		.size = plan->components ? sizeof(double) : dtype_size(draw->dtype),
		.block = plan->n_inputs == 1 ? BLOCK_WORDS * sizeof(uint32_t) / word_bytes : BLOCK,
	};
	size_t done;

	stream_key(&draw->stream, s.key);
	for (char *at = out; n > 0; at += done * s.size, begin += done, n -= done) {
		const size_t skip = (size_t)(begin % s.per_group);

		done = size_min(n, s.block - skip);
		/* So that the blocks that follow begin with a group. */
		if (done < n)
			done -= (skip + done) % s.per_group;
		block_fill(&s, begin / s.per_group, skip, done, at);
	}
}
