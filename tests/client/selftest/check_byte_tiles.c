/* SPDX-License-Identifier: Apache-2.0 */
/* The float32 machine: its steps against 32-bit integers, their bounds reached and not exceeded, Threefry right on all
 * partitions, Philox wrong from the first block. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "selftest/proofs/byte_tiles.h"
#include "rng/philox_constants.h"
#include "rng/threefry.h"

enum { ROUNDS_OF_WORDS = 40 };

static uint64_t seed = 20;

static uint32_t random_word(void)
{
	uint32_t words[4];

	threefry4x32((uint32_t[]){(uint32_t)seed++, 0, 0, 0}, (uint32_t[]){9, 9, 9, 9}, 20, words);
	/* A third of the words are extreme: carries go furthest. */
	return words[1] % 3 ? words[0] : words[0] % 2 ? 0xFFFFFFFF : words[2] % 2 ? 0x7FFFFFFF : 0;
}

static void fill_words(uint32_t ret[STREAM_PARTITIONS])
{
	for (unsigned p = 0; p < STREAM_PARTITIONS; p++)
		ret[p] = random_word();
}

static uint32_t rotate_left(uint32_t x, unsigned bits)
{
	return bits ? x << bits | x >> (32 - bits) : x;
}

static void assert_within_bounds(const uint64_t most[N_TILE_STEPS])
{
	for (unsigned s = 0; s < N_TILE_STEPS; s++)
		if (most[s] > tile_step_bound((enum tile_step)s))
			fail_msg("%s: expected at most %llu, got %llu", tile_step_name((enum tile_step)s),
				 (unsigned long long)tile_step_bound((enum tile_step)s), (unsigned long long)most[s]);
}

static void test_steps_are_exact(void **state)
{
	(void)state;
	for (unsigned c = 0; c < N_CONVERSIONS; c++) {
		struct tile_machine machine = {.conversion = (enum conversion)c};
		uint32_t a[STREAM_PARTITIONS], b[STREAM_PARTITIONS], got[STREAM_PARTITIONS];
		struct byte_tiles ta, tb, t;

		for (unsigned i = 0; i < ROUNDS_OF_WORDS; i++) {
			float u[STREAM_PARTITIONS];
			const unsigned by = i % 32;

			fill_words(a);
			fill_words(b);
			byte_tiles_split(a, &ta);
			byte_tiles_split(b, &tb);
			byte_tiles_add(&machine, &ta, &tb, &t);
			byte_tiles_join(&t, got);
			for (unsigned p = 0; p < STREAM_PARTITIONS; p++)
				assert_int_equal(got[p], a[p] + b[p]);
			byte_tiles_xor(&machine, &ta, &tb, &t);
			byte_tiles_join(&t, got);
			for (unsigned p = 0; p < STREAM_PARTITIONS; p++)
				assert_int_equal(got[p], a[p] ^ b[p]);
			byte_tiles_rotate(&machine, &ta, by / 8, by % 8, &t);
			byte_tiles_join(&t, got);
			for (unsigned p = 0; p < STREAM_PARTITIONS; p++)
				assert_int_equal(got[p], rotate_left(a[p], by));
			byte_tiles_mantissa(&machine, &ta, u);
			for (unsigned p = 0; p < STREAM_PARTITIONS; p++)
				assert_true(u[p] == (float)(a[p] % 16777216) / 16777216);
		}
		assert_within_bounds(machine.most);
		/* The bounds are reached: they are not looser than needed. */
		assert_int_equal(machine.most[TILE_ADD], 511);
		assert_int_equal(machine.most[TILE_ROTATE], 32640);
		assert_int_equal(machine.most[TILE_MANTISSA], 0xFFFFFF);
	}
}

