/* SPDX-License-Identifier: Apache-2.0 */
/* What a daemon's end leaves to those who speak the protocol themselves: an arena keeps its content when the daemon is
 * killed or stopped, so a client takes it along to the next instance. When a living daemon ends a session, the arena is
 * marked while the connection is still open, and then emptied. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "harness.h"

enum { ARENA = 1 << 20, N = 1000, PAGE = 4096, WAIT_S = 30 };

static struct daemon trnscid;
static const char *const arguments[] = {"--threads=2", NULL};
static const int signals[] = {SIGKILL, SIGTERM};

/* A client and its arena. */
struct holder {
	struct client client;
	int fd;
	char *base;
};

static void open_holder(struct holder *holder)
{
	void *base;

	client_open(&holder->client, trnscid.socket);
	holder->fd = client_arena(&holder->client, ARENA, &base);
	holder->base = base;
}

static void close_holder(struct holder *holder)
{
	munmap(holder->base, ARENA);
	close(holder->fd);
	client_close(&holder->client);
}

static struct value tile_params(struct client *client, uint64_t offset)
{
	return client_map(client, "dtype", value_string("f32"), "shape", value_uint(N), "offset", value_uint(offset), NULL);
}

static uint64_t make_tile(struct client *client, uint64_t offset)
{
	struct value params = tile_params(client, offset);
	struct value tile = client_result(client, "tile", &params);

	assert_int_equal(client_number(&tile, "offset"), offset);
	return client_number(&tile, "tile");
}

static void copy_instance(struct client *client, char text[17])
{
	struct value params = value_map(), version = client_result(client, "version", &params);
	const struct value *instance = value_get(&version, "instance");

	assert_non_null(instance);
	assert_int_equal(instance->kind, VALUE_STRING);
	assert_int_equal(instance->bytes.size, 16);
	memcpy(text, instance->bytes.at, 16);
	text[16] = '\0';
}

/* The float32 samples of a normal draw, as the daemon sends them in a reply. */
static void draw_inline(struct client *client, uint64_t seed, float out[N])
{
	struct value params = client_map(client, "n", value_uint(N), "seed", value_uint(seed), NULL);
	struct value reply = client_result(client, "normal", &params);
	const struct value *data = value_get(&reply, "data");

	assert_int_equal(data->bytes.size, N * sizeof(float));
	memcpy(out, data->bytes.at, N * sizeof(float));
}

static bool is_marked(const struct holder *holder)
{
	struct stat there;

	assert_int_equal(fstat(holder->fd, &there), 0);
	return (there.st_mode & 0777) == 0;
}

static void await_end(struct client *client)
{
	struct message message;

	while (client_receive(client, &message))
		;
}

/* ------- the daemon ends ------- */

/* Draws into tiles are under way. A stop answers them all; a kill answers none. */
static void end_while_it_draws(struct holder *holder, const uint64_t tiles[2], int signal_number)
{
	struct message message;
	int answers = 0;

	if (signal_number == SIGKILL)
		kill(trnscid.pid, SIGSTOP);
	for (uint64_t i = 0; i < 2; i++) {
		struct value params = client_map(&holder->client, "seed", value_uint(i), "out", value_uint(tiles[i]), NULL);

		client_send(&holder->client, "normal", &params);
	}
	kill(trnscid.pid, signal_number);
	while (client_receive(&holder->client, &message)) {
		assert_int_equal(message.error.code, 0);
		answers++;
	}
	assert_int_equal(answers, signal_number == SIGKILL ? 0 : 2);
	assert_int_equal(daemon_wait(&trnscid), signal_number == SIGKILL ? 128 + SIGKILL : 0);
}

