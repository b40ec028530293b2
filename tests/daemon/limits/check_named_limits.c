/* SPDX-License-Identifier: Apache-2.0 */
/* Each setting that is a limit has a check that provokes it. Here are those that no other check is about; the list of all
 * is held to the table of settings, so that none is forgotten. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "daemon/settings.h"
#include "daemon/group_daemon.h"

static int setup(void **state)
{
	static char state_dir[128];

	(void)state;
	snprintf(state_dir, sizeof state_dir, "--state-dir=/tmp/trnscid-limits-%d", (int)getpid());
	group_daemon_start((const char *const[]){"--threads=2", "--arena-ahead-bytes=0", "--rings=2", "--broadcasts=2",
						 "--prepared=3", "--work-total-bytes=1M", "--frame-elements=100",
						 "--frame-bytes=1M", "--buffer-bytes=64K", "--buffer-total-bytes=1M",
						 "--streams-total=2", "--jobs-total=8", "--inline-bytes=1M", state_dir,
						 NULL});
	return 0;
}

static int teardown(void **state)
{
	char command[64];
	int r = group_daemon_stop(state);

	snprintf(command, sizeof command, "rm -r /tmp/trnscid-limits-%d", (int)getpid());
	return r ? r : system(command);
}

static int rest(void **state)
{
	(void)state;
	client_await_stat(&witness, "daemon.sessions", 1);
	client_await_stat(&witness, "daemon.quota.arena_total_bytes.used", 0);
	client_await_stat(&witness, "daemon.quota.work_total_bytes.used", 0);
	client_await_stat(&witness, "daemon.quota.jobs_total.used", 0);
	return 0;
}

/* ---- by a request ---- */

static void attach_ring(struct client *client, const struct value *params)
{
	struct message message;
	struct fdpass fds;

	client_send(client, "ring_attach", params);
	assert_true(client_receive_fds(client, &message, &fds));
	assert_int_equal(message.error.code, 0);
	fdpass_close(&fds);
}

static void rings(void **state)
{
	struct client client;

	(void)state;
	client_open(&client, group_daemon.socket);
	struct value params = client_map(&client, "samples", value_uint(1024), NULL);
	for (int i = 0; i < 2; i++)
		attach_ring(&client, &params);
	client_fails(&client, "ring_attach", &params, ERROR_LIMIT, "the setting rings = 2");
	client_result(&client, "ping", NULL);
	client_close(&client);
}

static void broadcasts(void **state)
{
	static const char *const names[] = {"a", "b", "c"};
	struct client client;

	(void)state;
	client_open(&client, group_daemon.socket);
	for (int i = 0; i < 3; i++) {
		struct value params = client_map(&client, "name", value_string(names[i]), "samples", value_uint(1024), NULL);

		if (i < 2)
			client_result(&client, "broadcast_create", &params);
		else
			client_fails(&client, "broadcast_create", &params, ERROR_LIMIT, "the setting broadcasts = 2");
	}
	client_close(&client);
}

static void prepared(void **state)
{
	struct client client;

	(void)state;
	client_open(&client, group_daemon.socket);
	struct value steps = value_array();
	value_push(client.bump, &steps, client_map(&client, "op", value_string("bits"), "n", value_uint(4), NULL));
	struct value run = client_map(&client, "steps", steps, NULL);
	struct value params = client_map(&client, "method", value_string("run"), "params", run, NULL);
	for (int i = 0; i < 3; i++)
		client_result(&client, "prepare", &params);
	client_fails(&client, "prepare", &params, ERROR_LIMIT, "allowed are 3 (prepared)");
	client_close(&client);
}

/* What a long transform keeps between its phases; the session is well after it. */
static void temporaries(void **state)
{
	struct client client;
	void *base;

	(void)state;
	client_open(&client, group_daemon.socket);
	close(client_arena(&client, 4 << 20, &base));
	struct value make = client_map(&client, "dtype", value_string("c64"), "shape", value_uint(100003), NULL);
	struct value in = client_result(&client, "tile", &make);
	struct value tile = value_uint(client_number(&in, "tile"));
	struct value params = client_map(&client, "in", tile, "out", tile, NULL);
	client_fails(&client, "fft", &params, ERROR_LIMIT,
		     "which has 0, allowed: 524288, half of the setting work_total_bytes = 1048576");
	struct value one = client_map(&client, "n", value_uint(1), NULL);
	client_result(&client, "uniform", &one);
	client_close(&client);
}

static void work_of_a_user(void **state)
{
	struct client client;

	(void)state;
	client_open(&client, group_daemon.socket);
	struct value params = client_map(&client, "n", value_uint(150000), NULL);
	client_fails(&client, "normal", &params, ERROR_LIMIT, "half of the setting work_total_bytes = 1048576");
	client_close(&client);
}

