/* SPDX-License-Identifier: Apache-2.0 */
/* Distributions of integers, word by word against their definitions, and the 16-bit floats. */
#include "distributions/rows/dist_kernel.h"
#include "distributions/statistics.h"

static struct draw_kernels best(void)
{
	struct draw_kernels kernels;

	draw_select(cpu_detect(), &kernels);
	return kernels;
}

static const struct stream stream = {GENERATOR_THREEFRY4X32, 77, 3};

static uint64_t wide_word(uint64_t k, uint32_t d)
{
	return stream_word(&stream, 2 * k, d) | (uint64_t)stream_word(&stream, 2 * k + 1, d) << 32;
}

/* Lemire's method once more, attempt by attempt. */
static int64_t randint_of(uint64_t k, uint64_t range, int64_t low, bool narrow)
{
	for (uint32_t attempt = 0;; attempt++) {
		if (narrow) {
			const uint64_t product = stream_word(&stream, k, attempt) * range;

			if ((uint32_t)product >= (1ull << 32) % range)
				return low + (int64_t)(product >> 32);
		} else {
			const unsigned __int128 product = (unsigned __int128)wide_word(k, attempt) * range;

			if ((uint64_t)product >= -range % range)
				return (int64_t)((uint64_t)low + (uint64_t)(product >> 64));
		}
	}
}

static void randint_matches_its_definition(void **state)
{
	static const int64_t bounds[][2] = {
		{0, 1},
		{0, 6},
		{-10, 11},
		{0, (1ll << 31) - 1},
		{INT32_MIN, INT32_MAX},
		{0, 3ll << 30},
		{INT64_MIN, INT64_MAX},
		{-1, (1ll << 62) + 12345},
		{INT64_MIN, INT64_MIN + 3},
		{-7, (1ll << 32) - 7},
		{-7, (1ll << 32) - 6},
	};
	static int64_t wide[3000];
	static int32_t narrow[3000];
	const struct draw_kernels kernels = best();

	(void)state;
	for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++) {
		const int64_t low = bounds[b][0], high = bounds[b][1];
		const uint64_t range = (uint64_t)high - (uint64_t)low;
		struct draw draw = {DIST_RANDINT, DTYPE_I64, stream, {{.integer = low}, {.integer = high}}, NULL, NULL, NULL};

		draw_fill(&kernels, &draw, 9, 3000, wide);
		for (uint64_t i = 0; i < 3000; i++)
			if (wide[i] != randint_of(9 + i, range, low, false))
				fail_msg("randint %lld %lld: sample %llu is %lld, expected %lld", (long long)low,
					 (long long)high, (unsigned long long)i, (long long)wide[i],
					 (long long)randint_of(9 + i, range, low, false));
		if (low < INT32_MIN || high > INT32_MAX + 1ll)
			continue;
		draw.dtype = DTYPE_I32;
		draw_fill(&kernels, &draw, 9, 3000, narrow);
		for (uint64_t i = 0; i < 3000; i++)
			assert_int_equal(narrow[i], randint_of(9 + i, range, low, true));
	}
}

/* The inverse of an odd number modulo 2^64, by Newton's method. */
static uint64_t inverse_of(uint64_t odd)
{
	uint64_t x = odd;

	for (int i = 0; i < 6; i++)
		x *= 2 - odd * x;
	return x;
}

/* Words whose products end around the bound are too rare to be drawn: they are made. */
static void randint_rejects_exactly_below_its_bound(void **state)
{
	enum { N = 64 };
	static const uint64_t ranges[] = {3, 1001, 0xFFFFFFFB, UINT32_MAX, 0x100000001, 0x8000000000000001};
	size_t count;
	const struct dist_kernel *const *kernels = dist_kernels(&count);

	(void)state;
	for (size_t r = 0; r < sizeof ranges / sizeof *ranges * count; r++) {
		const struct dist_kernel *kernel = kernels[r % count];
		const uint64_t range = ranges[r / count], bound = -range % range;
		const uint64_t ends[] = {0, bound - 1, bound, 0xFFFFFFFF, 1ull << 32, UINT64_MAX, 1};
		const struct dist_constants k = {.randint = {.low = -5, .range = range, .reject_below = bound}};
		uint64_t words[N], n_rejected = 0;
		const void *const inputs[] = {words};
		uint16_t rejected[N];
		int64_t out[N];

		if (kernel->needs & ~cpu_detect())
			continue;
		for (size_t i = 0; i < N; i++)
			words[i] = i % 3 ? (i + 1) * 0x9E3779B97F4A7C15 : ends[i / 3 % 7] * inverse_of(range);
		const size_t n = kernel->randint[DTYPE_I64](&k, inputs, 0, N, out, rejected);

		for (size_t i = 0; i < N; i++)
			if (words[i] * range < bound)
				assert_int_equal(rejected[n_rejected++], i);
			else
				assert_int_equal(out[i], (int64_t)((uint64_t)((unsigned __int128)words[i] * range >> 64) - 5));
		assert_int_equal(n, n_rejected);
		assert_true(n > 0);
	}
}

