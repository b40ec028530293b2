/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks of samples: fill the inputs, run the kernel, retry what it rejected.
 *
 * A retry evaluates only the groups of the rejected samples and packs their inputs side by side, so that both ways run
 * the same kernel on the same numbers. */
#include "distributions/draw/draw_rejection.h"

#include <assert.h>
#include <string.h>

#include "base/checked.h"
#include "distributions/draw/draw_arrays.h"
#include "math/box_muller.h"
#include "math/uniform.h"

enum {
	/* A block has at most 24 KiB of inputs, so they are still in first-level cache when the kernel reads them. */
	BLOCK = DIST_BLOCK_REJECTING, /* samples of one pass, with several inputs */
	BLOCK_WORDS = DIST_BLOCK,     /* words of one pass, with one input */
	RETRY_BLOCK = 128,            /* samples that are retried together */
	OPEN_SAMPLES = 1024,          /* rejected samples that blocks leave to the retries of a later one */
};

/* More than that share of attempts is accepted, so 64 fail with probability below 2^-64. */
#define SAMPLING(narrow, wide, acceptance, text, ...) static_assert((acceptance) >= 500, text);
#define ROW(id, name, shape, dtypes, fallback, help)  id##_SAMPLING(SAMPLING)
DISTRIBUTION_ROWS(ROW)
#undef ROW
#undef SAMPLING
static_assert(DRAW_MAX_ATTEMPTS == 64, "the attempts that the acceptances above are for");

/* A call of draw_rejection_fill. */
struct run {
	const struct draw_kernels *kernels;
	const struct rng_kernel *generator;
	const struct draw_plan *plan;
	const struct draw *draw;
	struct draw_parameters *parameters; /* of the block; NULL: the kernel needs none */
	bool loads;                         /* arrays into them, block by block */
	uint32_t key[4];
	size_t word_bytes, per_group; /* bytes of a sample's word: 4 or 8; samples in a group */
	unsigned group_shift;         /* log2 per_group */
	size_t size;                  /* bytes of a sample */
	size_t block;                 /* samples of one pass */
};

/* Inputs of one attempt: at[j][i] belongs to sample i. Inputs 3, 4 and 5 hold dirichlet's constants. A single input may
 * fill the room of several. */
struct inputs {
	uint64_t arrays[DRAW_INPUTS][BLOCK];
	const void *at[DRAW_INPUTS + DIST_PARAMETERS];
};

/* Samples that several blocks have rejected: `base` + list[i], which belongs at samples[list[i]]. The last retries are of a few
 * samples only, and cost as much as those of a vector. */
struct open {
	uint64_t base;
	char *samples;
	size_t n;
	uint16_t list[OPEN_SAMPLES + DIST_BLOCK];
};

/* Writes the normals of n_groups groups, of the words' width. */
static void fill_normals(const struct run *s, const struct rng_span *span, size_t n_groups, void *out)
{
	if (s->word_bytes == 4) {
		s->generator->uniform_f32(span, n_groups, out);
		s->kernels->box_muller->f32(out, 2 * n_groups, out);
	} else {
		s->generator->uniform_f64(span, n_groups, out);
		s->kernels->box_muller->f64(out, n_groups, out);
	}
}

/* Stores the constants of one component as doubles at index `at` of the three arrays. */
static void store_component(const struct gamma_constants *constants, size_t at, uint64_t *const arrays[3])
{
	memcpy(&arrays[0][at], &constants->d, sizeof(double));
	memcpy(&arrays[1][at], &constants->c, sizeof(double));
	memcpy(&arrays[2][at], &constants->boost, sizeof(double));
}

/* Stores the constants of the components that samples [first, first + n) are, if the plan has any. */
static void fill_components(const struct run *s, uint64_t first, size_t n, struct inputs *inputs)
{
	uint64_t *const arrays[] = {inputs->arrays[3], inputs->arrays[4], inputs->arrays[5]};
	size_t component = s->plan->components ? (size_t)(first % s->plan->n_components) : 0;

	for (size_t i = 0; s->plan->components && i < n; i++) {
		store_component(&s->plan->components[component], i, arrays);
		component = component + 1 == s->plan->n_components ? 0 : component + 1;
	}
}

