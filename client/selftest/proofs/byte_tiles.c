/* SPDX-License-Identifier: Apache-2.0 */
/* The float32 machine: every operand and result of every step is converted.
 *
 * So no step uses C's arithmetic on words directly: all go through read_operand and write_result, which also records
 * the largest exact value, for the proof that Threefry's stay below 2^24. */
#include "selftest/proofs/byte_tiles.h"

#include <assert.h>
#include <string.h>

#include "base/checked.h"
#include "rng/philox_constants.h"

#define PARITY 0x1BD11BDAu

/* The bound of each step's exact intermediates, from those of its operands. */
static const struct {
	const char *name;
	uint64_t bound;
} steps[N_TILE_STEPS] = {
	[TILE_ADD] = {"add", 255 + 255 + 1},
	[TILE_XOR] = {"xor", 255},
	[TILE_ROTATE] = {"rotate", 255 << 7},
	[TILE_MANTISSA] = {"mantissa", 0xFFFFFF},
	/* The fourth column: four products, and the carry from three columns. */
	[TILE_MULTIPLY] = {"multiply", 4 * 255 * 255 + 764},
	[TILE_WORD] = {"word", 0xFFFFFFFF},
};

static const char *const conversion_names[N_CONVERSIONS] = {"exact", "nearest", "saturating"};

const char *conversion_name(enum conversion conversion)
{
	return conversion_names[conversion];
}

const char *tile_step_name(enum tile_step step)
{
	return steps[step].name;
}

uint64_t tile_step_bound(enum tile_step step)
{
	return steps[step].bound;
}

/* value < 2^40, so that its rounding fits 64 bits. */
static inline uint32_t convert(enum conversion conversion, uint64_t value)
{
	if (conversion == CONVERSION_EXACT || value <= 1 << 24)
		return (uint32_t)value;

	const float rounded = (float)value;

	if (conversion == CONVERSION_SATURATING && rounded >= 0x1p31f)
		return 0x80000000;
	return (uint32_t)(uint64_t)rounded;
}

/* Reads an operand. */
static inline uint64_t read_operand(const struct tile_machine *machine, uint32_t value)
{
	return convert(machine->conversion, value);
}

uint32_t conversion_read(enum conversion conversion, uint64_t value)
{
	return convert(conversion, value);
}

/* Records the exact result, and writes it. */
static inline uint32_t write_result(struct tile_machine *machine, enum tile_step step, uint64_t value)
{
	if (value > machine->most[step])
		machine->most[step] = value;
	return convert(machine->conversion, value);
}

/* The machine's operations, on operands that fit its 32 bits. */
static inline uint32_t add_bytes(struct tile_machine *m, enum tile_step step, uint32_t a, uint32_t b)
{
	return write_result(m, step, read_operand(m, a) + read_operand(m, b));
}

static inline uint32_t multiply_bytes(struct tile_machine *m, enum tile_step step, uint32_t a, uint32_t b)
{
	return write_result(m, step, read_operand(m, a) * read_operand(m, b));
}

static inline uint32_t bit_xor(struct tile_machine *m, enum tile_step step, uint32_t a, uint32_t b)
{
	return write_result(m, step, read_operand(m, a) ^ read_operand(m, b));
}

static inline uint32_t bit_or(struct tile_machine *m, enum tile_step step, uint32_t a, uint32_t b)
{
	return write_result(m, step, read_operand(m, a) | read_operand(m, b));
}

static inline uint32_t bit_and(struct tile_machine *m, enum tile_step step, uint32_t a, uint32_t b)
{
	return write_result(m, step, read_operand(m, a) & read_operand(m, b));
}

static inline uint32_t shift_left(struct tile_machine *m, enum tile_step step, uint32_t a, unsigned bits)
{
	return write_result(m, step, read_operand(m, a) << bits);
}

static inline uint32_t shift_right(struct tile_machine *m, enum tile_step step, uint32_t a, unsigned bits)
{
	return write_result(m, step, read_operand(m, a) >> bits);
}

void byte_tiles_split(const uint32_t words[STREAM_PARTITIONS], struct byte_tiles *ret)
{
	for (unsigned p = 0; p < STREAM_PARTITIONS; p++)
		for (unsigned i = 0; i < 4; i++)
			ret->bytes[i][p] = words[p] >> 8 * i & 0xFF;
}

