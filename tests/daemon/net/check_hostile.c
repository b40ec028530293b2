/* SPDX-License-Identifier: Apache-2.0 */
/* Clients that mean harm or die badly: each gets a clear error or a closed connection, the daemon is left as it was,
 * and another client's work goes on. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/group_daemon.h"

#include "fdpass.h"

enum { ARENA = 32 << 20, SHMEM_SLACK_KIB = 256 };

static uint64_t quiet_anon; /* KiB, with the witness alone */
static uint64_t quiet_shmem;
static unsigned quiet_fds;

static int setup(void **state)
{
	static const char *const arguments[] = {
		"--arena-total-bytes", "128M", "--arena-ahead-bytes", "0", "--send-timeout", "1", "--threads", "2", NULL};

	(void)state;
	group_daemon_start(arguments);
	/* What is allocated once: threads' heaps, libevent's tables. */
	for (int i = 0; i < 10; i++) {
		struct client client;
		void *base;
		int fd;

		client_open(&client, group_daemon.socket);
		fd = client_arena(&client, ARENA, &base);
		client_send_long(&client, 250);
		close(fd);
		munmap(base, ARENA);
		client_close(&client);
		client_await_stat(&witness, "daemon.quota.arena_total_bytes.used", 0);
	}
	client_await_stat(&witness, "daemon.sessions", 1);
	quiet_anon = daemon_kib(&group_daemon, "RssAnon");
	quiet_shmem = daemon_kib(&group_daemon, "RssShmem");
	quiet_fds = daemon_fds(&group_daemon);
	return 0;
}

/* After every attack: nothing is left of it, and the witness's numbers are what they always are. */
static int daemon_is_well(void **state)
{
	(void)state;
	client_expect_known_draw(&witness);
	client_await_stat(&witness, "daemon.sessions", 1);
	client_await_stat(&witness, "daemon.quota.arena_total_bytes.used", 0);
	assert_int_equal(client_stat(&witness, "daemon.quota.jobs_total.used"), 0);
	assert_int_equal(client_stat(&witness, "daemon.quota.connections.used"), 1);
	AWAIT(daemon_fds(&group_daemon) == quiet_fds); /* closed after the statistics have it */
	/* Where the build lies on a tmpfs, the mapped program itself counts as shared memory. */
	if (daemon_kib(&group_daemon, "RssShmem") > quiet_shmem + SHMEM_SLACK_KIB)
		fail_msg("expected no shared memory beyond the %llu KiB at the start, got %llu KiB",
			 (unsigned long long)quiet_shmem, (unsigned long long)daemon_kib(&group_daemon, "RssShmem"));
	/* Work memory is kept for later requests, within its own bound. */
	const uint64_t kept = client_stat(&witness, "engine.work_memory.bytes") >> 10;
	uint64_t anon = daemon_kib(&group_daemon, "RssAnon");
	if (!SANITIZED && anon > quiet_anon + kept + 4096)
		fail_msg("the daemon has grown from %llu to %llu KiB, beside %llu KiB of work memory",
			 (unsigned long long)quiet_anon, (unsigned long long)anon, (unsigned long long)kept);
	assert_true(kept << 10 <= client_stat(&witness, "engine.work_memory.bound"));
	return 0;
}

/* The closing notification (its method is error), then the end of input. */
static void expect_end(struct client *client, const char *words)
{
	struct message message;

	assert_true(client_receive(client, &message));
	assert_int_equal(message.type, MESSAGE_NOTIFICATION);
	assert_int_equal(message.method_size, 5);
	assert_memory_equal(message.method, "error", 5);
	const struct value *text = value_get(&message.params, "text");
	assert_non_null(text);
	if (!memmem(text->bytes.at, text->bytes.size, words, strlen(words)))
		fail_msg("expected \"%s\", got %.*s", words, (int)text->bytes.size, text->bytes.at);
	assert_false(client_receive(client, &message));
}