/* Fills the inputs of attempt 0 for the samples of n_groups groups. */
static void fill_inputs(const struct run *s, uint64_t group, size_t n_groups, struct inputs *inputs)
{
	struct rng_span span = {.group = group};

	memcpy(span.key, s->key, sizeof span.key);
	for (unsigned j = 0; j < DRAW_INPUTS; j++)
		inputs->at[j] = inputs->arrays[j];
	for (unsigned j = 0; s->parameters && j < DIST_PARAMETERS; j++)
		inputs->at[DIST_PARAMETER_INPUT + j] = s->parameters->values[j];
	for (unsigned j = 0; j < s->plan->n_inputs; j++) {
		span.draw = s->plan->first_draw + j;
		if (s->plan->reads[j] == INPUT_WORDS)
			s->generator->bits(&span, n_groups, (uint32_t *)inputs->arrays[j]);
		else
			fill_normals(s, &span, n_groups, inputs->arrays[j]);
	}
	fill_components(s, group * s->per_group, n_groups * s->per_group, inputs);
}

/* Evaluates the groups of the samples base + list[i] for all inputs of an attempt, packed: those of an input, then
 * those of the next. */
static void gather_groups(const struct run *s, unsigned attempt, uint64_t base, const uint16_t list[], size_t n,
			  uint64_t *ret_groups)
{
	struct rng_place places[DRAW_INPUTS * RETRY_BLOCK];
	struct rng_place *place = places;

	for (unsigned j = 0; j < s->plan->n_inputs; j++)
		for (size_t i = 0; i < n; i++)
			*place++ = (struct rng_place){(base + list[i]) >> s->group_shift,
						      s->plan->first_draw + attempt * s->plan->n_inputs + j};
	s->generator->scatter(s->key, places, (size_t)(place - places), (uint32_t *)ret_groups);
}

/* Converts groups of words in place to uniforms of the words' width, as the generators make them. */
static void convert_to_uniforms(const struct run *s, size_t n_groups, void *groups)
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

/* Copies 1, 4 or 8 bytes, without a call of memcpy. */
static inline void copy_element(void *to, const void *from, size_t size)
{
	if (size == 8)
		memcpy(to, from, 8);
	else if (size == 4)
		memcpy(to, from, 4);
	else
		*(char *)to = *(const char *)from;
}

/* Makes an input of its groups for the samples base + list[i], packed. */
static void pick_input(const struct run *s, enum draw_input input, uint64_t base, const uint16_t list[], size_t n,
		       uint64_t *groups, void *ret_array)
{
	const uint32_t *const narrow = (const uint32_t *)groups;

	if (input == INPUT_NORMALS)
		convert_to_uniforms(s, n, groups);
	if (input == INPUT_NORMALS && s->word_bytes == 4)
		s->kernels->box_muller->f32((float *)groups, 2 * n, (float *)groups);
	else if (input == INPUT_NORMALS)
		s->kernels->box_muller->f64((double *)groups, n, (double *)groups);
	for (size_t i = 0; s->word_bytes == 8 && i < n; i++)
		copy_element((uint64_t *)ret_array + i, &groups[2 * i + ((base + list[i]) & 1)], 8);
	for (size_t i = 0; s->word_bytes == 4 && i < n; i++)
		copy_element((uint32_t *)ret_array + i, &narrow[4 * i + ((base + list[i]) & 3)], 4);
}

/* Makes one more attempt for n <= RETRY_BLOCK samples. Those rejected again stay in list; returns how many. */
static size_t retry_block(const struct run *s, unsigned attempt, uint64_t base, uint16_t list[], size_t n,
			 char *samples)
{
	const size_t padded = (n + DIST_PAD_RETRY - 1) / DIST_PAD_RETRY * DIST_PAD_RETRY;
	uint64_t arrays[DRAW_INPUTS][RETRY_BLOCK], *const last[] = {arrays[3], arrays[4], arrays[5]};
	uint64_t parameters[DIST_PARAMETERS][RETRY_BLOCK];
	const void *const at[] = {arrays[0],     arrays[1],     arrays[2],     arrays[3],     arrays[4],
				  arrays[5],     parameters[0], parameters[1], parameters[2], parameters[3]};
	uint64_t again[RETRY_BLOCK], groups[DRAW_INPUTS * RETRY_BLOCK * DRAW_GROUP_BYTES / sizeof(uint64_t)];
	uint16_t rejected[RETRY_BLOCK + DIST_REJECTED_PAD];
	size_t n_rejected, left = 0;

	gather_groups(s, attempt, base, list, n, groups);
	for (unsigned j = 0; j < s->plan->n_inputs; j++) {
		pick_input(s, (enum draw_input)s->plan->reads[j], base, list, n, groups + j * n * DRAW_GROUP_BYTES / sizeof(uint64_t),
			   arrays[j]);
		memset((char *)arrays[j] + n * s->word_bytes, 0, (padded - n) * s->word_bytes);
	}
	for (size_t i = 0; s->plan->components && i < padded; i++)
		store_component(&s->plan->components[(base + list[i < n ? i : 0]) % s->plan->n_components], i, last);
	for (unsigned j = 0; s->parameters && j < DIST_PARAMETERS; j++)
		for (size_t i = 0; i < padded; i++)
			parameters[j][i] = s->parameters->values[j][list[i < n ? i : 0]];
	n_rejected = s->plan->kernel(&s->plan->constants, at, attempt, padded, again, rejected);
	for (size_t i = 0; i < n; i++)
		copy_element(samples + list[i] * s->size, (char *)again + i * s->size, s->size);
	for (size_t i = 0; i < n_rejected; i++)
		if (rejected[i] < n)
			list[left++] = list[rejected[i]];
	return left;
}

