/* SPDX-License-Identifier: Apache-2.0 */
/* The one-line functions with a daemon, whose calls are cached from the second on: each gives what it gives the first time,
 * whatever happens between. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "beside_embedded.h"
#include "engine/scheduler/cpus.h"
#include "harness/wait.h"
#include "session_socket.h"

enum { N = 300, TILES = 3, ROUNDS = 400, FEW = 20, TRIES = 6, CUTS = 100, FILL = 16000, BY_TILE = 20000, LARGE = 300000 };

static struct trnsci_session *open_kept(int queue)
{
	const struct trnsci_options options = {.queue = queue, .reconnect_ms = 20000};

	return open_with(trnscid.socket, &options);
}

/* ---- tiles ---- */

/* Draws at a place of its own, and compares samples and place with an embedded draw. */
static void expect_draw(struct trnsci_session *session, struct trnsci_tile *tile, unsigned i)
{
	const struct trnsci_source source = {.seed = i % 5, .stream = i % 3, .offset = 7 * i, .position = i % 11 ? 0 : 8};
	struct trnsci_span span, expected_span;
	struct trnsci_error err = {0};
	float expected[N];

	assert_int_equal(trnsci_draw_array(embedded, "normal", NULL, &source, TRNSCI_F32, N, expected, &expected_span, NULL), 0);
	if (trnsci_draw_tile(session, "normal", NULL, &source, &tile, &span, &err) < 0)
		fail_msg("draw %u: %s", i, err.text);
	assert_memory_equal(&span, &expected_span, sizeof span);
	if (memcmp(trnsci_tile_data(tile), expected, sizeof expected) != 0)
		fail_msg("draw %u: other bytes", i);
}

/* Each of several tiles, and operations whose input and output take turns. They run through the queue after some time. */
static void tiles(void **state)
{
	struct trnsci_session *session = open_kept(1);
	const uint64_t before = stat_of(session, "daemon", "queue_runs"), least = cpus_usable() > 1 ? FEW : 0;
	struct trnsci_tile *at[TILES];
	unsigned i = 0;

	(void)state;
	for (int k = 0; k < TILES; k++)
		at[k] = new_tile(session, TRNSCI_F32, N);
	AWAIT(i >= ROUNDS && stat_of(session, "daemon", "queue_runs") >= before + least)
	for (unsigned end = i + ROUNDS; i < end; i++) {
		struct trnsci_tile *in = at[i % TILES], *out = at[i * 5 / 7 % TILES];
		const struct trnsci_param params[] = {trnsci_param_tile("in", in), trnsci_param_f64("by", 3), trnsci_param_end()};
		float expected[N];

		expect_draw(session, in, i);
		for (int k = 0; k < N; k++)
			expected[k] = 3 * ((const float *)trnsci_tile_data(in))[k];
		assert_int_equal(trnsci_apply_tile(session, "scale", params, &out, NULL), 0);
		if (memcmp(trnsci_tile_data(out), expected, sizeof expected) != 0)
			fail_msg("scale, round %u: other bytes", i);
	}
	trnsci_close(session);
	for (int k = 0; k < TILES; k++)
		trnsci_tile_free(at[k]);
}

/* The daemon prepares a call once, which is what later runs save. */
static void prepared_once(void **state)
{
	struct trnsci_session *session = open_kept(-1);
	struct trnsci_tile *tile = new_tile(session, TRNSCI_F32, N);

	(void)state;
	for (unsigned i = 1; i < ROUNDS; i++)
		if (i % 11)
			expect_draw(session, tile, i);
	assert_int_equal(stat_of(session, "session", "prepared"), 1);
	trnsci_tile_free(tile);
	trnsci_close(session);
}

/* Another tile in the place of one that was freed, which the kept call still names. */
static void freed(void **state)
{
	struct trnsci_session *session = open_kept(1);
	struct trnsci_tile *beside = new_tile(session, TRNSCI_F32, N), *tile;
	float before[N];

	(void)state;
	expect_draw(session, beside, 1);
	memcpy(before, trnsci_tile_data(beside), sizeof before);
	for (unsigned i = 0; i < ROUNDS / 4; i++) {
		tile = new_tile(session, TRNSCI_F32, N);
		for (unsigned k = 0; k < TRIES; k++)
			expect_draw(session, tile, i + k);
		trnsci_tile_free(tile);
	}
	assert_memory_equal(trnsci_tile_data(beside), before, sizeof before);
	trnsci_tile_free(beside);
	trnsci_close(session);
}