/* x is the client's own, the others are drawn. */
static void the_content_goes_along(void **state)
{
	enum { X = 0, FIRST = 4096, SECOND = 64 << 10, SUM = 128 << 10 };
	static float own[N], drawn[N], sums[N];
	char instances[3][17];

	(void)state;
	for (size_t i = 0; i < sizeof signals / sizeof *signals; i++) {
		struct holder before, after;
		uint64_t x, tiles[2], sum;

		open_holder(&before);
		copy_instance(&before.client, instances[0]);
		for (int k = 0; k < N; k++)
			own[k] = (float)(k + 1);
		draw_inline(&before.client, 1, drawn);
		make_tile(&before.client, X);
		tiles[0] = make_tile(&before.client, FIRST);
		tiles[1] = make_tile(&before.client, SECOND);
		memcpy(before.base + X, own, sizeof own);
		end_while_it_draws(&before, tiles, signals[i]);
		assert_false(is_marked(&before));
		assert_memory_equal(before.base + X, own, sizeof own);
		if (signals[i] == SIGTERM)
			assert_memory_equal(before.base + SECOND, drawn, sizeof drawn);

		daemon_spawn(&trnscid, arguments, NULL);
		daemon_await(&trnscid, "READY=1");
		open_holder(&after);
		copy_instance(&after.client, instances[1]);
		assert_string_not_equal(instances[0], instances[1]);
		x = make_tile(&after.client, X);
		make_tile(&after.client, SECOND); /* what lies between stays free */
		sum = make_tile(&after.client, SUM);
		memcpy(after.base + X, before.base + X, sizeof own);
		close_holder(&before);

		struct value params = client_map(&after.client, "a", value_uint(x), "b", value_uint(x), "out", value_uint(sum), NULL);
		client_result(&after.client, "add", &params);
		for (int k = 0; k < N; k++)
			sums[k] = 2 * own[k];
		assert_memory_equal(after.base + SUM, sums, sizeof sums);
		copy_instance(&after.client, instances[2]);
		assert_string_equal(instances[1], instances[2]);
		close_holder(&after);
	}
}

/* ------- a living daemon ends a session ------- */

/* By something that is no message. */
static void end_session(struct holder *holder)
{
	memset(holder->base, 1, ARENA);
	client_send_bytes(&holder->client, "\xc1", 1);
	await_end(&holder->client);
	if (!is_marked(holder))
		fail_msg("expected the arena to be marked before the connection is closed, got one that is not");
}

static bool is_empty(const struct holder *holder)
{
	struct stat there;

	assert_int_equal(fstat(holder->fd, &there), 0);
	return there.st_blocks == 0;
}

static void a_session_that_ends_is_emptied(void **state)
{
	const struct timespec pause = {0, 1000000};
	const time_t end = time(NULL) + WAIT_S;
	struct holder holder;

	(void)state;
	open_holder(&holder);
	assert_false(is_marked(&holder));
	end_session(&holder);
	while (!is_empty(&holder) && time(NULL) < end)
		nanosleep(&pause, NULL);
	assert_true(is_empty(&holder));
	for (int at = 0; at < ARENA; at += PAGE)
		assert_int_equal(holder.base[at], 0);
	close_holder(&holder);
}

/* What a session has left when the daemon is stopped is emptied all the same: the last, no daemon is left. */
static void a_stop_behind_the_end_empties(void **state)
{
	struct holder ended, kept;

	(void)state;
	open_holder(&ended);
	open_holder(&kept);
	memset(kept.base, 1, ARENA);
	end_session(&ended);
	kill(trnscid.pid, SIGTERM);
	assert_int_equal(daemon_wait(&trnscid), 0);
	assert_true(is_empty(&ended));
	assert_false(is_marked(&kept));
	for (int at = 0; at < ARENA; at++)
		assert_int_equal(kept.base[at], 1);
	close_holder(&ended);
	close_holder(&kept);
}

/* ------- tiles at an offset ------- */

static void a_place_is_checked(void **state)
{
	static const uint64_t wrong[] = {1, 4096 + 32, 4096, 4096 + N * 4 - 64, ARENA, ARENA - 64, UINT64_MAX, UINT64_MAX - 63};
	struct holder holder;

	(void)state;
	open_holder(&holder);
	make_tile(&holder.client, 4096);
	for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
		struct value params = tile_params(&holder.client, wrong[i]);

		client_fails(&holder.client, "tile", &params, ERROR_OUT_OF_RANGE, "offset");
	}
	make_tile(&holder.client, ARENA - 64 * ((N * 4 + 63) / 64));
	close_holder(&holder);
}

static int setup(void **state)
{
	(void)state;
	daemon_start(&trnscid, arguments);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	daemon_remove_dir(&trnscid);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_place_is_checked),
		cmocka_unit_test(a_session_that_ends_is_emptied),
		cmocka_unit_test(the_content_goes_along),
		cmocka_unit_test(a_stop_behind_the_end_empties),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
