/* SPDX-License-Identifier: Apache-2.0 */
/* Prepared programs: every run gives what `run` gives with the same seed, stream and position. */
#include "engine/steps.h"

#include "rng/derive.h"

/* float64 normals transformed in float32, which is several steps. */
static void push_scaled(struct bump *bump, struct value *steps)
{
	struct value one = value_map();

	assert_int_equal(value_put(bump, &one, "op", value_string("normal")), 0);
	assert_int_equal(value_put(bump, &one, "n", value_uint(300)), 0);
	assert_int_equal(value_put(bump, &one, "dtype", value_string("f64")), 0);
	assert_int_equal(value_put(bump, &one, "as", value_string("wide")), 0);
	assert_int_equal(value_push(bump, steps, one), 0);
	one = value_map();
	assert_int_equal(value_put(bump, &one, "op", value_string("fft")), 0);
	assert_int_equal(value_put(bump, &one, "in", value_string("wide")), 0);
	assert_int_equal(value_put(bump, &one, "precision", value_string("fast")), 0);
	assert_int_equal(value_put(bump, &one, "as", value_string("v")), 0);
	assert_int_equal(value_push(bump, steps, one), 0);
}

/* Normals, scaled and transformed, and inline data with noise. */
static void put_program(struct call *call, uint64_t seed)
{
	static const float ones[4] = {1, 1, 1, 1};
	struct value steps = value_array(), results = value_array(), one = value_map();
	struct bump *bump = call->bump;

	assert_int_equal(value_put(bump, &one, "op", value_string("normal")), 0);
	assert_int_equal(value_put(bump, &one, "n", value_uint(5000)), 0);
	assert_int_equal(value_put(bump, &one, "as", value_string("z")), 0);
	assert_int_equal(value_push(bump, &steps, one), 0);
	one = value_map();
	assert_int_equal(value_put(bump, &one, "op", value_string("scale")), 0);
	assert_int_equal(value_put(bump, &one, "in", value_string("z")), 0);
	assert_int_equal(value_put(bump, &one, "by", value_real(0.5)), 0);
	assert_int_equal(value_put(bump, &one, "as", value_string("half")), 0);
	assert_int_equal(value_push(bump, &steps, one), 0);
	one = value_map();
	assert_int_equal(value_put(bump, &one, "op", value_string("fft")), 0);
	assert_int_equal(value_put(bump, &one, "in", value_string("half")), 0);
	assert_int_equal(value_put(bump, &one, "as", value_string("y")), 0);
	assert_int_equal(value_push(bump, &steps, one), 0);
	one = value_map();
	assert_int_equal(value_put(bump, &one, "op", value_string("noise_add")), 0);
	assert_int_equal(value_put(bump, &one, "in", array_of(bump, "f32", 4, ones, sizeof ones)), 0);
	assert_int_equal(value_put(bump, &one, "as", value_string("w")), 0);
	assert_int_equal(value_push(bump, &steps, one), 0);
	push_scaled(bump, &steps);
	assert_int_equal(value_push(bump, &results, value_string("v")), 0);
	assert_int_equal(value_push(bump, &results, value_string("y")), 0);
	assert_int_equal(value_push(bump, &results, value_string("w")), 0);
	put(call, "steps", steps);
	put(call, "results", results);
	put(call, "seed", value_uint(seed));
}

static uint64_t prepare(struct fixture *fixture)
{
	struct call *call = call_new();

	put_program(call, 7);
	return prepare_program(fixture, call); /* all that it was made of is gone then */
}

static void expect_same(const struct call *got, const struct call *expected)
{
	static const char *const names[] = {"y", "w", "v"};

	for (int i = 0; i < 3; i++) {
		const struct value *a = value_get(value_get(request_result(got->request), "results"), names[i]);
		const struct value *b = value_get(value_get(request_result(expected->request), "results"), names[i]);

		a = value_get(a, "data");
		b = value_get(b, "data");
		assert_int_equal(a->bytes.size, b->bytes.size);
		assert_memory_equal(a->bytes.at, b->bytes.at, a->bytes.size);
	}
	assert_int_equal(value_get(request_result(got->request), "next")->u,
			 value_get(request_result(expected->request), "next")->u);
}

static void test_runs_as_run_does(void **state)
{
	struct fixture fixture = fixture_open(2);
	const uint64_t handle = prepare(&fixture);

	(void)state;
	for (uint64_t i = 0; i < 12; i++) {
		struct stream stream = {GENERATOR_THREEFRY4X32, i % 2 ? 100 + i : 7, i % 3 ? i : 0};
		struct call *kept = prepared_call(handle), *run = call_new();

		if (i % 2)
			put(kept, "seed", value_uint(stream.seed));
		if (i % 3)
			put(kept, "stream", value_uint(stream.stream));
		put(kept, "offset", value_uint(i * 1000));
		if (i % 4 == 3) {
			put(kept, "label", value_string("of a run"));
			derive_label(&stream, "of a run", 8, &stream);
		}
		put_program(run, stream.seed);
		put(run, "stream", value_uint(stream.stream));
		put(run, "offset", value_uint(i * 1000));
		call_run(kept, fixture.memory, "run_prepared");
		call_run(run, fixture.memory, "run");
		expect_same(kept, run);
		call_free(kept);
		call_free(run);
	}
	fixture_close(&fixture);
}

