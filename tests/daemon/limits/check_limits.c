/* SPDX-License-Identifier: Apache-2.0 */
/* What one client can take from the others: connections by the second, messages that never end, descriptors that it does
 * not read, frames by the million. Each is refused with an error that names the setting, and meanwhile a well-behaved
 * client is served as before. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/load.h"
#include "daemon/group_daemon.h"

#include "daemon/limits/rate.h"

enum { PER_SECOND = 200, UNREAD_FDS = 8, ARENA = 1 << 20 };

static int setup(void **state)
{
	static const char *const arguments[] = {"--connections-per-second", "400", "--frame-timeout", "1",
						"--fds", "8", "--fds-total", "48", "--threads", "2",
						"--arena-ahead-bytes", "0", NULL};

	(void)state;
	group_daemon_start(arguments);
	return 0;
}

static int nothing_is_left(void **state)
{
	(void)state;
	client_await_stat(&witness, "daemon.sessions", 1);
	client_await_stat(&witness, "daemon.quota.arena_total_bytes.used", 0);
	assert_int_equal(client_stat(&witness, "daemon.quota.fds_total.used"), 0);
	client_await_stat(&witness, "daemon.quota.reply_total_bytes.used", 0);
	return 0;
}

/* An attack's connection; the attack ends where it is not let in. */
static int plain_connect(void)
{
	int fd = load_connect(&group_daemon);

	if (fd < 0)
		_exit(1);
	return fd;
}

/* ------- connections per second ------- */

static void rates(void **state)
{
	const uint64_t second = 1000000000;
	struct rate rate = {0};
	uint64_t now = 5 * second;
	unsigned let_in = 0;

	(void)state;
	assert_true(rate_is_rested(&rate, now));
	for (int i = 0; i < 25; i++)
		if (rate_allows(&rate, 10, now)) {
			rate_count(&rate, 10, now);
			let_in++;
		}
	assert_int_equal(let_in, 10);
	assert_false(rate_is_rested(&rate, now + second - 1));
	assert_true(rate_is_rested(&rate, now + second));
	/* Then as many as the pace has, whatever is tried in between. */
	let_in = 0;
	for (int i = 1; i <= 3000; i++)
		if (rate_allows(&rate, 10, now + (uint64_t)i * second / 1000)) {
			rate_count(&rate, 10, now + (uint64_t)i * second / 1000);
			let_in++;
		}
	assert_int_equal(let_in, 30);
}

static void knock(void)
{
	close(plain_connect());
}

/* Half of --connections-per-second=400 is a user's: also when none is left open meanwhile. */
static void arrivals(void **state)
{
	uint64_t before = client_stat(&witness, "daemon.connections_accepted"), begun = load_now_ns(), let_in;
	unsigned refused = 0;

	(void)state;
	for (int i = 0; i < 2 * PER_SECOND; i++) {
		struct client client;

		client_open(&client, group_daemon.socket);
		refused += !client_is_let_in(&client, "half of the setting connections_per_second = 400");
		client_close(&client);
	}
	let_in = client_stat(&witness, "daemon.connections_accepted") - before;
	double seconds = (double)(load_now_ns() - begun) * 1e-9;
	printf("# %" PRIu64 " of %d were let in within %.2f s\n", let_in, 2 * PER_SECOND, seconds);
	assert_int_equal(let_in + refused, 2 * PER_SECOND);
	assert_true((double)let_in <= PER_SECOND * (1 + seconds) + 2);
	load_feels_nothing(&witness, "connections without end", knock);
	/* a second later all is forgiven */
	wait_for_rate(1100);
	struct client client;
	client_open(&client, group_daemon.socket);
	client_result(&client, "ping", NULL);
	client_close(&client);
}

/* ------- messages that do not end ------- */

static const char request[] = "\x94\x00\x07\xa4ping\x91\x80";

/* A message that does not end costs its connection, however slowly it grows, or if nothing more of it comes. */
static void endless_frames(void **state)
{
	struct client slow, still;
	struct message message;
	uint64_t begun = load_now_ns(), ended = client_stat(&witness, "daemon.half_frames");
	bool over = false;

	(void)state;
	client_open(&slow, group_daemon.socket);
	client_open(&still, group_daemon.socket);
	client_send_bytes(&still, request, 4);
	for (size_t i = 0; !over && load_now_ns() - begun < DEADLINE_S * UINT64_C(1000000000); i++) {
		struct pollfd news = {slow.fd, POLLIN, 0};

		/* A connection that is over already takes no byte. */
		if (i < sizeof request - 2 && fdpass_send(slow.fd, request + i, 1, NULL) != 1)
			break;
		over = poll(&news, 1, 300) > 0;
	}
	for (int i = 0; i < 2; i++) {
		assert_true(client_receive(i ? &still : &slow, &message));
		assert_int_equal(message.type, MESSAGE_NOTIFICATION);
		const struct value *text = value_get(&message.params, "text");
		assert_non_null(memmem(text->bytes.at, text->bytes.size, "the setting frame_timeout = 1", 29));
		assert_false(client_receive(i ? &still : &slow, &message));
	}
	assert_true(load_now_ns() - begun >= 900000000);
	assert_int_equal(client_stat(&witness, "daemon.half_frames"), ended + 2);
	client_close(&slow);
	client_close(&still);
}

