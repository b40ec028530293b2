/* SPDX-License-Identifier: Apache-2.0 */
/* Philox4x32 in plain C, the reference, and the table of its variants. */
#include "rng/philox.h"

#include "rng/philox_constants.h"
#include "rng/stream.h"

/* Inlined with a constant number of rounds, so that compilers unroll it. */
static inline __attribute__((always_inline)) void evaluate(const uint32_t counter[4], const uint32_t key[2],
							   unsigned rounds, uint32_t ret_words[4])
{
	uint32_t x[4] = {counter[0], counter[1], counter[2], counter[3]}, k0 = key[0], k1 = key[1];

#pragma GCC unroll 10
	for (unsigned round = 0; round < rounds; round++, k0 += PHILOX_W0, k1 += PHILOX_W1) {
		const uint64_t p0 = (uint64_t)PHILOX_M0 * x[0], p1 = (uint64_t)PHILOX_M1 * x[2];

		x[0] = (uint32_t)(p1 >> 32) ^ x[1] ^ k0;
		x[1] = (uint32_t)p1;
		x[2] = (uint32_t)(p0 >> 32) ^ x[3] ^ k1;
		x[3] = (uint32_t)p0;
	}
	for (unsigned i = 0; i < 4; i++)
		ret_words[i] = x[i];
}

void philox4x32(const uint32_t counter[4], const uint32_t key[2], unsigned rounds, uint32_t ret_words[4])
{
	evaluate(counter, key, rounds, ret_words);
}

static void group_words(const struct rng_span *span, uint64_t i, uint32_t ret_words[4])
{
	const uint64_t group = span->group + i, batch = group / STREAM_PARTITIONS;
	const uint32_t counter[4] = {(uint32_t)(group % STREAM_PARTITIONS) + STREAM_PARTITIONS * span->draw,
				     (uint32_t)batch, (uint32_t)(batch >> 32), span->key[2]};

	evaluate(counter, span->key, 10, ret_words);
}

#include "rng/fill_scalar.h"

const struct rng_kernel philox_scalar = {"scalar", 0, bits, uniform_f32, uniform_f64};

static const struct rng_kernel *const kernels[] = {
#if defined(__x86_64__)
	&philox_avx512,
	&philox_avx2,
#endif
	&philox_scalar,
};

const struct rng_kernel *const *philox_kernels(size_t *ret_count)
{
	*ret_count = sizeof kernels / sizeof *kernels;
	return kernels;
}

const struct rng_kernel *philox_select(uint32_t features)
{
	const struct rng_kernel *const *kernel = kernels;

	while ((*kernel)->needs & ~features)
		kernel++;
	return *kernel;
}