void byte_tiles_join(const struct byte_tiles *a, uint32_t ret_words[STREAM_PARTITIONS])
{
	for (unsigned p = 0; p < STREAM_PARTITIONS; p++)
		ret_words[p] = a->bytes[0][p] | a->bytes[1][p] << 8 | a->bytes[2][p] << 16 | a->bytes[3][p] << 24;
}

/* Bytes are added with a carry, as by hand: a sum is at most 511. */
void byte_tiles_add(struct tile_machine *machine, const struct byte_tiles *a, const struct byte_tiles *b,
		    struct byte_tiles *ret)
{
	for (unsigned p = 0; p < STREAM_PARTITIONS; p++) {
		uint32_t carry = 0;

		for (unsigned i = 0; i < 4; i++) {
			const uint32_t pair = add_bytes(machine, TILE_ADD, a->bytes[i][p], b->bytes[i][p]);
			const uint32_t sum = add_bytes(machine, TILE_ADD, pair, carry);

			ret->bytes[i][p] = bit_and(machine, TILE_ADD, sum, 0xFF);
			carry = shift_right(machine, TILE_ADD, sum, 8);
		}
	}
}

void byte_tiles_xor(struct tile_machine *machine, const struct byte_tiles *a, const struct byte_tiles *b,
		    struct byte_tiles *ret)
{
	for (unsigned i = 0; i < 4; i++)
		for (unsigned p = 0; p < STREAM_PARTITIONS; p++)
			ret->bytes[i][p] = bit_xor(machine, TILE_XOR, a->bytes[i][p], b->bytes[i][p]);
}

/* Byte i of the result has the high bits of byte i - whole, and below them the top bits of the byte under that. */
void byte_tiles_rotate(struct tile_machine *machine, const struct byte_tiles *a, unsigned whole, unsigned bits,
		       struct byte_tiles *ret)
{
	const struct byte_tiles from = *a;

	assert(whole < 4 && bits < 8);
	for (unsigned i = 0; i < 4; i++) {
		const uint32_t *high = from.bytes[(i - whole) % 4], *low = from.bytes[(i - whole - 1) % 4];

		for (unsigned p = 0; p < STREAM_PARTITIONS; p++) {
			const uint32_t shifted = shift_left(machine, TILE_ROTATE, high[p], bits);
			const uint32_t kept = bit_and(machine, TILE_ROTATE, shifted, 0xFF);

			ret->bytes[i][p] =
				bit_or(machine, TILE_ROTATE, kept, shift_right(machine, TILE_ROTATE, low[p], 8 - bits));
		}
	}
}

void byte_tiles_mantissa(struct tile_machine *machine, const struct byte_tiles *a, float ret_u[STREAM_PARTITIONS])
{
	for (unsigned p = 0; p < STREAM_PARTITIONS; p++) {
		uint32_t sum = a->bytes[2][p];

		for (unsigned i = 2; i-- > 0;)
			sum = add_bytes(machine, TILE_MANTISSA, multiply_bytes(machine, TILE_MANTISSA, sum, 256),
					a->bytes[i][p]);
		ret_u[p] = (float)sum * 0x1p-24f;
	}
}

/* Column by column, as by hand; a column's sum keeps the carry of those before it. */
void byte_tiles_multiply(struct tile_machine *machine, const uint32_t a[4], const uint32_t b[4], uint32_t ret[8])
{
	uint32_t sum = 0;

	for (unsigned column = 0; column < 8; column++) {
		for (unsigned i = column < 4 ? 0 : column - 3; i < 4 && i <= column; i++)
			sum = add_bytes(machine, TILE_MULTIPLY, sum,
					multiply_bytes(machine, TILE_MULTIPLY, a[i], b[column - i]));
		ret[column] = bit_and(machine, TILE_MULTIPLY, sum, 0xFF);
		sum = shift_right(machine, TILE_MULTIPLY, sum, 8);
	}
}

/* Sets all partitions to one word. */
static void fill_tile(uint32_t word, struct byte_tiles *ret)
{
	for (unsigned p = 0; p < STREAM_PARTITIONS; p++)
		for (unsigned i = 0; i < 4; i++)
			ret->bytes[i][p] = word >> 8 * i & 0xFF;
}

