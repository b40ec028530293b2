/* SPDX-License-Identifier: Apache-2.0 */
/* Many clients whose requests arrive at once, so that the sender's thread sends the replies: each client gets its own
 * bytes, in order, however it reads, sends more or leaves meanwhile. The daemon stands still while the requests arrive. */
#include <signal.h>
#include <sys/socket.h>

#include "daemon/group_daemon.h"
#include "engine/scheduler/cpus.h"

enum { CROWD = 48, SAMPLES = 4096, ROUNDS = 20, UNREAD = 64 };

static struct client clients[CROWD];

static int setup(void **state)
{
	(void)state;
	group_daemon_start((const char *const[]){"--threads=2", "--arena-ahead-bytes=0", "--send-timeout=3600", NULL});
	return 0;
}

static void open_crowd(void)
{
	group_daemon_expect_rest();
	for (int i = 0; i < CROWD; i++)
		client_open(&clients[i], group_daemon.socket);
	client_await_stat(&witness, "daemon.sessions", CROWD + 1);
}

static void close_crowd(void)
{
	for (int i = 0; i < CROWD; i++)
		client_close(&clients[i]);
	client_await_stat(&witness, "daemon.sessions", 1);
}

static void resume_daemon(void)
{
	assert_int_equal(kill(group_daemon.pid, SIGCONT), 0);
}

static uint32_t ask(struct client *client, uint64_t seed)
{
	struct value params = client_map(client, "n", value_uint(SAMPLES), "seed", value_uint(seed), NULL);

	return client_send(client, "bits", &params);
}

static void expect_reply(struct client *client, uint32_t msgid, uint64_t seed)
{
	struct value params = client_map(&witness, "n", value_uint(SAMPLES), "seed", value_uint(seed), NULL);
	const struct value expected = client_result(&witness, "bits", &params);
	struct message message;

	assert_true(client_receive(client, &message));
	assert_int_equal(message.msgid, msgid);
	assert_int_equal(message.error.code, 0);
	assert_memory_equal(value_get(&message.result, "data")->bytes.at, value_get(&expected, "data")->bytes.at,
			    SAMPLES * sizeof(uint32_t));
}

/* Where the daemon has CPUs for it. */
static void expect_sender(uint64_t before)
{
	if (cpus_usable() > 2 && client_stat(&witness, "daemon.sender_replies") == before)
		fail_msg("expected replies to %d clients by the sender, got none", CROWD);
}

static void each_gets_its_own(void **state)
{
	const uint64_t before = client_stat(&witness, "daemon.sender_replies");
	uint32_t msgids[CROWD];

	(void)state;
	open_crowd();
	for (int round = 0; round < ROUNDS; round++) {
		daemon_halt(&group_daemon);
		for (int i = 0; i < CROWD; i++)
			msgids[i] = ask(&clients[i], (uint64_t)(round * CROWD + i));
		resume_daemon();
		for (int i = 0; i < CROWD; i++)
			expect_reply(&clients[i], msgids[i], (uint64_t)(round * CROWD + i));
	}
	expect_sender(before);
	close_crowd();
}

/* The next request arrives while the sender may still have the reply, and more than a socket holds is not read. */
static void replies_stay_in_order(void **state)
{
	static uint32_t msgids[CROWD][UNREAD];

	(void)state;
	open_crowd();
	for (int k = 0; k < UNREAD; k++) {
		if (k % 8 == 0)
			daemon_halt(&group_daemon);
		for (int i = 0; i < CROWD; i++)
			msgids[i][k] = ask(&clients[i], (uint64_t)(k * CROWD + i));
		if (k % 8 == 0)
			resume_daemon();
	}
	for (int i = 0; i < CROWD; i++)
		for (int k = 0; k < UNREAD; k++)
			expect_reply(&clients[i], msgids[i][k], (uint64_t)(k * CROWD + i));
	close_crowd();
}

/* Every second one is gone when its reply is sent; every third of the others has only ended its input. */
static void some_leave(void **state)
{
	uint32_t msgids[CROWD];

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		open_crowd();
		daemon_halt(&group_daemon);
		for (int i = 0; i < CROWD; i++)
			msgids[i] = ask(&clients[i], (uint64_t)i);
		for (int i = 0; i < CROWD; i++)
			if (i % 2)
				client_close(&clients[i]);
			else if (i % 6 == 0)
				shutdown(clients[i].fd, SHUT_WR);
		resume_daemon();
		for (int i = 0; i < CROWD; i += 2) {
			struct message message;

			expect_reply(&clients[i], msgids[i], (uint64_t)i);
			if (i % 6 == 0)
				assert_false(client_receive(&clients[i], &message));
			client_close(&clients[i]);
		}
		client_await_stat(&witness, "daemon.sessions", 1);
	}
	group_daemon_expect_rest();
}

/* A daemon that is stopped answers what it has received. */
static void the_daemon_stops(void **state)
{
	uint32_t msgids[CROWD];
	struct daemon own;

	(void)state;
	daemon_start(&own, (const char *const[]){"--threads=2", NULL});
	for (int i = 0; i < CROWD; i++) {
		client_open(&clients[i], own.socket);
		client_result(&clients[i], "ping", NULL);
	}
	daemon_halt(&own);
	for (int i = 0; i < CROWD; i++)
		msgids[i] = ask(&clients[i], (uint64_t)i);
	kill(own.pid, SIGTERM);
	kill(own.pid, SIGCONT);
	for (int i = 0; i < CROWD; i++) {
		expect_reply(&clients[i], msgids[i], (uint64_t)i);
		client_close(&clients[i]);
	}
	assert_int_equal(daemon_wait(&own), 0);
	daemon_remove_dir(&own);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_gets_its_own),
		cmocka_unit_test(replies_stay_in_order),
		cmocka_unit_test(some_leave),
		cmocka_unit_test(the_daemon_stops),
	};

	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
