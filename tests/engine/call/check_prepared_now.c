/* SPDX-License-Identifier: Apache-2.0 */
/* Small prepared calls that run in the caller's thread: every run gives what request_start gives for the same call, or
 * nothing where that is an error. */
#include "engine/steps.h"

#include "engine/operations/params.h"
#include "engine/call/prepared.h"

enum { TILE_BYTES = 2048 };

/* What a row cannot do without. */
static void put_required(struct call *call, const struct operation *operation)
{
	for (size_t i = DRAW_COMMON; i < operation->n_params; i++) {
		const struct param *param = &operation->params[i];

		if (param->fallback)
			continue;
		if (param->type == PARAM_F64)
			put(call, param->name, value_real(0.5));
		else
			put(call, param->name, value_uint(7));
	}
}

static struct call *new_draw(const struct operation *operation, uint64_t n, uint64_t tile)
{
	struct call *call = call_new();

	put_required(call, operation);
	if (tile)
		put(call, "out", value_uint(tile));
	else
		put(call, "n", value_uint(n));
	return call;
}

static void put_changes(struct call *call, const struct prepared_changes *changes)
{
	if (changes->given & PREPARED_OFFSET)
		put(call, "offset", value_uint(changes->offset));
	if (changes->given & PREPARED_SEED)
		put(call, "seed", value_uint(changes->seed));
	if (changes->given & PREPARED_STREAM)
		put(call, "stream", value_uint(changes->stream));
}

/* 0: the operation's example cannot be prepared, as one whose weights are missing. */
static uint64_t prepare(struct fixture *fixture, const char *method, struct call *call)
{
	uint64_t handle = 0;

	prepare_call(call, method);
	call_start(call, fixture->memory, "prepare");
	call_wait(call);
	if (!request_error(call->request))
		handle = value_get(request_result(call->request), "prepared")->u;
	call_free(call);
	return handle;
}

static const struct value *run_now(struct fixture *fixture, uint64_t handle, const struct prepared_changes *changes,
				   struct prepared **ret_prepared)
{
	return prepared_rerun_listed(fixture->memory, (uint32_t)handle, changes, ret_prepared);
}

