/* SPDX-License-Identifier: Apache-2.0 */
/* Requests from end to end: draws in the reply and in tiles. */
#include "harness.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

#include "distributions/draw/draw_fill.h"

/* Samples [begin, begin + n) as the kernels alone draw them. */
static void *expect(enum distribution distribution, enum dtype dtype, uint64_t begin, size_t n, double a, double b)
{
	struct draw draw = {distribution, dtype, {GENERATOR_THREEFRY4X32, 5, 9}, {{a}, {b}}, NULL, NULL, NULL};
	struct draw_kernels kernels;
	void *bytes = malloc(n * dtype_size(dtype) + 1);

	assert_non_null(bytes);
	draw_select(0, &kernels);
	draw_fill(&kernels, &draw, begin, n, bytes);
	return bytes;
}

static void check_draw(struct fixture *fixture, const char *method, const char *dtype, enum distribution distribution,
		       uint64_t begin, size_t n)
{
	const size_t bytes = n * dtype_size(dtype_parse(dtype, strlen(dtype)));
	void *expected = expect(distribution, dtype_parse(dtype, strlen(dtype)), begin, n, 0, 1);
	struct call *call = call_new();
	const struct value *data;

	put(call, "n", value_uint(n));
	put(call, "dtype", value_string(dtype));
	put(call, "seed", value_uint(5));
	put(call, "stream", value_string("0x9"));
	put(call, "offset", value_uint(begin));
	data = value_get(call_run(call, fixture->memory, method), "data");
	assert_int_equal(data->bytes.size, bytes);
	assert_memory_equal(data->bytes.at, expected, bytes);
	call_free(call);
	free(expected);
}

static void test_inline_draws(void **state)
{
	static const size_t lengths[] = {0, 1, 5, 512, 16384, 16385, 100001};
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		check_draw(&fixture, "bits", "u32", DIST_BITS, 3, lengths[i]);
		check_draw(&fixture, "bits", "uint64", DIST_BITS, 3, lengths[i]);
		check_draw(&fixture, "uniform", "f32", DIST_UNIFORM, 0, lengths[i]);
		check_draw(&fixture, "uniform", "f64", DIST_UNIFORM, 7, lengths[i]);
		check_draw(&fixture, "normal", "f32", DIST_NORMAL, 1, lengths[i]);
		check_draw(&fixture, "normal", "f64", DIST_NORMAL, 2, lengths[i]);
	}
	fixture_close(&fixture);
}

static void test_draw_into_a_tile(void **state)
{
	struct fixture fixture = fixture_open(2);
	void *at, *expected = expect(DIST_NORMAL, DTYPE_F64, 0, 50000, 3, 2);
	uint64_t tile = tile_of(&fixture, "f64", 50000, &at);
	struct call *call = call_new();
	const struct value *reply;

	(void)state;
	put(call, "out", value_uint(tile));
	put(call, "seed", value_uint(5));
	put(call, "stream", value_uint(9));
	put(call, "mean", value_real(3));
	put(call, "std", value_real(2));
	put(call, "u64", value_string("str"));
	reply = call_run(call, fixture.memory, "normal");
	assert_int_equal(value_get(reply, "tile")->u, tile);
	assert_true(value_is_text(value_get(reply, "seed"), "5"));
	assert_true(value_is_text(value_get(reply, "next"), "100000"));
	assert_memory_equal(at, expected, 50000 * sizeof(double));
	free(expected);
	call_free(call);
	fixture_close(&fixture);
}

/* A program that runs with flush to zero, denormals as zero and another rounding gets the same bytes, and keeps its
 * settings: computed in its own thread and in the pool's. */
static void test_floating_point_environment(void **state)
{
#if defined(__x86_64__)
	static const size_t lengths[] = {100, 300000};
	const unsigned int strange = 0xFFC0, before = _mm_getcsr();
	struct fixture fixture = fixture_open(2);

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct call *plain = call_new(), *odd = call_new();
		const struct value *expected, *got;

		for (int k = 0; k < 2; k++) {
			put(k ? odd : plain, "n", value_uint(lengths[i]));
			put(k ? odd : plain, "std", value_real(1e-39));
		}
		expected = value_get(call_run(plain, fixture.memory, "normal"), "data");
		_mm_setcsr(strange);
		call_start(odd, fixture.memory, "normal");
		const unsigned int after = _mm_getcsr() & ~0x3Fu;
		_mm_setcsr(before);
		assert_int_equal(after, strange);
		call_wait(odd);
		got = value_get(request_result(odd->request), "data");
		assert_memory_equal(got->bytes.at, expected->bytes.at, expected->bytes.size);
		assert_true(((const float *)(const void *)expected->bytes.at)[0] != 0);
		call_free(plain);
		call_free(odd);
	}
	fixture_close(&fixture);
#else
	(void)state;
	printf("# no such settings are tried on this CPU\n");
	skip();
#endif
}

/* What stats says of the lanes: printed, and held to the rule only where the machine is the test's own. */
static void test_longest_chunk(void **state)
{
	struct fixture fixture = fixture_open(2);
	const uint64_t tile = tile_of(&fixture, "f32", 8 << 20, NULL), c64 = tile_of(&fixture, "c64", 1 << 20, NULL);
	struct bump *bump = bump_new();
	struct value map = value_map();
	uint64_t longest = 0, words = 0;

	(void)state;
	for (int i = 0; i < 3; i++) {
		struct call *draw = call_new(), *fft = call_new();

		put(draw, "out", value_uint(tile));
		call_run(draw, fixture.memory, "normal");
		put(fft, "in", value_uint(c64));
		put(fft, "out", value_uint(c64));
		call_run(fft, fixture.memory, "fft");
		call_free(draw);
		call_free(fft);
	}
	assert_int_equal(engine_stats(fixture.engine, bump, &map), 0);
	const struct value *lanes = value_get(&map, "lanes");
	for (size_t i = 0; i < lanes->array.count; i++) {
		const uint64_t ns = value_get(&lanes->array.at[i], "longest_ns")->u;

		longest = ns > longest ? ns : longest;
		words += value_get(&lanes->array.at[i], "words")->u;
	}
	assert_true(words >= 3 * (8 << 20));
	printf("# the longest chunk took %.0f us\n", (double)longest / 1000);
	bump_free(bump);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inline_draws),
		cmocka_unit_test(test_draw_into_a_tile),
		cmocka_unit_test(test_floating_point_environment),
		cmocka_unit_test(test_longest_chunk),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
