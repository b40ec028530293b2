/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon that may have 64 open files, and 200 clients at once: as many as can be are served, each of the others is
 * refused with the reason, nothing spins, those who are served feel nothing, and when they go all is as before. */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/load.h"
#include "daemon/group_daemon.h"

enum { MOST_FILES = 64, CROWD = 200 };

static const char why[] = "limit: connection: the daemon has no file descriptor left, allowed: its limit of open files";

static void allow(rlim_t files)
{
	const struct rlimit limit = {files, MOST_FILES};

	assert_int_equal(prlimit(group_daemon.pid, RLIMIT_NOFILE, &limit, NULL), 0);
}

static int setup(void **state)
{
	(void)state;
	group_daemon_start((const char *const[]){"--threads", "2", "--arena-ahead-bytes", "0",
						 "--connections-per-second", "100000", NULL});
	allow(MOST_FILES);
	return 0;
}

static int rest(void **state)
{
	(void)state;
	client_expect_known_draw(&witness);
	group_daemon_expect_rest();
	return 0;
}

/* ---- a crowd ---- */

struct crowd {
	struct client at[CROWD];
	unsigned served, refused;
};

/* All are in the queue, with a request each, before one is answered. */
static void gather(struct crowd *crowd)
{
	kill(group_daemon.pid, SIGSTOP);
	for (int i = 0; i < CROWD; i++) {
		client_open(&crowd->at[i], group_daemon.socket);
		client_send(&crowd->at[i], "ping", NULL);
	}
	kill(group_daemon.pid, SIGCONT);
}

/* Each has an answer, or the reason and then the end. */
static void hear(struct crowd *crowd)
{
	crowd->served = crowd->refused = 0;
	for (int i = 0; i < CROWD; i++) {
		struct client *client = &crowd->at[i];
		struct message message;

		assert_true(client_receive(client, &message));
		if (message.type == MESSAGE_RESPONSE) {
			assert_int_equal(message.error.code, 0);
			crowd->served++;
			continue;
		}
		const struct value *text = value_get(&message.params, "text");
		assert_int_equal(message.type, MESSAGE_NOTIFICATION);
		if (!text || text->bytes.size < sizeof why - 1 || memcmp(text->bytes.at, why, sizeof why - 1) != 0)
			fail_msg("expected \"%s\", got \"%.*s\"", why, text ? (int)text->bytes.size : 0,
				 text ? text->bytes.at : "");
		assert_false(client_receive(client, &message));
		crowd->refused++;
	}
}

static void go(struct crowd *crowd)
{
	for (int i = 0; i < CROWD; i++)
		client_close(&crowd->at[i]);
}

/* While nothing is asked of it. */
static void is_quiet(const char *when)
{
	const uint64_t begun = load_now_ns(), before = load_cpu_ns(&group_daemon);

	wait_idle(400);
	const uint64_t took = load_cpu_ns(&group_daemon) - before, passed = load_now_ns() - begun;

	printf("# %s: %" PRIu64 " us of processor time in %" PRIu64 " ms\n", when, took / 1000, passed / 1000000);
	if (!SANITIZED && took > passed / 20)
		fail_msg("%s: expected it to sleep, got %" PRIu64 " us of processor time in %" PRIu64 " ms", when,
			 took / 1000, passed / 1000000);
}

static void crowds(void **state)
{
	static struct crowd crowd;
	const unsigned used = daemon_fds(&group_daemon) - 3; /* ".", ".." and what lists them are none of its */

	(void)state;
	for (int round = 0; round < 3; round++) {
		uint64_t refused = client_stat(&witness, "daemon.connections_refused");

		gather(&crowd);
		hear(&crowd);
		printf("# %u served, %u refused\n", crowd.served, crowd.refused);
		assert_true(crowd.served >= MOST_FILES - used - 4 && crowd.served < MOST_FILES);
		assert_int_equal(client_stat(&witness, "daemon.connections_refused") - refused, crowd.refused);
		client_result(&witness, "ping", NULL);
		if (round == 0)
			is_quiet("200 hang on");
		go(&crowd);
		rest(NULL);
	}
}

