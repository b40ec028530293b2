/* SPDX-License-Identifier: Apache-2.0 */
/* Small prepared calls that run in the caller's thread: which they are, that a run gives what request_start gives for the same
 * call, and what it holds and counts. check_prepared_batch has every draw. */
#include "engine/steps.h"

#include "engine/call/prepared.h"

static struct call *new_draw(uint64_t n, uint64_t tile)
{
	struct call *call = call_new();

	if (tile)
		put(call, "out", value_uint(tile));
	else
		put(call, "n", value_uint(n));
	return call;
}

static const struct value *run_now(struct fixture *fixture, uint64_t handle, const struct prepared_changes *changes,
				   struct prepared **ret_prepared)
{
	return prepared_rerun_listed(fixture->memory, (uint32_t)handle, changes, ret_prepared);
}

static bool is_small(struct fixture *fixture, uint64_t handle)
{
	static const struct prepared_changes none;
	struct prepared *prepared;
	const bool is = run_now(fixture, handle, &none, &prepared) != NULL;

	if (is)
		prepared_give(prepared);
	return is;
}

/* ---- transforms ---- */

static uint64_t rows_of(struct fixture *fixture, uint64_t rows, uint64_t n, void **ret_at)
{
	struct call *call = call_new();
	struct value shape = value_array();
	const struct value *reply;
	uint64_t handle;

	value_push(call->bump, &shape, value_uint(rows));
	value_push(call->bump, &shape, value_uint(n));
	put(call, "dtype", value_string("c64"));
	put(call, "shape", shape);
	reply = call_run(call, fixture->memory, "tile");
	handle = value_get(reply, "tile")->u;
	*ret_at = (char *)fixture->mapping + value_get(reply, "offset")->u;
	call_free(call);
	return handle;
}

static struct call *new_transform(const uint32_t tiles[2])
{
	struct call *call = call_new();
	struct value axes = value_array();

	value_push(call->bump, &axes, value_uint(0));
	value_push(call->bump, &axes, value_uint(1));
	put(call, "in", value_uint(tiles[0]));
	put(call, "out", value_uint(tiles[1]));
	put(call, "axes", axes);
	return call;
}

enum { PAIRS = 5, MOST_BYTES = 4 * 24 * 8 };

static void compare_transform(struct fixture *fixture, uint64_t handle, const uint32_t tiles[2], void *out, size_t bytes)
{
	const struct prepared_changes changes = {.tiles = tiles, .n_tiles = 2};
	struct call *call = new_transform(tiles);
	char expected[MOST_BYTES];
	struct prepared *prepared;
	const struct value *reply;

	call_start(call, fixture->memory, "fft");
	call_wait(call);
	assert_null(request_error(call->request));
	memcpy(expected, out, bytes);
	memset(out, 0, bytes);
	reply = run_now(fixture, handle, &changes, &prepared);
	assert_non_null(reply);
	expect_equal("fft", reply, request_result(call->request));
	assert_memory_equal(out, expected, bytes);
	prepared_give(prepared);
	call_free(call);
}

static void transforms_of(struct fixture *fixture, uint64_t rows, uint64_t n)
{
	const size_t bytes = rows * n * 8;
	void *in[PAIRS], *out[PAIRS];
	uint32_t tiles[PAIRS][2];
	uint64_t handle;

	for (size_t i = 0; i < PAIRS; i++) {
		tiles[i][0] = (uint32_t)rows_of(fixture, rows, n, &in[i]);
		tiles[i][1] = (uint32_t)rows_of(fixture, rows, n, &out[i]);
		for (size_t k = 0; k < bytes / sizeof(float); k++)
			((float *)in[i])[k] = (float)((k * 37 + i * 11) % 101);
	}
	handle = prepare_method(fixture, "fft", new_transform(tiles[0]));
	assert_true(handle != 0);
	for (size_t i = 0; i < 3 * PAIRS; i++)
		compare_transform(fixture, handle, tiles[i % PAIRS], out[i % PAIRS], bytes);
}

/* Along two axes, in tiles that change from run to run. Before each, a request finds the plans, or makes them. Small ones run in one
 * chunk on the caller's stack, where a level's kernels need little scratch. */
static void transforms(void **state)
{
	static const uint64_t shapes[][2] = {{1, 1}, {1, 2}, {1, 4}, {1, 8}, {2, 4}, {4, 4}, {1, 24}, {4, 24}};
	size_t n_levels;
	const struct cpu_level *levels = cpu_levels(&n_levels);

	(void)state;
	for (size_t level = 0; level < n_levels; level++) {
		struct fixture fixture = fixture_open_with(2, cpu_level_usable(&levels[level]), 1 << 20, NULL);

		for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++)
			transforms_of(&fixture, shapes[i][0], shapes[i][1]);
		fixture_close(&fixture);
	}
}