/* What is wrong is reported in the words of the first time, and does no harm to the next run. */
static void wrong(void **state)
{
	const struct trnsci_source good = {.seed = 1}, beyond = {.seed = 1, .offset = UINT64_MAX},
				   unknown = {.seed = 1, .stream = UINT64_C(1) << 40, .generator = "philox4x32"};
	const struct trnsci_param negative[] = {trnsci_param_f64("std", -1), trnsci_param_end()};
	const struct {
		const struct trnsci_param *params;
		const struct trnsci_source *source;
		int expected;
	} rows[] = {{NULL, &beyond, -TRNSCI_END_OF_STREAM}, {NULL, &unknown, -TRNSCI_OUT_OF_RANGE}, {negative, &good, -TRNSCI_OUT_OF_RANGE}};
	struct trnsci_session *session = open_kept(1);
	struct trnsci_tile *tile = new_tile(session, TRNSCI_F32, N);
	struct trnsci_error first[3], err;

	(void)state;
	for (unsigned i = 0; i < ROUNDS / 4; i++)
		for (size_t k = 0; k < 3; k++) {
			assert_int_equal(trnsci_draw_tile(session, "normal", rows[k].params, rows[k].source, &tile, NULL, &err),
					 rows[k].expected);
			if (i == 0)
				first[k] = err;
			assert_string_equal(err.text, first[k].text);
			expect_draw(session, tile, i);
		}
	trnsci_tile_free(tile);
	trnsci_close(session);
}

/* More calls than are kept. */
static void many(void **state)
{
	struct trnsci_session *session = open_kept(1);
	struct trnsci_tile *tile = new_tile(session, TRNSCI_F32, N);

	(void)state;
	for (int round = 0; round < 3; round++)
		for (int i = 0; i < ROUNDS; i++) {
			const struct trnsci_param mean[] = {trnsci_param_i64("mean", i), trnsci_param_i64("std", 0),
							    trnsci_param_end()};

			assert_int_equal(trnsci_draw_tile(session, "normal", mean, NULL, &tile, NULL, NULL), 0);
			assert_true(((const float *)trnsci_tile_data(tile))[N - 1] == (float)i);
		}
	assert_in_range(stat_of(session, "session", "prepared"), 0, 128);
	trnsci_tile_free(tile);
	trnsci_close(session);
}

static void restarted(void **state)
{
	struct trnsci_session *session = open_kept(1);
	struct trnsci_tile *tile = new_tile(session, TRNSCI_F32, N);

	(void)state;
	for (unsigned round = 0; round < 4; round++) {
		for (unsigned i = 0; i < ROUNDS / 4; i++)
			expect_draw(session, tile, i);
		daemon_strike(&trnscid, round % 2 ? SIGKILL : SIGTERM);
		daemon_respawn(&trnscid, ARGUMENTS("--threads=2"));
	}
	expect_draw(session, tile, 1);
	trnsci_tile_free(tile);
	trnsci_close(session);
}

/* ---- fills ---- */

/* Fills at a place of its own, and compares samples and place with an embedded fill. Returns the library's error. */
static int fill_and_compare(struct trnsci_session *session, uint64_t n, unsigned i)
{
	static float expected[LARGE], got[LARGE];
	const struct trnsci_source source = {.seed = i % 5, .stream = i % 3, .offset = 7 * i};
	struct trnsci_span span, expected_span;
	int r = trnsci_draw_array(session, "normal", NULL, &source, TRNSCI_F32, n, got, &span, NULL);

	assert_int_equal(trnsci_draw_array(embedded, "normal", NULL, &source, TRNSCI_F32, n, expected, &expected_span, NULL), 0);
	if (r == 0 && (memcmp(got, expected, n * sizeof *got) != 0 || memcmp(&span, &expected_span, sizeof span) != 0))
		fail_msg("fill %u: other samples, or another place", i);
	return r;
}