/* ---- those who are served ---- */

static void knock(void)
{
	int fds[CROWD];

	for (int i = 0; i < CROWD; i++)
		fds[i] = load_connect(&group_daemon);
	wait_as_slow_peer(1000);
	for (int i = 0; i < CROWD; i++)
		close(fds[i]);
}

static void works_as_before(void **state)
{
	(void)state;
	load_feels_nothing(&witness, "200 clients that knock again and again", knock);
}

/* ---- what takes descriptors besides ---- */

/* Rings, three descriptors each and as many on their way, until there are none: the request is refused and says why,
 * the connection lives, and those who connect meanwhile get the reason. */
static void rings(void **state)
{
	struct value noise = client_map(&witness, "op", value_string("bits"), NULL);
	struct value attach = client_map(&witness, "noise", noise, "samples", value_uint(1024), NULL);
	struct client client[8], late;
	struct message message;
	struct fdpass fds;
	unsigned attached = 0;
	bool full = false;

	(void)state;
	for (int i = 0; i < 8; i++)
		client_open(&client[i], group_daemon.socket);
	for (int i = 0; i < 8 * 12 && !full; i++) {
		client_send(&client[i % 8], "ring_attach", &attach);
		assert_true(client_receive_fds(&client[i % 8], &message, &fds));
		full = message.error.code != 0;
		attached += !full;
		fdpass_close(&fds);
	}
	printf("# %u rings, then: %s\n", attached, message.error.text);
	assert_true(full && attached > 3);
	assert_int_equal(message.error.code, ERROR_SYSTEM);
	assert_non_null(strstr(message.error.text, "Too many open files"));
	client_result(&client[0], "ping", NULL);
	/* An fd or two may be left beside what a ring takes. */
	for (int i = 0; i < 8; i++) {
		client_open(&late, group_daemon.socket);
		client_send(&late, "ping", NULL);
		assert_true(client_receive(&late, &message));
		client_close(&late);
	}
	for (int i = 0; i < 8; i++)
		client_close(&client[i]);
}

/* ---- not even the reserve ---- */

/* With the limit below all that are open, nobody can be let in nor turned away: they wait, and it does not spin; those
 * who are served go on. */
static void no_reserve(void **state)
{
	static struct client late[20];
	struct message message;

	(void)state;
	allow(3);
	for (int i = 0; i < 20; i++) {
		client_open(&late[i], group_daemon.socket);
		client_send(&late[i], "ping", NULL);
	}
	client_result(&witness, "ping", NULL);
	is_quiet("20 that cannot even be refused");
	client_result(&witness, "ping", NULL);
	allow(MOST_FILES);
	for (int i = 0; i < 20; i++) {
		assert_true(client_receive(&late[i], &message));
		assert_int_equal(message.type, MESSAGE_RESPONSE);
		client_close(&late[i]);
	}
	rest(NULL);
	/* The reserve is there again. */
	crowds(NULL);
}

/* ---- a start ---- */

static void starts_with_few(void **state)
{
	struct daemon daemon;
	struct client client[2];

	(void)state;
	daemon_prepare(&daemon);
	daemon.most_files = MOST_FILES;
	daemon_spawn(&daemon, (const char *const[]){"--threads=2", "--connections=16", NULL}, NULL);
	daemon_await(&daemon, "READY=1");
	for (int i = 0; i < 2; i++) {
		client_open(&client[i], daemon.socket);
		client_result(&client[i], "ping", NULL);
	}
	for (int i = 0; i < 2; i++)
		client_close(&client[i]);
	daemon_stop(&daemon);
}

int main(void)
{
#define limit(name) cmocka_unit_test_teardown(name, rest)
	const struct CMUnitTest tests[] = {
		limit(crowds), limit(works_as_before), limit(rings), limit(no_reserve), limit(starts_with_few),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
