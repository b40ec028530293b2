/* SPDX-License-Identifier: Apache-2.0 */
/* ARS4x32-7 by AES instructions. The build compiles this file once for each of aesni, vaes256, vaes512 and armaes.
 *
 * A vector holds U32_LANES / 4 groups as they lie in the stream, each one a state of AES, so nothing is transposed. A
 * group takes 7 AES instructions of 128 bits, or a half or a quarter of wider ones. On Zen 5 they bound the words: two
 * of 512 bits start in a cycle, so 64 bytes take 3.5 cycles. Words reach 3.8, and uniforms 4.3: what converts them
 * shares units with AES. */
#include "base/checked.h"
#include "base/simd/simd.h"
#include "rng/ars.h"

enum { ROUNDS = 7 };

/* The states of AES in one vector. x86's AESENC adds the round's key last, ARM's AESE adds the key before it first, so
 * each operation gets both:
 *   states_begin(words, first)         what stands before the first round
 *   states_round(s, before, after)     one round
 *   states_last(s, before, after)      the last round, which lacks MixColumns
 * KEY(at) repeats the 16 bytes at `at` for every state. */
#if defined(AES_VAES512)
#define VARIANT ars_vaes512
#define NAME    "vaes512"
#define NEEDS   ((uint32_t)(CPU_AVX2 | CPU_AVX512 | CPU_VAES512))

typedef u32v states;

#define KEY(at)                           _mm512_broadcast_i32x4(_mm_loadu_si128((const __m128i *)(at)))
#define states_begin(words, first)        u32_xor(words, first)
#define states_round(s, before, after)    ((void)(before), _mm512_aesenc_epi128(s, after))
#define states_last(s, before, after)     ((void)(before), _mm512_aesenclast_epi128(s, after))
#define states_words(s)                   (s)

#elif defined(AES_VAES256)
#define VARIANT ars_vaes256
#define NAME    "vaes256"
#define NEEDS   ((uint32_t)(CPU_AVX2 | CPU_VAES256))

typedef u32v states;

#define KEY(at)                           _mm256_broadcastsi128_si256(_mm_loadu_si128((const __m128i *)(at)))
#define states_begin(words, first)        u32_xor(words, first)
#define states_round(s, before, after)    ((void)(before), _mm256_aesenc_epi128(s, after))
#define states_last(s, before, after)     ((void)(before), _mm256_aesenclast_epi128(s, after))
#define states_words(s)                   (s)

#elif defined(AES_NI)
#define VARIANT ars_aesni
#define NAME    "aesni"
#define NEEDS   ((uint32_t)(CPU_AVX2 | CPU_AESNI))

typedef struct {
	__m128i low, high;
} states;

static inline states repeat_key(const void *at)
{
	const __m128i key = _mm_loadu_si128(at);

	return (states){key, key};
}

static inline states begin_halves(u32v words, states first)
{
	return (states){_mm_xor_si128(_mm256_castsi256_si128(words), first.low),
			_mm_xor_si128(_mm256_extracti128_si256(words, 1), first.high)};
}

static inline states encrypt_halves(states s, states key)
{
	return (states){_mm_aesenc_si128(s.low, key.low), _mm_aesenc_si128(s.high, key.high)};
}

static inline states encrypt_halves_last(states s, states key)
{
	return (states){_mm_aesenclast_si128(s.low, key.low), _mm_aesenclast_si128(s.high, key.high)};
}

#define KEY(at)                           repeat_key(at)
#define states_begin(words, first)        begin_halves(words, first)
#define states_round(s, before, after)    ((void)(before), encrypt_halves(s, after))
#define states_last(s, before, after)     ((void)(before), encrypt_halves_last(s, after))
#define states_words(s)                   _mm256_set_m128i((s).high, (s).low)

#else
#define VARIANT ars_armaes
#define NAME    "armaes"
#define NEEDS   ((uint32_t)(CPU_NEON | CPU_ARM_AES))

typedef u32v states;

#define AS_BYTES(words)                   vreinterpretq_u8_u32(words)
#define OF_BYTES(bytes)                   vreinterpretq_u32_u8(bytes)
#define KEY(at)                           u32_load(at)
#define states_begin(words, first)        ((void)(first), (words))
#define states_round(s, before, after)                                                                                 \
	((void)(after), OF_BYTES(vaesmcq_u8(vaeseq_u8(AS_BYTES(s), AS_BYTES(before)))))
#define states_last(s, before, after)     u32_xor(OF_BYTES(vaeseq_u8(AS_BYTES(s), AS_BYTES(before))), after)
#define states_words(s)                   (s)
#endif

