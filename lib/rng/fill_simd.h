/* SPDX-License-Identifier: Apache-2.0 */
/* The vector kernels of a generator, made from its blocks_evaluate, constants_of_key and constants_of_batch.
 *
 * This part chooses which partitions to evaluate and stores the results. blocks_evaluate returns U32_LANES groups as
 * four vectors in stream order; BLOCKS such blocks are evaluated side by side to fill the execution ports. */
#include <string.h>

enum {
	GROUP_BYTES = STREAM_GROUP_WORDS * sizeof(uint32_t),
};

enum output { OUTPUT_BITS, OUTPUT_F32, OUTPUT_F64 };

static inline __attribute__((always_inline)) void output_store(enum output output, char *at, u32v words)
{
	if (output == OUTPUT_BITS)
		u32_store(at, words);
	else if (output == OUTPUT_F32)
		f32_store((float *)at, f32_mul(f32_from_i32(u32_and(words, u32_set(0xFFFFFF))), f32_set(0x1p-24f)));
	else
		f64_store((double *)at, f64_mul(f64_from_u53(u64_srl11(words)), f64_set(0x1p-53)));
}

static inline __attribute__((always_inline)) void block_store(enum output output, char *at, const u32v x[4])
{
	for (unsigned i = 0; i < 4; i++)
		output_store(output, at + i * sizeof(u32v), x[i]);
}

/* Groups [partition, partition + n_groups) of one batch. */
static inline __attribute__((always_inline)) void batch_fill(enum output output, const struct constants *constants,
							     unsigned rounds, uint32_t partition, size_t n_groups,
							     char *at)
{
	u32v x[BLOCKS][4];

	for (; n_groups >= BLOCKS * U32_LANES; n_groups -= BLOCKS * U32_LANES) {
		blocks_evaluate(constants, rounds, BLOCKS, partition, NULL, x);
		partition += BLOCKS * U32_LANES;
		for (unsigned k = 0; k < BLOCKS; k++, at += sizeof x[k])
			block_store(output, at, x[k]);
	}
	while (n_groups > 0) {
		const size_t n = size_min(n_groups, U32_LANES);
		char block[sizeof x[0]] __attribute__((aligned(64)));

		blocks_evaluate(constants, rounds, 1, partition, NULL, x);
		block_store(output, n < U32_LANES ? block : at, x[0]);
		if (n < U32_LANES)
			memcpy(at, block, n * GROUP_BYTES);
		n_groups -= n;
		partition += U32_LANES;
		at += n * GROUP_BYTES;
	}
}

static inline __attribute__((always_inline)) void span_fill(enum output output, const struct rng_span *span,
							    unsigned rounds, size_t n_groups, char *at)
{
	struct constants constants;
	uint64_t group = span->group;

	constants_of_key(span, &constants);
	while (n_groups > 0) {
		const uint32_t partition = (uint32_t)(group % STREAM_PARTITIONS);
		const size_t n = size_min(n_groups, STREAM_PARTITIONS - partition);

		constants_of_batch(span, group / STREAM_PARTITIONS, &constants);
		batch_fill(output, &constants, rounds, partition, n, at);
		group += n;
		n_groups -= n;
		at += n * GROUP_BYTES;
	}
}

static inline __attribute__((always_inline)) void span_scatter(const struct rng_span *span, const uint8_t partitions[],
							       unsigned rounds, size_t n_groups, uint32_t *ret_words)
{
	enum { AT_ONCE = 2 }; /* blocks: two hide each other's latency, and few groups would leave more of them idle */
	struct constants constants;
	uint32_t picked[AT_ONCE * U32_LANES] = {0};
	u32v x[BLOCKS][4];

	constants_of_key(span, &constants);
	constants_of_batch(span, span->group / STREAM_PARTITIONS, &constants);
	for (size_t done = 0, n; done < n_groups; done += n) {
		char blocks[AT_ONCE * sizeof x[0]] __attribute__((aligned(64)));

		n = size_min(n_groups - done, AT_ONCE * U32_LANES);
		for (size_t i = 0; i < n; i++)
			picked[i] = partitions[done + i];
		if (n > U32_LANES) {
			blocks_evaluate(&constants, rounds, AT_ONCE, 0, picked, x);
			block_store(OUTPUT_BITS, blocks + sizeof x[0], x[1]);
		} else {
			blocks_evaluate(&constants, rounds, 1, 0, picked, x);
		}
		block_store(OUTPUT_BITS, blocks, x[0]);
		memcpy(ret_words + done * STREAM_GROUP_WORDS, blocks, n * GROUP_BYTES);
	}
}

/* Defines the kernel `name` of this instruction set with that many rounds. */
#define VECTOR_KERNEL(name, rounds)                                                                                    \
	static void name##_bits(const struct rng_span *span, size_t n_groups, uint32_t *ret_words)                     \
	{                                                                                                              \
		span_fill(OUTPUT_BITS, span, rounds, n_groups, (char *)ret_words);                                     \
	}                                                                                                              \
	static void name##_f32(const struct rng_span *span, size_t n_groups, float *ret_uniforms)                      \
	{                                                                                                              \
		span_fill(OUTPUT_F32, span, rounds, n_groups, (char *)ret_uniforms);                                   \
	}                                                                                                              \
	static void name##_f64(const struct rng_span *span, size_t n_groups, double *ret_uniforms)                     \
	{                                                                                                              \
		span_fill(OUTPUT_F64, span, rounds, n_groups, (char *)ret_uniforms);                                   \
	}                                                                                                              \
	static void name##_scatter(const struct rng_span *span, const uint8_t partitions[], size_t n_groups,           \
				   uint32_t *ret_words)                                                                \
	{                                                                                                              \
		span_scatter(span, partitions, rounds, n_groups, ret_words);                                           \
	}                                                                                                              \
	const struct rng_kernel SIMD_SUFFIX(name) = {SIMD_NAME,  SIMD_NEEDS, name##_bits,                              \
						     name##_f32, name##_f64, name##_scatter}
