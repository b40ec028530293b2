/* SPDX-License-Identifier: Apache-2.0 */
/* Each limit of a session, a user or the host, with an error that names it. */
#include <stdio.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/group_daemon.h"

enum { ARENA = 32 << 20 };

static int setup(void **state)
{
	static const char *const arguments[] = {"--threads=2",       "--socket-mode=0666", "--connections=14",
						"--jobs=20",         "--arena-bytes=64M",  "--arena-total-bytes=1G",
						"--tiles=40",        "--inline-bytes=64K", "--frame-bytes=1M",
						"--buffer-bytes=3M", "--work-bytes=32K",   "--arena-ahead-bytes=1M", NULL};

	(void)state;
	group_daemon_start(arguments);
	assert_int_equal(chmod(group_daemon.dir, 0755), 0);
	return 0;
}

/* Sessions end when the daemon sees them end: the next test begins with the witness alone. */
static int alone(void **state)
{
	(void)state;
	client_await_stat(&witness, "daemon.sessions", 1);
	return 0;
}

static void limits_are_named(void **state)
{
	struct client client;
	void *base;

	(void)state;
	client_open(&client, group_daemon.socket);
	struct value params = client_map(&client, "bytes", value_uint((64 << 20) + 1), NULL);
	client_fails(&client, "arena", &params, ERROR_LIMIT, "arena_bytes = 67108864");
	close(client_arena(&client, ARENA, &base));
	params = client_map(&client, "n", value_uint(16385), NULL);
	client_fails(&client, "uniform", &params, ERROR_LIMIT, "inline_bytes");
	params = client_map(&client, "dtype", value_string("f32"), "shape", value_uint(1), NULL);
	for (int i = 0; i < 40; i++)
		client_result(&client, "tile", &params);
	client_fails(&client, "tile", &params, ERROR_LIMIT, "tiles");
	munmap(base, ARENA);
	client_close(&client);
}

/* A program of about a second, which is cancelled before: into a tile of its own, since what races in memory is the
 * client's affair, but not the sanitizer's. */
static uint32_t send_endless(struct client *client)
{
	struct value params = client_map(client, "dtype", value_string("f32"), "shape", value_uint(1 << 17), NULL);
	struct value steps = value_array(), tile = client_result(client, "tile", &params);

	for (int i = 0; i < 256; i++) {
		struct value step = client_map(client, "op", value_string("beta"), "alpha", value_real(0.1), "beta",
					       value_real(0.1), "out", value_uint(client_number(&tile, "tile")), NULL);

		assert_int_equal(value_push(client->bump, &steps, step), 0);
	}
	params = client_map(client, "steps", steps, NULL);
	return client_send(client, "run", &params);
}

/* --jobs=20: as many as that are held until they are cancelled, and all that come meanwhile are refused. */
static void too_many_requests(void **state)
{
	enum { HELD = 20, MORE = 11 };
	struct client client;
	struct message message;
	struct value one;
	uint32_t held[HELD];
	unsigned cancelled = 0;
	void *base;

	(void)state;
	client_open(&client, group_daemon.socket);
	close(client_arena(&client, ARENA, &base));
	for (int i = 0; i < HELD; i++)
		held[i] = send_endless(&client);
	one = client_map(&client, "n", value_uint(1), NULL);
	for (int i = 0; i < MORE; i++)
		client_fails(&client, "uniform", &one, ERROR_LIMIT, "jobs");
	for (int i = 0; i < HELD; i++) {
		struct value which = client_map(&client, "msgid", value_uint(held[i]), NULL);

		client_send(&client, "cancel", &which);
	}
	for (int i = 0; i < 2 * HELD; i++) {
		assert_true(client_receive(&client, &message));
		cancelled += message.error.code == ERROR_CANCELLED;
	}
	assert_int_equal(cancelled, HELD);
	client_result(&client, "uniform", &one);
	munmap(base, ARENA);
	client_close(&client);
}

/* Results and temporaries count until the reply is on its way: --work-bytes=32K. */
static void too_large_results(void **state)
{
	struct client client;

	(void)state;
	client_open(&client, group_daemon.socket);
	for (uint64_t n = 4095; n <= 4097; n++) {
		struct value params = client_map(&client, "n", value_uint(n), "dtype", value_string("f64"), NULL);

		if (n <= 4096)
			client_result(&client, "normal", &params);
		else
			client_fails(&client, "normal", &params, ERROR_LIMIT, "the setting work_bytes = 32768");
		assert_int_equal(client_stat(&client, "daemon.quota.work_total_bytes.used"), 0);
	}
	client_close(&client);
}

/* Half of --connections=14 is a user's; and the witness is one of them; one more gets the reason and is closed, whether
 * it says something or not. */