/* Threefry's mix: a += b; b = rotl(b, rotation) ^ a. */
static void mix_bytes(struct tile_machine *machine, struct byte_tiles *a, struct byte_tiles *b, unsigned rotation)
{
	byte_tiles_add(machine, a, b, a);
	byte_tiles_rotate(machine, b, rotation / 8, rotation % 8, b);
	byte_tiles_xor(machine, b, a, b);
}

/* Adds subkey s to x: four of the five words of the schedule, in rotation. */
static void add_subkey(struct tile_machine *machine, const struct byte_tiles schedule[5], unsigned s,
		       struct byte_tiles x[4])
{
	struct byte_tiles number;

	for (unsigned i = 0; i < 4; i++)
		byte_tiles_add(machine, &x[i], &schedule[(s + i) % 5], &x[i]);
	fill_tile(s, &number);
	byte_tiles_add(machine, &x[3], &number, &x[3]);
}

/* The key's words and their parity (threefry.c). */
static void schedule_make(struct tile_machine *machine, const uint32_t key[4], struct byte_tiles ret[5])
{
	fill_tile(PARITY, &ret[4]);
	for (unsigned i = 0; i < 4; i++) {
		fill_tile(key[i], &ret[i]);
		byte_tiles_xor(machine, &ret[4], &ret[i], &ret[4]);
	}
}

void byte_tiles_threefry(struct tile_machine *machine, const struct stream *stream, uint64_t batch,
			 uint32_t ret_words[STREAM_PARTITIONS][STREAM_GROUP_WORDS])
{
	static const uint8_t rotations[8][2] = {{10, 26}, {11, 21}, {13, 27}, {23, 5},
						{6, 20},  {17, 11}, {25, 10}, {18, 20}};
	struct byte_tiles schedule[5], x[4];
	uint32_t key[4], words[STREAM_PARTITIONS];

	stream_key(stream, key);
	schedule_make(machine, key, schedule);
	for (unsigned p = 0; p < STREAM_PARTITIONS; p++)
		words[p] = p;
	byte_tiles_split(words, &x[0]);
	fill_tile((uint32_t)batch, &x[1]);
	fill_tile((uint32_t)(batch >> 32), &x[2]);
	fill_tile(0, &x[3]);
	add_subkey(machine, schedule, 0, x);
	for (unsigned round = 0; round < 20; round++) {
		const unsigned partner = round % 2 ? 3 : 1;

		mix_bytes(machine, &x[0], &x[partner], rotations[round % 8][0]);
		mix_bytes(machine, &x[2], &x[4 - partner], rotations[round % 8][1]);
		if (round % 4 == 3)
			add_subkey(machine, schedule, round / 4 + 1, x);
	}
	for (unsigned w = 0; w < STREAM_GROUP_WORDS; w++) {
		byte_tiles_join(&x[w], words);
		for (unsigned p = 0; p < STREAM_PARTITIONS; p++)
			ret_words[p][w] = words[p];
	}
}

/* Splits a word into bytes on the machine. This loses the low bytes of a word above 2^24. */
static void word_split(struct tile_machine *machine, uint32_t word, uint32_t ret_bytes[4])
{
	for (unsigned i = 0; i < 4; i++)
		ret_bytes[i] = bit_and(machine, TILE_WORD, shift_right(machine, TILE_WORD, word, 8 * i), 0xFF);
}

static uint32_t word_join(struct tile_machine *machine, const uint32_t bytes[4])
{
	uint32_t word = bytes[0];

	for (unsigned i = 1; i < 4; i++)
		word = bit_or(machine, TILE_WORD, word, shift_left(machine, TILE_WORD, bytes[i], 8 * i));
	return word;
}

/* Multiplies words by way of their bytes; splitting and joining go through the machine, and lose bits there. */
static void word_multiply(struct tile_machine *machine, uint32_t constant, uint32_t word, uint32_t *ret_low,
			  uint32_t *ret_high)
{
	const uint32_t bytes[4] = {constant & 0xFF, constant >> 8 & 0xFF, constant >> 16 & 0xFF, constant >> 24};
	uint32_t split[4], product[8];

	word_split(machine, word, split);
	byte_tiles_multiply(machine, bytes, split, product);
	*ret_low = word_join(machine, product);
	*ret_high = word_join(machine, product + 4);
}