struct constants {
	/* The stream's key, and behind it the key of each round, for every state of a vector. */
	states keys[1 + ROUNDS];
	/* The counter of partition 0 in every group of a vector. */
	u32v counter;
};

/* Counters of zeros but for their partition: those of a vector are one load, at any partition. */
#define COUNTER(p)    {(p), 0, 0, 0},
#define FOUR(p)       COUNTER(p) COUNTER(p + 1) COUNTER(p + 2) COUNTER(p + 3)
#define SIXTEEN(p)    FOUR(p) FOUR(p + 4) FOUR(p + 8) FOUR(p + 12)
#define SIXTY_FOUR(p) SIXTEEN(p) SIXTEEN(p + 16) SIXTEEN(p + 32) SIXTEEN(p + 48)

/* A last vector that is not full reads behind the last partition: U32_LANES groups of zeros. */
static const uint32_t partition_counters[STREAM_PARTITIONS + U32_LANES][4]
	__attribute__((aligned(64))) = {SIXTY_FOUR(0) SIXTY_FOUR(64)};

static inline void set_key_constants(const struct rng_span *span, struct constants *ret)
{
	const uint64_t low = span->key[0] | (uint64_t)span->key[1] << 32;
	const uint64_t high = span->key[2] | (uint64_t)span->key[3] << 32;

	for (unsigned round = 0; round <= ROUNDS; round++) {
		const uint64_t key[2] = {low + round * ARS_WEYL_LOW, high + round * ARS_WEYL_HIGH};

		ret->keys[round] = KEY(key);
	}
}

/* Returns x in word `word` of every group, and 0 elsewhere. It stays in registers: a vector that is loaded right behind
 * the narrow stores of its elements would stall. */
static inline u32v spread_word(unsigned word, uint32_t x)
{
	uint32_t mask[U32_LANES];

	for (unsigned i = 0; i < U32_LANES; i++)
		mask[i] = i % 4 == word ? UINT32_MAX : 0;
	return u32_and(u32_load(mask), u32_set(x));
}

static inline void set_batch_constants(const struct rng_span *span, uint64_t batch, struct constants *ret)
{
	ret->counter = u32_xor(u32_xor(spread_word(1, (uint32_t)batch), spread_word(2, (uint32_t)(batch >> 32))),
			       spread_word(3, span->draw));
}

/* Returns the counters of U32_LANES / 4 picked places. */
static inline u32v load_counters(const struct rng_place picked[U32_LANES / 4])
{
	uint32_t words[U32_LANES];

	for (unsigned i = 0; i < U32_LANES / 4; i++) {
		words[4 * i] = (uint32_t)(picked[i].group % STREAM_PARTITIONS);
		words[4 * i + 1] = (uint32_t)(picked[i].group / STREAM_PARTITIONS);
		words[4 * i + 2] = (uint32_t)(picked[i].group / STREAM_PARTITIONS >> 32);
		words[4 * i + 3] = picked[i].draw;
	}
	return u32_load(words);
}

/* Evaluates n_blocks times U32_LANES groups: those from `partition` on, or the picked ones unless picked is NULL. The
 * words come back in x in stream order. n_blocks and rounds are constants. */
static inline __attribute__((always_inline)) void evaluate_blocks(const struct constants *constants, unsigned rounds,
								  unsigned n_blocks, uint32_t partition,
								  const struct rng_place *picked, u32v x[][4])
{
	enum { GROUPS = U32_LANES / 4, MOST_BLOCKS = 2 };
	const uint32_t *counters = partition_counters[partition];
	states before = constants->keys[0], s[4 * MOST_BLOCKS];

	for (unsigned i = 0; i < 4 * n_blocks; i++)
		s[i] = states_begin(picked ? load_counters(picked + i * GROUPS)
					   : u32_xor(constants->counter, u32_load(counters + 4 * GROUPS * i)),
				    before);
#pragma GCC unroll 8
	for (unsigned round = 1; round <= rounds; round++) {
		const states after = constants->keys[round];

		for (unsigned i = 0; i < 4 * n_blocks; i++)
			s[i] = round < rounds ? states_round(s[i], before, after) : states_last(s[i], before, after);
		before = after;
	}
	for (unsigned i = 0; i < 4 * n_blocks; i++)
		x[i / 4][i % 4] = states_words(s[i]);
}

/* Eight vectors hide the latency of a round. Of 512 bits four are as fast as eight, and draws into the second-level cache
 * 2 % faster; with 16 their conversion to uniforms no longer overlaps the next ones. */
#if defined(AES_VAES512)
enum { BLOCKS = 1 };
#else
enum { BLOCKS = 2 };
#endif

#include "rng/fill_simd.h"

VECTOR_KERNEL_AS(VARIANT, NAME, NEEDS, ars, ROUNDS);
