/* SPDX-License-Identifier: Apache-2.0 */
/* Prepared calls of a daemon: a run's answer has the bytes that the call itself is answered with, whether it is read as
 * plain arguments or as any request, runs in place or on the threads; and nothing is left of it. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "run_prepared.h"
#include "daemon/group_daemon.h"

enum { ROOM = 4 << 20, ARENA = 1 << 20 };

static int setup(void **state)
{
	static const char *const arguments[] = {"--threads=2", "--connections-per-second=1000000", "--arena-bytes=1M",
						"--work-bytes=1M", "--arena-ahead-bytes=0", NULL};

	(void)state;
	group_daemon_start(arguments);
	return 0;
}

static uint64_t prepared_runs(void)
{
	return client_stat(&witness, "daemon.requests_prepared");
}

/* Sends all of it on a connection of its own and ends it: what has come back. */
static size_t exchange(const struct codec_buffer *frames, char *ret)
{
	struct client client;
	size_t have = 0;
	ssize_t got;

	client_open(&client, group_daemon.socket);
	client_send_bytes(&client, frames->at, frames->size);
	shutdown(client.fd, SHUT_WR);
	while ((got = read(client.fd, ret + have, ROOM - have)) > 0)
		have += (size_t)got;
	assert_int_equal(got, 0);
	client_close(&client);
	return have;
}

/* A call as it is sent, in three ways. */
struct sent {
	struct bump *bump;
	struct value params;
	struct codec_buffer frames;
};

static struct sent sent_new(void)
{
	return (struct sent){.bump = bump_new(), .params = value_map()};
}

static void put(struct sent *sent, const char *name, struct value value)
{
	assert_int_equal(value_put(sent->bump, &sent->params, name, value), 0);
}

static void sent_free(struct sent *sent)
{
	codec_buffer_free(&sent->frames);
	bump_free(sent->bump);
}

static void put_prepare(struct codec_buffer *frames, const char *method, uint64_t n)
{
	struct sent call = sent_new(), prepare = sent_new();

	put(&call, "n", value_uint(n));
	put(&prepare, "method", value_string(method));
	put(&prepare, "params", call.params);
	assert_int_equal(codec_request(frames, 1, "prepare", &prepare.params), 0);
	sent_free(&prepare);
	sent_free(&call);
}

/* The answers of both end alike, from the last frame's on. */
static void expect_same(const struct codec_buffer *plain, const struct codec_buffer *prepared, const char *what,
			uint64_t number)
{
	char *alone = malloc(ROOM), *behind = malloc(ROOM);
	const size_t n_alone = exchange(plain, alone), n_behind = exchange(prepared, behind);

	if (n_behind <= n_alone || memcmp(behind + n_behind - n_alone, alone, n_alone) != 0)
		fail_msg("%s %llu: another reply, %zu bytes for %zu", what, (unsigned long long)number, n_behind, n_alone);
	free(alone);
	free(behind);
}

/* text: a number as text, so that the run is read as any request. */
static void compare(const char *method, uint64_t n, uint64_t offset, uint64_t seed, bool text)
{
	struct sent plain = sent_new(), run = sent_new();
	char digits[24];

	snprintf(digits, sizeof digits, "%llu", (unsigned long long)offset);
	put(&plain, "n", value_uint(n));
	put(&plain, "offset", value_uint(offset));
	put(&plain, "seed", value_uint(seed));
	assert_int_equal(codec_request(&plain.frames, 7, method, &plain.params), 0);
	put(&run, "prepared", value_uint(1));
	put(&run, "offset", text ? value_string(digits) : value_uint(offset));
	put(&run, "seed", value_uint(seed));
	put_prepare(&run.frames, method, n);
	assert_int_equal(codec_request(&run.frames, 7, "run_prepared", &run.params), 0);
	expect_same(&plain.frames, &run.frames, method, offset);
	sent_free(&plain);
	sent_free(&run);
}

/* At both ends of each width; in place and on the threads; read in both ways. */
static void positions(void **state)
{
	static const uint64_t offsets[] = {0, 127, 128, 255, 256, 65535, 65536, UINT32_MAX, 1ull << 32, (1ull << 62) + 1,
					   UINT64_MAX - 20};
	const uint64_t before = prepared_runs();
	enum { N = sizeof offsets / sizeof *offsets };

	(void)state;
	for (int i = 0; i < 4 * N; i++)
		compare(i % 2 ? "normal" : "poisson", i / N % 2 ? 5 : 5000, offsets[i % N] - offsets[i % N] / UINT64_MAX * 20000,
			offsets[(i * 7) % N], i / N / 2);
	assert_int_equal(prepared_runs() - before, 4 * N);
}

static uint64_t next(uint64_t *random)
{
	*random = *random * 6364136223846793005u + 1442695040888963407u;
	return *random >> 33;
}