/* Makes the samples base + list[i] again until none is rejected. */
static void retry_all(const struct run *s, uint64_t base, uint16_t list[], size_t n, char *samples)
{
	for (unsigned attempt = 1; n > 0 && attempt < DRAW_MAX_ATTEMPTS; attempt++) {
		size_t left = 0;

		for (size_t i = 0; i < n; i += RETRY_BLOCK) {
			const size_t count = size_min(n - i, RETRY_BLOCK);
			const size_t some = retry_block(s, attempt, base, list + i, count, samples);

			memmove(list + left, list + i, some * sizeof *list);
			left += some;
		}
		n = left;
	}
}

/* Drops the numbers outside [skip, end) from list, and returns how many are left. */
static size_t cut_list(uint16_t list[], size_t n, size_t skip, size_t end)
{
	size_t left = 0;

	for (size_t i = 0; i < n; i++)
		if (list[i] >= skip && list[i] < end)
			list[left++] = list[i];
	return left;
}

static void retry_open(const struct run *s, struct open *open)
{
	retry_all(s, open->base, open->list, open->n, open->samples);
	open->n = 0;
}

/* Leaves n samples of the block at `samples`, which begins with sample `base` of the stream, to later retries. */
static void leave_open(const struct run *s, uint64_t base, char *samples, const uint16_t list[], size_t n, struct open *open)
{
	if (open->n > OPEN_SAMPLES || (open->n > 0 && base - open->base > UINT16_MAX - s->block))
		retry_open(s, open);
	if (open->n == 0) {
		open->base = base;
		open->samples = samples;
	}
	for (size_t i = 0; i < n; i++)
		open->list[open->n + i] = (uint16_t)(base - open->base + list[i]);
	open->n += n;
}

/* Writes samples [skip, skip + n), counted from the first of group `group`; skip + n is at most a block. Those that are rejected
 * may be left open, unless that is NULL. */
static void fill_block(const struct run *s, uint64_t group, size_t skip, size_t n, void *out, struct open *open)
{
	const size_t padded = (skip + n + DIST_PAD - 1) / DIST_PAD * DIST_PAD;
	const bool direct = skip == 0 && n == padded && (uintptr_t)out % s->size == 0;
	struct inputs inputs;
	uint64_t block[BLOCK_WORDS / 2];
	uint16_t rejected[BLOCK_WORDS + DIST_REJECTED_PAD];
	char *const samples = direct ? out : (char *)block;
	size_t n_rejected;

	assert(padded <= s->block);
	if (s->loads &&
	    !draw_parameters_load(s->kernels, s->draw, group * s->per_group + skip, skip, n, padded, s->parameters)) {
		memset(out, 0, n * s->size); /* the request fails */
		return;
	}
	fill_inputs(s, group, padded / s->per_group, &inputs);
	n_rejected = s->plan->kernel(&s->plan->constants, inputs.at, 0, padded, samples, rejected);
	if (n_rejected > 0 && open && direct && !s->parameters) {
		leave_open(s, group * s->per_group, samples, rejected, n_rejected, open);
	} else if (n_rejected > 0) {
		n_rejected = cut_list(rejected, n_rejected, skip, skip + n);
		retry_all(s, group * s->per_group, rejected, n_rejected, samples);
	}
	assert(!s->plan->affine || n_rejected == 0);
	if (s->plan->affine && s->size == sizeof(float))
		s->kernels->uniform->affine_f32((float *)samples + skip, n, s->plan->constants.scale,
						s->plan->constants.shift);
	else if (s->plan->affine)
		s->kernels->uniform->affine_f64((double *)samples + skip, n, s->plan->constants.scale,
						s->plan->constants.shift);
	if (!direct)
		memcpy(out, samples + skip * s->size, n * s->size);
}

