/* SPDX-License-Identifier: Apache-2.0 */
/* What parameters may not do together, and every limit of a session: each refused by a named error. */
#include "engine/harness.h"

#include <float.h>

struct setting {
	const char *name;
	struct value value;
};

static void refused(struct fixture *fixture, const char *method, int code, const char *prefix, size_t n,
		    const struct setting *settings)
{
	struct call *call = call_new();

	for (size_t i = 0; i < n; i++)
		put(call, settings[i].name, settings[i].value);
	call_fails(call, fixture->memory, method, code, prefix);
}

#define REFUSED(method, code, prefix, ...)                                                                             \
	refused(&fixture, method, ERROR_##code, prefix,                                                                \
		sizeof((struct setting[]){__VA_ARGS__}) / sizeof(struct setting), (struct setting[]){__VA_ARGS__})

static struct value shape_of(struct bump *bump, size_t count, uint64_t each)
{
	struct value list = value_array();

	for (size_t i = 0; i < count; i++)
		assert_int_equal(value_push(bump, &list, value_uint(each)), 0);
	return list;
}

static void test_draws(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct bump *bump = bump_new();
	const uint64_t f32 = tile_of(&fixture, "f32", 10, NULL), c64 = tile_of(&fixture, "c64", 10, NULL);

	(void)state;
	REFUSED("uniform", MISSING_PARAMETER, "missing_parameter: uniform: n: ", {"seed", value_uint(1)});
	REFUSED("uniform", OUT_OF_RANGE, "out_of_range: uniform: rank: ", {"n", value_uint(8)}, {"rank", value_uint(3)},
		{"size", value_uint(3)});
	REFUSED("uniform", OUT_OF_RANGE, "out_of_range: uniform: low: ", {"n", value_uint(8)}, {"low", value_real(1)});
	REFUSED("uniform", OUT_OF_RANGE, "out_of_range: uniform: low: ", {"n", value_uint(8)}, {"low", value_real(2)},
		{"high", value_real(2 + 1e-9)});
	REFUSED("uniform", OUT_OF_RANGE, "out_of_range: uniform: high: ", {"n", value_uint(8)},
		{"high", value_real(1e300)});
	REFUSED("uniform", OUT_OF_RANGE, "out_of_range: uniform: high: ", {"n", value_uint(8)},
		{"dtype", value_string("f64")}, {"low", value_real(-DBL_MAX)}, {"high", value_real(DBL_MAX)});
	REFUSED("normal", OUT_OF_RANGE, "out_of_range: normal: mean: ", {"n", value_uint(8)},
		{"mean", value_real(1e39)});
	REFUSED("normal", OUT_OF_RANGE, "out_of_range: normal: std: ", {"n", value_uint(8)},
		{"std", value_real(-1e-300)});
	REFUSED("bits", BAD_SHAPE, "bad_shape: bits: n: ", {"n", value_uint(8)}, {"shape", value_uint(7)});
	REFUSED("bits", BAD_SHAPE, "bad_shape: bits: shape: ", {"shape", value_uint(7)}, {"size", value_uint(2)});
	REFUSED("bits", OUT_OF_RANGE, "out_of_range: bits: shape: ", {"shape", shape_of(bump, 8, UINT64_MAX)});
	REFUSED("bits", OUT_OF_RANGE, "out_of_range: bits: shape: ", {"shape", shape_of(bump, 4, 1 << 16)});
	REFUSED("bits", OUT_OF_RANGE, "out_of_range: bits: n: ", {"n", value_uint(UINT64_MAX)});
	REFUSED("bits", BAD_SHAPE, "bad_shape: bits: out: ", {"out", value_uint(f32)});
	REFUSED("uniform", BAD_SHAPE, "bad_shape: uniform: out: ", {"out", value_uint(c64)});
	REFUSED("uniform", BAD_SHAPE, "bad_shape: uniform: out: ", {"out", value_uint(f32)}, {"n", value_uint(11)});
	REFUSED("uniform", BAD_SHAPE, "bad_shape: uniform: out: ", {"out", value_uint(f32)},
		{"dtype", value_string("f64")});
	REFUSED("uniform", BAD_SHAPE, "bad_shape: uniform: out: ", {"out", value_uint(f32)},
		{"shape", shape_of(bump, 2, 5)});
	REFUSED("uniform", MISSING_PARAMETER, "missing_parameter: uniform: n: ", {"out", value_uint(f32)},
		{"size", value_uint(2)});
	bump_free(bump);
	fixture_close(&fixture);
}

