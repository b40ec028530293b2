/* SPDX-License-Identifier: Apache-2.0 */
/* Prepared calls: what they hold, how they end, and what is wrong with them. */
#include "engine/steps.h"

static void put_program(struct call *call, uint64_t seed)
{
	struct bump *z = call->bump;

	put(call, "steps",
	    STEPS(z, STEP(z, "normal", "n", value_uint(5000), "as", value_string("z")),
		  STEP(z, "fft", "in", value_string("z"), "as", value_string("y"))));
	put(call, "results", STEPS(z, value_string("y")));
	put(call, "seed", value_uint(seed));
}

static uint64_t prepare(struct fixture *fixture)
{
	struct call *call = call_new();

	put_program(call, 7);
	return prepare_program(fixture, call); /* all that it was made of is gone then */
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
		expect_equal("released in use", request_result(runs[i]->request), request_result(runs[0]->request));
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
	uint64_t handle;

	(void)state;
	put(call, "steps", STEPS(call->bump, STEP(call->bump, "uniform", "out", value_uint(tile))));
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

	(void)state;
	put(call, "steps", STEPS(call->bump, STEP(call->bump, "scale", "in", value_string("nobody"))));
	prepare_call(call, "run");
	call_fails(call, fixture.memory, "prepare", ERROR_BAD_TILE,
		   "bad_tile: run: steps[0] scale: in: no earlier step is called \"nobody\"");
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_released_in_use),     cmocka_unit_test(test_tile_gone),
		cmocka_unit_test(test_limits),              cmocka_unit_test(test_charge_while_in_use),
		cmocka_unit_test(test_mistakes_are_reported_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
