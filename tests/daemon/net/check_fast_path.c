/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that come again and again: replies have the bytes that the first request of a session is answered with, also where
 * they are errors; and nothing is left of what the session has prepared for them. */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "daemon/group_daemon.h"

enum { ARENA = 1 << 16, SAMPLES = 1024, BEFORE = 3 /* plain requests until one is prepared */ };

static int setup(void **state)
{
	static const char *const arguments[] = {"--threads=2", "--connections-per-second=1000000", "--arena-bytes=1M",
						"--arena-ahead-bytes=0", NULL};

	(void)state;
	group_daemon_start(arguments);
	return 0;
}

static uint64_t fast_runs(void)
{
	return client_stat(&witness, "daemon.requests_fast_path");
}

/* A client with a tile of SAMPLES f32, whose handle is 1. */
struct drawer {
	struct client client;
	float *samples;
};

static void create_tile(struct drawer *drawer, uint64_t n)
{
	struct value params = client_map(&drawer->client, "dtype", value_string("f32"), "shape", value_uint(n), NULL);

	client_result(&drawer->client, "tile", &params);
}

static void free_tile(struct drawer *drawer, uint64_t handle)
{
	struct value params = client_map(&drawer->client, "tile", value_uint(handle), NULL);

	client_result(&drawer->client, "free", &params);
}

static void drawer_open(struct drawer *drawer)
{
	void *base;

	client_open(&drawer->client, group_daemon.socket);
	close(client_arena(&drawer->client, ARENA, &base));
	drawer->samples = base;
	create_tile(drawer, SAMPLES);
}

static void drawer_close(struct drawer *drawer)
{
	munmap(drawer->samples, ARENA);
	client_close(&drawer->client);
}

/* Sends a request and leaves its reply in the buffer, as bytes without the msgid. */
static void ask(struct drawer *drawer, const char *method, const struct value *params, struct codec_buffer *ret)
{
	struct message message = client_call(&drawer->client, method, params);

	ret->size = 0;
	assert_int_equal(codec_response(ret, 0, &message.error, &message.result), 0);
}

/* The reply, and the tile's samples, are those of a client that sends it for the first time. prepare: what was done before. */
static void expect_plain(struct drawer *drawer, const char *method, const struct value *params,
			 void (*prepare)(struct drawer *drawer))
{
	struct codec_buffer got = {0}, expected = {0};
	struct drawer plain;

	drawer_open(&plain);
	if (prepare)
		prepare(&plain);
	memset(drawer->samples, 0, ARENA);
	ask(&plain, method, params, &expected);
	ask(drawer, method, params, &got);
	assert_int_equal(got.size, expected.size);
	assert_memory_equal(got.at, expected.at, got.size);
	assert_memory_equal(drawer->samples, plain.samples, ARENA);
	codec_buffer_free(&got);
	codec_buffer_free(&expected);
	drawer_close(&plain);
}

/* The draw with each of these numbers, of all widths; samples beyond the stream's end and streams that do not exist are errors. */
static void expect_numbers(const char *method, const char *into, uint64_t size, const char *generator, const char *layout)
{
	static const uint64_t numbers[] = {0, 1, 127, 128, 4096, 65536, UINT64_C(1) << 32, UINT64_C(1) << 62, UINT64_MAX};
	enum { NUMBERS = sizeof numbers / sizeof *numbers };
	const uint64_t before = fast_runs();
	struct drawer drawer;

	drawer_open(&drawer);
	for (size_t i = 0; i < 3 * NUMBERS; i++) {
		struct client *client = &drawer.client;
		const uint64_t a = numbers[i % NUMBERS], b = numbers[i * 5 % NUMBERS];
		struct value params = client_map(client, "seed", value_uint(a), "stream", value_uint(i < NUMBERS ? 0 : b),
						 into, value_uint(size), "offset", value_uint(i < 2 * NUMBERS ? b / 8 : a),
						 "generator", value_string(generator), "key_layout", value_string(layout), NULL);

		expect_plain(&drawer, method, &params, NULL);
	}
	assert_true(fast_runs() > before);
	drawer_close(&drawer);
}

static void draws(void **state)
{
	(void)state;
	expect_numbers("normal", "out", 1, "threefry4x32", "plain");
	expect_numbers("normal", "n", 100, "philox4x32", "plain");
	expect_numbers("exponential", "n", 1, "threefry4x32", "trn24");
	expect_numbers("normal", "n", 4096, "threefry4x32", "plain");
}