/* A range of all values of a dtype gives the words themselves, in order. */
static void randint_of_a_whole_dtype_is_the_words(void **state)
{
	static uint64_t x[500], words[500];
	static uint32_t narrow[500];
	const struct draw_kernels kernels = best();
	const struct draw bits = {DIST_BITS, DTYPE_U64, stream, {{0}}, NULL, NULL, NULL};
	struct draw draw = {DIST_RANDINT, DTYPE_U64, stream, {{.natural = 0}, {.natural = 0}}, NULL, NULL, NULL};

	(void)state;
	draw_fill(&kernels, &bits, 3, 500, words);
	draw_fill(&kernels, &draw, 3, 500, x);
	assert_memory_equal(x, words, sizeof x);
	draw.dtype = DTYPE_I64;
	draw.parameters[0].integer = draw.parameters[1].integer = INT64_MIN;
	draw_fill(&kernels, &draw, 3, 500, x);
	for (size_t i = 0; i < 500; i++)
		assert_true(x[i] == words[i] + (1ull << 63));
	draw.dtype = DTYPE_U32;
	draw.parameters[0].natural = 0;
	draw.parameters[1].natural = 1ull << 32;
	draw_fill(&kernels, &draw, 6, 500, narrow);
	for (size_t i = 0; i < 500; i++)
		assert_int_equal(narrow[i], stream_word(&stream, 6 + i, 0));
}

/* Values of float32 normals with a radius of 64 bits, to nearest: as numbers, never further off than half a step. */
static void boxmuller64_rounds_to_the_nearest_half(void **state)
{
	enum { N = 4001 };
	static float normals[N];
	static uint16_t bf16[N];
	const struct draw_kernels kernels = best();
	struct draw draw = {DIST_NORMAL, DTYPE_F32, stream, {{0}, {1}, {.natural = NORMAL_BOXMULLER64}}, NULL, NULL, NULL};

	(void)state;
	draw_fill(&kernels, &draw, 1, N, normals);
	draw.dtype = DTYPE_BF16;
	draw_fill(&kernels, &draw, 1, N, bf16);
	for (size_t i = 0; i < N; i++) {
		const uint32_t bits = (uint32_t)bf16[i] << 16;
		float x;

		memcpy(&x, &bits, sizeof x);
		if (!(fabsf(x - normals[i]) <= fabsf(normals[i]) * 0x1p-8f))
			fail_msg("sample %zu: %.9g as bf16 is %.9g", i, (double)normals[i], (double)x);
	}
}

static void bernoulli_compares_digits(void **state)
{
	static const double chances[] = {0, 1, 0.5, 0.25, 0.1, 1.0 / 3, 0x1p-32, 0x1.8p-33, 1e-9, 1 - 0x1p-53};
	static int8_t narrow[20000];
	static int32_t wide[20000];
	const struct draw_kernels kernels = best();

	(void)state;
	for (size_t p = 0; p < sizeof chances / sizeof *chances; p++) {
		struct draw draw = {DIST_BERNOULLI, DTYPE_I8, stream, {{chances[p]}}, NULL, NULL, NULL};

		draw_fill(&kernels, &draw, 5, 20000, narrow);
		draw.dtype = DTYPE_I32;
		draw_fill(&kernels, &draw, 5, 20000, wide);
		for (uint64_t i = 0; i < 20000; i++) {
			const double u =
				stream_word(&stream, 5 + i, 0) * 0x1p-32 + stream_word(&stream, 5 + i, 1) * 0x1p-64;

			if (narrow[i] != (u < chances[p]) || narrow[i] != wide[i])
				fail_msg("bernoulli %g: sample %llu is %d and %d of u = %.17g", chances[p],
					 (unsigned long long)i, narrow[i], wide[i], u);
		}
	}
}

/* Words that equal p's first digits are decided by the following ones, whatever the attempt. */
static void bernoulli_ties_are_decided_by_the_next_word(void **state)
{
	struct dist_constants k = {.bernoulli = {.digits = {5, 7, 0, 9}}};
	uint32_t words[DIST_PAD];
	const void *inputs[] = {words};
	int8_t out[DIST_PAD];
	uint16_t rejected[DIST_PAD];
	size_t count;
	const struct dist_kernel *const *kernels = dist_kernels(&count);

	(void)state;
	for (size_t v = 0; v < count; v++) {
		if (!can_run("dist_kernel", kernels[v]->name, kernels[v]->needs))
			continue;
		for (uint32_t i = 0; i < DIST_PAD; i++)
			words[i] = i;
		assert_int_equal(kernels[v]->bernoulli[DTYPE_I8](&k, inputs, 0, DIST_PAD, out, rejected), 1);
		assert_true(rejected[0] == 5 && out[4] == 1 && out[6] == 0);
		assert_int_equal(kernels[v]->bernoulli[DTYPE_I8](&k, inputs, 1, DIST_PAD, out, rejected), 1);
		assert_true(rejected[0] == 7 && out[6] == 1 && out[8] == 0);
		assert_int_equal(kernels[v]->bernoulli[DTYPE_I8](&k, inputs, 4, DIST_PAD, out, rejected), 0);
		assert_true(out[0] == 0);
	}
}

