/* SPDX-License-Identifier: Apache-2.0 */
/* Short draws that are prepared, alone and in a batch: each gives the bytes and the position that the whole request gives, or
 * nothing where it is to be run in another way. */
#include "engine/steps.h"

#include "engine/operations/params.h"
#include "engine/call/prepared.h"
#include "engine/call/prepared_batch.h"

enum { N = 37, TILE_BYTES = 8 * N };

static const struct prepared_changes none;

/* What a row cannot do without, and a tile. */
static struct call *new_draw(const struct operation *operation, uint64_t tile)
{
	struct call *call = call_new();

	for (size_t i = DRAW_COMMON; i < operation->n_params; i++)
		if (!operation->params[i].fallback)
			put(call, operation->params[i].name,
			    operation->params[i].type == PARAM_F64 ? value_real(0.5) : value_uint(7));
	put(call, "out", value_uint(tile));
	return call;
}

/* 0: not of that dtype, or some parameter has no default. */
static uint64_t prepare_into(struct fixture *fixture, const struct operation *operation, uint64_t tile)
{
	struct call *call = new_draw(operation, tile);
	uint64_t handle = 0;

	prepare_call(call, operation->name);
	call_start(call, fixture->memory, "prepare");
	call_wait(call);
	if (!request_error(call->request))
		handle = value_get(request_result(call->request), "prepared")->u;
	call_free(call);
	return handle;
}

static uint64_t prepare_normals(struct fixture *fixture, uint64_t tile)
{
	return prepare_into(fixture, operation_find("normal", 6), tile);
}

/* A batch of one run. */
static bool run_one(struct fixture *fixture, uint64_t handle, const struct prepared_changes *changes,
		    struct draw_position *ret_position)
{
	struct prepared_batch batch = {.session = fixture->memory};
	const bool ran = prepared_batch_run(&batch, (uint32_t)handle, changes, ret_position);

	prepared_batch_end(&batch, 1);
	return ran;
}

static bool runs(struct fixture *fixture, uint64_t handle, const struct prepared_changes *changes)
{
	struct draw_position position;

	return run_one(fixture, handle, changes, &position);
}

/* The reply of a batch of one run. It stays as it is until the next. */
static const struct value *reply_of_one(struct fixture *fixture, uint64_t handle, const struct prepared_changes *changes)
{
	struct prepared_batch batch = {.session = fixture->memory};
	const struct value *reply = prepared_batch_reply(&batch, (uint32_t)handle, changes);

	prepared_batch_end(&batch, 1);
	return reply;
}

static uint64_t number(const struct value *reply, const char *name)
{
	const struct value *value = value_get(reply, name);

	assert_int_equal(value->kind, VALUE_UINT);
	return value->u;
}

static void expect_position(const char *what, const struct value *reply, const struct draw_position *position)
{
	if (position->seed != number(reply, "seed") || position->stream != number(reply, "stream") ||
	    position->offset != number(reply, "offset") || position->position != number(reply, "position"))
		fail_msg("%s: another position", what);
	if (position->has_next != (value_get(reply, "next")->kind != VALUE_NIL) ||
	    (position->has_next && position->next != number(reply, "next")))
		fail_msg("%s: another next position", what);
}

/* Takes the tile's bytes, and leaves zeros. */
static void take_bytes(struct fixture *fixture, char bytes[static TILE_BYTES])
{
	memcpy(bytes, fixture->mapping, TILE_BYTES);
	memset(fixture->mapping, 0, TILE_BYTES);
}

static void expect_bytes(struct fixture *fixture, const char *what, const char *way, const char expected[static TILE_BYTES])
{
	char bytes[TILE_BYTES];

	take_bytes(fixture, bytes);
	if (memcmp(expected, bytes, TILE_BYTES) != 0)
		fail_msg("%s: other bytes in the tile, %s", what, way);
}

/* Runs the draw as a request, which a prepared call knows nothing of. */
static struct call *run_whole(struct fixture *fixture, const struct operation *operation, uint64_t tile,
			      const struct prepared_changes *changes)
{
	struct call *call = new_draw(operation, tile);

	memset(fixture->mapping, 0, TILE_BYTES);
	if (changes->given & PREPARED_OFFSET)
		put(call, "offset", value_uint(changes->offset));
	if (changes->given & PREPARED_SEED)
		put(call, "seed", value_uint(changes->seed));
	if (changes->given & PREPARED_STREAM)
		put(call, "stream", value_uint(changes->stream));
	call_start(call, fixture->memory, operation->name);
	call_wait(call);
	return call;
}