static void test_multiply_is_exact(void **state)
{
	(void)state;
	for (unsigned c = 0; c < N_CONVERSIONS; c++) {
		struct tile_machine machine = {.conversion = (enum conversion)c};

		for (unsigned i = 0; i < 20000; i++) {
			const uint32_t a = i % 4 == 0 ? PHILOX_M0 : i % 4 == 1 ? PHILOX_M1 : random_word();
			const uint32_t b = i < 2 ? 0xFFFFFFFF : random_word();
			const uint32_t x[4] = {a & 255, a >> 8 & 255, a >> 16 & 255, a >> 24};
			const uint32_t y[4] = {b & 255, b >> 8 & 255, b >> 16 & 255, b >> 24};
			uint32_t product[8];
			uint64_t got = 0;

			byte_tiles_multiply(&machine, x, y, product);
			for (unsigned k = 0; k < 8; k++)
				got |= (uint64_t)product[k] << 8 * k;
			if (got != (uint64_t)a * b)
				fail_msg("%s: %u x %u: expected %llu, got %llu", conversion_name(machine.conversion), a,
					 b, (unsigned long long)a * b, (unsigned long long)got);
		}
		assert_within_bounds(machine.most);
		assert_int_equal(machine.most[TILE_MULTIPLY], tile_step_bound(TILE_MULTIPLY));
	}
}

/* Threefry with every conversion, and Philox with exact integers, give the right words on all partitions. */
static void test_right_words(void **state)
{
	static const struct stream streams[] = {
		{.seed = 0, .stream = 0}, {.seed = 42, .stream = 1}, {.seed = UINT64_MAX, .stream = 0xFFFFFFFF}};

	(void)state;
	for (unsigned c = 0; c < N_CONVERSIONS; c++)
		for (unsigned g = 0; g <= GENERATOR_PHILOX4X32; g++) {
			if (g == GENERATOR_PHILOX4X32 && c != CONVERSION_EXACT)
				continue;
			for (unsigned s = 0; s < 3; s++) {
				struct tile_figures figures;

				byte_tiles_measure((enum generator)g, (enum conversion)c, &streams[s], 3, &figures);
				assert_int_equal(figures.n_words, 3 * STREAM_BATCH_WORDS);
				assert_int_equal(figures.n_right, figures.n_words);
				assert_int_equal(figures.n_before_wrong, figures.n_words);
				assert_within_bounds(figures.most);
				if (g == GENERATOR_THREEFRY4X32)
					assert_int_equal(figures.most[TILE_WORD], 0);
			}
		}
}

static void test_late_batches(void **state)
{
	const struct stream stream = {.generator = GENERATOR_THREEFRY4X32, .seed = 0x0123456789ABCDEF, .stream = 5};
	const uint64_t batch = 0xFEDCBA9876543;
	struct tile_machine machine = {.conversion = CONVERSION_SATURATING};
	uint32_t got[STREAM_PARTITIONS][STREAM_GROUP_WORDS];

	(void)state;
	byte_tiles_threefry(&machine, &stream, batch, got);
	for (unsigned i = 0; i < STREAM_BATCH_WORDS; i++)
		assert_int_equal(got[i / 4][i % 4], stream_word(&stream, batch * STREAM_BATCH_WORDS + i, 0));
}

static void test_philox_goes_wrong(void **state)
{
	static const enum conversion conversions[] = {CONVERSION_NEAREST, CONVERSION_SATURATING};

	(void)state;
	for (unsigned c = 0; c < 2; c++)
		for (uint64_t s = 0; s < 4; s++) {
			const struct stream stream = {.seed = s * 0x9E3779B97F4A7C15, .stream = s};
			struct tile_figures figures;

			byte_tiles_measure(GENERATOR_PHILOX4X32, conversions[c], &stream, 16, &figures);
			assert_within_bounds(figures.most);
			assert_true(figures.n_before_wrong < STREAM_GROUP_WORDS);
			assert_true(figures.n_right < figures.n_words / 100);
			assert_true(figures.most[TILE_WORD] > 1 << 24);
		}
}

