/* SPDX-License-Identifier: Apache-2.0 */
/* Where results go beside tiles that are there: new tiles, of the dtype and shape that the operation's rules give, and
 * memory of a caller in this process; and draws from a position in words. */
#include "engine/harness.h"

static struct value new_tile(struct bump *bump)
{
	struct value map = value_map();

	assert_int_equal(value_put(bump, &map, "new", value_bool(true)), 0);
	return map;
}

static size_t count_tiles(struct fixture *fixture)
{
	struct bump *bump = bump_new();
	struct value map = value_map();
	uint64_t tiles;

	assert_int_equal(engine_session_stats(fixture->memory, bump, &map), 0);
	tiles = value_get(&map, "tiles")->u;
	bump_free(bump);
	return (size_t)tiles;
}

static void assert_text(const struct value *value, const char *text)
{
	assert_non_null(value);
	assert_true(value_is_text(value, text));
}

static void a_new_tile_has_the_results_shape(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct call *draw = call_new(), *fft = call_new();
	const struct value *reply, *place;
	uint64_t tile;

	(void)state;
	put(draw, "shape", LIST(draw, 3, 8));
	put(draw, "out", new_tile(draw->bump));
	reply = call_run(draw, fixture.memory, "normal");
	tile = value_get(reply, "tile")->u;
	assert_null(value_get(reply, "data"));
	assert_int_equal(value_get(value_get(reply, "place"), "bytes")->u, 96);

	put(fft, "in", value_uint(tile));
	put(fft, "real", value_bool(true));
	put(fft, "out", new_tile(fft->bump));
	reply = call_run(fft, fixture.memory, "fft");
	assert_text(value_get(reply, "dtype"), "c64");
	assert_int_equal(value_get(reply, "shape")->array.at[0].u, 3);
	assert_int_equal(value_get(reply, "shape")->array.at[1].u, 5);
	place = value_get(reply, "place");
	assert_int_equal(value_get(place, "bytes")->u, 120);
	assert_int_equal(value_get(place, "offset")->u % 64, 0);
	assert_int_equal(count_tiles(&fixture), 2);
	tile_drop(&fixture, value_get(reply, "tile")->u);
	tile_drop(&fixture, tile);
	call_free(draw);
	call_free(fft);
	fixture_close(&fixture);
}

static void steps_of_a_program_make_tiles(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct call *run = call_new();
	struct value step = value_map(), steps = value_array();
	const struct value *made;

	(void)state;
	assert_int_equal(value_put(run->bump, &step, "op", value_string("bits")), 0);
	assert_int_equal(value_put(run->bump, &step, "n", value_uint(6)), 0);
	assert_int_equal(value_put(run->bump, &step, "out", new_tile(run->bump)), 0);
	assert_int_equal(value_push(run->bump, &steps, step), 0);
	assert_int_equal(value_push(run->bump, &steps, step), 0);
	put(run, "steps", steps);
	made = value_get(call_run(run, fixture.memory, "run"), "steps");
	assert_int_equal(count_tiles(&fixture), 2);
	assert_true(value_get(&made->array.at[0], "tile")->u != value_get(&made->array.at[1], "tile")->u);
	call_free(run);
	fixture_close(&fixture);
}

static int refuse(void *arg, uint64_t bytes, struct error *err)
{
	(void)arg;
	return error_set(err, ERROR_LIMIT, "%llu bytes", (unsigned long long)bytes);
}

/* The temporary is refused after the tile was made. */
static void a_request_that_fails_leaves_no_tile(void **state)
{
	static const double zeros[2 * 501];
	struct session_owner limits = {.reserve = refuse};
	struct fixture fixture = fixture_open_with(1, cpu_detect(), 1 << 20, &limits);
	struct call *call = call_new();

	(void)state;
	put(call, "in", array_of(call->bump, "c128", 501, zeros, sizeof zeros));
	put(call, "dtype", value_string("complex64"));
	put(call, "out", new_tile(call->bump));
	call_fails(call, fixture.memory, "fft", ERROR_LIMIT, "limit: 8016 bytes");
	assert_int_equal(count_tiles(&fixture), 0);
	fixture_close(&fixture);
}