static void fills(void **state)
{
	struct trnsci_session *session = open_kept(1);
	const uint64_t before = stat_of(session, "daemon", "queue_runs"), least = cpus_usable() > 1 ? FEW : 0;
	unsigned i = 0;

	(void)state;
	AWAIT(i >= ROUNDS && stat_of(session, "daemon", "queue_runs") >= before + least)
	for (unsigned end = i + ROUNDS; i < end; i++)
		assert_int_equal(fill_and_compare(session, i % 3 ? N : 1 + i % 7, i), 0);
	trnsci_close(session);
}

/* More samples than a reply brings, up to 2 MiB, come through a tile that stays with the call: one request each. */
static void large_fills(void **state)
{
	struct trnsci_session *session = open_kept(-1);

	(void)state;
	for (uint64_t n = BY_TILE; n <= LARGE; n *= 15) {
		uint64_t before;

		for (unsigned i = 0; i < FEW; i++)
			assert_int_equal(fill_and_compare(session, n, i), 0);
		before = stat_of(session, "daemon", "requests");
		for (unsigned i = 0; i < FEW; i++)
			assert_int_equal(fill_and_compare(session, n, i), 0);
		assert_int_equal(stat_of(session, "daemon", "requests"), before + FEW + 1);
	}
	trnsci_close(session);
}

/* Calls that stay have 64 MiB of tiles together, beside the eight that the library keeps for others. */
static void many_large_fills(void **state)
{
	enum { LENGTHS = 120, MOST = (64 << 20) / (LARGE - LENGTHS) / 4 + 1 + 8 };
	struct trnsci_session *session = open_kept(-1);

	(void)state;
	for (unsigned i = 0; i < 2 * LENGTHS; i++)
		assert_int_equal(fill_and_compare(session, LARGE - i / 2, i), 0);
	assert_in_range(stat_of(session, "session", "tiles"), MOST / 2, MOST);
	trnsci_close(session);
}

/* ---- transforms ---- */

/* Transforms samples of its own, and compares with an embedded transform. Returns the library's error. */
static int transform_and_compare(struct trnsci_session *session, uint64_t n, unsigned i)
{
	static float in[LARGE], expected[LARGE], got[LARGE];
	const struct trnsci_array from = trnsci_array_vector(TRNSCI_C64, n, in);
	int r;

	for (uint64_t k = 0; k < 2 * n; k++)
		in[k] = (float)((k * 7919 + i) % 1000) - 500;
	r = trnsci_apply_array(session, "fft", NULL, from, trnsci_array_vector(TRNSCI_C64, n, got), NULL);
	assert_int_equal(trnsci_apply_array(embedded, "fft", NULL, from, trnsci_array_vector(TRNSCI_C64, n, expected), NULL), 0);
	if (r == 0 && memcmp(got, expected, 2 * n * sizeof *got) != 0)
		fail_msg("transform %u: other samples", i);
	return r;
}

/* Small ones climb as draws do. Those in place have a copy of their input. */
static void transforms(void **state)
{
	struct trnsci_session *session = open_kept(1);
	const uint64_t before = stat_of(session, "daemon", "queue_runs"), least = cpus_usable() > 1 ? FEW : 0;
	float inout[2 * N], expected[2 * N];
	const struct trnsci_array array = trnsci_array_vector(TRNSCI_C64, N, inout);
	unsigned i = 0;

	(void)state;
	AWAIT(i >= ROUNDS && stat_of(session, "daemon", "queue_runs") >= before + least)
	for (unsigned end = i + ROUNDS; i < end; i++)
		assert_int_equal(transform_and_compare(session, i % 3 ? N : 1 + i % 7, i), 0);
	for (i = 0; i < FEW; i++) {
		for (int k = 0; k < 2 * N; k++)
			inout[k] = expected[k] = (float)(k % 11);
		assert_int_equal(trnsci_apply_array(session, "fft", NULL, array, array, NULL), 0);
		assert_int_equal(trnsci_apply_array(embedded, "fft", NULL, trnsci_array_vector(TRNSCI_C64, N, expected),
						    trnsci_array_vector(TRNSCI_C64, N, expected), NULL), 0);
		assert_memory_equal(inout, expected, sizeof inout);
	}
	trnsci_close(session);
}