/* Sends a request in two parts. Returns whether a reply comes; it must if both were sent in time. */
static bool ping_in_parts(struct client *client)
{
	enum { FIRST = 5, REST = sizeof request - 1 - FIRST, PAUSE_US = 400000, IN_TIME_NS = 900000000 };
	const uint64_t begun = load_now_ns();
	struct message message;

	client_send_bytes(client, request, FIRST);
	wait_as_slow_peer(PAUSE_US);
	const bool sent = fdpass_send(client->fd, request + FIRST, REST, NULL) == REST;
	const bool in_time = load_now_ns() - begun < IN_TIME_NS;

	if (sent && client_receive(client, &message) && message.type == MESSAGE_RESPONSE) {
		assert_int_equal(message.error.code, 0);
		return true;
	}
	if (in_time)
		fail_msg("expected a reply to a message that took less than %d ns, got none", IN_TIME_NS);
	return false;
}

/* Whole requests pass whenever they come, also if they take most of the time that they may. On a busy machine this test
 * itself may be too late, and begins again. */
static void slow_frames(void **state)
{
	struct client client;
	unsigned passed = 0;

	(void)state;
	AWAIT(passed == 4) {
		client_open(&client, group_daemon.socket);
		for (passed = 0; passed < 4 && ping_in_parts(&client); passed++)
			;
		client_close(&client);
	}
}

/* ------- descriptors that are not read ------- */

/* Attaches and detaches rings, reads no answer: each would leave three descriptors in flight. */
static void unread_fds(void **state)
{
	struct client client, other;
	struct value noise = client_map(&witness, "op", value_string("bits"), NULL);
	struct value attach = client_map(&witness, "noise", noise, NULL);
	struct message message;
	struct fdpass fds;
	uint64_t errors = client_stat(&witness, "daemon.errors");
	unsigned given = 0, refused = 0;
	void *base;

	(void)state;
	client_open(&client, group_daemon.socket);
	for (uint64_t i = 0; i < 20; i++) {
		client_send(&client, "ring_attach", &attach);
		if (i < 2) /* so that no reply waits to be sent */
			client_await_stat(&witness, "daemon.quota.fds_total.used", 3 * i + 3);
	}
	client_await_stat(&witness, "daemon.errors", errors + 18);
	assert_int_equal(client_stat(&witness, "daemon.quota.fds_total.used"), 6);
	/* Another client gets its own. */
	client_open(&other, group_daemon.socket);
	int fd = client_arena(&other, ARENA, &base);
	client_close(&other);
	munmap(base, ARENA);
	close(fd);
	for (int i = 0; i < 20; i++) {
		assert_true(client_receive_fds(&client, &message, &fds));
		given += fds.count;
		fdpass_close(&fds);
		if (message.error.code) {
			assert_int_equal(message.error.code, ERROR_LIMIT);
			refused++;
		}
	}
	assert_int_equal(given, 6);
	assert_int_equal(refused, 18);
	/* What was read counts no more. */
	client_send(&client, "ring_attach", &attach);
	assert_true(client_receive_fds(&client, &message, &fds));
	assert_int_equal(fds.count, 3);
	fdpass_close(&fds);
	client_close(&client);
}

static int unread_bytes(const struct client *client)
{
	int bytes = 0;

	assert_int_equal(ioctl(client->fd, FIONREAD, &bytes), 0);
	return bytes;
}

/* A client that reads all descriptors, and has an answer unread whenever it asks for the next ones. */
static void read_fds(void **state)
{
	struct client client;
	struct value noise = client_map(&witness, "op", value_string("bits"), NULL);
	struct value attach = client_map(&witness, "noise", noise, NULL);

	(void)state;
	client_open(&client, group_daemon.socket);
	for (int i = 0; i < 20; i++) {
		struct message message;
		struct fdpass fds, more;

		client_send(&client, "ping", NULL);
		AWAIT(unread_bytes(&client) > 0);
		client_send(&client, "ring_attach", &attach);
		AWAIT(unread_bytes(&client) > 10); /* of which ping's answer is 5 */
		assert_true(client_receive_fds(&client, &message, &fds));
		assert_true(client_receive_fds(&client, &message, &more));
		if (message.error.code)
			fail_msg("ring %d: %s", i, message.error.text);
		assert_true(fdpass_join(&fds, &more)); /* one look may have brought both answers */
		assert_int_equal(fds.count, 3);
		fdpass_close(&fds);

		struct value ring = client_map(&client, "ring", value_uint(client_number(&message.result, "ring")), NULL);

		client_result(&client, "ring_detach", &ring);
	}
	client_close(&client);
}