static void only_true_makes_a_tile(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct call *call = call_new(), *no_arena = call_new();
	struct fixture bare = fixture_open_with(1, cpu_detect(), 0, NULL);
	struct value map = value_map();
	float memory[4] = {0};

	(void)state;
	put(call, "n", value_uint(4));
	assert_int_equal(value_put(call->bump, &map, "new", value_bool(false)), 0);
	put(call, "out", map);
	call_fails(call, fixture.memory, "normal", ERROR_WRONG_TYPE,
		   "wrong_type: normal: out: got another map, allowed is a tile's handle or");
	/* A client's own bytes are no place for a result. */
	call = call_new();
	put(call, "out", array_of(call->bump, "f32", 4, memory, sizeof memory));
	call_fails(call, fixture.memory, "normal", ERROR_WRONG_TYPE,
		   "wrong_type: normal: out: got another map, allowed is a tile's handle or");
	put(no_arena, "n", value_uint(4));
	put(no_arena, "out", new_tile(no_arena->bump));
	call_fails(no_arena, bare.memory, "normal", ERROR_NO_ROOM,
		   "no_room: tile: 16 bytes, the session's arenas have 0 free in one piece");
	fixture_close(&bare);
	fixture_close(&fixture);
}

static struct fixture open_shared(void)
{
	struct session_owner limits = {.shares_memory = true, .inline_bytes = 16};

	return fixture_open_with(2, cpu_detect(), 0, &limits);
}

static void results_go_to_a_callers_memory(void **state)
{
	struct fixture fixture = open_shared();
	struct call *draw = call_new(), *fft = call_new(), *again = call_new();
	float signal[16], spectrum[18], guard = 77, in_place[16];
	const struct value *reply;

	(void)state;
	put(draw, "out", array_of(draw->bump, "f32", 16, signal, sizeof signal));
	reply = call_run(draw, fixture.memory, "normal");
	assert_null(value_get(reply, "data"));
	assert_null(value_get(reply, "tile"));
	assert_int_equal(value_get(reply, "n")->u, 16);
	memcpy(in_place, signal, sizeof signal);
	spectrum[2 * 8] = guard;
	put(fft, "in", array_of(fft->bump, "c64", 8, signal, sizeof signal));
	put(fft, "out", array_of(fft->bump, "c64", 8, spectrum, 2 * 8 * sizeof *spectrum));
	call_run(fft, fixture.memory, "fft");
	assert_true(spectrum[2 * 8] == guard);
	/* The same memory as input and output. */
	put(again, "in", array_of(again->bump, "c64", 8, in_place, sizeof in_place));
	put(again, "out", array_of(again->bump, "c64", 8, in_place, sizeof in_place));
	call_run(again, fixture.memory, "fft");
	assert_memory_equal(in_place, spectrum, sizeof in_place);
	call_free(draw);
	call_free(fft);
	call_free(again);
	fixture_close(&fixture);
}

static void a_callers_memory_must_fit(void **state)
{
	struct fixture fixture = open_shared();
	float memory[8];
	struct call *call = call_new();

	(void)state;
	put(call, "n", value_uint(7));
	put(call, "out", array_of(call->bump, "f32", 8, memory, sizeof memory));
	call_fails(call, fixture.memory, "normal", ERROR_BAD_SHAPE, "bad_shape: normal: out: ");
	call = call_new();
	put(call, "out", array_of(call->bump, "f32", 7, memory, sizeof memory));
	call_fails(call, fixture.memory, "normal", ERROR_BAD_SHAPE, "bad_shape: normal: out: memory of 32 bytes");
	call = call_new();
	put(call, "out", array_of(call->bump, "f32", 7, (char *)memory + 1, 28));
	call_fails(call, fixture.memory, "normal", ERROR_BAD_SHAPE, "bad_shape: normal: out: memory of 28 bytes");
	call = call_new();
	put(call, "in", array_of(call->bump, "f32", 8, memory, sizeof memory));
	put(call, "out", array_of(call->bump, "f32", 8, memory, sizeof memory));
	call_fails(call, fixture.memory, "fft", ERROR_BAD_SHAPE,
		   "bad_shape: fft: out: the array is f32 (8), allowed is c64 (8)");
	fixture_close(&fixture);
}