static void streams(void **state)
{
	static const char *const names[] = {"a", "b", "c"};
	struct client client;

	(void)state;
	client_open(&client, group_daemon.socket);
	for (int i = 0; i < 3; i++) {
		struct value params = client_map(&client, "name", value_string(names[i]), NULL);

		if (i < 2)
			client_result(&client, "stream_create", &params);
		else
			client_fails(&client, "stream_create", &params, ERROR_LIMIT, "the setting streams_total = 2");
	}
	client_close(&client);
}

/* Some ten milliseconds, in the client's own arena. */
static struct value long_program(struct client *client)
{
	struct value params = client_map(client, "dtype", value_string("f32"), "shape", value_uint(1 << 15), NULL);
	struct value steps = value_array(), tile = client_result(client, "tile", &params);

	for (int i = 0; i < 8; i++)
		value_push(client->bump, &steps,
			   client_map(client, "op", value_string("beta"), "alpha", value_real(0.1), "beta",
				      value_real(0.1), "out", value_uint(client_number(&tile, "tile")), NULL));
	return client_map(client, "steps", steps, NULL);
}

/* Half of eight are under way at once; those that come meanwhile are refused. */
static void jobs_of_a_user(void **state)
{
	enum { CLIENTS = 8 };
	struct client client[CLIENTS];
	struct value params[CLIENTS];
	struct message message;
	unsigned refused = 0;
	void *base;

	(void)state;
	for (int i = 0; i < CLIENTS; i++) {
		client_open(&client[i], group_daemon.socket);
		close(client_arena(&client[i], 1 << 20, &base));
		munmap(base, 1 << 20);
		params[i] = long_program(&client[i]);
	}
	kill(group_daemon.pid, SIGSTOP); /* so that it finds all at once */
	for (int i = 0; i < CLIENTS; i++)
		client_send(&client[i], "run", &params[i]);
	kill(group_daemon.pid, SIGCONT);
	for (int i = 0; i < CLIENTS; i++) {
		assert_true(client_receive(&client[i], &message));
		client_close(&client[i]);
		if (message.error.code == 0)
			continue;
		if (message.error.code != ERROR_LIMIT || !strstr(message.error.text, "half of the setting jobs_total = 8"))
			fail_msg("expected the limit of jobs, got %s", message.error.text);
		refused++;
	}
	printf("# %u of %d refused\n", refused, CLIENTS);
	assert_true(refused > 0 && refused <= CLIENTS - 4);
}

/* ---- by the message itself: the connection ends ---- */

static void expect_end(struct client *client, const char *words)
{
	struct message message;

	do
		assert_true(client_receive(client, &message));
	while (message.type == MESSAGE_RESPONSE);
	const struct value *text = value_get(&message.params, "text");
	if (!text || !memmem(text->bytes.at, text->bytes.size, words, strlen(words)))
		fail_msg("expected \"%s\", got \"%.*s\"", words, text ? (int)text->bytes.size : 0,
			 text ? text->bytes.at : "");
	assert_false(client_receive(client, &message));
	client_close(client);
}

static void frames(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
		const char *words;
	} bombs[] = {
		{"\x94\x00\x01\xa4ping\x91\xdc\x00\x65", 12, "(frame_elements)"},
		{"\x94\x00\x01\xa4ping\x91\xde\x00\x33", 12, "(frame_elements)"},
		{"\xdd\xff\xff\xff\xff", 5, "(frame_elements)"},
		{"\xdb\x00\x10\x00\x00", 5, "(frame_bytes)"},
		{"\xc6\xff\xff\xff\xff", 5, "(frame_bytes)"},
		{"\xc9\xff\xff\xff\xff\x01", 6, "(frame_bytes)"},
	};
	struct client client;

	(void)state;
	for (size_t i = 0; i < sizeof bombs / sizeof *bombs; i++) {
		client_open(&client, group_daemon.socket);
		client_send_bytes(&client, bombs[i].bytes, bombs[i].size);
		expect_end(&client, bombs[i].words);
	}
}

/* A message of 100 kB, in a session that may hold 64 KiB. */
static void messages_of_a_session(void **state)
{
	static char bytes[100000] = "\xdb\x00\x01\x80";
	struct client client;

	(void)state;
	client_open(&client, group_daemon.socket);
	fdpass_send(client.fd, bytes, sizeof bytes, NULL);
	expect_end(&client, "the settings buffer_bytes");
}

static bool is_refused(const struct client *client)
{
	char byte;

	return recv(client->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT) > 0;
}

/* Whether the daemon has read all that each has sent, or has refused it. */
static bool all_are_read(const struct client *clients, int count)
{
	for (int i = 0, unread; i < count; i++) {
		assert_int_equal(ioctl(clients[i].fd, SIOCOUTQ, &unread), 0);
		if (unread > 0 && !is_refused(&clients[i]))
			return false;
	}
	return true;
}

static uint64_t count_refused(const struct client *clients, int count)
{
	uint64_t refused = 0;

	for (int i = 0; i < count; i++)
		refused += is_refused(&clients[i]);
	return refused;
}

/* All but the end of a message from each, until the user has his half of 1 MiB: some are refused, the others keep
 * theirs, and finish once there is room to read it out. */