/* As many as the kernel lets one message have, from a client that expects nothing. */
static void many_fds(void **state)
{
	struct client client;
	struct iovec iov = {"\x94", 1};
	union {
		char bytes[CMSG_SPACE(253 * sizeof(int))];
		struct cmsghdr align;
	} control = {{0}};
	struct msghdr message = {
		.msg_iov = &iov, .msg_iovlen = 1, .msg_control = control.bytes, .msg_controllen = sizeof control.bytes};
	struct cmsghdr *head = CMSG_FIRSTHDR(&message);
	unsigned before = daemon_fds(&group_daemon);

	(void)state;
	*head = (struct cmsghdr){.cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS, .cmsg_len = CMSG_LEN(253 * sizeof(int))};
	for (int round = 0; round < 4; round++) {
		struct message last;

		client_open(&client, group_daemon.socket);
		for (size_t i = 0; i < 253; i++)
			memcpy(CMSG_DATA(head) + i * sizeof(int), &client.fd, sizeof(int));
		ssize_t sent = sendmsg(client.fd, &message, MSG_NOSIGNAL);
		if (sent < 0) { /* a kernel by which the daemon refuses them to the sender */
			assert_int_equal(errno, EPERM);
			client_result(&client, "ping", NULL);
		} else {
			assert_true(client_receive(&client, &last));
			assert_int_equal(last.type, MESSAGE_NOTIFICATION);
			assert_false(client_receive(&client, &last));
		}
		client_close(&client);
	}
	client_await_stat(&witness, "daemon.sessions", 1);
	AWAIT(daemon_fds(&group_daemon) == before); /* closed after the statistics have it */
}

/* ------- frames without end ------- */

/* A notification that means nothing, again and again. */
static void send_tiny_frames(void)
{
	static char bytes[64 * 1024];
	size_t size = 0;
	int fd = plain_connect();

	while (size + 4 <= sizeof bytes) {
		memcpy(bytes + size, "\x93\x02\xa0\x90", 4);
		size += 4;
	}
	for (int i = 0; i < 64; i++) /* a million of them */
		if (send(fd, bytes, size, MSG_NOSIGNAL) != (ssize_t)size)
			_exit(2);
	close(fd);
}

static void tiny_frames(void **state)
{
	uint64_t before = client_stat(&witness, "daemon.notifications_ignored");

	(void)state;
	load_feels_nothing(&witness, "a million tiny frames", send_tiny_frames);
	assert_true(client_stat(&witness, "daemon.notifications_ignored") > before);
}

/* Pipelines requests and reads nothing. */
static void flood(void)
{
	static int fd = -1;
	static const char draw[] = "\x94\x00\x07\xa7uniform\x91\x81\xa1n\xcd\x10\x00";

	if (fd < 0)
		fd = plain_connect();
	if (send(fd, draw, sizeof draw - 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		wait_as_slow_peer(1000);
}

static void floods(void **state)
{
	(void)state;
	load_feels_nothing(&witness, "requests whose replies are not read", flood);
}

/* ------- forks ------- */

/* The connection lives as long as one process has it, and no longer. */
static void forks(void **state)
{
	struct client client;
	void *base;
	int status;

	(void)state;
	client_open(&client, group_daemon.socket);
	int fd = client_arena(&client, ARENA, &base);
	pid_t pid = fork();
	if (pid == 0) {
		memset(base, 1, ARENA);
		client_result(&client, "ping", NULL);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	client.last_msgid++;
	client_result(&client, "ping", NULL);
	client_close(&client);
	close(fd);
	munmap(base, ARENA);
}

/* ------- inputs that change in mid-job ------- */

/* A transform of a tile that its owner keeps writing: whatever comes out, it comes, and nothing else is touched. */
static void racing_inputs(void **state)
{
	enum { N = 1 << 16 };
	struct client client;
	void *base;

	(void)state;
	if (THREAD_SANITIZED) {
		printf("# a race on purpose: the thread sanitizer would be right to complain\n");
		skip();
	}
	client_open(&client, group_daemon.socket);
	int fd = client_arena(&client, 16 << 20, &base);
	struct value make = client_map(&client, "dtype", value_string("c64"), "shape", value_uint(N), NULL);
	struct value in = client_result(&client, "tile", &make), out = client_result(&client, "tile", &make);
	struct value params = client_map(&client, "in", value_uint(client_number(&in, "tile")), "out",
					 value_uint(client_number(&out, "tile")), NULL);
	char *input = (char *)base + client_number(&in, "offset");
	pid_t pid = fork();
	if (pid == 0)
		for (uint8_t byte = 0;; byte++)
			memset(input, byte, N * 8);
	for (int i = 0; i < 50; i++)
		client_result(&client, "fft", &params);
	kill(pid, SIGKILL);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	client_close(&client);
	close(fd);
	munmap(base, 16 << 20);
}

int main(void)
{
#define limit(name) cmocka_unit_test_teardown(name, nothing_is_left)
	const struct CMUnitTest tests[] = {
		limit(rates),	    limit(unread_fds), limit(read_fds), limit(many_fds), limit(forks),	     limit(racing_inputs),
		limit(endless_frames), limit(slow_frames), limit(arrivals),   limit(floods),	limit(tiny_frames),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