static void bad_frames(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *words;
	} attacks[] = {
		{"\xdd\xff\x00\x00\x00", 5, "more elements"},
		{"\xdf\xff\xff\xff\xff", 5, "more elements"},
		{"\xdb\xff\xff\xff\xff", 5, "longer"},
		{"\x94\x00\x01\xa4ping\x91\xdd\x04\x00\x00\x00", 14, "more elements"},
		{"\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91\x91",
		 25, "deeper"},
		{"\xc1", 1, "0xc1"},
		{"GET / HTTP/1.1\r\n\r\n", 18, "bad_frame: message: not an array"},
		{"\x94\x05\x01\xa4ping\x90", 9, "no such type"},
		{"\x94\x01\x01\xc0\xc0", 5, "a response"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++) {
		struct client client;
		struct message message;

		client_open(&client, group_daemon.socket);
		/* A good request before it is still answered. */
		client_send_bytes(&client, "\x94\x00\x07\xa4ping\x90", 9);
		client_send_bytes(&client, attacks[i].bytes, attacks[i].size);
		assert_true(client_receive(&client, &message));
		assert_int_equal(message.msgid, 7);
		assert_int_equal(message.error.code, 0);
		expect_end(&client, attacks[i].words);
		client_close(&client);
	}
	assert_int_equal(client_stat(&witness, "daemon.bad_frames"), sizeof attacks / sizeof *attacks);
}

/* Every prefix of a request, then the end of the connection, or half of it. */
static void half_frames(void **state)
{
	static const char request[] = "\x94\x00\x07\xa7uniform\x91\x81\xa1n\xcd\x02\x00";

	(void)state;
	for (size_t size = 0; size < sizeof request - 1; size++) {
		struct client client;
		struct message message;

		client_open(&client, group_daemon.socket);
		client_send_bytes(&client, request, size);
		if (size % 2) {
			shutdown(client.fd, SHUT_WR);
			assert_false(client_receive(&client, &message));
		}
		client_close(&client);
	}
}

static void wrong_requests(void **state)
{
	struct client client;
	struct message message;

	(void)state;
	client_open(&client, group_daemon.socket);
	client_fails(&client, "no\xff\nsuch", NULL, ERROR_UNKNOWN_METHOD, "no such method");
	struct value params = client_map(&client, "n", value_string("many"), NULL);
	client_fails(&client, "uniform", &params, ERROR_WRONG_TYPE, "n");
	params = client_map(&client, "n", value_uint(UINT64_MAX), NULL);
	client_fails(&client, "uniform", &params, ERROR_OUT_OF_RANGE, "n");
	params = client_map(&client, "n", value_uint((uint64_t)1 << 40), NULL);
	client_fails(&client, "uniform", &params, ERROR_LIMIT, "inline_bytes");
	params = client_map(&client, "N", value_uint(1), NULL);
	client_fails(&client, "uniform", &params, ERROR_UNKNOWN_PARAMETER, "N");
	params = client_map(&client, "bytes", value_uint(1), "more", value_nil(), NULL);
	client_fails(&client, "arena", &params, ERROR_UNKNOWN_PARAMETER, "more");
	client_fails(&client, "arena", NULL, ERROR_MISSING_PARAMETER, "bytes");
	params = client_map(&client, "msgid", value_real(1.5), NULL);
	client_fails(&client, "cancel", &params, ERROR_WRONG_TYPE, "msgid");
	/* params that are no map are answered under their msgid */
	client_send_bytes(&client, "\x94\x00\x55\xa4ping\x93\x01\x02\x03", 12);
	assert_true(client_receive(&client, &message));
	assert_int_equal(message.msgid, 0x55);
	assert_int_equal(message.error.code, ERROR_WRONG_TYPE);
	/* and the session is none the worse */
	client_result(&client, "ping", NULL);
	client_close(&client);
}