/* ---- position ---- */

static void a_position_counts_words(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct call *by_offset = call_new(), *by_position = call_new();
	const struct value *a, *b;

	(void)state;
	put(by_offset, "n", value_uint(9));
	put(by_offset, "dtype", value_string("f64"));
	put(by_offset, "offset", value_uint(5));
	put(by_position, "n", value_uint(9));
	put(by_position, "dtype", value_string("f64"));
	put(by_position, "position", value_uint(8));
	put(by_position, "offset", value_uint(1));
	a = call_run(by_offset, fixture.memory, "uniform");
	b = call_run(by_position, fixture.memory, "uniform");
	assert_int_equal(value_get(b, "offset")->u, 5);
	assert_int_equal(value_get(b, "position")->u, value_get(a, "position")->u);
	assert_memory_equal(value_get(a, "data")->bytes.at, value_get(b, "data")->bytes.at, 72);
	call_free(by_offset);
	call_free(by_position);
	fixture_close(&fixture);
}

static struct value sphere_at(struct bump *bump, const char *name, uint64_t at)
{
	struct value map = value_map();

	assert_int_equal(value_put(bump, &map, "n", value_uint(1)), 0);
	assert_int_equal(value_put(bump, &map, "op", value_string("sphere")), 0);
	assert_int_equal(value_put(bump, &map, "dimensions", value_uint(5)), 0);
	if (name)
		assert_int_equal(value_put(bump, &map, name, value_uint(at)), 0);
	return map;
}

/* Samples of five words begin a group every 20 words: none does between 2^64 - 4 and the end. */
static void the_end_of_a_stream_is_found(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct call *run = call_new(), *draw = call_new(), *odd = call_new();
	struct value steps = value_array();

	(void)state;
	assert_int_equal(value_push(run->bump, &steps, sphere_at(run->bump, NULL, 0)), 0);
	put(run, "steps", steps);
	put(run, "offset", value_uint(UINT64_MAX - 3));
	call_fails(run, fixture.memory, "run", ERROR_END_OF_STREAM, "end_of_stream: run: steps[0] sphere: offset: ");
	put(draw, "n", value_uint(1));
	put(draw, "dimensions", value_uint(5));
	put(draw, "position", value_uint(UINT64_MAX - 3));
	call_fails(draw, fixture.memory, "sphere", ERROR_END_OF_STREAM, "end_of_stream: sphere: offset: ");
	put(odd, "n", value_uint(1));
	put(odd, "position", value_uint(6));
	call_fails(odd, fixture.memory, "normal", ERROR_OUT_OF_RANGE,
		   "out_of_range: normal: position: got 6, allowed are multiples of 4");
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_tile_has_the_results_shape),
		cmocka_unit_test(steps_of_a_program_make_tiles),
		cmocka_unit_test(a_request_that_fails_leaves_no_tile),
		cmocka_unit_test(only_true_makes_a_tile),
		cmocka_unit_test(results_go_to_a_callers_memory),
		cmocka_unit_test(a_callers_memory_must_fit),
		cmocka_unit_test(a_position_counts_words),
		cmocka_unit_test(the_end_of_a_stream_is_found),
	};

	return cmocka_run_group_tests_name("engine/outputs", tests, NULL, NULL);
}
