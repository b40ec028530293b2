/* SPDX-License-Identifier: Apache-2.0 */
/* A session's arenas grow with its tiles and are given back, also by calls that nobody waits for; a limit is reported as
 * such; and a session with several arenas goes on with the next daemon. */
#include <poll.h>

#include "restart.h"

#include "fake_daemon.h"

enum { SMALL = 100 << 10, TILES = 40, LARGE = 3 << 20 };

static struct trnsci_session *open_session(int reconnect_ms)
{
	const struct trnsci_options options = {.timeout_ms = 30000, .reconnect_ms = reconnect_ms};
	struct trnsci_session *session;
	struct trnsci_error err;

	if (trnsci_open(trnscid.socket, &options, &session, &err) < 0)
		fail_msg("open: %s", err.text);
	return session;
}

/* A number of the session's part of stats. */
static uint64_t stat_of(struct trnsci_session *session, const char *name)
{
	struct trnsci_call *call;
	uint64_t number = 0;

	assert_int_equal(trnsci_call_new(session, "stats", &call), 0);
	assert_int_equal(trnsci_run(call, NULL), 0);
	assert_int_equal(
		trnsci_value_to_u64(trnsci_value_get(trnsci_value_get(trnsci_call_reply(call), "session"), name), &number), 0);
	trnsci_call_free(call);
	return number;
}

/* Bytes that no other tile has. */
static void fill(struct trnsci_tile *tile, size_t k)
{
	memset(trnsci_tile_data(tile), (int)(k + 1), tile_info(tile).bytes);
}

static void expect_filled(struct trnsci_tile *tile, size_t k)
{
	const unsigned char *bytes = trnsci_tile_data(tile);

	for (size_t i = 0; i < tile_info(tile).bytes; i++)
		if (bytes[i] != (unsigned char)(k + 1))
			fail_msg("tile %zu: expected %zu at %zu, got %d", k, k + 1, i, bytes[i]);
}

static void grows_and_shrinks(void **state)
{
	struct trnsci_tile *tiles[TILES];
	struct trnsci_session *session;

	(void)state;
	daemon_start(&trnscid, ARGUMENTS("--threads=2"));
	session = open_session(-1);
	for (size_t i = 0; i < TILES; i++) {
		tiles[i] = tile_of(session, TRNSCI_I8, SMALL);
		fill(tiles[i], i);
		if (i == 0)
			assert_int_equal(stat_of(session, "arenas"), 1);
	}
	/* 256 KiB, then twice as much each time. */
	assert_int_equal(stat_of(session, "arenas"), 5);
	for (size_t i = 0; i < TILES; i++)
		expect_filled(tiles[i], i);
	for (size_t i = 0; i < TILES; i++)
		trnsci_tile_free(tiles[i]);
	assert_int_equal(stat_of(session, "arenas"), 1);
	assert_int_equal(stat_of(session, "tiles"), 0);
	/* What stays is the largest. */
	tiles[0] = tile_of(session, TRNSCI_I8, LARGE);
	fill(tiles[0], 0);
	assert_int_equal(stat_of(session, "arenas"), 1);
	trnsci_tile_free(tiles[0]);
	trnsci_close(session);
	daemon_stop(&trnscid);
}

/* A first tile of more than half a huge page gets the whole of it, where limits allow that; a smaller one does not. */
static void huge_pages_are_whole(void **state)
{
	enum { HUGE = 2 << 20, HALF = HUGE / 2, PAGE = 4096, RESERVE = 64 /* bytes of the library's own */ };
	static const struct {
		uint64_t tile, arena;
	} cases[] = {{HALF, HUGE}, {HALF - PAGE, HALF}, {HUGE - PAGE, HUGE}, {HUGE, HUGE + PAGE}, {HUGE + HALF, 2 * HUGE}};
	struct trnsci_session *session;
	struct trnsci_tile *tile;

	(void)state;
	daemon_start(&trnscid, ARGUMENTS("--threads=2"));
	for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
		session = open_session(-1);
		tile = tile_of(session, TRNSCI_I8, cases[i].tile);
		fill(tile, i);
		assert_int_equal(stat_of(session, "bytes"), cases[i].arena - RESERVE);
		trnsci_tile_free(tile);
		trnsci_close(session);
	}
	daemon_stop(&trnscid);
	daemon_start(&trnscid, ARGUMENTS("--threads=2", "--arena-bytes=2093056"));
	session = open_session(-1);
	tile = tile_of(session, TRNSCI_I8, HALF);
	fill(tile, 0);
	assert_int_equal(stat_of(session, "bytes"), HALF + PAGE - RESERVE);
	trnsci_tile_free(tile);
	trnsci_close(session);
	daemon_stop(&trnscid);
}