static void test_end_of_stream(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct call *last = call_new();
	const struct value *reply;

	(void)state;
	REFUSED("bits", END_OF_STREAM, "end_of_stream: bits: offset: ", {"n", value_uint(2)},
		{"offset", value_uint(UINT64_MAX)});
	REFUSED("normal", END_OF_STREAM, "end_of_stream: normal: offset: ", {"n", value_uint(1)},
		{"dtype", value_string("f64")}, {"offset", value_uint(UINT64_C(1) << 63)});
	/* A part is held to the whole draw. */
	REFUSED("bits", END_OF_STREAM, "end_of_stream: bits: offset: ", {"n", value_uint(1 << 20)},
		{"size", value_uint(1 << 20)}, {"offset", value_uint(UINT64_MAX - 5)});
	put(last, "n", value_uint(1));
	put(last, "offset", value_uint(UINT64_MAX));
	reply = call_run(last, fixture.memory, "bits");
	assert_true(value_get(reply, "position")->u == UINT64_MAX);
	assert_int_equal(value_get(reply, "next")->kind, VALUE_NIL);
	call_free(last);
	fixture_close(&fixture);
}

static void test_element_wise_and_transforms(void **state)
{
	static const double zeros[8];
	struct fixture fixture = fixture_open(1);
	struct bump *bump = bump_new();
	const struct value f32x3 = array_of(bump, "f32", 3, zeros, 12), f32x2 = array_of(bump, "f32", 2, zeros, 8);
	const struct value f64x2 = array_of(bump, "f64", 2, zeros, 16), c64x2 = array_of(bump, "c64", 2, zeros, 16);
	struct value twice = value_array();

	(void)state;
	assert_int_equal(value_push(bump, &twice, value_int(0)), 0);
	assert_int_equal(value_push(bump, &twice, value_int(-1)), 0);
	REFUSED("box_muller", BAD_SHAPE, "bad_shape: box_muller: in: ", {"in", f32x3});
	REFUSED("box_muller", BAD_SHAPE, "bad_shape: box_muller: in: ", {"in", c64x2});
	REFUSED("add", BAD_SHAPE, "bad_shape: add: b: ", {"a", f32x2}, {"b", f32x3});
	REFUSED("add", BAD_SHAPE, "bad_shape: add: b: ", {"a", f32x2}, {"b", f64x2});
	REFUSED("fft", OUT_OF_RANGE, "out_of_range: fft: axes: ", {"in", c64x2}, {"axes", value_int(1)});
	REFUSED("fft", BAD_SHAPE, "bad_shape: fft: axes: ", {"in", c64x2}, {"axes", twice});
	REFUSED("fft", BAD_SHAPE, "bad_shape: fft: length: ", {"in", c64x2}, {"length", shape_of(bump, 2, 4)});
	REFUSED("fft", BAD_SHAPE, "bad_shape: fft: in: ", {"in", c64x2}, {"real", value_bool(true)});
	REFUSED("fft", OUT_OF_RANGE, "out_of_range: fft: target_error: ", {"in", c64x2},
		{"target_error", value_real(1e-20)});
	REFUSED("fft", OUT_OF_RANGE, "out_of_range: fft: target_error: ", {"in", c64x2},
		{"target_error", value_real(1e-3)}, {"precision", value_string("fast")});
	REFUSED("free", MISSING_PARAMETER, "missing_parameter: free: tile: ", {"u64", value_string("str")});
	bump_free(bump);
	fixture_close(&fixture);
}