/* Computes one block. The key comes from the host and is exact; the state is the machine's. */
static void philox_block(struct tile_machine *machine, const uint32_t key[2], uint32_t x[4])
{
	uint32_t k0 = key[0], k1 = key[1];

	for (unsigned round = 0; round < 10; round++, k0 += PHILOX_W0, k1 += PHILOX_W1) {
		uint32_t low0, high0, low1, high1;

		word_multiply(machine, PHILOX_M0, x[0], &low0, &high0);
		word_multiply(machine, PHILOX_M1, x[2], &low1, &high1);
		x[0] = bit_xor(machine, TILE_WORD, bit_xor(machine, TILE_WORD, high1, x[1]), k0);
		x[1] = low1;
		x[2] = bit_xor(machine, TILE_WORD, bit_xor(machine, TILE_WORD, high0, x[3]), k1);
		x[3] = low0;
	}
}

void byte_tiles_philox(struct tile_machine *machine, const struct stream *stream, uint64_t batch,
		       uint32_t ret_words[STREAM_PARTITIONS][STREAM_GROUP_WORDS])
{
	const uint32_t key[2] = {(uint32_t)stream->seed, (uint32_t)(stream->seed >> 32)};

	for (uint32_t p = 0; p < STREAM_PARTITIONS; p++) {
		uint32_t x[4] = {p, (uint32_t)batch, (uint32_t)(batch >> 32), (uint32_t)stream->stream};

		philox_block(machine, key, x);
		memcpy(ret_words[p], x, sizeof x);
	}
}

/* Returns the sum of the low 24 bits x 2^-24, from byte tiles on the machine. */
static double sum_mantissas(struct tile_machine *machine, const uint32_t words[STREAM_PARTITIONS][STREAM_GROUP_WORDS])
{
	double sum = 0;

	for (unsigned w = 0; w < STREAM_GROUP_WORDS; w++) {
		uint32_t column[STREAM_PARTITIONS];
		struct byte_tiles tiles;
		float u[STREAM_PARTITIONS];

		for (unsigned p = 0; p < STREAM_PARTITIONS; p++)
			column[p] = words[p][w];
		byte_tiles_split(column, &tiles);
		byte_tiles_mantissa(machine, &tiles, u);
		for (unsigned p = 0; p < STREAM_PARTITIONS; p++)
			sum += (double)u[p];
	}
	return sum;
}

/* Returns the chi-square of counts in equal bins. */
static double chi_square(const uint64_t *counts, unsigned n_bins, uint64_t n)
{
	const double expected = (double)n / n_bins;
	double sum = 0;

	for (unsigned i = 0; i < n_bins; i++)
		sum += ((double)counts[i] - expected) * ((double)counts[i] - expected) / expected;
	return sum;
}

void byte_tiles_measure(enum generator generator, enum conversion conversion, const struct stream *stream,
			uint64_t n_batches, struct tile_figures *ret)
{
	struct tile_machine machine = {.conversion = conversion};
	uint32_t words[STREAM_PARTITIONS][STREAM_GROUP_WORDS];
	uint64_t counts[256] = {0}, position = 0, n_right = 0, n_before_wrong = UINT64_MAX;
	double low = 0, high = 0;
	struct stream same = *stream;

	same.generator = generator;
	for (uint64_t batch = 0; batch < n_batches; batch++) {
		if (generator == GENERATOR_PHILOX4X32)
			byte_tiles_philox(&machine, &same, batch, words);
		else
			byte_tiles_threefry(&machine, &same, batch, words);
		low += sum_mantissas(&machine, words);
		for (unsigned i = 0; i < STREAM_BATCH_WORDS; i++, position++) {
			const uint32_t word = words[i / STREAM_GROUP_WORDS][i % STREAM_GROUP_WORDS];

			if (word == stream_word(&same, position, 0))
				n_right++;
			else if (n_before_wrong == UINT64_MAX)
				n_before_wrong = position;
			high += (word >> 8) * 0x1p-24;
			counts[word >> 16 & 0xFF]++;
		}
	}
	*ret = (struct tile_figures){
		.generator = generator,
		.conversion = conversion,
		.n_words = position,
		.n_right = n_right,
		.n_before_wrong = n_before_wrong == UINT64_MAX ? position : n_before_wrong,
		.mean_low = low / (double)position,
		.mean_high = high / (double)position,
		.chi_square = chi_square(counts, 256, position),
	};
	memcpy(ret->most, machine.most, sizeof ret->most);
}