/* Whole, prepared, in a batch, and in a batch with a reply. Returns whether the run ended well. */
static bool compare(struct fixture *fixture, const struct operation *operation, uint64_t tile, uint64_t handle,
		    const struct prepared_changes *changes)
{
	const char *what = operation->name;
	struct call *whole = run_whole(fixture, operation, tile, changes);
	const bool good = !request_error(whole->request);
	struct draw_position position;
	struct prepared *prepared;
	char expected[TILE_BYTES];
	const struct value *reply;

	take_bytes(fixture, expected);
	reply = prepared_rerun_listed(fixture->memory, (uint32_t)handle, changes, &prepared);
	if ((reply != NULL) != good)
		fail_msg("%s: runs %s prepared only", what, good ? "not" : "when");
	if (reply) {
		expect_equal(what, reply, request_result(whole->request));
		prepared_give(prepared); /* the reply stays as it is until the next run with a reply */
	}
	expect_bytes(fixture, what, "prepared", expected);
	if (run_one(fixture, handle, changes, &position) != good)
		fail_msg("%s: ran %s a batch only", what, good ? "outside" : "in");
	if (good)
		expect_position(what, reply, &position);
	expect_bytes(fixture, what, "in a batch", expected);
	reply = reply_of_one(fixture, handle, changes);
	if ((reply != NULL) != good)
		fail_msg("%s: has a reply %s a batch only", what, good ? "outside" : "in");
	if (good)
		expect_position(what, reply, &position);
	expect_bytes(fixture, what, "in a batch with a reply", expected);
	call_free(whole);
	return good;
}

static const uint64_t offsets[] = {0, 1, 3, 127, 128, 512, 65535, 65536, UINT32_MAX, (uint64_t)UINT32_MAX + 1,
				   (1ull << 62) - 100, UINT64_MAX - 600, UINT64_MAX - 3, UINT64_MAX};

static unsigned compare_all(struct fixture *fixture, const struct operation *operation, const char *dtype, unsigned *errors)
{
	const uint64_t tile = tile_of(fixture, dtype, N, NULL), handle = prepare_into(fixture, operation, tile);
	const bool is_short = handle && runs(fixture, handle, &none);

	for (size_t k = 0; is_short && k < sizeof offsets / sizeof *offsets; k++)
		*errors += !compare(fixture, operation, tile, handle,
				    &(struct prepared_changes){.given = (unsigned)k % 8,
							       .offset = offsets[k],
							       .seed = offsets[k] * 3,
							       .stream = k % 2});
	if (is_short)
		*errors += !compare(fixture, operation, tile, handle,
				    &(struct prepared_changes){.given = PREPARED_OFFSET, .offset = UINT64_MAX});
	tile_drop(fixture, tile);
	return is_short;
}

/* Every distribution that is drawn so, at every level, to the end of the stream and beyond it. */
static void every_draw(void **state)
{
	static const char *const dtypes[] = {"f32", "f64", "u32", "u64", "i64", "i8"};
	size_t n_levels, n_operations;
	const struct cpu_level *levels = cpu_levels(&n_levels);
	const struct operation *all = operations(&n_operations);

	(void)state;
	for (size_t level = 0; level < n_levels; level++) {
		struct fixture fixture = fixture_open_with(2, cpu_level_usable(&levels[level]), 1 << 20, NULL);
		unsigned draws = 0, errors = 0;

		for (size_t i = 0; i < n_operations; i++)
			for (size_t k = 0; all[i].class == METHOD_DRAW && k < sizeof dtypes / sizeof *dtypes; k++)
				draws += compare_all(&fixture, &all[i], dtypes[k], &errors);
		printf("# %s: %u draws, %u errors\n", levels[level].name, draws, errors);
		assert_true(draws >= 10 && errors >= draws);
		fixture_close(&fixture);
	}
}