/* --- programs --- */

static void wrong_step(struct fixture *fixture, int code, const char *prefix, struct bump *bump, struct value step)
{
	struct value steps = value_array();

	assert_int_equal(value_push(bump, &steps, step), 0);
	refused(fixture, "run", code, prefix, 1, &(struct setting){"steps", steps});
}

static struct value step_of(struct bump *bump, const char *op, const char *name, struct value value)
{
	struct value step = value_map();

	assert_int_equal(value_put(bump, &step, "op", value_string(op)), 0);
	if (name)
		assert_int_equal(value_put(bump, &step, name, value), 0);
	return step;
}

static void test_programs(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct bump *bump = bump_new();
	struct value one = value_array(), two = value_array(), named, many = value_array(), results = value_array();

	(void)state;
	wrong_step(&fixture, ERROR_WRONG_TYPE, "wrong_type: run: steps[0]: ", bump, value_uint(1));
	wrong_step(&fixture, ERROR_MISSING_PARAMETER, "missing_parameter: run: steps[0]: op: ", bump, value_map());
	wrong_step(&fixture, ERROR_UNKNOWN_METHOD, "unknown_method: run: steps[0]: op: ", bump,
		   step_of(bump, "tile", NULL, value_nil()));
	wrong_step(&fixture, ERROR_UNKNOWN_PARAMETER, "unknown_parameter: run: steps[0] bits: nn: ", bump,
		   step_of(bump, "bits", "nn", value_uint(1)));
	wrong_step(&fixture, ERROR_BAD_TILE, "bad_tile: run: steps[0] scale: in: ", bump,
		   step_of(bump, "scale", "in", value_string("x")));
	wrong_step(&fixture, ERROR_WRONG_TYPE, "wrong_type: run: steps[0] scale: out: ", bump,
		   step_of(bump, "scale", "out", value_string("x")));
	wrong_step(&fixture, ERROR_WRONG_TYPE, "wrong_type: run: steps[0] bits: as: ", bump,
		   step_of(bump, "bits", "as", value_uint(1)));
	REFUSED("run", WRONG_TYPE, "wrong_type: run: steps: ", {"steps", value_uint(1)});
	REFUSED("run", WRONG_TYPE, "wrong_type: run: results: ", {"steps", value_array()}, {"results", value_uint(1)});
	assert_int_equal(value_push(bump, &results, value_string("y")), 0);
	REFUSED("run", BAD_TILE, "bad_tile: run: results: ", {"steps", value_array()}, {"results", results});

	named = step_of(bump, "bits", "as", value_string("x"));
	assert_int_equal(value_put(bump, &named, "n", value_uint(1)), 0);
	assert_int_equal(value_push(bump, &one, named), 0);
	assert_int_equal(value_push(bump, &two, named), 0);
	assert_int_equal(value_push(bump, &two, named), 0);
	REFUSED("run", OUT_OF_RANGE, "out_of_range: run: steps[1] bits: as: ", {"steps", two});
	for (int i = 0; i < 257; i++)
		assert_int_equal(value_push(bump, &many, value_map()), 0);
	REFUSED("run", LIMIT, "limit: run: steps: ", {"steps", many});
	REFUSED("run", END_OF_STREAM, "end_of_stream: run: steps[0] bits: offset: ", {"steps", one},
		{"offset", value_uint(UINT64_MAX)});
	bump_free(bump);
	fixture_close(&fixture);
}

/* --- limits --- */