static struct trnsci_call *new_draw(struct trnsci_session *session, uint64_t n, uint64_t seed)
{
	const struct trnsci_param params[] = {trnsci_param_u64("n", n), trnsci_param_u64("seed", seed),
					      trnsci_param_new_tile("out"), trnsci_param_end()};
	struct trnsci_call *call;

	assert_int_equal(trnsci_call_new(session, "normal", &call), 0);
	trnsci_set_params(trnsci_call_args(call), params);
	return call;
}

/* Calls in flight, each with a new tile: those that find no room are answered as if they had. */
static void calls_in_flight_wait_for_room(void **state)
{
	enum { CALLS = 30, FLOATS = 50000 };
	static float expected[FLOATS];
	struct trnsci_call *calls[CALLS], *answered;
	struct trnsci_session *session;
	void *arg;

	(void)state;
	daemon_start(&trnscid, ARGUMENTS("--threads=2"));
	session = open_session(-1);
	for (size_t i = 0; i < CALLS; i++) {
		calls[i] = new_draw(session, FLOATS, i);
		assert_int_equal(trnsci_submit(calls[i], NULL, NULL), 0);
	}
	for (size_t i = 0; i < CALLS; i++) {
		assert_int_equal(trnsci_next(session, 30000, &answered, &arg), 0);
		if (trnsci_call_error(answered)->code)
			fail_msg("expected a tile, got %s", trnsci_call_error(answered)->text);
	}
	for (size_t i = 0; i < CALLS; i++) {
		const struct drawing normal = {.distribution = "normal", .source = {.seed = i}};
		struct trnsci_tile *tile;

		assert_int_equal(trnsci_call_tile(calls[i], NULL, &tile), 0);
		assert_int_equal(draw_array(session, &normal, TRNSCI_F32, FLOATS, expected, NULL, NULL), 0);
		assert_memory_equal(trnsci_tile_data(tile), expected, sizeof expected);
		trnsci_tile_free(tile);
		trnsci_call_free(calls[i]);
	}
	trnsci_close(session);
	daemon_stop(&trnscid);
}

/* By trnsci_next and the session's descriptor alone. */
static void an_event_loop_grows(void **state)
{
	enum { FLOATS = 1 << 20 };
	struct trnsci_session *session;
	struct trnsci_call *call;
	struct trnsci_tile *tile;
	struct pollfd event;

	(void)state;
	daemon_start(&trnscid, ARGUMENTS("--threads=2"));
	session = open_session(-1);
	event = (struct pollfd){trnsci_session_fd(session), POLLIN, 0};
	call = new_draw(session, FLOATS, 1);
	assert_int_equal(trnsci_submit(call, NULL, NULL), 0);
	for (int r = -TRNSCI_TIMEOUT; r == -TRNSCI_TIMEOUT; r = trnsci_next(session, 0, &(struct trnsci_call *){NULL}, NULL))
		assert_int_equal(poll(&event, 1, 30000), 1);
	assert_int_equal(trnsci_call_error(call)->code, 0);
	assert_int_equal(trnsci_call_tile(call, NULL, &tile), 0);
	assert_int_equal(tile_info(tile).count, FLOATS);
	trnsci_tile_free(tile);
	trnsci_call_free(call);
	trnsci_close(session);
	daemon_stop(&trnscid);
}