/* Released while a run is under way: that one still ends well. */
static void test_released_in_use(void **state)
{
	struct fixture fixture = fixture_open(1);
	const uint64_t handle = prepare(&fixture), other = prepare(&fixture);
	struct call *runs[8];

	(void)state;
	assert_int_not_equal(handle, other);
	for (int i = 0; i < 8; i++) {
		runs[i] = prepared_call(handle);
		call_start(runs[i], fixture.memory, "run_prepared");
	}
	struct call *freed = prepared_call(handle);
	call_run(freed, fixture.memory, "release");
	call_free(freed);
	for (int i = 0; i < 8; i++) {
		call_wait(runs[i]);
		assert_null(request_error(runs[i]->request));
		expect_same(runs[i], runs[0]);
	}
	for (int i = 0; i < 8; i++)
		call_free(runs[i]);
	call_fails(prepared_call(handle), fixture.memory, "run_prepared", ERROR_BAD_TILE,
		   "bad_tile: run_prepared: prepared: ");
	call_fails(prepared_call(handle), fixture.memory, "release", ERROR_BAD_TILE, "bad_tile: release: prepared: ");
	fixture_close(&fixture);
}

/* A tile that a program names may be freed between runs: the run says so. */
static void test_tile_gone(void **state)
{
	struct fixture fixture = fixture_open(1);
	const uint64_t tile = tile_of(&fixture, "f32", 100, NULL);
	struct call *call = call_new();
	struct value steps = value_array(), one = value_map();
	uint64_t handle;

	(void)state;
	assert_int_equal(value_put(call->bump, &one, "op", value_string("uniform")), 0);
	assert_int_equal(value_put(call->bump, &one, "out", value_uint(tile)), 0);
	assert_int_equal(value_push(call->bump, &steps, one), 0);
	put(call, "steps", steps);
	handle = prepare_program(&fixture, call);
	call = prepared_call(handle);
	call_run(call, fixture.memory, "run_prepared");
	call_free(call);
	tile_drop(&fixture, tile);
	call_fails(prepared_call(handle), fixture.memory, "run_prepared", ERROR_BAD_TILE,
		   "bad_tile: run: steps[0] uniform: out: tile 1 was freed");
	fixture_close(&fixture);
}

static int reserve(void *arg, uint64_t bytes, struct error *err)
{
	uint64_t *left = arg;

	if (bytes > *left)
		return error_set(err, ERROR_LIMIT, "work_bytes: no more");
	*left -= bytes;
	return 0;
}

static void unreserve(void *arg, uint64_t bytes)
{
	*(uint64_t *)arg += bytes;
}

static void test_limits(void **state)
{
	uint64_t left = 1 << 20;
	struct session_owner limits = {
		.prepared = 2, .reserve = reserve, .unreserve = unreserve, .reserve_arg = &left};
	struct fixture fixture = fixture_open_with(1, cpu_detect(), 1 << 20, &limits);
	struct call *call = call_new(), *freed;
	const uint64_t first = prepare(&fixture);

	(void)state;
	prepare(&fixture);
	put_program(call, 1);
	prepare_call(call, "run");
	call_fails(call, fixture.memory, "prepare", ERROR_LIMIT,
		   "limit: prepare: 2 calls are prepared, allowed are 2 (prepared)");
	freed = prepared_call(first);
	call_run(freed, fixture.memory, "release");
	call_free(freed);
	left = 100;
	call = call_new();
	put_program(call, 1);
	prepare_call(call, "run");
	call_fails(call, fixture.memory, "prepare", ERROR_LIMIT, "limit: work_bytes: no more");
	fixture_close(&fixture);
	if (left < 100 || left > 1 << 20)
		fail_msg("of 100 bytes and one prepared call, %llu came back", (unsigned long long)left);
}

/* What a prepared call holds is given back when the last run that needs it is: releasing it first gains nothing. */
static void test_charge_while_in_use(void **state)
{
	enum { ROOM = 1 << 20 };
	uint64_t left = ROOM;
	struct session_owner limits = {
		.prepared = 2, .reserve = reserve, .unreserve = unreserve, .reserve_arg = &left};
	struct fixture fixture = fixture_open_with(1, cpu_detect(), 1 << 20, &limits);
	const uint64_t handle = prepare(&fixture);
	struct call *run = prepared_call(handle), *freed = prepared_call(handle);
	uint64_t held;

	(void)state;
	assert_int_not_equal(left, ROOM);
	call_run(run, fixture.memory, "run_prepared");
	held = ROOM - left;
	call_run(freed, fixture.memory, "release");
	call_free(freed);
	if (ROOM - left != held)
		fail_msg("%llu bytes are held after the release, %llu before, although a run holds the call",
			 (unsigned long long)(ROOM - left), (unsigned long long)held);
	call_free(run);
	assert_int_equal(left, ROOM);
	fixture_close(&fixture);
}

static void test_mistakes_are_reported_at_once(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct call *call = call_new();
	struct value steps = value_array(), one = value_map();

	(void)state;
	assert_int_equal(value_put(call->bump, &one, "op", value_string("scale")), 0);
	assert_int_equal(value_put(call->bump, &one, "in", value_string("nobody")), 0);
	assert_int_equal(value_push(call->bump, &steps, one), 0);
	put(call, "steps", steps);
	prepare_call(call, "run");
	call_fails(call, fixture.memory, "prepare", ERROR_BAD_TILE,
		   "bad_tile: run: steps[0] scale: in: no earlier step is called \"nobody\"");
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_runs_as_run_does), cmocka_unit_test(test_released_in_use),
		cmocka_unit_test(test_tile_gone),        cmocka_unit_test(test_limits),
		cmocka_unit_test(test_charge_while_in_use), cmocka_unit_test(test_mistakes_are_reported_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