static void messages_of_a_user(void **state)
{
	enum { MOST = 40, ROOM = 4, TEXT = 30500, SENT = 30000 };
	static struct client clients[MOST];
	static char bytes[12 + TEXT] = "\x94\x00\x07\xa4ping\x91\xda\x77\x24";
	struct client odd;
	struct message message;
	const uint64_t over_limit = client_stat(&witness, "daemon.over_limit");
	int ended = 0, finished = 0;

	(void)state;
	/* Whole pages are what they take: with the few bytes of one that has had an answer, something is always left for the
	 * witness, which is the same user's. */
	client_open(&odd, group_daemon.socket);
	client_call(&odd, "ping", NULL);
	for (int i = 0; i < MOST; i++) {
		client_open(&clients[i], group_daemon.socket);
		fdpass_send(clients[i].fd, bytes, SENT, NULL);
	}
	AWAIT(all_are_read(clients, MOST));
	AWAIT(client_stat(&witness, "daemon.over_limit") - over_limit == count_refused(clients, MOST));
	for (int i = 0; i < MOST; i++)
		if (is_refused(&clients[i])) {
			expect_end(&clients[i], "half of buffer_total_bytes");
			ended++;
		}
	for (int i = 0, closed = 0; i < MOST && closed < ROOM; i++)
		if (clients[i].fd >= 0) {
			client_close(&clients[i]);
			closed++;
		}
	client_await_stat(&witness, "daemon.sessions", (uint64_t)(2 + MOST - ended - ROOM));
	for (int i = 0; i < MOST; i++) {
		if (clients[i].fd < 0)
			continue;
		client_send_bytes(&clients[i], bytes + SENT, sizeof bytes - SENT);
		assert_true(client_receive(&clients[i], &message));
		assert_int_equal(message.error.code, ERROR_WRONG_TYPE);
		client_close(&clients[i]);
		finished++;
	}
	client_close(&odd);
	printf("# of %d, %d ended and %d were finished\n", MOST, ended, finished);
	assert_true(ended > 10 && finished > 5);
}

/* ---- none is forgotten ---- */

/* What provokes each: a test of this file, or of another. */
static const char *const provoked[][2] = {
	{"connections", "check_session_limits"}, {"connections_per_second", "check_limits"},
	{"arenas", "check_many_arenas"},	 {"arenas_total", "check_many_arenas"},
	{"arena_bytes", "check_session_limits"}, {"arena_total_bytes", "check_hostile"},
	{"rings", "rings"},			 {"broadcasts", "broadcasts"},
	{"ring_bytes", "check_ring"},		 {"tiles", "check_session_limits"},
	{"queue_entries", "limits of daemon/net/queue"},
	{"prepared", "prepared"},		 {"jobs", "check_session_limits"},
	{"jobs_total", "jobs_of_a_user"},	 {"inline_bytes", "check_session_limits"},
	{"work_bytes", "check_session_limits"}, {"work_total_bytes", "work_of_a_user"}, {"frame_bytes", "frames"},
	{"frame_elements", "frames"},		 {"buffer_bytes", "messages_of_a_session"},
	{"buffer_total_bytes", "messages_of_a_user"}, {"send_timeout", "check_stopped"},
	{"stop_timeout", "check_long_jobs"},
	{"reply_bytes", "check_unread_results"}, {"reply_total_bytes", "check_unread_results"},
	{"streams", "check_streams"},		 {"streams_total", "streams"},
	{"stream_seeds", "check_store"},	 {"frame_timeout", "check_stopped"},
	{"fds", "check_limits"},		 {"fds_total", "check_users"},
};

/* Settings that refuse nothing. */
static const char *const others[] = {"socket", "socket_mode", "threads", "pin", "spin_us", "slow_us", "weights", "log_level",
				     "arena_ahead_bytes", "state_dir", "stream_block", "plan_cache_bytes"};

static void none_is_forgotten(void **state)
{
	size_t count, known = 0;
	const struct setting *table = settings_table(&count);

	(void)state;
	for (size_t i = 0; i < count; i++, known = 0) {
		for (size_t k = 0; k < sizeof provoked / sizeof *provoked; k++)
			known += strcmp(table[i].name, provoked[k][0]) == 0;
		for (size_t k = 0; k < sizeof others / sizeof *others; k++)
			known += strcmp(table[i].name, others[k]) == 0;
		if (known != 1)
			fail_msg("the setting %s: expected a check that provokes it, or to be said to refuse nothing",
				 table[i].name);
	}
}

int main(void)
{
#define limit(name) cmocka_unit_test_teardown(name, rest)
	const struct CMUnitTest tests[] = {
		limit(rings),		limit(broadcasts),     limit(prepared),
		limit(temporaries),	limit(work_of_a_user), limit(streams),
		limit(jobs_of_a_user),	limit(frames),	       limit(messages_of_a_session),
		limit(messages_of_a_user), cmocka_unit_test(none_is_forgotten),
	};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, setup, teardown);
}