/* Whether there was a reply. call: the same, to be started as a request; it goes. */
static bool compare(struct fixture *fixture, uint64_t handle, const char *method, struct call *call,
		    const struct prepared_changes *changes)
{
	char *expected = malloc(TILE_BYTES);
	struct prepared *prepared;
	const struct value *reply;

	put_changes(call, changes);
	call_start(call, fixture->memory, method);
	call_wait(call);
	memcpy(expected, fixture->mapping, TILE_BYTES);
	memset(fixture->mapping, 0, TILE_BYTES);
	reply = run_now(fixture, handle, changes, &prepared);
	if ((reply == NULL) != (request_error(call->request) != NULL))
		fail_msg("%s: a reply %d, an error %d", method, reply != NULL, request_error(call->request) != NULL);
	if (reply) {
		expect_equal(method, reply, request_result(call->request));
		if (value_get(reply, "tile") && memcmp(expected, fixture->mapping, TILE_BYTES) != 0)
			fail_msg("%s: other bytes in the tile", method);
		prepared_give(prepared);
	}
	free(expected);
	call_free(call);
	return reply != NULL;
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

static const uint64_t offsets[] = {0, 1, 3, 127, 128, 512, 65535, 65536, UINT32_MAX, (uint64_t)UINT32_MAX + 1,
				   (1ull << 62) - 100, UINT64_MAX - 600, UINT64_MAX - 3, UINT64_MAX};

/* Every distribution that is small, at every level, to the end of the stream and beyond it. */
static void every_draw(void **state)
{
	size_t n_levels, n_operations;
	const struct cpu_level *levels = cpu_levels(&n_levels);
	const struct operation *all = operations(&n_operations);

	(void)state;
	for (size_t level = 0; level < n_levels; level++) {
		struct fixture fixture = fixture_open_with(2, cpu_level_usable(&levels[level]), 1 << 20, NULL);
		unsigned draws = 0, errors = 0;

		for (size_t i = 0; i < n_operations; i++) {
			const uint64_t handle = all[i].class == METHOD_DRAW
							? prepare(&fixture, all[i].name, new_draw(&all[i], 37, 0))
							: 0;

			if (!handle || !is_small(&fixture, handle))
				continue;
			draws++;
			for (size_t k = 0; k < sizeof offsets / sizeof *offsets; k++)
				errors += !compare(&fixture, handle, all[i].name, new_draw(&all[i], 37, 0),
						   &(struct prepared_changes){.given = (unsigned)k % 8,
									      .offset = offsets[k],
									      .seed = offsets[k] * 3,
									      .stream = k % 2});
			errors += !compare(&fixture, handle, all[i].name, new_draw(&all[i], 37, 0),
					   &(struct prepared_changes){.given = PREPARED_OFFSET, .offset = UINT64_MAX});
		}
		printf("# %s: %u distributions, %u errors\n", levels[level].name, draws, errors);
		assert_true(draws >= 10 && errors >= draws);
		fixture_close(&fixture);
	}
}

/* ---- programs ---- */

/* Steps that follow one another, draw at places of their own, and name tiles x and y. */
static struct call *new_program(uint64_t x, uint64_t y)
{
	struct call *call = call_new();
	struct bump *z = call->bump;

	put(call, "steps",
	    STEPS(z, STEP(z, "normal", "n", value_uint(100), "as", value_string("a")),
		  STEP(z, "scale", "in", value_string("a"), "by", value_real(0.5), "as", value_string("b")),
		  STEP(z, "uniform", "n", value_uint(100), "seed", value_uint(3), "offset", value_uint(5), "as",
		       value_string("c")),
		  STEP(z, "add", "a", value_string("b"), "b", value_string("c"), "out", value_uint(x)),
		  STEP(z, "scale", "in", value_uint(x), "by", value_real(2), "out", value_uint(y), "as",
		       value_string("y"))));
	put(call, "results", STEPS(z, value_string("y")));
	return call;
}

static void programs(void **state)
{
	struct fixture fixture = fixture_open(2);
	const uint64_t x = tile_of(&fixture, "f32", 100, NULL), y = tile_of(&fixture, "f32", 100, NULL);
	const uint64_t other = tile_of(&fixture, "f32", 100, NULL);
	const uint64_t handle = prepare(&fixture, "run", new_program(x, y));
	const uint32_t tiles[] = {(uint32_t)other, (uint32_t)x}, twice[] = {0, (uint32_t)x}, three[] = {0, 0, 0};
	struct prepared_changes changes = {.given = PREPARED_SEED | PREPARED_OFFSET, .seed = 9};
	struct prepared *prepared;

	(void)state;
	for (uint64_t offset = 0; offset < 10; offset++) {
		changes.offset = offset * 7;
		assert_true(compare(&fixture, handle, "run", new_program(x, y), &changes));
	}
	changes.tiles = tiles;
	changes.n_tiles = 2;
	for (int i = 0; i < 4; i++) { /* others and the same ones, in turn: the reply names those of its run */
		assert_true(
			compare(&fixture, handle, "run", i % 2 ? new_program(x, y) : new_program(other, x), &changes));
		changes.n_tiles = i % 2 ? 2 : 0;
	}
	changes.tiles = twice;
	changes.n_tiles = 2;
	assert_null(run_now(&fixture, handle, &changes, &prepared));
	changes.tiles = three;
	changes.n_tiles = 3;
	assert_null(run_now(&fixture, handle, &changes, &prepared));
	fixture_close(&fixture);
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
	handle = prepare(fixture, "fft", new_transform(tiles[0]));
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
	const struct operation *operation = operation_find("uniform", 7);
	const uint64_t handle = prepare(&fixture, "uniform", new_draw(operation, 8, 0));
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
	const uint64_t handle = prepare(&fixture, "uniform", new_draw(operation_find("uniform", 7), 512, 0));
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
		handle = prepare(&fixture, "uniform", call);
		assert_true(handle != 0 && !is_small(&fixture, handle));
	}
	fixture_close(&fixture);
}

/* What the call has no parameter for, and bits that mean nothing, are refused, not passed over. */
static void unknown_changes(void **state)
{
	struct fixture fixture = fixture_open(1);
	const uint64_t draw = prepare(&fixture, "uniform", new_draw(operation_find("uniform", 7), 512, 0));

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
	const struct operation *operation = operation_find("normal", 6);
	struct fixture fixture = fixture_open(2);
	const uint64_t handle = prepare(&fixture, "normal", new_draw(operation, 0, tile_of(&fixture, "f32", 512, NULL)));
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
		cmocka_unit_test(every_draw),    cmocka_unit_test(programs),     cmocka_unit_test(transforms),
		cmocka_unit_test(one_at_a_time), cmocka_unit_test(reservations), cmocka_unit_test(not_small),
		cmocka_unit_test(unknown_changes), cmocka_unit_test(counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