/* A run alike but for some bytes harms no other. */
static void mutated(void **state)
{
	enum { CASES = 600 };
	char *got = malloc(ROOM);
	const uint64_t before = prepared_runs();

	(void)state;
	for (uint64_t seed = 0; seed < CASES; seed++) {
		uint64_t random = ~seed;
		struct sent run = sent_new();
		size_t last;

		put(&run, "prepared", value_uint(1));
		put(&run, "offset", value_uint(70000));
		put_prepare(&run.frames, "uniform", 8);
		last = run.frames.size;
		assert_int_equal(codec_request(&run.frames, 7, "run_prepared", &run.params), 0);
		for (uint64_t n = next(&random) % 3; n; n--)
			run.frames.at[last + next(&random) % (run.frames.size - last)] = (char)next(&random);
		exchange(&run.frames, got);
		sent_free(&run);
	}
	assert_in_range(prepared_runs() - before, CASES / 4, CASES);
	free(got);
}

/* ---- tiles ---- */

static uint64_t new_tile(struct client *client, uint64_t n)
{
	struct value params = client_map(client, "shape", value_uint(n), "dtype", value_string("f32"), NULL);
	struct value tile = client_result(client, "tile", &params);

	return client_number(&tile, "tile");
}

static uint64_t prepare_into(struct client *client, uint64_t tile)
{
	struct value call = client_map(client, "out", value_uint(tile), NULL);
	struct value params = client_map(client, "method", value_string("uniform"), "params", call, NULL);
	struct value reply = client_result(client, "prepare", &params);

	assert_int_equal(client_number(&reply, "tiles"), 1);
	return client_number(&reply, "prepared");
}

static struct message run_into(struct client *client, uint64_t prepared, uint64_t tile)
{
	struct value params = client_map(client, "prepared", value_uint(prepared), "offset", value_uint(1), NULL), tiles;

	if (tile) {
		tiles = value_array();
		assert_int_equal(value_push(client->bump, &tiles, value_uint(tile)), 0);
		assert_int_equal(value_put(client->bump, &params, "tiles", tiles), 0);
	}
	return client_call(client, "run_prepared", &params);
}

/* Freed between two runs, and one of another shape given instead: the error says so, and no byte is written. */
static void other_tiles(void **state)
{
	struct client client;
	struct message message;
	uint64_t tile, small, prepared;
	float *base;

	(void)state;
	client_open(&client, group_daemon.socket);
	close(client_arena(&client, ARENA, (void **)&base));
	tile = new_tile(&client, 512);
	prepared = prepare_into(&client, tile);
	for (uint64_t i = 0; i < 6; i++) {
		message = run_into(&client, prepared, 0);
		assert_int_equal(message.error.code, 0);
		assert_int_equal(client_number(&message.result, "next"), 516);
		assert_int_equal(client_number(&message.result, "tile"), tile);
	}
	struct value params = client_map(&client, "tile", value_uint(tile), NULL);
	client_result(&client, "free", &params);
	small = new_tile(&client, 100);
	memset(base, 0, ARENA);
	message = run_into(&client, prepared, 0);
	assert_int_equal(message.error.code, ERROR_BAD_TILE);
	assert_non_null(strstr(message.error.text, "uniform: out: tile 1 was freed"));
	message = run_into(&client, prepared, small);
	assert_int_equal(message.error.code, ERROR_BAD_SHAPE);
	for (int i = 0; i < 1024; i++)
		assert_true(base[i] == 0);
	tile = new_tile(&client, 512);
	message = run_into(&client, prepared, tile);
	assert_int_equal(message.error.code, 0);
	assert_int_equal(client_number(&message.result, "tile"), tile);
	munmap(base, ARENA);
	client_close(&client);
}

/* Small and large ones and other requests between, all in one piece: each gets its own answer. */
static void interleaved(void **state)
{
	enum { RUNS = 60 };
	struct client client;
	struct codec_buffer frames = {0};
	bool seen[RUNS] = {false};

	(void)state;
	client_open(&client, group_daemon.socket);
	put_prepare(&frames, "normal", 6);
	put_prepare(&frames, "normal", 10000);
	for (uint32_t i = 0; i < RUNS; i++) {
		struct sent run = sent_new();

		put(&run, "prepared", value_uint(1 + i % 3));
		put(&run, "offset", value_uint(i));
		assert_int_equal(codec_request(&frames, 100 + i, i % 4 ? "run_prepared" : "ping", i % 4 ? &run.params : NULL), 0);
		sent_free(&run);
	}
	client_send_bytes(&client, frames.at, frames.size);
	for (int i = 0; i < RUNS + 2; i++) {
		struct message message;
		uint32_t which;

		assert_true(client_receive(&client, &message));
		if (message.msgid == 1)
			continue;
		which = message.msgid - 100;
		assert_true(which < RUNS && !seen[which]);
		seen[which] = true;
		if (which % 4 && which % 3 == 2) {
			assert_int_equal(message.error.code, ERROR_BAD_TILE);
			assert_non_null(strstr(message.error.text, "run_prepared: prepared: there is no prepared call 3"));
		} else {
			assert_int_equal(message.error.code, 0);
		}
		if (which % 4 && which % 3 != 2) {
			assert_int_equal(client_number(&message.result, "offset"), which);
			assert_int_equal(client_number(&message.result, "n"), which % 3 ? 10000 : 6);
		}
	}
	codec_buffer_free(&frames);
	client_close(&client);
}