/* Runs of several calls in one batch, in other tiles than their own. */
static void other_tiles(void **state)
{
	struct fixture fixture = fixture_open(2);
	void *at[3];
	const uint64_t tiles[] = {tile_of(&fixture, "f32", N, &at[0]), tile_of(&fixture, "f32", N, &at[1]),
				  tile_of(&fixture, "f32", N, &at[2])};
	const uint64_t calls[] = {prepare_normals(&fixture, tiles[0]), prepare_normals(&fixture, tiles[1])};
	const uint32_t third = (uint32_t)tiles[2];
	struct prepared_batch batch = {.session = fixture.memory};
	struct draw_position position;

	(void)state;
	for (int i = 0; i < 2; i++)
		assert_true(prepared_batch_run(&batch, (uint32_t)calls[i], &none, &position));
	assert_true(prepared_batch_run(&batch, (uint32_t)calls[1],
				       &(struct prepared_changes){.tiles = &third, .n_tiles = 1}, &position));
	assert_int_equal(batch.runs, 3);
	prepared_batch_end(&batch, 1);
	assert_memory_equal(at[0], at[1], 4 * N);
	assert_memory_equal(at[0], at[2], 4 * N);
	tile_drop(&fixture, tiles[0]); /* takes the lock that the batch held */
	fixture_close(&fixture);
}

/* The handle in the reply of a run outside a batch. */
static uint64_t tile_of_run(struct fixture *fixture, uint64_t handle, const struct prepared_changes *changes)
{
	struct prepared *prepared;
	const struct value *reply = prepared_rerun_listed(fixture->memory, (uint32_t)handle, changes, &prepared);

	assert_non_null(reply);
	prepared_give(prepared);
	return number(reply, "tile");
}

/* Each reply names the tile of its own run, in a batch and outside, in turn. */
static void names_its_tile(void **state)
{
	struct fixture fixture = fixture_open(2);
	const uint64_t own = tile_of(&fixture, "f32", N, NULL), handle = prepare_normals(&fixture, own);
	const uint32_t other = (uint32_t)tile_of(&fixture, "f32", N, NULL);
	const struct prepared_changes into_other = {.tiles = &other, .n_tiles = 1};

	(void)state;
	for (int i = 0; i < 2; i++) {
		assert_int_equal(tile_of_run(&fixture, handle, &none), own);
		assert_int_equal(number(reply_of_one(&fixture, handle, &into_other), "tile"), other);
		assert_int_equal(tile_of_run(&fixture, handle, &none), own);
		assert_int_equal(tile_of_run(&fixture, handle, &into_other), other);
		assert_int_equal(number(reply_of_one(&fixture, handle, &none), "tile"), own);
		assert_int_equal(tile_of_run(&fixture, handle, &into_other), other);
	}
	fixture_close(&fixture);
}

/* What is not as the call was prepared is left to others, and nothing is written. */
static void refused(void **state)
{
	struct fixture fixture = fixture_open(2);
	const uint64_t tile = tile_of(&fixture, "f32", N, NULL), handle = prepare_normals(&fixture, tile);
	const uint32_t both[] = {(uint32_t)tile, (uint32_t)tile_of(&fixture, "f32", N, NULL)},
		       other = (uint32_t)tile_of(&fixture, "f32", N + 1, NULL), unknown = 1000;
	struct call *release = prepared_call(handle);
	struct prepared *prepared;

	(void)state;
	memset(fixture.mapping, 0x5A, 4096);
	assert_false(runs(&fixture, handle + 1, &none));
	assert_false(runs(&fixture, 0, &none));
	assert_false(runs(&fixture, handle, &(struct prepared_changes){.given = 64}));
	assert_false(runs(&fixture, handle, &(struct prepared_changes){.tiles = both, .n_tiles = 2}));
	assert_false(runs(&fixture, handle, &(struct prepared_changes){.tiles = &other, .n_tiles = 1}));
	assert_false(runs(&fixture, handle, &(struct prepared_changes){.tiles = &unknown, .n_tiles = 1}));
	for (int i = 0; i < 4096; i++)
		assert_int_equal(((char *)fixture.mapping)[i], 0x5A);
	assert_non_null(prepared_rerun_listed(fixture.memory, (uint32_t)handle, &none, &prepared));
	assert_false(runs(&fixture, handle, &none)); /* another run's reply is not read yet */
	prepared_give(prepared);
	assert_true(runs(&fixture, handle, &none));
	tile_drop(&fixture, tile);
	assert_false(runs(&fixture, handle, &none));
	assert_true(runs(&fixture, handle, &(struct prepared_changes){.tiles = &both[1], .n_tiles = 1}));
	call_run(release, fixture.memory, "release");
	call_free(release);
	assert_false(runs(&fixture, handle, &(struct prepared_changes){.tiles = &both[1], .n_tiles = 1}));
	fixture_close(&fixture);
}

