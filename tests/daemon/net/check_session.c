/* SPDX-License-Identifier: Apache-2.0 */
/* What a session promises: pipelining, answers in any order, end of input, hang-up, cancel, one arena. */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "daemon/group_daemon.h"

enum { ARENA = 32 << 20 };

static int setup(void **state)
{
	static const char *const arguments[] = {"--threads=2", "--arena-bytes=64M", "--arena-ahead-bytes=1M", NULL};

	(void)state;
	group_daemon_start(arguments);
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
	client_open(&client, group_daemon.socket);
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

	client_open(client, group_daemon.socket);
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
	client_open(&large, group_daemon.socket);
	client_open(&small, group_daemon.socket);
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
static void stats_count_pages(void **state)
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
	struct waiting waiting = await_begin("a spare arena", __FILE__, __LINE__);

	for (int i = 0; !spare; i++) {
		struct client client;

		client_open(&client, group_daemon.socket);
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
			await_again(&waiting);
	}
	if (!known)
		fail_msg("expected huge_pages to be the word in brackets of \"%s\"", line);
}

static void notifications(void **state)
{
	struct client client;
	struct codec_buffer buffer = {0};

	(void)state;
	client_open(&client, group_daemon.socket);
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
	client_open(&client, group_daemon.socket);
	struct value params = client_map(&client, "dtype", value_string("f32"), "shape", value_uint(N), NULL);
	client_fails(&client, "tile", &params, ERROR_NO_ROOM, "20000 bytes");
	int fd = client_arena(&client, 100001, &mapped);
	base = mapped;
	struct stat there;
	assert_int_equal(fstat(fd, &there), 0);
	assert_int_equal(there.st_size, (100001 + 4095) / 4096 * 4096);
	assert_int_equal(fcntl(fd, F_GET_SEALS), F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL);
	value_push(client.bump, &shape, value_uint(N));
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

static uint64_t cpu_ns(void)
{
	struct timespec used;
	clockid_t clock;

	assert_int_equal(clock_getcpuclockid(group_daemon.pid, &clock), 0);
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
	client_open(&client, group_daemon.socket);
	for (int i = 0; i < 500; i++)
		client_result(&client, "ping", &none);
	wait_idle(200);
	before = cpu_ns();
	wait_idle(300);
	if (cpu_ns() - before > 10000000)
		fail_msg("expected under 10 ms of CPU time in 300 ms of rest, got %llu us",
			 (unsigned long long)(cpu_ns() - before) / 1000);
	client_close(&client);
}

int main(void)
{
#define test(name) cmocka_unit_test_teardown(name, alone)
	const struct CMUnitTest tests[] = {
		test(pipelining),        test(any_order),     test(half_close_finishes),
		test(hang_up_cancels),   test(cancel),        test(small_is_not_behind_large),
		test(stats_count_pages), test(notifications), test(arena_and_tiles),
		test(idle_uses_no_cpu),
	};

	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