/* ---- many at once ---- */

/* Appends what a session with short draws begins with: one in the reply, one into a tile, one of which both are refused. */
static void put_short_draws(struct codec_buffer *frames)
{
	struct sent arena = sent_new(), tile = sent_new(), call = sent_new(), prepare = sent_new();

	put(&arena, "bytes", value_uint(ARENA));
	put(&tile, "dtype", value_string("f32"));
	put(&tile, "shape", value_uint(512));
	put(&call, "out", value_uint(1));
	put(&prepare, "method", value_string("uniform"));
	put(&prepare, "params", call.params);
	assert_int_equal(codec_request(frames, 1, "arena", &arena.params), 0);
	assert_int_equal(codec_request(frames, 1, "tile", &tile.params), 0);
	put_prepare(frames, "normal", 77);
	assert_int_equal(codec_request(frames, 1, "prepare", &prepare.params), 0);
	sent_free(&arena);
	sent_free(&tile);
	sent_free(&call);
	sent_free(&prepare);
}

/* Run number i: each changes something else; some are wrong, some are no runs. */
static void put_some_run(struct codec_buffer *frames, uint32_t i)
{
	struct sent run = sent_new();

	put(&run, "prepared", value_uint(i % 13 == 12 ? 3 : 1 + i / 3 % 2));
	put(&run, "offset", value_uint(i % 11 ? (uint64_t)i << i % 40 : UINT64_MAX));
	if (i % 5 == 0)
		put(&run, "seed", value_uint(i));
	if (i % 7 == 0)
		put(&run, "stream", value_uint(UINT64_MAX - i));
	assert_int_equal(codec_request(frames, i << i % 20, i % 17 == 16 ? "ping" : "run_prepared", i % 17 == 16 ? NULL : &run.params), 0);
	sent_free(&run);
}

/* Runs that arrive together are answered with the bytes, and in the order, of runs that arrive alone. */
static void together(void **state)
{
	enum { RUNS = 100 };
	struct codec_buffer begin = {0}, all = {0};
	char *expected = malloc(ROOM), *got = malloc(ROOM);
	size_t n_begin, n_expected;

	(void)state;
	put_short_draws(&begin);
	put_short_draws(&all);
	n_expected = n_begin = exchange(&begin, expected);
	for (uint32_t i = 0; i < RUNS; i++) {
		struct codec_buffer one = {0};
		size_t n;

		put_short_draws(&one);
		put_some_run(&one, i);
		put_some_run(&all, i);
		n = exchange(&one, got);
		assert_true(n > n_begin);
		memcpy(expected + n_expected, got + n_begin, n - n_begin);
		n_expected += n - n_begin;
		codec_buffer_free(&one);
	}
	assert_int_equal(exchange(&all, got), n_expected);
	assert_memory_equal(got, expected, n_expected);
	codec_buffer_free(&begin);
	codec_buffer_free(&all);
	free(expected);
	free(got);
}

/* What it holds counts as work_bytes, max_bytes refuses it, and its release gives all back. */
static void work_bytes(void **state)
{
	struct client client;

	(void)state;
	client_await_stat(&witness, "daemon.sessions", 1);
	client_open(&client, group_daemon.socket);
	const uint64_t before = client_stat(&client, "session.quota.work_total_bytes.user_used");
	struct value call = client_map(&client, "n", value_uint(8), NULL);
	struct value params = client_map(&client, "method", value_string("normal"), "params", call, NULL);
	struct value reply = client_result(&client, "prepare", &params);
	struct value handle = client_map(&client, "prepared", value_uint(client_number(&reply, "prepared")), NULL);

	assert_in_range(client_stat(&client, "session.quota.work_total_bytes.user_used") - before, 1024, 64 << 10);
	assert_int_equal(client_stat(&client, "session.prepared"), 1);
	assert_int_equal(value_put(client.bump, &params, "max_bytes", value_uint(1000)), 0);
	client_fails(&client, "prepare", &params, ERROR_LIMIT, "prepare: max_bytes: the prepared call would hold");
	client_result(&client, "release", &handle);
	client_fails(&client, "run_prepared", &handle, ERROR_BAD_TILE, "there is no prepared call 1");
	assert_int_equal(client_stat(&client, "session.quota.work_total_bytes.user_used"), before);
	client_close(&client);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(positions),   cmocka_unit_test(mutated),    cmocka_unit_test(other_tiles),
		cmocka_unit_test(interleaved), cmocka_unit_test(together),   cmocka_unit_test_teardown(work_bytes, group_daemon_rests),
	};

	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
