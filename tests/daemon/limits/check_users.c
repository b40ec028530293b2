/* SPDX-License-Identifier: Apache-2.0 */
/* Users under load: one who floods the daemon with connections, requests, memory and descriptors has its half of each and
 * no more, and another user is let in, served and as quick as before. By real users: as root only. */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/load.h"
#include "daemon/group_daemon.h"

enum { GREEDY = 60001, MODEST = 60002, THIRD = 60003, HOLDER = 60010, CONNECTIONS = 64, JOBS = 64, ARENAS = 64 << 20, FDS = 64 };

static int setup(void **state)
{
	(void)state;
	group_daemon_start((const char *const[]){"--connections=64", "--jobs-total=64", "--arena-total-bytes=64M",
						 "--fds-total=64", "--connections-per-second=1000", "--threads=2",
						 "--socket-mode=0666", "--arena-ahead-bytes=0", NULL});
	assert_int_equal(chmod(group_daemon.dir, 0711), 0);
	return 0;
}

/* In a child; whose failure is its status. */
static pid_t as_user(uid_t uid, void (*act)(void))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	assert_true(pid >= 0);
	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setenv("CMOCKA_TEST_ABORT", "1", 1);
	close(witness.fd);
	if (setgroups(0, NULL) || setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		_exit(2);
	prctl(PR_SET_PDEATHSIG, SIGKILL); /* forgotten with the user */
	act();
	fflush(stdout);
	_exit(0);
}

static void must_end_well(pid_t pid, const char *who)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	if (status)
		fail_msg("%s: expected status 0, got %d", who, status);
}

/* ---- one who takes what it can ---- */

/* As much as the socket takes; answers are never read. */
static void pour(struct client *client, const char *method, const struct value *params, int times)
{
	struct codec_buffer bytes = {0};

	fcntl(client->fd, F_SETFL, O_NONBLOCK);
	codec_request(&bytes, 1, method, params);
	for (int i = 0; i < times; i++)
		fdpass_send(client->fd, bytes.at, bytes.size, NULL);
	codec_buffer_free(&bytes);
}

static void flood(void)
{
	static struct client clients[CONNECTIONS];

	for (int i = 0; i < CONNECTIONS; i++) {
		struct client *client = &clients[i];

		client_open(client, group_daemon.socket);
		struct value arena = client_map(client, "bytes", value_uint(8 << 20), NULL),
			     noise = client_map(client, "op", value_string("bits"), NULL),
			     ring = client_map(client, "noise", noise, "samples", value_uint(4096), NULL),
			     draw = client_map(client, "n", value_uint(1000000), NULL);
		pour(client, "arena", &arena, 1);
		pour(client, "ring_attach", &ring, 3);
		pour(client, "normal", &draw, 20);
	}
	for (;;) {
		int fd = load_connect(&group_daemon);

		close(fd);
	}
}

/* ---- one who does not ---- */

static uint64_t quiet_ping_ns;

static void batch(struct client *client)
{
	struct value params = client_map(client, "n", value_uint(100000), NULL);
	struct message message;

	for (int i = 0; i < 16; i++)
		client_send(client, "uniform", &params);
	for (int i = 0; i < 16; i++) {
		assert_true(client_receive(client, &message));
		if (message.error.code)
			fail_msg("a draw: %s", message.error.text);
	}
}

static void behave(void)
{
	static struct client clients[24];
	struct message message;
	struct fdpass fds;
	void *base;

	for (int i = 0; i < 24; i++) {
		client_open(&clients[i], group_daemon.socket);
		client_expect_known_draw(&clients[i]);
	}
	close(client_arena(&clients[0], 24 << 20, &base));
	memset(base, 1, 24 << 20);
	client_send(&clients[1], "ring_attach", NULL);
	assert_true(client_receive_fds(&clients[1], &message, &fds));
	if (message.error.code || fds.count != 3)
		fail_msg("ring_attach: %u descriptors, %s", fds.count, message.error.text);
	fdpass_close(&fds);
	batch(&clients[2]);
	load_expect_little("beside a flood", load_ping_cpu_ns(&clients[3]), quiet_ping_ns);
	for (int i = 0; i < 24; i++)
		client_close(&clients[i]);
}