/* 16,000 elements and 24 levels are within the limits of a frame: one error, however useless the request. */
static void large_trees(void **state)
{
	enum { COUNT = 16000 };
	struct client client;
	static char bytes[16 + COUNT] = "\x94\x00\x01\xa4ping\x91\x81\xa1x\xdc";
	struct message message;

	(void)state;
	bytes[12] = (char)0xdc;
	bytes[13] = (char)(COUNT >> 8);
	bytes[14] = (char)(COUNT & 255);
	client_open(&client, group_daemon.socket);
	for (int i = 0; i < 20; i++) {
		client_send_bytes(&client, bytes, 15 + COUNT);
		assert_true(client_receive(&client, &message));
		assert_int_equal(message.error.code, ERROR_UNKNOWN_PARAMETER);
	}
	client_close(&client);
}

static void unasked_fds(void **state)
{
	struct client client;
	uint64_t ended = 0;

	(void)state;
	for (int i = 0; i < 20; i++) {
		client_open(&client, group_daemon.socket);
		ssize_t sent = fdpass_send(client.fd, "\x94", 1, &(struct fdpass){.at = {client.fd}, .count = 1});
		if (sent == 1) {
			expect_end(&client, "file descriptors");
			ended++;
		} else {
			assert_int_equal(sent, -EPERM);
			client_result(&client, "ping", NULL);
		}
		client_close(&client);
	}
	if (!ended)
		printf("# this kernel lets the daemon refuse them: the sender gets EPERM\n");
	assert_int_equal(client_stat(&witness, "daemon.strange_fds"), ended);
}

/* Dies with SIGKILL while its request runs in the engine, and leaves its mapping to nobody. */
static void killed_in_mid_job(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		int pipe_fds[2];
		char byte;

		assert_int_equal(pipe(pipe_fds), 0);
		pid_t pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			struct client client;
			void *base;

			client_open(&client, group_daemon.socket);
			client_arena(&client, ARENA, &base);
			client_send_long(&client, 250);
			while (client_stat(&client, "session.jobs") != 1)
				;
			_exit(write(pipe_fds[1], "x", 1) == 1 ? pause() : 1);
		}
		assert_int_equal(read(pipe_fds[0], &byte, 1), 1);
		assert_int_equal(client_stat(&witness, "daemon.quota.arena_total_bytes.used"), ARENA);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		close(pipe_fds[0]);
		close(pipe_fds[1]);
		daemon_is_well(NULL);
	}
}

/* Asks for more than it reads: reading stops, memory stays bounded, and after send_timeout it is dropped. */
static void never_reads(void **state)
{
	struct client client;
	struct value params = client_map(&witness, "n", value_uint(100000), NULL);
	struct codec_buffer request = {0};
	uint64_t before = client_stat(&witness, "daemon.unread"), sent = 0;

	(void)state;
	client_open(&client, group_daemon.socket);
	assert_int_equal(fcntl(client.fd, F_SETFL, O_NONBLOCK), 0);
	assert_int_equal(codec_request(&request, 1, "uniform", &params), 0);
	for (int quiet = 0; quiet < 50;) {
		ssize_t r = fdpass_send(client.fd, request.at, request.size, NULL);
		struct pollfd wait = {client.fd, POLLOUT, 0};

		if (r > 0)
			sent += (uint64_t)r;
		quiet = r > 0 ? 0 : poll(&wait, 1, 10) ? quiet + 50 : quiet + 1;
		if (r < 0 && r != -EAGAIN)
			break;
	}
	/* As many as fit the socket's buffers, not as many as the replies would need. */
	assert_true(sent / request.size < 20000);
	client_await_stat(&witness, "daemon.unread", before + 1);
	codec_buffer_free(&request);
	client_close(&client);
}

/* Many who do nothing, half of them with half a frame, come and go. */
static void crowds(void **state)
{
	enum { CROWD = 300 };
	static struct client clients[CROWD];

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < CROWD; i++) {
			client_open(&clients[i], group_daemon.socket);
			client_send_bytes(&clients[i], "\x94\x00\x07\xa7uni", i % 2 ? 0 : 7);
		}
		client_await_stat(&witness, "daemon.sessions", CROWD + 1);
		for (int i = 0; i < CROWD; i++)
			client_close(&clients[i]);
		client_await_stat(&witness, "daemon.sessions", 1);
	}
}