/* Up to 256 KiB each way: one request each. */
static void large_transforms(void **state)
{
	enum { POINTS = (256 << 10) / 8 };
	struct trnsci_session *session = open_kept(-1);
	uint64_t before;

	(void)state;
	for (unsigned i = 0; i < FEW; i++)
		assert_int_equal(transform_and_compare(session, POINTS, i), 0);
	before = stat_of(session, "daemon", "requests");
	for (unsigned i = 0; i < FEW; i++)
		assert_int_equal(transform_and_compare(session, POINTS, i), 0);
	assert_int_equal(stat_of(session, "session", "prepared"), 1);
	assert_int_equal(stat_of(session, "daemon", "requests"), before + FEW + 2);
	trnsci_close(session);
}

/* What a tile held that the library keeps for later is lost with the connection, and nobody misses it: the queue goes on. */
static void fills_after_a_loss(void **state)
{
	struct trnsci_session *session = open_kept(1);
	uint64_t before;
	unsigned i = 0;

	(void)state;
	assert_int_equal(transform_and_compare(session, 2 * N, i), 0);
	shutdown(session_socket(trnscid.socket), SHUT_RDWR);
	wait_idle(50); /* the daemon empties its memory */
	before = stat_of(session, "daemon", "queue_runs");
	AWAIT(stat_of(session, "daemon", "queue_runs") >= before + (cpus_usable() > 1 ? FEW : 0))
	for (unsigned end = i + ROUNDS; i < end; i++)
		assert_int_equal(fill_and_compare(session, N, i), 0);
	trnsci_close(session);
}

/* A lost tile of the program keeps the session from its queue until it is filled again. */
static void tiles_after_a_loss(void **state)
{
	struct trnsci_session *session = open_kept(1);
	struct trnsci_tile *tile = new_tile(session, TRNSCI_F32, N);
	const uint64_t least = cpus_usable() > 1 ? FEW : 0;
	uint64_t before;
	unsigned i = 0;

	(void)state;
	expect_draw(session, tile, 1);
	shutdown(session_socket(trnscid.socket), SHUT_RDWR);
	wait_idle(50);
	assert_int_equal(fill_and_compare(session, N, 0), 0);
	before = stat_of(session, "daemon", "queue_runs");
	AWAIT(stat_of(session, "daemon", "queue_runs") >= before + least)
	for (unsigned end = i + ROUNDS; i < end; i++)
		expect_draw(session, tile, i);
	trnsci_tile_free(tile);
	trnsci_close(session);
}

/* ---- beside lost connections ---- */

static _Atomic bool cuts_end;
static _Atomic unsigned done;

/* Ends the session's connection again and again, each time after calls have been done. The daemon then ends the session and empties
 * its memory. */
static void *cut_again_and_again(void *arg)
{
	(void)arg;
	for (int cuts = 0; cuts < CUTS; cuts++) {
		const int fd = session_socket(trnscid.socket);
		const unsigned before = atomic_load(&done);

		if (fd >= 0)
			shutdown(fd, SHUT_RDWR);
		wait_for_rate(2);
		AWAIT(atomic_load(&done) > before);
	}
	atomic_store(&cuts_end, true);
	return NULL;
}

/* Samples are there or an error is: what the daemon has emptied before it was copied is made again. */
static void fills_beside_cuts(void **state)
{
	struct trnsci_session *session = open_kept(1);
	pthread_t thread;

	(void)state;
	assert_int_equal(pthread_create(&thread, NULL, cut_again_and_again, NULL), 0);
	for (unsigned i = 0; !atomic_load(&cuts_end); i++)
		atomic_fetch_add(&done, fill_and_compare(session, i % 2 ? FILL : BY_TILE, i) == 0 &&
						transform_and_compare(session, FILL / 2, i) == 0);
	pthread_join(thread, NULL);
	assert_int_equal(fill_and_compare(session, FILL, 1), 0);
	trnsci_close(session);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tiles), cmocka_unit_test(prepared_once), cmocka_unit_test(freed),
		cmocka_unit_test(wrong), cmocka_unit_test(many),          cmocka_unit_test(restarted),
		cmocka_unit_test(fills), cmocka_unit_test(large_fills),   cmocka_unit_test(many_large_fills), cmocka_unit_test(large_transforms),
		cmocka_unit_test(transforms),
		cmocka_unit_test(fills_after_a_loss),
		cmocka_unit_test(tiles_after_a_loss),
		cmocka_unit_test(fills_beside_cuts),
	};

	return cmocka_run_group_tests(tests, start_both, stop_both);
}