static uint64_t prepare_with_reply(struct fixture *fixture)
{
	struct call *call = call_new();

	put(call, "n", value_uint(N));
	return prepare_method(fixture, "normal", call);
}

/* Samples in the reply are those, from where, that the same run alone gives; a run without a reply makes none. */
static void in_the_reply(void **state)
{
	struct fixture fixture = fixture_open(2);
	const uint64_t handle = prepare_with_reply(&fixture);
	const uint32_t tile = (uint32_t)tile_of(&fixture, "f32", N, NULL);
	unsigned replies = 0;

	(void)state;
	for (size_t k = 0; k < 2 * (sizeof offsets / sizeof *offsets); k++) {
		const struct prepared_changes changes = {
			.given = (unsigned)k % 8, .offset = offsets[k / 2], .seed = k * 3, .stream = k % 3};
		float expected[N];
		struct draw_position position;
		struct prepared *prepared;
		const struct value *reply = prepared_rerun_listed(fixture.memory, (uint32_t)handle, &changes, &prepared);

		if (!reply) {
			assert_null(reply_of_one(&fixture, handle, &changes));
			continue;
		}
		position = (struct draw_position){number(reply, "seed"), number(reply, "stream"), number(reply, "offset"),
						  number(reply, "position"), 0, value_get(reply, "next")->kind != VALUE_NIL};
		position.next = position.has_next ? number(reply, "next") : 0;
		memcpy(expected, value_get(reply, "data")->bytes.at, sizeof expected);
		memset((void *)value_get(reply, "data")->bytes.at, 0, sizeof expected);
		assert_null(reply_of_one(&fixture, handle, &changes)); /* the other run's reply is not read yet */
		prepared_give(prepared);
		reply = reply_of_one(&fixture, handle, &changes);
		assert_non_null(reply);
		expect_position("normal", reply, &position);
		assert_int_equal(value_get(reply, "data")->bytes.size, sizeof expected);
		assert_memory_equal(value_get(reply, "data")->bytes.at, expected, sizeof expected);
		replies++;
	}
	assert_true(replies >= 12);
	assert_false(runs(&fixture, handle, &none));
	assert_null(reply_of_one(&fixture, handle, &(struct prepared_changes){.tiles = &tile, .n_tiles = 1}));
	fixture_close(&fixture);
}

/* Programs and longer draws are not drawn so. */
static void not_short(void **state)
{
	struct fixture fixture = fixture_open(2);

	(void)state;
	assert_true(runs(&fixture, prepare_normals(&fixture, tile_of(&fixture, "f32", 2048, NULL)), &none));
	assert_false(runs(&fixture, prepare_normals(&fixture, tile_of(&fixture, "f32", 1 << 20, NULL)), &none));
	fixture_close(&fixture);
}

static uint64_t words_of_lane_0(struct fixture *fixture)
{
	struct bump *bump = bump_new();
	struct value map = value_map();
	uint64_t words;

	assert_int_equal(engine_stats(fixture->engine, bump, &map), 0);
	words = number(&value_get(&map, "lanes")->array.at[0], "words");
	bump_free(bump);
	return words;
}

/* The lane's account has what a batch made. */
static void counted(void **state)
{
	struct fixture fixture = fixture_open(2);
	const uint64_t handle = prepare_normals(&fixture, tile_of(&fixture, "f32", N, NULL));
	const uint64_t before = words_of_lane_0(&fixture);
	struct prepared_batch batch = {.session = fixture.memory};
	struct draw_position position;

	(void)state;
	for (int i = 0; i < 8; i++)
		assert_true(prepared_batch_run(&batch, (uint32_t)handle, &none, &position));
	prepared_batch_end(&batch, 1000);
	assert_int_equal(words_of_lane_0(&fixture), before + 8 * N);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_draw), cmocka_unit_test(other_tiles), cmocka_unit_test(names_its_tile),
		cmocka_unit_test(refused), cmocka_unit_test(in_the_reply), cmocka_unit_test(not_short), cmocka_unit_test(counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
