/* SPDX-License-Identifier: Apache-2.0 */
/* What a session promises: pipelining, answers in any order, end of input, hang-up, cancel, one arena, and each limit
 * with an error that names it. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "served.h"

enum { ARENA = 32 << 20 };

static int setup(void **state)
{
	static const char *const arguments[] = {"--threads=2",       "--socket-mode=0666", "--connections=14",
						"--jobs=20",         "--arena-bytes=64M",  "--arena-total-bytes=1G",
						"--tiles=40",        "--inline-bytes=64K", "--frame-bytes=1M",
						"--buffer-bytes=3M", "--work-bytes=32K",   "--arena-ahead-bytes=1M", NULL};

	(void)state;
	served_start(arguments);
	assert_int_equal(chmod(served.dir, 0755), 0);
	return 0;
}

/* Sessions end when the daemon sees them end: the next test begins with the witness alone. */
static int alone(void **state)
{
	(void)state;
	client_await_stat(&witness, "daemon.sessions", 1);
	return 0;
}

/* Ten thousand requests in one go, their replies read afterwards: each is answered once. */
static void pipelining(void **state)
{
	enum { COUNT = 10000 };
	struct client client;
	struct codec_buffer requests = {0};
	static uint8_t answered[COUNT];

	(void)state;
	client_open(&client, served.socket);
	for (uint32_t i = 0; i < COUNT; i++)
		assert_int_equal(codec_request(&requests, i, i % 2 ? "ping" : "version", NULL), 0);
	pid_t pid = fork();
	if (pid == 0) {
		client_send_bytes(&client, requests.at, requests.size);
		_exit(0);
	}
	for (int i = 0; i < COUNT; i++) {
		struct message message;

		assert_true(client_receive(&client, &message));
		assert_int_equal(message.error.code, 0);
		assert_in_range(message.msgid, 0, COUNT - 1);
		assert_int_equal(answered[message.msgid]++, 0);
	}
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	codec_buffer_free(&requests);
	client_close(&client);
}

/* A client with an arena for its tiles, into which it does not look. */
static void open_with_arena(struct client *client)
{
	void *base;

	client_open(client, served.socket);
	close(client_arena(client, ARENA, &base));
	munmap(base, ARENA);
}

/* A short request is not stuck behind a long one. */
static void any_order(void **state)
{
	struct client client;
	struct message message;

	(void)state;
	open_with_arena(&client);
	uint32_t slow = client_send_long(&client, 100), quick = client_send(&client, "ping", NULL);
	assert_true(client_receive(&client, &message));
	assert_int_equal(message.msgid, quick);
	assert_true(client_receive(&client, &message));
	assert_int_equal(message.msgid, slow);
	assert_int_equal(message.error.code, 0);
	client_close(&client);
}

static void half_close_finishes(void **state)
{
	struct client client;
	struct message message;

	(void)state;
	open_with_arena(&client);
	uint32_t slow = client_send_long(&client, 100);
	client_send(&client, "ping", NULL);
	shutdown(client.fd, SHUT_WR);
	for (int i = 0; i < 2; i++) {
		assert_true(client_receive(&client, &message));
		assert_int_equal(message.error.code, 0);
		assert_int_equal(message.msgid, i ? slow : slow + 1);
	}
	assert_false(client_receive(&client, &message));
	client_close(&client);
}

/* Also after a half-close, when nothing is read any more. */
static void hang_up_cancels(void **state)
{
	struct client client;

	(void)state;
	for (int half = 0; half < 2; half++) {
		open_with_arena(&client);
		client_send_long(&client, 250);
		assert_int_equal(client_stat(&client, "daemon.quota.jobs_total.used"), 1);
		if (half)
			shutdown(client.fd, SHUT_WR);
		client_close(&client);
		/* uncancelled it would take most of a second */
		client_await_stat(&witness, "daemon.quota.jobs_total.used", 0);
		client_await_stat(&witness, "daemon.sessions", 1);
	}
}

static void cancel(void **state)
{
	struct client client;
	struct message message;
	bool cancelled = false;

	(void)state;
	open_with_arena(&client);
	uint32_t slow = client_send_long(&client, 250);
	struct value params = client_map(&client, "msgid", value_uint(slow), NULL);
	client_send(&client, "cancel", &params);
	for (int i = 0; i < 2; i++) {
		assert_true(client_receive(&client, &message));
		if (message.msgid == slow) {
			assert_int_equal(message.error.code, ERROR_CANCELLED);
		} else {
			assert_int_equal(message.error.code, 0);
			cancelled = value_get(&message.result, "cancelled")->boolean;
		}
	}
	assert_true(cancelled);
	/* what is no longer there, and what never was */
	struct value result = client_result(&client, "cancel", &params);
	assert_false(value_get(&result, "cancelled")->boolean);
	client_close(&client);
}