static void test_limits(void **state)
{
	static const float zeros[300];
	struct session_owner limits = {.inline_bytes = 1000, .tiles = 3};
	struct fixture fixture = fixture_open_with(1, cpu_detect(), 1 << 20, &limits);
	struct bump *bump = bump_new();
	uint64_t tiles[3];

	(void)state;
	REFUSED("uniform", LIMIT, "limit: uniform: out: a result of 1004 bytes", {"n", value_uint(251)});
	REFUSED("uniform", LIMIT, "limit: uniform: out: a result of", {"n", value_uint(UINT64_C(1) << 59)});
	REFUSED("scale", LIMIT, "limit: scale: in: ", {"in", array_of(bump, "f32", 300, zeros, 1200)});
	/* Each is within the limit, together they are not. */
	REFUSED("add", LIMIT, "limit: add: b: ", {"a", array_of(bump, "f32", 130, zeros, 520)},
		{"b", array_of(bump, "f32", 130, zeros, 520)});
	for (int i = 0; i < 3; i++)
		tiles[i] = tile_of(&fixture, "f32", 1, NULL);
	REFUSED("tile", LIMIT, "limit: tile: 3 tiles are alive, allowed are 3 (tiles)", {"dtype", value_string("f32")},
		{"shape", value_uint(1)});
	tile_drop(&fixture, tiles[2]);
	REFUSED("tile", NO_ROOM, "no_room: tile: 2097152 bytes", {"dtype", value_string("i8")}, {"shape", value_uint(1 << 21)});
	REFUSED("tile", OUT_OF_RANGE, "out_of_range: tile: offset: 0 for 1 bytes, allowed are multiples of 64 from ",
		{"dtype", value_string("i8")}, {"shape", value_uint(1)}, {"offset", value_uint(0)});
	REFUSED("tile", OUT_OF_RANGE, "out_of_range: tile: offset: ", {"dtype", value_string("i8")},
		{"shape", value_uint(1)}, {"offset", value_uint(UINT64_MAX - 63)});
	REFUSED("tile", NO_ROOM, "no_room: tile: 1048576 bytes", {"dtype", value_string("i8")}, {"shape", value_uint(1 << 20)});
	REFUSED("tile", NOT_FOUND, "not_found: tile: arena: 2, allowed: that of a reply to arena",
		{"dtype", value_string("i8")}, {"shape", value_uint(1)}, {"offset", value_uint(0)}, {"arena", value_uint(2)});
	bump_free(bump);
	fixture_close(&fixture);
}

static int reserve_at_most(void *arg, uint64_t bytes, struct error *err)
{
	const uint64_t *most = arg;

	if (bytes <= *most)
		return 0;
	return error_set(err, ERROR_LIMIT, "%llu bytes of %llu", (unsigned long long)bytes, (unsigned long long)*most);
}

/* Rounding to complex64 at the end takes a temporary of complex128, asked for together with the result. */
static void test_temporaries(void **state)
{
	static const double zeros[2 * 501];
	uint64_t most = 8000 + 4000;
	struct session_owner limits = {.reserve = reserve_at_most, .reserve_arg = &most};
	struct fixture fixture = fixture_open_with(1, cpu_detect(), 0, &limits);
	struct bump *bump = bump_new();
	struct call *fits = call_new();

	(void)state;
	put(fits, "in", array_of(fits->bump, "c128", 500, zeros, 8000));
	put(fits, "dtype", value_string("complex64"));
	call_run(fits, fixture.memory, "fft");
	REFUSED("fft", LIMIT, "limit: 12024 bytes of 12000",
		{"in", array_of(bump, "c128", 501, zeros, 8016)}, {"dtype", value_string("complex64")});
	call_free(fits);
	bump_free(bump);
	fixture_close(&fixture);
}

static void test_no_memory_attached(void **state)
{
	struct fixture fixture = fixture_open_with(1, cpu_detect(), 0, NULL);

	(void)state;
	REFUSED("tile", NO_ROOM, "no_room: tile: 4 bytes, the session's arenas have 0 free in one piece",
		{"dtype", value_string("f32")}, {"shape", value_uint(1)});
	REFUSED("uniform", BAD_TILE, "bad_tile: uniform: out: ", {"out", value_uint(1)});
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_draws),
		cmocka_unit_test(test_end_of_stream),
		cmocka_unit_test(test_element_wise_and_transforms),
		cmocka_unit_test(test_programs),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_temporaries),
		cmocka_unit_test(test_no_memory_attached),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
