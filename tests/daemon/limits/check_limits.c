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
						"--reply-total-bytes", "64M", "--arena-ahead-bytes", "0", NULL};

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

/* Whole requests pass whenever they come; one that does not end costs its connection, however slowly it grows. */
static void slow_frames(void **state)
{
	static const char request[] = "\x94\x00\x07\xa4ping\x91\x80";
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

		if (i < sizeof request - 2)
			client_send_bytes(&slow, request + i, 1);
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
	/* Others that are slow with whole messages are none of those. */
	client_open(&slow, group_daemon.socket);
	for (int i = 0; i < 4; i++) {
		client_send_bytes(&slow, request, 5);
		wait_as_slow_peer(400000);
		client_send_bytes(&slow, request + 5, sizeof request - 6);
		assert_true(client_receive(&slow, &message));
		assert_int_equal(message.error.code, 0);
	}
	client_close(&slow);
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
	assert_int_equal(daemon_fds(&group_daemon), before);
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
	static const char request[] = "\x94\x00\x07\xa7uniform\x91\x81\xa1n\xcd\x10\x00";

	if (fd < 0)
		fd = plain_connect();
	if (send(fd, request, sizeof request - 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		wait_as_slow_peer(1000);
}

static void floods(void **state)
{
	(void)state;
	load_feels_nothing(&witness, "requests whose replies are not read", flood);
}

/* ------- results that are not read ------- */

enum { DRAW = 1 << 20, DRAW_BYTES = 4 * DRAW, DRAWS = 60 };

/* Of a distribution that takes long, so that the daemon has read several requests before the first has its result. */
static void send_draws(struct client *client, int count)
{
	for (int i = 0; i < count; i++) {
		struct value params = client_map(client, "n", value_uint(DRAW), "seed", value_uint((uint64_t)i), "shape",
						 value_real(2.5), "dtype", value_string("f32"), NULL);

		client_send(client, "gamma", &params);
	}
}

/* The most bytes of results that the daemon has held, seen while it would have had the time to hold them all. */
static uint64_t watch_replies(uint64_t *ret_kib)
{
	enum { ROUNDS = 400 };
	uint64_t most = 0, most_kib = 0;

	client_await_stat(&witness, "daemon.quota.reply_total_bytes.used", 5 * DRAW_BYTES);
	for (int i = 0; i < ROUNDS; i++) {
		const uint64_t used = client_stat(&witness, "daemon.quota.reply_total_bytes.used"),
			       work = client_stat(&witness, "daemon.quota.work_total_bytes.used"),
			       kib = daemon_kib(&group_daemon, "RssAnon");

		most = used > most ? used : most;
		most = work > most ? work : most;
		most_kib = kib > most_kib ? kib : most_kib;
	}
	*ret_kib = most_kib;
	return most;
}

/* Asks for 240 MiB at once and reads nothing: the daemon holds no more than the setting reply_bytes = 32 MiB, leaves the
 * other requests unread, and goes on with them once the client reads. */
static void unread_results(void **state)
{
	const uint64_t limit = 32 << 20, before_kib = daemon_kib(&group_daemon, "RssAnon");
	uint64_t kib, most;
	struct client client;
	struct message message;

	(void)state;
	client_open(&client, group_daemon.socket);
	send_draws(&client, DRAWS);
	most = watch_replies(&kib);
	printf("# of %d MiB at most %" PRIu64 " MiB are held, and %" PRIu64 " MiB of memory\n", DRAWS * DRAW_BYTES >> 20,
	       most >> 20, (kib > before_kib ? kib - before_kib : 0) >> 10);
	assert_true(most <= limit);
	assert_true(SANITIZED || kib < before_kib + 2 * (limit >> 10));
	for (int i = 0; i < DRAWS; i++) {
		assert_true(client_receive(&client, &message));
		assert_int_equal(message.error.code, 0);
		assert_int_equal(value_get(&message.result, "data")->bytes.size, DRAW_BYTES);
		bump_free(client.bump);
		client.bump = bump_new();
	}
	client_close(&client);
}

/* Each of a user's sessions has its own bound, and all of them half of --reply-total-bytes=64M. */
static void unread_results_of_a_user(void **state)
{
	struct client clients[2];
	struct message message;
	bool refused = false;

	(void)state;
	for (int i = 0; i < 2; i++) {
		client_open(&clients[i], group_daemon.socket);
		send_draws(&clients[i], 5);
		if (i == 0)
			client_await_stat(&witness, "daemon.quota.reply_total_bytes.used", 5 * DRAW_BYTES);
	}
	for (int i = 0; i < 5; i++) {
		assert_true(client_receive(&clients[1], &message));
		if (message.error.code == 0)
			continue;
		refused = true;
		assert_int_equal(message.error.code, ERROR_LIMIT);
		assert_non_null(strstr(message.error.text, "half of the setting reply_total_bytes = 67108864"));
	}
	/* The other keeps what it was promised. */
	for (int i = 0; i < 5; i++) {
		assert_true(client_receive(&clients[0], &message));
		assert_int_equal(message.error.code, 0);
	}
	assert_true(refused);
	for (int i = 0; i < 2; i++)
		client_close(&clients[i]);
}

/* A limit that is smaller than a result: it goes alone, and the next one after it. */
static void larger_than_the_limit(void **state)
{
	struct daemon daemon;
	struct client client;
	struct message message;

	(void)state;
	daemon_start(&daemon, (const char *const[]){"--threads=2", "--reply-bytes=64K", NULL});
	client_open(&client, daemon.socket);
	send_draws(&client, 5);
	for (int i = 0; i < 5; i++) {
		assert_true(client_receive(&client, &message));
		assert_int_equal(message.error.code, 0);
		assert_int_equal(message.msgid, i + 1);
	}
	client_close(&client);
	daemon_stop(&daemon);
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
		limit(rates),	    limit(unread_fds), limit(many_fds), limit(forks),	     limit(racing_inputs),
		limit(unread_results), limit(unread_results_of_a_user), limit(larger_than_the_limit),
		limit(slow_frames), limit(arrivals),   limit(floods),	limit(tiny_frames),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
