/* SPDX-License-Identifier: Apache-2.0 */
/* Requests from end to end: services, draws in the reply and in tiles. */
#include "engine/harness.h"

#include "dist/draw.h"

static void test_version_and_ping(void **state)
{
	struct bed bed = bed_open(2);
	struct call *version = call_new(), *ping = call_new();
	const struct value *reply = call_run(version, bed.space, "version");

	(void)state;
	assert_true(value_is_text(value_get(reply, "name"), "trnsciD"));
	assert_int_equal(value_get(reply, "stream_format")->u, 1);
	put(ping, "payload", value_uint(7));
	assert_int_equal(value_get(call_run(ping, bed.space, "ping"), "payload")->u, 7);
	call_free(version);
	call_free(ping);
	bed_close(&bed);
}

static void test_describe_lists_every_row(void **state)
{
	struct bed bed = bed_open(1);
	struct call *call = call_new();
	const struct value *reply = call_run(call, bed.space, "describe");
	const struct value *methods = value_get(reply, "methods");
	size_t count;
	const struct operation *all = operations(&count);

	(void)state;
	assert_int_equal(methods->array.count, count);
	for (size_t i = 0; i < count; i++) {
		assert_true(value_is_text(value_get(&methods->array.at[i], "name"), all[i].name));
		assert_int_equal(value_get(&methods->array.at[i], "params")->array.count, all[i].n_params);
	}
	call_free(call);
	bed_close(&bed);
}

/* Samples [begin, begin + n) as the kernels alone draw them. */
static void *expect(enum law law, enum dtype dtype, uint64_t begin, size_t n, double a, double b)
{
	struct draw draw = {law, dtype, {GENERATOR_THREEFRY4X32, 5, 9}, a, b};
	struct draw_kernels kernels;
	void *bytes = malloc(n * dtype_size(dtype) + 1);

	assert_non_null(bytes);
	draw_select(0, &kernels);
	draw_fill(&kernels, &draw, begin, n, bytes);
	return bytes;
}

static void check_draw(struct bed *bed, const char *method, const char *dtype, enum law law, uint64_t begin, size_t n)
{
	const size_t bytes = n * dtype_size(dtype_parse(dtype, strlen(dtype)));
	void *expected = expect(law, dtype_parse(dtype, strlen(dtype)), begin, n, 0, 1);
	struct call *call = call_new();
	const struct value *data;

	put(call, "n", value_uint(n));
	put(call, "dtype", value_string(dtype));
	put(call, "seed", value_uint(5));
	put(call, "stream", value_string("0x9"));
	put(call, "offset", value_uint(begin));
	data = value_get(call_run(call, bed->space, method), "data");
	assert_int_equal(data->bytes.size, bytes);
	assert_memory_equal(data->bytes.at, expected, bytes);
	call_free(call);
	free(expected);
}

static void test_inline_draws(void **state)
{
	static const size_t lengths[] = {0, 1, 5, 512, 16384, 16385, 100001};
	struct bed bed = bed_open(2);

	(void)state;
	for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
		check_draw(&bed, "bits", "u32", LAW_BITS, 3, lengths[i]);
		check_draw(&bed, "bits", "uint64", LAW_BITS, 3, lengths[i]);
		check_draw(&bed, "uniform", "f32", LAW_UNIFORM, 0, lengths[i]);
		check_draw(&bed, "uniform", "f64", LAW_UNIFORM, 7, lengths[i]);
		check_draw(&bed, "normal", "f32", LAW_NORMAL, 1, lengths[i]);
		check_draw(&bed, "normal", "f64", LAW_NORMAL, 2, lengths[i]);
	}
	bed_close(&bed);
}

static void test_draw_into_a_tile(void **state)
{
	struct bed bed = bed_open(2);
	void *at, *expected = expect(LAW_NORMAL, DTYPE_F64, 0, 50000, 3, 2);
	uint64_t tile = tile_of(&bed, "f64", 50000, &at);
	struct call *call = call_new();
	const struct value *reply;

	(void)state;
	put(call, "out", value_uint(tile));
	put(call, "seed", value_uint(5));
	put(call, "stream", value_uint(9));
	put(call, "mean", value_real(3));
	put(call, "std", value_real(2));
	put(call, "u64", value_string("str"));
	reply = call_run(call, bed.space, "normal");
	assert_int_equal(value_get(reply, "tile")->u, tile);
	assert_true(value_is_text(value_get(reply, "seed"), "5"));
	assert_true(value_is_text(value_get(reply, "next"), "100000"));
	assert_memory_equal(at, expected, 50000 * sizeof(double));
	free(expected);
	call_free(call);
	bed_close(&bed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_version_and_ping),
		cmocka_unit_test(test_describe_lists_every_row),
		cmocka_unit_test(test_inline_draws),
		cmocka_unit_test(test_draw_into_a_tile),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
