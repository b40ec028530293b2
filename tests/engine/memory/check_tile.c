/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles as requests: places, handles that are never reused, and a long random life against a model. */
#include "engine/harness.h"

enum { LIVE = 600, STEPS = 20000 };

struct known {
	uint64_t handle, offset, bytes;
};

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (random_state >> 33) % below;
}

static struct known make(struct fixture *fixture, uint64_t bytes)
{
	struct call *call = call_new();
	struct known known = {.bytes = bytes};
	const struct value *reply;

	put(call, "dtype", value_string("i8"));
	put(call, "shape", value_uint(bytes));
	reply = call_run(call, fixture->memory, "tile");
	known.handle = value_get(reply, "tile")->u;
	known.offset = value_get(reply, "offset")->u;
	assert_int_equal(value_get(reply, "bytes")->u, bytes);
	assert_int_equal(known.offset % 64, 0);
	assert_true(bytes < 4096 || known.offset % 4096 == 0);
	call_free(call);
	return known;
}

static void stale(struct fixture *fixture, uint64_t handle)
{
	struct call *call = call_new();

	put(call, "tile", value_uint(handle));
	call_fails(call, fixture->memory, "free", ERROR_BAD_TILE, "bad_tile: free: tile: tile ");
}

static uint64_t figure(struct fixture *fixture, const char *name)
{
	struct bump *bump = bump_new();
	struct value map = value_map();
	uint64_t u;

	assert_int_equal(engine_session_stats(fixture->memory, bump, &map), 0);
	u = value_get(&map, name)->u;
	bump_free(bump);
	return u;
}

/* No two tiles overlap: each is filled with its number, and holds it when it is freed. */
static void fill(struct fixture *fixture, const struct known *known)
{
	memset((char *)fixture->mapping + known->offset, (int)(known->handle % 251), known->bytes);
}

static void check(struct fixture *fixture, const struct known *known)
{
	const unsigned char *at = (unsigned char *)fixture->mapping + known->offset;

	for (uint64_t i = 0; i < known->bytes; i++)
		if (at[i] != known->handle % 251)
			fail_msg("tile %llu was written by another", (unsigned long long)known->handle);
}

static void test_random_life(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct known live[LIVE] = {0};
	uint64_t last = 0, n = 0;

	(void)state;
	random_state = 20261120;
	for (int i = 0; i < STEPS; i++) {
		struct known *known = &live[draw(LIVE)];

		if (known->handle) {
			check(&fixture, known);
			tile_drop(&fixture, known->handle);
			stale(&fixture, known->handle);
			known->handle = 0;
		} else {
			*known = make(&fixture, 1 + draw(draw(4) ? 300 : 20000));
			fill(&fixture, known);
			assert_true(known->handle > last);
			last = known->handle;
		}
	}
	for (size_t i = 0; i < LIVE; i++)
		n += live[i].handle != 0;
	assert_int_equal(figure(&fixture, "tiles"), n);
	for (size_t i = 0; i < LIVE; i++) {
		if (!live[i].handle)
			continue;
		check(&fixture, &live[i]);
		tile_drop(&fixture, live[i].handle);
	}
	assert_int_equal(figure(&fixture, "tiles"), 0);
	assert_int_equal(figure(&fixture, "bytes_used"), 0);
	fixture_close(&fixture);
}

/* The table of handles grows and stays right when thousands live. */
static void test_thousands(void **state)
{
	enum { MANY = 20000 };
	struct fixture fixture = fixture_open(1);
	uint64_t first = make(&fixture, 64).handle;

	(void)state;
	for (uint64_t i = 1; i < MANY; i++)
		assert_int_equal(make(&fixture, 64).handle, first + i);
	assert_int_equal(figure(&fixture, "bytes_used"), MANY * 64);
	for (uint64_t i = 0; i < MANY; i += 2)
		tile_drop(&fixture, first + i);
	stale(&fixture, first);
	stale(&fixture, first + MANY);
	assert_int_equal(figure(&fixture, "bytes_used"), MANY / 2 * 64); /* which the session's end frees */
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_life), cmocka_unit_test(test_thousands)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
