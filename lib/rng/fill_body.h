/* SPDX-License-Identifier: Apache-2.0 */
/* A generator's kernel around its blocks_evaluate, constants_of_key and constants_of_batch: which partitions to
 * evaluate, and the way from registers to memory.
 *
 * Two stages of unpacking within 128-bit lanes turn four vectors (word i of every group in vector i) into vectors of
 * whole groups: lane j of vector i then holds element 4 j + i. So element 4 j + i is given partition i n + j (n lanes
 * of 128 bits), and the unpacks alone give stream order. BLOCKS blocks are evaluated side by side to fill the pipes. */
#include <string.h>

enum {
	LANES128 = U32_LANES / 4,
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
	const u32v low01 = u32_unpack_low(x[0], x[1]), high01 = u32_unpack_high(x[0], x[1]);
	const u32v low23 = u32_unpack_low(x[2], x[3]), high23 = u32_unpack_high(x[2], x[3]);

	output_store(output, at, u64_unpack_low(low01, low23));
	output_store(output, at + sizeof(u32v), u64_unpack_high(low01, low23));
	output_store(output, at + 2 * sizeof(u32v), u64_unpack_low(high01, high23));
	output_store(output, at + 3 * sizeof(u32v), u64_unpack_high(high01, high23));
}

static inline u32v partition_order(void)
{
	uint32_t order[U32_LANES];

	for (uint32_t element = 0; element < U32_LANES; element++)
		order[element] = element % 4 * LANES128 + element / 4;
	return u32_load(order);
}

/* Groups [partition, partition + n_groups) of one batch. */
static inline __attribute__((always_inline)) void batch_fill(enum output output, const struct constants *constants,
							     uint32_t partition, size_t n_groups, char *at)
{
	const u32v order = partition_order();
	u32v x[BLOCKS][4];

	for (; n_groups >= BLOCKS * U32_LANES; n_groups -= BLOCKS * U32_LANES) {
		for (uint32_t k = 0; k < BLOCKS; k++, partition += U32_LANES)
			x[k][0] = u32_add(order, u32_set(partition));
		blocks_evaluate(constants, BLOCKS, x);
		for (unsigned k = 0; k < BLOCKS; k++, at += sizeof x[k])
			block_store(output, at, x[k]);
	}
	for (; n_groups >= U32_LANES; n_groups -= U32_LANES, partition += U32_LANES, at += sizeof x[0]) {
		x[0][0] = u32_add(order, u32_set(partition));
		blocks_evaluate(constants, 1, x);
		block_store(output, at, x[0]);
	}
	if (n_groups > 0) {
		char block[sizeof x[0]] __attribute__((aligned(64)));

		x[0][0] = u32_add(order, u32_set(partition));
		blocks_evaluate(constants, 1, x);
		block_store(output, block, x[0]);
		memcpy(at, block, n_groups * GROUP_BYTES);
	}
}

static inline __attribute__((always_inline)) void span_fill(enum output output, const struct rng_span *span,
							    size_t n_groups, char *at)
{
	struct constants constants;
	uint64_t group = span->group;

	constants_of_key(span, &constants);
	while (n_groups > 0) {
		const uint32_t partition = (uint32_t)(group % STREAM_PARTITIONS);
		const size_t n = size_min(n_groups, STREAM_PARTITIONS - partition);

		constants_of_batch(span, group / STREAM_PARTITIONS, &constants);
		batch_fill(output, &constants, partition, n, at);
		group += n;
		n_groups -= n;
		at += n * GROUP_BYTES;
	}
}

static void bits(const struct rng_span *span, size_t n_groups, uint32_t *ret_words)
{
	span_fill(OUTPUT_BITS, span, n_groups, (char *)ret_words);
}

static void uniform_f32(const struct rng_span *span, size_t n_groups, float *ret_uniforms)
{
	span_fill(OUTPUT_F32, span, n_groups, (char *)ret_uniforms);
}

static void uniform_f64(const struct rng_span *span, size_t n_groups, double *ret_uniforms)
{
	span_fill(OUTPUT_F64, span, n_groups, (char *)ret_uniforms);
}

const struct rng_kernel SIMD_SUFFIX(GENERATOR) = {SIMD_NAME, SIMD_NEEDS, bits, uniform_f32, uniform_f64};
