/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles that calls hold between their runs: a tile's place is free as soon as nobody runs with it, and never before. */
#include "engine/harness.h"

#include <stdatomic.h>

#include "engine/memory/tile.h"
#include "engine/memory/tile_use.h"

enum { SAMPLES = 1024, ROUNDS = 300 };

static uint64_t new_tile(struct engine_session *memory)
{
	struct shape shape = {.dtype = DTYPE_F32, .ndim = 1, .dims = {SAMPLES}};
	struct tile_place place;
	struct error err;

	assert_true(shape_finish(&shape));
	assert_int_equal(tile_create(memory, &shape, &place, &err), 0);
	return place.handle;
}

static bool take(struct engine_session *memory, struct tile_holder *holder, const uint64_t *handles, size_t n)
{
	bool there = true;

	pthread_mutex_lock(&memory->lock);
	for (size_t i = 0; i < n && there; i++) {
		struct tile *tile = tile_find_locked(memory, handles[i]);

		there = tile != NULL;
		if (there)
			tile_holder_add_locked(holder, tile);
	}
	if (there)
		tile_holder_start_locked(holder);
	else
		tile_holder_drop_locked(holder);
	pthread_mutex_unlock(&memory->lock);
	return there;
}

static void drop(struct engine_session *memory, struct tile_holder *holder)
{
	pthread_mutex_lock(&memory->lock);
	tile_holder_drop_locked(holder);
	pthread_mutex_unlock(&memory->lock);
}

static void freed_between_runs(void **state)
{
	struct fixture fixture = fixture_open(1);
	const uint64_t tiles[] = {new_tile(fixture.memory), new_tile(fixture.memory)};
	const uint64_t used = engine_session_bytes_used(fixture.memory);
	struct tile_hold of_one[2], of_two[2];
	struct tile_holder one = {.at = of_one}, two = {.at = of_two};

	(void)state;
	assert_false(tile_holder_begin(&one));
	assert_true(take(fixture.memory, &one, tiles, 2));
	tile_holder_end(fixture.memory, &one);
	assert_true(take(fixture.memory, &two, tiles, 1));
	tile_holder_end(fixture.memory, &two);
	assert_true(tile_holder_begin(&one));
	tile_holder_end(fixture.memory, &one);
	assert_int_equal(tile_free(fixture.memory, tiles[1], NULL), 0);
	assert_int_equal(engine_session_bytes_used(fixture.memory), used / 2);
	assert_false(tile_holder_begin(&one));
	assert_true(tile_holder_begin(&two));
	tile_holder_end(fixture.memory, &two);
	assert_false(take(fixture.memory, &one, tiles, 2));
	assert_false(tile_holder_begin(&one));
	assert_int_equal(tile_free(fixture.memory, tiles[0], NULL), 0);
	assert_int_equal(engine_session_bytes_used(fixture.memory), 0);
	assert_false(tile_holder_begin(&two));
	fixture_close(&fixture);
}

static void freed_during_a_run(void **state)
{
	struct fixture fixture = fixture_open(1);
	const uint64_t tiles[] = {new_tile(fixture.memory), new_tile(fixture.memory)};
	const uint64_t twice[] = {tiles[0], tiles[0]}, used = engine_session_bytes_used(fixture.memory);
	struct tile_hold of_running[2], of_held[2];
	struct tile_holder running = {.at = of_running}, held = {.at = of_held};

	(void)state;
	assert_true(take(fixture.memory, &held, twice, 2));
	tile_holder_end(fixture.memory, &held);
	assert_true(take(fixture.memory, &running, tiles, 2));
	for (int i = 0; i < 2; i++)
		assert_int_equal(tile_free(fixture.memory, tiles[i], NULL), 0);
	assert_int_equal(engine_session_bytes_used(fixture.memory), used);
	assert_false(tile_holder_begin(&held));
	tile_holder_end(fixture.memory, &running);
	assert_int_equal(engine_session_bytes_used(fixture.memory), 0);
	assert_false(tile_holder_begin(&running));
	fixture_close(&fixture);
}

static void dropped(void **state)
{
	struct fixture fixture = fixture_open(1);
	const uint64_t tile = new_tile(fixture.memory), used = engine_session_bytes_used(fixture.memory);
	struct tile_hold at[1];
	struct tile_holder holder = {.at = at};

	(void)state;
	drop(fixture.memory, &holder);
	assert_true(take(fixture.memory, &holder, &tile, 1));
	drop(fixture.memory, &holder);
	assert_int_equal(tile_free(fixture.memory, tile, NULL), 0);
	assert_int_equal(engine_session_bytes_used(fixture.memory), used);
	tile_holder_end(fixture.memory, &holder);
	assert_int_equal(engine_session_bytes_used(fixture.memory), 0);
	fixture_close(&fixture);
}

/* The handle that the runner is to use; 0: it is to end. */
struct runner {
	struct engine_session *memory;
	_Atomic uint64_t handle;
	atomic_uint runs;
};

/* Writes its tile without a lock: nobody else may have its place meanwhile. */
static void *run_again_and_again(void *arg)
{
	struct runner *runner = arg;
	struct tile_hold at[1];
	struct tile_holder holder = {.at = at};
	uint64_t handle, had = 0;

	while ((handle = atomic_load(&runner->handle)) != 0) {
		if (!(handle == had && tile_holder_begin(&holder))) {
			drop(runner->memory, &holder);
			if (!take(runner->memory, &holder, &handle, 1))
				continue;
			had = handle;
		}
		memset(tile_base(at->tile), 0x11, SAMPLES * sizeof(float));
		tile_holder_end(runner->memory, &holder);
		atomic_fetch_add(&runner->runs, 1);
	}
	drop(runner->memory, &holder);
	return NULL;
}

/* This thread frees the tile that the runner has, and fills the next one, which lies in the same place once that is free. */
static void freed_by_another_thread(void **state)
{
	struct fixture fixture = fixture_open(1);
	struct runner runner = {.memory = fixture.memory};
	pthread_t thread;

	(void)state;
	atomic_init(&runner.handle, new_tile(fixture.memory));
	assert_int_equal(pthread_create(&thread, NULL, run_again_and_again, &runner), 0);
	for (int round = 0; round < ROUNDS; round++) {
		const unsigned before = atomic_load(&runner.runs);
		const uint64_t old = atomic_load(&runner.handle);
		unsigned char own[SAMPLES * sizeof(float)];
		uint64_t next;
		void *base;

		while (atomic_load(&runner.runs) == before)
			sched_yield();
		assert_int_equal(tile_free(fixture.memory, old, NULL), 0);
		next = new_tile(fixture.memory);
		pthread_mutex_lock(&fixture.memory->lock);
		base = tile_base(tile_find_locked(fixture.memory, next));
		pthread_mutex_unlock(&fixture.memory->lock);
		memset(base, 0x22, sizeof own);
		memset(own, 0x22, sizeof own);
		assert_memory_equal(base, own, sizeof own);
		atomic_store(&runner.handle, next);
	}
	assert_int_equal(tile_free(fixture.memory, atomic_exchange(&runner.handle, 0), NULL), 0);
	pthread_join(thread, NULL);
	assert_int_equal(engine_session_bytes_used(fixture.memory), 0);
	fixture_close(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(freed_between_runs),
		cmocka_unit_test(freed_during_a_run),
		cmocka_unit_test(dropped),
		cmocka_unit_test(freed_by_another_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