/* Draws that are computed where they arrive, and by the lanes, are answered while another client's job still runs. */
static void small_is_not_behind_large(void **state)
{
	struct client large, small;
	struct message message;
	void *base, *own;
	char byte;

	(void)state;
	client_open(&large, served.socket);
	client_open(&small, served.socket);
	close(client_arena(&large, ARENA, &base));
	close(client_arena(&small, 4 << 20, &own));
	struct value shape = client_map(&small, "dtype", value_string("f32"), "shape", value_uint(500000), NULL);
	struct value tile = client_result(&small, "tile", &shape);
	struct value fill = client_map(&small, "out", value_uint(client_number(&tile, "tile")), NULL);
	struct value few = client_map(&small, "n", value_uint(512), NULL);
	uint32_t msgid = client_send_long(&large, 250);
	client_await_stat(&witness, "daemon.quota.jobs_total.used", 1);
	for (int i = 0; i < 20; i++) {
		client_result(&small, "normal", i % 2 ? &fill : &few);
		if (recv(large.fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0)
			fail_msg("the large job was answered before small one %d", i);
	}
	struct value cancel = client_map(&large, "msgid", value_uint(msgid), NULL);
	client_send(&large, "cancel", &cancel);
	assert_true(client_receive(&large, &message));
	assert_true(client_receive(&large, &message));
	munmap(base, ARENA);
	munmap(own, 4 << 20);
	client_close(&large);
	client_close(&small);
}

/* Huge pages as the host offers them for shared memory; a spare arena, made soon after a start. */
static void stats_tell_of_pages(void **state)
{
	static const char *const words[] = {"always", "within_size", "advise", "never", "deny", "force", "unknown"};
	char line[128] = "", bracketed[32];
	FILE *file = fopen("/sys/kernel/mm/transparent_hugepage/shmem_enabled", "r");
	bool known = false, spare = false;

	(void)state;
	if (file && !fgets(line, sizeof line, file))
		line[0] = '\0';
	if (file)
		fclose(file);
	for (int i = 0; i < 2000 && !spare; i++) {
		struct client client;

		client_open(&client, served.socket);
		struct value stats = client_result(&client, "stats", NULL);
		const struct value *daemon = value_get(&stats, "daemon"), *huge = value_get(daemon, "huge_pages");
		assert_int_equal(value_get(daemon, "spare_arena")->kind, VALUE_BOOL);
		spare = value_get(daemon, "spare_arena")->boolean;
		for (size_t k = 0; k < sizeof words / sizeof *words && i == 0; k++) {
			snprintf(bracketed, sizeof bracketed, "[%s]", words[k]);
			if (value_is_text(huge, words[k]))
				known = strstr(line, bracketed) || (k == 6 && !*line);
		}
		client_close(&client);
		if (!spare)
			usleep(5000);
	}
	if (!known)
		fail_msg("expected huge_pages to be the word in brackets of \"%s\"", line);
	assert_true(spare);
}

static void notifications(void **state)
{
	struct client client;
	struct codec_buffer buffer = {0};

	(void)state;
	client_open(&client, served.socket);
	for (int i = 0; i < 100; i++)
		assert_int_equal(codec_notification(&buffer, i % 2 ? "uniform" : "nvim_error_event", NULL), 0);
	client_send_bytes(&client, buffer.at, buffer.size);
	client_send_bytes(&client, "\x93\x02\xa1x\x92\x01\x02", 7); /* with params of another shape */
	client_result(&client, "ping", NULL);
	assert_int_equal(client_stat(&client, "daemon.notifications_ignored"), 101);
	codec_buffer_free(&buffer);
	client_close(&client);
}

static void arena_and_tiles(void **state)
{
	enum { N = 5000 };
	struct client client;
	unsigned char *base;
	struct value shape = value_array();
	void *mapped;

	(void)state;
	client_open(&client, served.socket);
	struct value params = client_map(&client, "dtype", value_string("f32"), "shape", value_uint(N), NULL);
	client_fails(&client, "tile", &params, ERROR_NOT_SUPPORTED, "arena");
	int fd = client_arena(&client, 100001, &mapped);
	base = mapped;
	struct stat there;
	assert_int_equal(fstat(fd, &there), 0);
	assert_int_equal(there.st_size, (100001 + 4095) / 4096 * 4096);
	assert_int_equal(fcntl(fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	value_push(client.zone, &shape, value_uint(N));
	struct value tile = client_result(&client, "tile", &params);
	uint64_t offset = client_number(&tile, "offset");
	assert_int_equal(offset % 64, 0);
	params = client_map(&client, "seed", value_uint(5), "out", value_uint(client_number(&tile, "tile")), NULL);
	client_result(&client, "normal", &params);
	params = client_map(&client, "seed", value_uint(5), "n", value_uint(N), NULL);
	struct value inlined = client_result(&client, "normal", &params);
	const struct value *data = value_get(&inlined, "data");
	assert_int_equal(data->bytes.size, N * 4);
	assert_memory_equal(base + offset, data->bytes.at, N * 4);
	munmap(base, 102400);
	close(fd);
	client_close(&client);
}

/* ------- limits ------- */

static void limits_are_named(void **state)
{
	struct client client;
	void *base;

	(void)state;
	client_open(&client, served.socket);
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

		assert_int_equal(value_push(client->zone, &steps, step), 0);
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

	(void)state;
	open_with_arena(&client);
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
	client_close(&client);
}

/* Results and temporaries count until the reply is on its way: --work-bytes=32K. */
static void too_large_results(void **state)
{
	struct client client;

	(void)state;
	client_open(&client, served.socket);
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

/* Half of --connections=14 is a user's; and the witness is one of them; one more is told so with its first message,
 * then closed. */
static void too_many_connections(void **state)
{
	struct client client[7], beyond;
	struct message message;

	(void)state;
	for (int i = 0; i < 6; i++)
		client_open(&client[i], served.socket);
	client_await_stat(&client[0], "daemon.sessions", 7);
	for (int round = 0; round < 40; round++) {
		client_open(&beyond, served.socket);
		client_fails(&beyond, "ping", NULL, ERROR_LIMIT, "half of the setting connections = 14");
		assert_false(client_receive(&beyond, &message));
		client_close(&beyond);
	}
	client_await_stat(&client[0], "daemon.sessions", 7);
	/* who says nothing is not kept for ever, and there are 16 at most */
	struct client silent[20];
	for (int i = 0; i < 20; i++)
		client_open(&silent[i], served.socket);
	client_await_stat(&client[0], "daemon.connections_refused", 60);
	assert_true(client_stat(&client[0], "daemon.sessions") <= 7 + 16);
	client_await_stat(&client[0], "daemon.sessions", 7);
	for (int i = 0; i < 20; i++)
		client_close(&silent[i]);
	client_close(&client[5]);
	client_await_stat(&client[0], "daemon.sessions", 6);
	client_open(&client[5], served.socket);
	client_result(&client[5], "ping", NULL);
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
		client_open(&client[i], served.socket);
	client_await_stat(&client[0], "session.quota.connections.user_used", 7);
	pid_t pid = fork();
	if (pid == 0) {
		struct client other;

		if (setgid(65534) || setuid(65534))
			_exit(2);
		client_open(&other, served.socket);
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
		client_open(&client, served.socket);
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

static uint64_t cpu_ns(void)
{
	struct timespec used;
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(served.pid, &clock), 0);
	assert_int_equal(clock_gettime(clock, &used), 0);
	return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

/* Lively traffic makes the loop spin; a fifth of a second after it, it sleeps. */
static void idle_uses_no_cpu(void **state)
{
	struct client client;
	struct value none = value_map();
	uint64_t before;

	(void)state;
	client_open(&client, served.socket);
	for (int i = 0; i < 500; i++)
		client_result(&client, "ping", &none);
	usleep(200000);
	before = cpu_ns();
	usleep(300000);
	if (cpu_ns() - before > 10000000)
		fail_msg("expected under 10 ms of CPU time in 300 ms of rest, got %llu us",
			 (unsigned long long)(cpu_ns() - before) / 1000);
	client_close(&client);
}

int main(void)
{
#define test(name) cmocka_unit_test_teardown(name, alone)
	const struct CMUnitTest tests[] = {
		test(pipelining),
		test(any_order),
		test(half_close_finishes),
		test(hang_up_cancels),
		test(cancel),
		test(small_is_not_behind_large),
		test(stats_tell_of_pages),
		test(notifications),
		test(arena_and_tiles),
		test(limits_are_named),
		test(too_many_requests),
		test(too_large_results),
		test(too_many_connections),
		test(users_are_apart),
		test(long_frames),
		test(idle_uses_no_cpu),
	};

	return cmocka_run_group_tests(tests, setup, served_stop);
}