/* Where there is room for one of the two tiles through which a large draw comes, it comes through that. */
static void draws_through_one_tile(void **state)
{
	enum { FLOATS = 1 << 21 };
	const struct drawing normal = {.distribution = "normal", .source = {.seed = 4}};
	float *expected = malloc(FLOATS * sizeof *expected), *out = calloc(FLOATS, sizeof *out);
	struct trnsci_session *here, *session;

	(void)state;
	assert_int_equal(trnsci_open("embedded:", NULL, &here, NULL), 0);
	daemon_start(&trnscid, ARGUMENTS("--threads=2", "--arena-bytes=3M"));
	session = open_session(-1);
	assert_int_equal(draw_array(here, &normal, TRNSCI_F32, FLOATS, expected, NULL, NULL), 0);
	assert_int_equal(draw_array(session, &normal, TRNSCI_F32, FLOATS, out, NULL, NULL), 0);
	assert_memory_equal(out, expected, FLOATS * sizeof *out);
	trnsci_close(session);
	trnsci_close(here);
	daemon_stop(&trnscid);
	free(expected);
	free(out);
}

/* Where twice as much is beyond a limit, the tile gets what it needs; where that is, too, the error names the limit. */
static void limits_are_reported(void **state)
{
	struct trnsci_tile *first, *second, *none;
	struct trnsci_session *session;
	struct trnsci_error err;
	const uint64_t n = SMALL;

	(void)state;
	daemon_start(&trnscid, ARGUMENTS("--threads=2", "--arena-bytes=900K"));
	session = open_session(-1);
	first = tile_of(session, TRNSCI_I8, 500 << 10);
	second = tile_of(session, TRNSCI_I8, 350 << 10);
	assert_int_equal(trnsci_tile_new(session, TRNSCI_I8, 1, &n, &none, &err), -TRNSCI_LIMIT);
	assert_non_null(strstr(err.text, "arena_bytes = 921600"));
	struct trnsci_call *call = new_draw(session, SMALL, 1);

	assert_int_equal(trnsci_run(call, NULL), -TRNSCI_LIMIT);
	assert_non_null(strstr(trnsci_call_error(call)->text, "arena_bytes = 921600"));
	trnsci_tile_free(first);
	assert_int_equal(trnsci_run(call, NULL), 0);
	assert_int_equal(trnsci_call_tile(call, NULL, &none), 0);
	trnsci_call_free(call);
	trnsci_tile_free(none);
	trnsci_tile_free(second);
	trnsci_close(session);
	daemon_stop(&trnscid);
}

/* Calls that the library has cached have tiles of their own: they go when a tile of the program has no room beside them. */
static void cached_calls_make_room(void **state)
{
	static float in[2 * 7005], out[2 * 7005];
	struct trnsci_session *session;

	(void)state;
	daemon_start(&trnscid, ARGUMENTS("--threads=2", "--arena-bytes=900K"));
	session = open_session(-1);
	for (uint64_t n = 7000; n < 7005; n++) /* five calls of 2 x 55 KiB each */
		for (int i = 0; i < 4; i++)
			assert_int_equal(trnsci_apply_array(session, "scale", NULL, trnsci_array_vector(TRNSCI_C64, n, in),
							    trnsci_array_vector(TRNSCI_C64, n, out), NULL), 0);
	trnsci_tile_free(tile_of(session, TRNSCI_I8, 600 << 10));
	trnsci_close(session);
	daemon_stop(&trnscid);
}

/* Every tile is where it was, with what it held, in whichever arena. */
static void several_arenas_are_restored(void **state)
{
	struct trnsci_tile *tiles[TILES];
	void *places[TILES];
	struct trnsci_session *session;

	(void)state;
	daemon_start(&trnscid, ARGUMENTS("--threads=2"));
	session = open_session(20000);
	for (size_t i = 0; i < TILES; i++) {
		tiles[i] = tile_of(session, TRNSCI_I8, SMALL);
		places[i] = trnsci_tile_data(tiles[i]);
		fill(tiles[i], i);
	}
	/* Arenas without a tile are not asked for again: the first holds two. */
	trnsci_tile_free(tiles[0]);
	trnsci_tile_free(tiles[1]);
	for (size_t round = 0; round < 4; round++) {
		restart(signals[round % 2]);
		for (size_t i = 2; i < TILES; i++) {
			if (i == 2)
				assert_int_equal(stat_of(session, "arenas"), 4);
			assert_ptr_equal(trnsci_tile_data(tiles[i]), places[i]);
			expect_filled(tiles[i], i);
		}
	}
	tiles[0] = tile_of(session, TRNSCI_I8, SMALL);
	fill(tiles[0], 0);
	expect_filled(tiles[2], 2);
	trnsci_tile_free(tiles[0]);
	for (size_t i = 2; i < TILES; i++)
		trnsci_tile_free(tiles[i]);
	assert_int_equal(stat_of(session, "arenas"), 1);
	trnsci_close(session);
	daemon_stop(&trnscid);
}