/* Gathers what a call needs at each block. The caller's plan and parameters must outlive it. */
static struct run make_run(const struct draw_kernels *kernels, const struct draw *draw, const struct draw_plan *plan,
			   struct draw_parameters *parameters)
{
	const size_t word_bytes = draw_words_per_sample(draw->dtype) * sizeof(uint32_t);
	struct run s = {
		.kernels = kernels,
		.generator = kernels->generators[draw->stream.generator],
		.plan = plan,
		.draw = draw,
		.parameters = parameters,
		.word_bytes = word_bytes,
		.per_group = DRAW_GROUP_BYTES / word_bytes,
		.group_shift = word_bytes == 4 ? 2 : 1,
		.size = plan->components || plan->as_float64 ? sizeof(double) : dtype_size(draw->dtype),
		.block = plan->n_inputs == 1 && !plan->per_sample ? BLOCK_WORDS * sizeof(uint32_t) / word_bytes : BLOCK,
	};

	stream_key(&draw->stream, s.key);
	return s;
}

void draw_rejection_stage(const struct draw_kernels *kernels, const struct draw *draw, const struct draw_plan *plan,
			 uint64_t begin, size_t n, struct draw_parameters *parameters, void *out)
{
	const struct run s = make_run(kernels, draw, plan, parameters);

	fill_block(&s, begin / s.per_group, (size_t)(begin % s.per_group), n, out, NULL);
}

void draw_rejection_scattered(const struct draw_kernels *kernels, const struct draw *draw, const struct draw_plan *plan,
			     uint64_t base, const uint16_t list[], size_t n, const struct draw_parameters *parameters,
			     void *out)
{
	struct draw_parameters kept;
	const struct run s = make_run(kernels, draw, plan, &kept);
	uint16_t left[RETRY_BLOCK], place[RETRY_BLOCK];
	char samples[DIST_BLOCK_REJECTING * sizeof(uint64_t)];

	static_assert((int)RETRY_BLOCK == (int)DRAW_SCATTERED, "a list is retried as a whole");
	for (size_t i = 0; i < n; i++) {
		left[i] = place[i] = list[i];
		for (unsigned j = 0; j < DIST_PARAMETERS; j++)
			kept.values[j][list[i]] = parameters->values[j][i];
	}
	size_t n_left = n;

	for (unsigned attempt = 0; n_left > 0 && attempt < DRAW_MAX_ATTEMPTS; attempt++)
		n_left = retry_block(&s, attempt, base, left, n_left, samples);
	for (size_t i = 0; i < n; i++)
		copy_element((char *)out + i * s.size, samples + place[i] * s.size, s.size);
}

void draw_rejection_fill(const struct draw_kernels *kernels, const struct draw *draw, const struct draw_plan *plan,
			uint64_t begin, size_t n, void *out)
{
	struct draw_parameters parameters;
	struct run s = make_run(kernels, draw, plan, plan->per_sample ? &parameters : NULL);
	struct open open;
	size_t done;

	static_assert(BLOCK * sizeof(uint32_t) >= STREAM_PARTITIONS * DRAW_GROUP_BYTES, "a block reaches the end of a batch");
	s.loads = draw->arrays;
	if (plan->per_sample)
		draw_parameters_init(draw, size_min(n + s.per_group + DIST_PAD, BLOCK), &parameters);
	open.n = 0;
	for (char *at = out; n > 0; at += done * s.size, begin += done, n -= done) {
		const size_t skip = (size_t)(begin % s.per_group);

		done = size_min(n, s.block - skip);
		/* The blocks that follow begin with a batch of the generator, which evaluates a part of a vector at the end of
		 * each part of a batch. */
		if (done < n)
			done -= (size_t)((begin + done) % (STREAM_PARTITIONS * s.per_group));
		fill_block(&s, begin / s.per_group, skip, done, at, &open);
	}
	retry_open(&s, &open);
}