static void rademacher_takes_the_top_bit(void **state)
{
	static int8_t i8[1000];
	static int32_t i32[1000];
	static float f32[1000];
	static double f64[1000];
	const struct draw_kernels kernels = best();
	struct draw draw = {DIST_RADEMACHER, DTYPE_I8, stream, {{0}}, NULL, NULL, NULL};

	(void)state;
	draw_fill(&kernels, &draw, 1, 1000, i8);
	draw.dtype = DTYPE_I32;
	draw_fill(&kernels, &draw, 1, 1000, i32);
	draw.dtype = DTYPE_F32;
	draw_fill(&kernels, &draw, 1, 1000, f32);
	draw.dtype = DTYPE_F64;
	draw_fill(&kernels, &draw, 1, 1000, f64);
	for (uint64_t i = 0; i < 1000; i++) {
		const int narrow = stream_word(&stream, 1 + i, 0) >> 31 ? -1 : 1,
			  wide = wide_word(1 + i, 0) >> 63 ? -1 : 1;

		assert_true(i8[i] == narrow && i32[i] == narrow && f32[i] == (float)narrow && f64[i] == wide);
	}
}

static double bf16_value(uint16_t half)
{
	const uint32_t bits = (uint32_t)half << 16;
	float x;

	memcpy(&x, &bits, sizeof x);
	return x;
}

static double f16_value(uint16_t half)
{
	const int exponent = half >> 10 & 31, fraction = half & 1023;
	const double size = exponent == 31  ? (fraction ? NAN : INFINITY)
			    : exponent == 0 ? ldexp(fraction, -24)
					    : ldexp(1024 + fraction, exponent - 25);

	return half & 0x8000 ? -size : size;
}

/* x to the nearest of the dtype's values, ties to even: by its definition. */
static double rounded(double x, int digits, int least)
{
	int exponent;

	frexp(x, &exponent);
	exponent = (exponent - digits < least ? least : exponent - digits);
	return ldexp(nearbyint(ldexp(x, -exponent)), exponent);
}

static void uniforms_round_to_the_nearest_half(void **state)
{
	static const double bounds[][2] = {{0, 1},    {-3, 5},  {100, 101}, {-1, 0},
					   {0, 1e-6}, {1, 1.5}, {-8, -4},   {0, 60000}};
	static uint16_t x[4000];
	const struct draw_kernels kernels = best();

	(void)state;
	for (size_t b = 0; b < sizeof bounds / sizeof *bounds; b++)
		for (int bf16 = 0; bf16 < 2; bf16++) {
			const double low = bounds[b][0], high = bounds[b][1];
			const struct draw draw = {
				DIST_UNIFORM, bf16 ? DTYPE_BF16 : DTYPE_F16, stream, {{low}, {high}}, NULL, NULL, NULL};

			draw_fill(&kernels, &draw, 3, 4000, x);
			for (uint64_t i = 0; i < 4000; i++) {
				const uint32_t word = stream_word(&stream, 3 + i, 0);
				const double u = bf16 ? (word & 255) * 0x1p-8 : (word & 2047) * 0x1p-11;
				const double got = bf16 ? bf16_value(x[i]) : f16_value(x[i]);
				const double exact =
					rounded((float)fma(u, high - low, low), bf16 ? 8 : 11, bf16 ? -133 : -24);

				if (exact < high ? got != exact : !(got < high && got >= low))
					fail_msg("uniform %s [%g, %g): sample %llu is %.9g, expected %.9g",
						 bf16 ? "bf16" : "f16", low, high, (unsigned long long)i, got, exact);
			}
		}
}

static void normals_round_to_the_nearest_half(void **state)
{
	static uint16_t x[4000];
	static float z[4000];
	const struct draw_kernels kernels = best();

	(void)state;
	for (int bf16 = 0; bf16 < 2; bf16++) {
		struct draw draw = {DIST_NORMAL, bf16 ? DTYPE_BF16 : DTYPE_F16, stream, {{1}, {3e-5}}, NULL, NULL, NULL};

		draw.parameters[0].real = bf16 ? 1 : 0;
		draw_fill(&kernels, &draw, 3, 4000, x);
		draw.dtype = DTYPE_F32;
		draw_fill(&kernels, &draw, 3, 4000, z);
		for (size_t i = 0; i < 4000; i++) {
			const double got = bf16 ? bf16_value(x[i]) : f16_value(x[i]);

			assert_true(got == rounded(z[i], bf16 ? 8 : 11, bf16 ? -133 : -24));
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(randint_of_a_whole_dtype_is_the_words),
		cmocka_unit_test(randint_rejects_exactly_below_its_bound),
		cmocka_unit_test(boxmuller64_rounds_to_the_nearest_half),
		cmocka_unit_test(randint_matches_its_definition),
		cmocka_unit_test(bernoulli_compares_digits),
		cmocka_unit_test(bernoulli_ties_are_decided_by_the_next_word),
		cmocka_unit_test(rademacher_takes_the_top_bit),
		cmocka_unit_test(uniforms_round_to_the_nearest_half),
		cmocka_unit_test(normals_round_to_the_nearest_half),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