/* Touches all of its arena, punches it, and tries to change its seals and size; then keeps the mapping. */
static void abused_arena(void **state)
{
	struct client client;
	void *base;
	int fd;

	(void)state;
	client_open(&client, group_daemon.socket);
	fd = client_arena(&client, ARENA, &base);
	memset(base, 0xff, ARENA);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(fcntl(fd, F_ADD_SEALS, F_SEAL_FUTURE_WRITE), -1);
	assert_int_equal(ftruncate(fd, 0), -1);
	assert_int_equal(ftruncate(fd, ARENA * 2), -1);
	uint32_t msgid = client_send_long(&client, 250);
	for (int i = 0; i < 50; i++)
		assert_int_equal(fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, ARENA), 0);
	struct value params = client_map(&client, "msgid", value_uint(msgid), NULL);
	client_send(&client, "cancel", &params);
	for (int i = 0; i < 2; i++) {
		struct message message;

		assert_true(client_receive(&client, &message));
		assert_int_equal(message.error.code, message.msgid == msgid ? ERROR_CANCELLED : 0);
	}
	memset(base, 0xff, ARENA);
	client_close(&client);
	client_await_stat(&witness, "daemon.quota.arena_total_bytes.used", 0);
	/* Punched before it was let go: what the client still maps is empty. */
	for (size_t i = 0; i < ARENA; i += 4096)
		assert_int_equal(((unsigned char *)base)[i], 0);
	munmap(base, ARENA);
	close(fd);
}

static void a_thousand_dead_mappings(void **state)
{
	enum { COUNT = 1000, SIZE = 1 << 20 };
	static void *bases[COUNT];

	(void)state;
	for (int i = 0; i < COUNT; i++) {
		struct client client;
		int fd;

		client_open(&client, group_daemon.socket);
		fd = client_arena(&client, SIZE, &bases[i]);
		memset(bases[i], 1, 65536);
		close(fd);
		client_close(&client);
		if (i % 32 == 31) /* the user's half is 64 arenas of this size */
			client_await_stat(&witness, "daemon.quota.arena_total_bytes.used", 0);
	}
	client_await_stat(&witness, "daemon.quota.arena_total_bytes.used", 0);
	for (int i = 0; i < COUNT; i++) {
		assert_int_equal(*(unsigned char *)bases[i], 0);
		munmap(bases[i], SIZE);
	}
}

/* The user's half of arena_total_bytes holds, whatever is touched; room comes back when a session ends. */
static void arenas_beyond_the_quota(void **state)
{
	struct client client[3];
	void *base[2];
	int fd[2];

	(void)state;
	for (int i = 0; i < 3; i++)
		client_open(&client[i], group_daemon.socket);
	for (int i = 0; i < 2; i++)
		fd[i] = client_arena(&client[i], ARENA, &base[i]);
	struct value params = client_map(&client[2], "bytes", value_uint(1), NULL);
	client_fails(&client[2], "arena", &params, ERROR_LIMIT, "half of the setting arena_total_bytes = 134217728");
	close(fd[0]);
	munmap(base[0], ARENA);
	client_close(&client[0]);
	client_await_stat(&witness, "daemon.quota.arena_total_bytes.used", ARENA);
	fd[0] = client_arena(&client[2], ARENA, &base[0]);
	for (int i = 0; i < 2; i++) {
		close(fd[i]);
		munmap(base[i], ARENA);
		client_close(&client[i + 1]);
	}
}

int main(void)
{
#define attack(name) cmocka_unit_test_teardown(name, daemon_is_well)
	const struct CMUnitTest tests[] = {
		attack(bad_frames),
		attack(half_frames),
		attack(wrong_requests),
		attack(large_trees),
		attack(unasked_fds),
		attack(killed_in_mid_job),
		attack(never_reads),
		attack(crowds),
		attack(abused_arena),
		attack(a_thousand_dead_mappings),
		attack(arenas_beyond_the_quota),
	};

	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