/* The figures of right words are those of the words themselves, for every generator and conversion. */
static void test_figures_match_the_words(void **state)
{
	(void)state;
	for (unsigned g = 0; g <= GENERATOR_PHILOX4X32; g++) {
		const struct stream stream = {.generator = (enum generator)g, .seed = 42};
		double low = 0, high = 0;
		struct tile_figures figures;

		byte_tiles_measure(stream.generator, CONVERSION_EXACT, &stream, 8, &figures);
		for (unsigned i = 0; i < 8 * STREAM_BATCH_WORDS; i++) {
			const uint32_t right = stream_word(&stream, i, 0);

			low += (right & 0xFFFFFF) * 0x1p-24 / (8 * STREAM_BATCH_WORDS);
			high += (right >> 8) * 0x1p-24 / (8 * STREAM_BATCH_WORDS);
		}
		if (fabs(figures.mean_low - low) > 1e-12 || fabs(figures.mean_high - high) > 1e-12)
			fail_msg("%s: expected means %.6f and %.6f, got %.6f and %.6f", generator_row(stream.generator)->name,
				 low, high, figures.mean_low, figures.mean_high);
	}
}

/* The chi-square of right words is near its 255 degrees of freedom. It explodes, and means move, if the state
 * saturates. */
static void test_figures_show_saturation(void **state)
{
	const struct stream stream = {.seed = 42};
	struct tile_figures right, nearest, saturating;

	(void)state;
	byte_tiles_measure(GENERATOR_THREEFRY4X32, CONVERSION_SATURATING, &stream, 64, &right);
	byte_tiles_measure(GENERATOR_PHILOX4X32, CONVERSION_NEAREST, &stream, 64, &nearest);
	byte_tiles_measure(GENERATOR_PHILOX4X32, CONVERSION_SATURATING, &stream, 64, &saturating);
	printf("# threefry right: %.4f %.4f %.1f\n", right.mean_low, right.mean_high, right.chi_square);
	printf("# philox nearest: %.4f %.4f %.1f, right %llu\n", nearest.mean_low, nearest.mean_high,
	       nearest.chi_square, (unsigned long long)nearest.n_right);
	printf("# philox saturating: %.4f %.4f %.1f, right %llu\n", saturating.mean_low, saturating.mean_high,
	       saturating.chi_square, (unsigned long long)saturating.n_right);
	assert_true(fabs(right.mean_low - 0.5) < 0.01 && fabs(right.mean_high - 0.5) < 0.01);
	assert_true(fabs(right.chi_square - 255) < 4 * sqrt(2 * 255));
	assert_true(fabs(saturating.mean_low - 0.5) > 0.1);
	assert_true(saturating.chi_square > 10 * 255);
}

static void test_conversions(void **state)
{
	/* Rounds to 24 bits, ties to even. The two conversions differ from 2^31 on. */
	static const struct {
		uint32_t a, nearest, saturating;
	} cases[] = {
		{0, 0, 0},
		{1 << 24, 1 << 24, 1 << 24},
		{(1 << 24) + 1, 1 << 24, 1 << 24},
		{(1 << 24) + 3, (1 << 24) + 4, (1 << 24) + 4},
		{0x7FFFFFFF, 0x80000000, 0x80000000},
		{0x80000000, 0x80000000, 0x80000000},
		{0xC0000001, 0xC0000000, 0x80000000},
		{0xFFFFFF7F, 0xFFFFFF00, 0x80000000},
		{0xFFFFFFFF, 0, 0x80000000},
	};

	(void)state;
	for (unsigned i = 0; i < sizeof cases / sizeof *cases; i++) {
		assert_int_equal(conversion_read(CONVERSION_EXACT, cases[i].a), cases[i].a);
		assert_int_equal(conversion_read(CONVERSION_NEAREST, cases[i].a), cases[i].nearest);
		assert_int_equal(conversion_read(CONVERSION_SATURATING, cases[i].a), cases[i].saturating);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_conversions),
		cmocka_unit_test(test_steps_are_exact),
		cmocka_unit_test(test_multiply_is_exact),
		cmocka_unit_test(test_right_words),
		cmocka_unit_test(test_late_batches),
		cmocka_unit_test(test_philox_goes_wrong),
		cmocka_unit_test(test_figures_match_the_words),
		cmocka_unit_test(test_figures_show_saturation),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