/* Of all that is shared, the one has a half, and knows that it is refused more. */
static void holds_its_half(void)
{
	static const struct {
		const char *path;
		uint64_t half;
	} shared[] = {
		{"daemon.quota.connections.used", CONNECTIONS / 2},
		{"daemon.quota.arena_total_bytes.used", ARENAS / 2},
		{"daemon.quota.jobs_total.used", JOBS / 2},
		{"daemon.quota.fds_total.used", FDS / 2},
	};

	for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
		uint64_t used = client_stat(&witness, shared[i].path);

		/* The witness is one connection, and its stats one request; the other user's may still be on their way out. */
		for (struct waiting waiting = await_begin("", __FILE__, __LINE__);
		     used > shared[i].half + 1 && !await_is_over(&waiting); used = client_stat(&witness, shared[i].path))
			await_nap(&waiting);
		if (used > shared[i].half + 1)
			fail_msg("%s: expected at most %" PRIu64 ", got %" PRIu64, shared[i].path, shared[i].half + 1, used);
	}
	assert_true(client_stat(&witness, "daemon.errors") > 0);
	assert_true(client_stat(&witness, "daemon.connections_refused") > CONNECTIONS / 2);
}

static void flooded(void **state)
{
	pid_t greedy;

	(void)state;
	if (getuid() != 0) {
		printf("# skipped: only root can become other users\n");
		skip();
	}
	quiet_ping_ns = load_ping_cpu_ns(&witness);
	greedy = as_user(GREEDY, flood);
	AWAIT(client_stat(&witness, "daemon.connections_refused") > CONNECTIONS);
	holds_its_half();
	for (int i = 0; i < 3; i++) {
		must_end_well(as_user(MODEST, behave), "the user who behaves");
		holds_its_half();
	}
	kill(greedy, SIGKILL);
	assert_int_equal(waitpid(greedy, NULL, 0), greedy);
	group_daemon_expect_rest();
	client_await_stat(&witness, "daemon.quota.jobs_total.used", 0);
}

/* ---- the host ---- */

/* Takes its half of connections and memory, and stands still with them. */
static void hold_half(void)
{
	static struct client clients[CONNECTIONS / 2];
	void *base;

	for (int i = 0; i < CONNECTIONS / 2; i++) {
		client_open(&clients[i], group_daemon.socket);
		if (!client_is_let_in(&clients[i], "connections = 64")) { /* the witness has one */
			assert_int_equal(i, CONNECTIONS / 2 - 1);
			client_close(&clients[i]);
		}
	}
	client_arena(&clients[0], ARENAS / 2, &base);
	raise(SIGSTOP);
}

static void find_it_full(void)
{
	struct client client;

	client_open(&client, group_daemon.socket);
	client_is_refused(&client, "while all users have 64, allowed: the setting connections = 64");
}

static void find_no_memory(void)
{
	struct value params;
	struct client client;

	client_open(&client, group_daemon.socket);
	AWAIT(client_is_let_in(&client, "connections = 64")) { /* the witness's end may not have been seen yet */
		client_close(&client);
		client_open(&client, group_daemon.socket);
	}
	params = client_map(&client, "bytes", value_uint(1), NULL);
	client_fails(&client, "arena", &params, ERROR_LIMIT,
		     "while all users have 67108864, allowed: the setting arena_total_bytes = 67108864");
}