/* Requests of all kinds, each some times: what cannot be prepared stays a plain request. */
static void others(void **state)
{
	struct drawer drawer;
	struct client *client = &drawer.client;

	(void)state;
	drawer_open(&drawer);
	struct value step = client_map(client, "op", value_string("uniform"), "out", value_uint(1), NULL);
	struct value steps = value_array(), lambda = client_map(client, "tile", value_uint(1), NULL);

	assert_int_equal(value_push(client->bump, &steps, step), 0);
	const struct {
		const char *method;
		struct value params;
	} rows[] = {
		{"no_such_method", client_map(client, "n", value_uint(1), "seed", value_uint(3), NULL)},
		{"normal", client_map(client, "n", value_uint(0), NULL)},
		{"run", client_map(client, "seed", value_uint(3), "steps", steps, "offset", value_uint(8), NULL)},
		{"sobol", client_map(client, "n", value_uint(8), "d", value_uint(3), "offset", value_uint(5), NULL)},
		{"uniform", client_map(client, "n", value_uint(4), "u64", value_string("text"), NULL)},
		{"uniform", client_map(client, "n", value_uint(5000), NULL)}, /* too large a reply */
		{"normal", client_map(client, "n", value_uint(4), "timeout_ms", value_uint(60000), NULL)},
		{"poisson", client_map(client, "n", value_uint(4), "lambda", value_real(3), "rank", value_uint(1),
				       "size", value_uint(2), NULL)},
		{"scale", client_map(client, "in", lambda, "by", value_real(2), "out", value_uint(1), NULL)},
		{"normal", client_map(client, "n", value_uint(4), "seed", value_int(-1), NULL)},
		{"normal", client_map(client, "n", value_uint(4), "nothing", value_uint(1), NULL)},
		{"normal", client_map(client, "n", value_uint(4), "position", value_uint(3), NULL)},
		{"normal", client_map(client, "n", value_uint(4), "position", value_uint(8), NULL)},
		{"stream_draw", client_map(client, "name", value_string("none"), NULL)},
		{"ping", client_map(client, "payload", value_uint(8), NULL)},
	};

	for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
		for (int runs = 0; runs < 2 * BEFORE; runs++)
			expect_plain(&drawer, rows[i].method, &rows[i].params, NULL);
	drawer_close(&drawer);
}

/* Several requests in turn keep their places; more than there are places are plain. */
static void in_turn(void **state)
{
	struct drawer drawer;

	(void)state;
	for (uint64_t kinds = 1; kinds <= 6; kinds++) {
		const uint64_t before = fast_runs();

		drawer_open(&drawer);
		for (uint64_t i = 0; i < 8 * kinds; i++) {
			struct value params = client_map(&drawer.client, "n", value_uint(1 + i % kinds), "offset",
							 value_uint(i), NULL);

			expect_plain(&drawer, "normal", &params, NULL);
		}
		assert_int_equal(fast_runs() - before, kinds <= 4 ? (8 - BEFORE) * kinds : 0);
		drawer_close(&drawer);
	}
}

static void lose_tile(struct drawer *drawer)
{
	free_tile(drawer, 1);
}

static void replace_tile(struct drawer *drawer)
{
	free_tile(drawer, 1);
	create_tile(drawer, SAMPLES / 2);
}

/* A tile that was freed is reported as ever. */
static void freed_tiles(void **state)
{
	struct drawer drawer;

	(void)state;
	drawer_open(&drawer);
	struct value params = client_map(&drawer.client, "out", value_uint(1), NULL);

	for (int i = 0; i < BEFORE + 2; i++)
		expect_plain(&drawer, "normal", &params, NULL);
	free_tile(&drawer, 1);
	expect_plain(&drawer, "normal", &params, lose_tile);
	create_tile(&drawer, SAMPLES / 2);
	expect_plain(&drawer, "normal", &params, replace_tile);
	assert_int_equal(client_stat(&drawer.client, "session.bytes_used"), SAMPLES / 2 * sizeof(float));
	drawer_close(&drawer);
}

/* What is prepared for the session counts as its work memory, is no prepared call of the client's, and its requests count
 * as draws. */
static void figures(void **state)
{
	struct drawer drawer;

	(void)state;
	client_await_stat(&witness, "daemon.sessions", 1);
	drawer_open(&drawer);
	struct value params = client_map(&drawer.client, "out", value_uint(1), NULL);
	const uint64_t used = client_stat(&drawer.client, "session.quota.work_total_bytes.user_used");
	const uint64_t prepared = client_stat(&witness, "daemon.requests_prepared"), fast = fast_runs();
	const uint64_t counted = client_stat(&witness, "daemon.latency.draw.count");

	for (int i = 0; i < 100; i++)
		client_result(&drawer.client, "normal", &params);
	assert_int_equal(fast_runs() - fast, 100 - BEFORE);
	assert_int_equal(client_stat(&witness, "daemon.requests_prepared"), prepared);
	assert_int_equal(client_stat(&witness, "daemon.latency.draw.count"), counted + 100);
	assert_int_equal(client_stat(&drawer.client, "session.prepared"), 0);
	assert_int_equal(client_stat(&drawer.client, "session.jobs"), 0);
	assert_in_range(client_stat(&drawer.client, "session.quota.work_total_bytes.user_used") - used, 1024, 64 << 10);
	drawer_close(&drawer);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(draws),
		cmocka_unit_test(others),
		cmocka_unit_test(in_turn),
		cmocka_unit_test(freed_tiles),
		cmocka_unit_test_teardown(figures, group_daemon_rests),
	};

	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