/* Threads that make and free tiles of all sizes at once: each keeps its content. */
static void *churn(void *arg)
{
	struct trnsci_session *session = arg;

	for (size_t i = 0; i < 60; i++) {
		const uint64_t n = (i * 7919 % 50 + 1) * 8192;
		struct trnsci_tile *tile;

		if (trnsci_tile_new(session, TRNSCI_I8, 1, &n, &tile, NULL) < 0)
			return "no tile";
		memset(trnsci_tile_data(tile), (int)i, n);
		for (size_t k = 0; k < n; k++)
			if (((unsigned char *)trnsci_tile_data(tile))[k] != (unsigned char)i)
				return "another's bytes";
		trnsci_tile_free(tile);
	}
	return NULL;
}

static void threads_share_arenas(void **state)
{
	enum { THREADS = 4 };
	struct trnsci_session *session;
	pthread_t threads[THREADS];
	void *wrong;

	(void)state;
	daemon_start(&trnscid, ARGUMENTS("--threads=2"));
	session = open_session(-1);
	for (size_t i = 0; i < THREADS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, churn, session), 0);
	for (size_t i = 0; i < THREADS; i++) {
		pthread_join(threads[i], &wrong);
		if (wrong)
			fail_msg("expected a tile of its own, got %s", (const char *)wrong);
	}
	assert_int_equal(stat_of(session, "tiles"), 0);
	trnsci_close(session);
	daemon_stop(&trnscid);
}

/* A daemon that always says that there is no room is believed for a while only. */
static bool never_room(struct fake_daemon *fake, const struct message *request)
{
	const struct error error = {ERROR_NO_ROOM, "no_room: tile: never enough", 4};

	if (!fake_daemon_greets(fake, request))
		fake_daemon_refuse(fake, request->msgid,
				   fake_daemon_asked(request, "arena") ? &(struct error){ERROR_LIMIT, "limit: arena: none", 0} : &error);
	return true;
}

static void a_daemon_without_room(void **state)
{
	struct fake_daemon *fake = fake_daemon_start(never_room, NULL);
	struct trnsci_session *session = fake_daemon_open(fake);
	struct trnsci_tile *tile;
	struct trnsci_error err;
	const uint64_t n = 4;

	(void)state;
	assert_int_equal(trnsci_tile_new(session, TRNSCI_I8, 1, &n, &tile, &err), -TRNSCI_LIMIT);
	assert_string_equal(err.text, "limit: arena: none");
	trnsci_close(session);
	fake_daemon_stop(fake);
}

/* An arena that is empty is given back by a request, which a lost daemon cannot answer: it is asked once. */
static void tiles_are_freed_without_a_daemon(void **state)
{
	struct trnsci_tile *small, *large;
	struct trnsci_session *session;

	(void)state;
	daemon_start(&trnscid, ARGUMENTS("--threads=2"));
	session = open_session(-1);
	small = tile_of(session, TRNSCI_I8, SMALL);
	large = tile_of(session, TRNSCI_I8, LARGE);
	daemon_strike(&trnscid, SIGKILL);
	trnsci_tile_free(large);
	trnsci_tile_free(small);
	trnsci_close(session);
	daemon_remove_dir(&trnscid);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(grows_and_shrinks),	    cmocka_unit_test(huge_pages_are_whole),
		cmocka_unit_test(calls_in_flight_wait_for_room),
		cmocka_unit_test(an_event_loop_grows),	    cmocka_unit_test(limits_are_reported), cmocka_unit_test(draws_through_one_tile),
		cmocka_unit_test(cached_calls_make_room),
		cmocka_unit_test(several_arenas_are_restored), cmocka_unit_test(threads_share_arenas),
		cmocka_unit_test(a_daemon_without_room), cmocka_unit_test(tiles_are_freed_without_a_daemon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