/* Two users have their halves: a third is refused by the host's limit. */
static void full_host(void **state)
{
	pid_t holders[2];
	int status;

	(void)state;
	if (getuid() != 0) {
		printf("# skipped: only root can become other users\n");
		skip();
	}
	for (int i = 0; i < 2; i++) {
		holders[i] = as_user(HOLDER + (uid_t)i, hold_half);
		assert_int_equal(waitpid(holders[i], &status, WUNTRACED), holders[i]);
		assert_true(WIFSTOPPED(status));
	}
	must_end_well(as_user(THIRD, find_it_full), "the third user");
	/* The witness leaves its place to him. */
	client_close(&witness);
	must_end_well(as_user(THIRD, find_no_memory), "the third user, once he is in");
	for (int i = 0; i < 2; i++) {
		kill(holders[i], SIGKILL);
		assert_int_equal(waitpid(holders[i], NULL, 0), holders[i]);
	}
	client_open(&witness, group_daemon.socket);
	group_daemon_expect_rest();
}

/* ---- arrivals ---- */

/* The second is rested before the first: users who come and go are kept apart for as long as that takes. */
static void knock_once(void)
{
	struct client client;

	client_open(&client, group_daemon.socket);
	client_result(&client, "ping", NULL);
	client_close(&client);
}

static void knock_too_often(void)
{
	struct client client;
	bool refused = false;

	for (int i = 0; i < 2000 && !refused; i++) {
		client_open(&client, group_daemon.socket);
		refused = !client_is_let_in(&client, "connections_per_second");
		client_close(&client);
	}
	assert_true(refused);
}

static void arrivals(void **state)
{
	(void)state;
	if (getuid() != 0) {
		printf("# skipped: only root can become other users\n");
		skip();
	}
	for (int i = 0; i < 3; i++) {
		must_end_well(as_user(GREEDY, knock_too_often), "the user who knocks too often");
		must_end_well(as_user(MODEST, knock_once), "the user who knocks once");
	}
}

/* ---- storms ---- */

static int try_connect(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	strcpy(address.sun_path, group_daemon.socket);
	assert_true(fd >= 0);
	if (connect(fd, (struct sockaddr *)&address, sizeof address) == 0)
		return fd;
	assert_int_equal(errno, EAGAIN); /* the backlog is full */
	close(fd);
	return -1;
}

static void storm(void)
{
	for (;;) {
		int fd = try_connect();

		if (fd >= 0)
			close(fd);
	}
}

/* Without waiting for room. The user has a connection from then on, and is served. */
static void squeeze_in(void)
{
	enum { WANTED = 50, MOST = 2000000 };
	unsigned in = 0, tries = 0;

	while (in < WANTED && tries < MOST) {
		struct client client = {.fd = try_connect(), .bump = bump_new()};

		tries++;
		if (client.fd >= 0) {
			fcntl(client.fd, F_SETFL, 0);
			assert_true(client_is_let_in(&client, ""));
			in++;
		}
		client_close(&client);
	}
	printf("# beside a storm of connections %u of %u tries found room\n", in, tries);
	assert_int_equal(in, WANTED);
}

static void stormed(void **state)
{
	const uint64_t before = client_stat(&witness, "daemon.connections_refused");
	pid_t storms[2];

	(void)state;
	if (getuid() != 0) {
		printf("# skipped: only root can become other users\n");
		skip();
	}
	for (int i = 0; i < 2; i++)
		storms[i] = as_user(GREEDY, storm);
	while (client_stat(&witness, "daemon.connections_refused") < before + 2000)
		;
	must_end_well(as_user(MODEST, squeeze_in), "the user who behaves");
	for (int i = 0; i < 2; i++) {
		kill(storms[i], SIGKILL);
		assert_int_equal(waitpid(storms[i], NULL, 0), storms[i]);
	}
	client_await_stat(&witness, "daemon.sessions", 1);
	group_daemon_expect_rest();
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(flooded), cmocka_unit_test(full_host), cmocka_unit_test(arrivals),
					   cmocka_unit_test(stormed)};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