static void too_many_connections(void **state)
{
	struct client client[7], beyond;

	(void)state;
	for (int i = 0; i < 6; i++)
		client_open(&client[i], group_daemon.socket);
	client_await_stat(&client[0], "daemon.sessions", 7);
	for (int round = 0; round < 40; round++) {
		client_open(&beyond, group_daemon.socket);
		if (round % 2)
			client_is_refused(&beyond, "half of the setting connections = 14");
		else
			assert_false(client_is_let_in(&beyond, "half of the setting connections = 14"));
		client_close(&beyond);
	}
	assert_int_equal(client_stat(&client[0], "daemon.connections_refused"), 40);
	assert_int_equal(client_stat(&client[0], "daemon.sessions"), 7);
	client_close(&client[5]);
	client_await_stat(&client[0], "daemon.sessions", 6);
	client_open(&client[5], group_daemon.socket);
	client_result(&client[5], "ping", NULL);
	for (int i = 0; i < 6; i++)
		client_close(&client[i]);
}

/* Thousands at once, all of which stay open before one of them is read: each gets its reason. Every third has sent a
 * request, and every third of a message that it never ends. */
static void crowd_beyond(void **state)
{
	enum { CROWD = 5000 };
	static const char request[] = "\x94\x00\x07\xa4ping\x91\x80";
	static struct client crowd[CROWD];
	struct client client[6];
	struct rlimit limit;
	const uint64_t before = client_stat(&witness, "daemon.connections_refused");

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	if (limit.rlim_max < CROWD + 100) {
		printf("# skipped: %d connections need as many open files, allowed are %ju\n", CROWD, (uintmax_t)limit.rlim_max);
		skip();
	}
	limit.rlim_cur = limit.rlim_max;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	for (int i = 0; i < 6; i++)
		client_open(&client[i], group_daemon.socket);
	client_await_stat(&witness, "daemon.sessions", 7);
	for (int i = 0; i < CROWD; i++) {
		client_open(&crowd[i], group_daemon.socket);
		if (i % 3)
			fdpass_send(crowd[i].fd, request, i % 3 == 1 ? sizeof request - 1 : 4, NULL);
	}
	for (int i = 0; i < CROWD; i++)
		client_is_refused(&crowd[i], "connections");
	assert_int_equal(client_stat(&witness, "daemon.connections_refused"), before + CROWD);
	for (int i = 0; i < CROWD; i++)
		client_close(&crowd[i]);
	for (int i = 0; i < 6; i++)
		client_close(&client[i]);
}

/* Another user has a half of its own. */
static void users_are_apart(void **state)
{
	struct client client[6];
	int status;

	(void)state;
	if (getuid() != 0) {
		printf("# only root can become another user\n");
		skip();
	}
	for (int i = 0; i < 6; i++)
		client_open(&client[i], group_daemon.socket);
	client_await_stat(&client[0], "session.quota.connections.user_used", 7);
	pid_t pid = fork();
	if (pid == 0) {
		struct client other;

		if (setgid(65534) || setuid(65534))
			_exit(2);
		client_open(&other, group_daemon.socket);
		client_result(&other, "ping", NULL);
		uint64_t uid = client_stat(&other, "session.uid"),
			 used = client_stat(&other, "session.quota.connections.user_used");
		_exit(uid == 65534 && used == 1 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	for (int i = 0; i < 6; i++)
		client_close(&client[i]);
}

/* A frame of --frame-bytes passes (its inline input is then too much); one byte more ends the connection. */
static void long_frames(void **state)
{
	enum { LIMIT = 1 << 20 };
	static char bytes[LIMIT + 1] = "\x94\x00\x07\xa4ping\x91\x81\xa7payload\xc6";
	enum { HEAD = 10 + 8 + 5 };
	struct client client;
	struct message message;

	(void)state;
	for (int more = 0; more < 2; more++) {
		uint32_t size = LIMIT - HEAD + more;

		for (int i = 0; i < 4; i++)
			bytes[HEAD - 4 + i] = (char)(size >> (24 - 8 * i));
		client_open(&client, group_daemon.socket);
		if (more) {
			client_send_bytes(&client, bytes, HEAD);
			assert_true(client_receive(&client, &message));
			assert_int_equal(message.type, MESSAGE_NOTIFICATION);
			assert_false(client_receive(&client, &message));
		} else {
			client_send_bytes(&client, bytes, LIMIT);
			assert_true(client_receive(&client, &message));
			assert_int_equal(message.msgid, 7);
			if (message.error.code == 0)
				assert_int_equal(value_get(&message.result, "payload")->bytes.size, LIMIT - HEAD);
			client_result(&client, "ping", NULL);
		}
		client_close(&client);
	}
}

int main(void)
{
#define test(name) cmocka_unit_test_teardown(name, alone)
	const struct CMUnitTest tests[] = {
		test(limits_are_named),
		test(too_many_requests),
		test(too_large_results),
		test(too_many_connections),
		test(crowd_beyond),
		test(users_are_apart),
		test(long_frames),
	};

	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