/* While one run is not given back, others are requests; and it outlives release and session. */
static void one_at_a_time(void **state)
{
	static const struct prepared_changes none;
	struct fixture fixture = fixture_open(1);
	const uint64_t handle = prepare_method(&fixture, "uniform", new_draw(8, 0));
	struct prepared *first, *second;
	struct call *call;
	const struct value *reply = run_now(&fixture, handle, &none, &first), *again;

	(void)state;
	assert_non_null(reply);
	assert_null(run_now(&fixture, handle, &none, &second));
	call = prepared_call(handle);
	again = call_run(call, fixture.memory, "run_prepared");
	expect_equal("a request meanwhile", again, reply);
	call_free(call);
	call = prepared_call(handle);
	call_run(call, fixture.memory, "release");
	call_free(call);
	assert_null(run_now(&fixture, handle, &none, &second));
	engine_session_close(fixture.memory);
	assert_int_equal(value_get(reply, "n")->u, 8);
	prepared_give(first);
	engine_destroy(fixture.engine);
}

/* ---- memory ---- */

static uint64_t reserved;
static bool refuses;

static int reserve(void *arg, uint64_t bytes, struct error *err)
{
	(void)arg;
	if (refuses)
		return error_set(err, ERROR_LIMIT, "no more");
	reserved += bytes;
	return 0;
}

static void unreserve(void *arg, uint64_t bytes)
{
	(void)arg;
	reserved -= bytes;
}

/* The owner is asked each time, and gets all back. */
static void reservations(void **state)
{
	static const struct prepared_changes none;
	struct session_owner limits = {.reserve = reserve, .unreserve = unreserve};
	struct fixture fixture = fixture_open_with(1, cpu_detect(), 1 << 20, &limits);
	const uint64_t handle = prepare_method(&fixture, "uniform", new_draw(512, 0));
	const uint64_t held = reserved;

	(void)state;
	assert_true(held > 2048 && held < 32 << 10);
	for (int i = 0; i < 4; i++) {
		struct prepared *prepared;
		const struct value *reply;

		refuses = i % 2;
		reply = run_now(&fixture, handle, &none, &prepared);
		assert_int_equal(reply != NULL, !refuses);
		if (reply)
			prepared_give(prepared);
		assert_int_equal(reserved, held);
	}
	refuses = false;
	fixture_close(&fixture);
	assert_int_equal(reserved, 0);
}

/* What is large, timed, written as text or waits is run as a request. */
static void not_small(void **state)
{
	static const struct {
		const char *name, *text;
		uint64_t u;
	} cases[] = {{"n", NULL, 5000}, {"timeout_ms", NULL, 10}, {"u64", "str", 0}};
	struct fixture fixture = fixture_open(1);

	(void)state;
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		struct call *call = call_new();
		uint64_t handle;

		put(call, "n", value_uint(8));
		put(call, cases[i].name, cases[i].text ? value_string(cases[i].text) : value_uint(cases[i].u));
		handle = prepare_method(&fixture, "uniform", call);
		assert_true(handle != 0 && !is_small(&fixture, handle));
	}
	fixture_close(&fixture);
}

/* What the call has no parameter for, and bits that mean nothing, are refused, not passed over. */
static void unknown_changes(void **state)
{
	struct fixture fixture = fixture_open(1);
	const uint64_t draw = prepare_method(&fixture, "uniform", new_draw(512, 0));

	(void)state;
	assert_true(is_small(&fixture, draw));
	for (unsigned bit = 0; bit < 32; bit++) {
		const struct prepared_changes changes = {.given = 1u << bit};
		struct prepared *prepared;
		const bool runs = run_now(&fixture, draw, &changes, &prepared) != NULL;

		if (runs)
			prepared_give(prepared);
		if (runs != (bit < 4))
			fail_msg("given: bit %u: runs %d, expected %d", bit, runs, bit < 4);
	}
	fixture_close(&fixture);
}

/* ---- counters ---- */

static void read_counters(struct fixture *fixture, uint64_t *ret_jobs, uint64_t *ret_chunks)
{
	struct bump *bump = bump_new();
	struct value map = value_map();

	assert_int_equal(engine_stats(fixture->engine, bump, &map), 0);
	*ret_jobs = value_get(value_get(&map, "jobs"), "finished")->u;
	*ret_chunks = value_get(&value_get(&map, "lanes")->array.at[0], "chunks")->u;
	bump_free(bump);
}

/* Each run counts as a job of one chunk, also once its call is released. */
static void counted(void **state)
{
	static const struct prepared_changes none;
	struct fixture fixture = fixture_open(2);
	const uint64_t handle = prepare_method(&fixture, "normal", new_draw(0, tile_of(&fixture, "f32", 512, NULL)));
	uint64_t jobs, chunks, jobs_before, chunks_before;
	struct prepared *prepared;
	struct call *call;

	(void)state;
	read_counters(&fixture, &jobs_before, &chunks_before);
	for (int i = 0; i < 40; i++) {
		assert_non_null(run_now(&fixture, handle, &none, &prepared));
		prepared_give(prepared);
	}
	read_counters(&fixture, &jobs, &chunks);
	assert_int_equal(jobs, jobs_before + 40);
	assert_int_equal(chunks, chunks_before + 40);
	call = prepared_call(handle);
	call_run(call, fixture.memory, "release");
	call_free(call);
	read_counters(&fixture, &jobs, &chunks);
	assert_true(jobs >= jobs_before + 40); /* and the release */
	assert_int_equal(chunks, chunks_before + 40);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(transforms), cmocka_unit_test(one_at_a_time),	 cmocka_unit_test(reservations),
		cmocka_unit_test(not_small),  cmocka_unit_test(unknown_changes), cmocka_unit_test(counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
