/* SPDX-License-Identifier: Apache-2.0 */
/* Inline results that a client does not read: how many bytes of them the daemon holds for a session, for a user, and with a
 * limit below a single result. */
#include <inttypes.h>
#include <signal.h>
#include <string.h>

#include "daemon/group_daemon.h"

enum {
	DRAW = 1 << 20,
	DRAW_BYTES = 4 * DRAW,
	DRAWS = 60,
	HELD = 5,  /* draws; with one more there would be no room for a result of the setting inline_bytes = 16 MiB */
	FIRST = 8, /* draws of a try to have that many held */
};

static int setup(void **state)
{
	static const char *const arguments[] = {"--threads=2", "--reply-total-bytes=64M", "--arena-ahead-bytes=0",
						"--send-timeout=600", NULL};

	(void)state;
	group_daemon_start(arguments);
	return 0;
}

static int nothing_is_left(void **state)
{
	(void)state;
	client_await_stat(&witness, "daemon.sessions", 1);
	client_await_stat(&witness, "daemon.quota.reply_total_bytes.used", 0);
	return 0;
}

/* Of a distribution that takes long, so that the daemon has read several requests before the first has its result. */
static void send_draws(struct client *client, int count, uint64_t n)
{
	for (int i = 0; i < count; i++) {
		struct value params = client_map(client, "n", value_uint(n), "seed", value_uint((uint64_t)i), "shape",
						 value_real(2.5), "dtype", value_string("f32"), NULL);

		client_send(client, "gamma", &params);
	}
}

static void expect_draws(struct client *client, int count, uint64_t n)
{
	struct message message;

	for (int i = 0; i < count; i++) {
		assert_true(client_receive(client, &message));
		assert_int_equal(message.error.code, 0);
		assert_int_equal(value_get(&message.result, "data")->bytes.size, 4 * n);
		bump_free(client->bump);
		client->bump = bump_new();
	}
}

/* Returns whether the daemon has read HELD draws before the first was done. While a result waits to be sent it reads none. */
static bool is_filled(void)
{
	uint64_t used = 0;

	AWAIT(used > 0 && client_stat(&witness, "engine.jobs.running") == 0) {
		used = client_stat(&witness, "daemon.quota.reply_total_bytes.used");
		if (used >= (uint64_t)HELD * DRAW_BYTES)
			return true;
	}
	return client_stat(&witness, "daemon.quota.reply_total_bytes.used") >= (uint64_t)HELD * DRAW_BYTES;
}

/* The threads may be done with a draw before the daemon gets its CPU to read the next request: then it is tried again. */
static void fill_replies(struct client *client)
{
	send_draws(client, FIRST, DRAW);
	AWAIT(is_filled()) {
		expect_draws(client, FIRST, DRAW);
		send_draws(client, FIRST, DRAW);
	}
}

/* The most bytes of results that the daemon has held, seen while it would have had the time to hold them all. */
static uint64_t watch_replies(uint64_t *ret_kib)
{
	enum { ROUNDS = 400 };
	uint64_t most = 0, most_kib = 0;

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

/* Asks for 240 MiB and reads nothing: the daemon holds no more than the setting reply_bytes = 32 MiB, leaves the other
 * requests unread, and goes on with them once the client reads. */
static void of_a_session(void **state)
{
	const uint64_t limit = 32 << 20, before_kib = daemon_kib(&group_daemon, "RssAnon");
	uint64_t kib, most;
	struct client client;

	(void)state;
	client_open(&client, group_daemon.socket);
	fill_replies(&client);
	send_draws(&client, DRAWS - FIRST, DRAW);
	most = watch_replies(&kib);
	printf("# of %d MiB at most %" PRIu64 " MiB are held, and %" PRIu64 " MiB of memory\n", DRAWS * DRAW_BYTES >> 20,
	       most >> 20, (kib > before_kib ? kib - before_kib : 0) >> 10);
	assert_true(most >= (uint64_t)HELD * DRAW_BYTES && most <= limit);
	assert_true(SANITIZED || kib < before_kib + 2 * (limit >> 10));
	expect_draws(&client, DRAWS, DRAW);
	client_close(&client);
}

/* Each of a user's sessions has its own bound, and all of them half of --reply-total-bytes=64M. */
static void of_a_user(void **state)
{
	enum { LARGE = 3 << 20, SESSIONS = 3 };
	struct client clients[SESSIONS];
	struct message message;

	(void)state;
	for (int i = 0; i < SESSIONS; i++) {
		client_open(&clients[i], group_daemon.socket);
		send_draws(&clients[i], 1, LARGE);
		if (i < SESSIONS - 1)
			client_await_stat(&witness, "daemon.quota.reply_total_bytes.used", (uint64_t)(i + 1) * 4 * LARGE);
	}
	assert_true(client_receive(&clients[SESSIONS - 1], &message));
	assert_int_equal(message.error.code, ERROR_LIMIT);
	assert_non_null(strstr(message.error.text, "half of the setting reply_total_bytes = 67108864"));
	/* The others keep what they were promised. */
	for (int i = 0; i < SESSIONS - 1; i++)
		expect_draws(&clients[i], 1, LARGE);
	for (int i = 0; i < SESSIONS; i++)
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
	send_draws(&client, HELD, DRAW);
	for (int i = 0; i < HELD; i++) {
		assert_true(client_receive(&client, &message));
		assert_int_equal(message.error.code, 0);
		assert_int_equal(message.msgid, i + 1);
	}
	client_close(&client);
	daemon_stop(&daemon);
}

int main(void)
{
#define unread(name) cmocka_unit_test_teardown(name, nothing_is_left)
	const struct CMUnitTest tests[] = {unread(of_a_session), unread(of_a_user), unread(larger_than_the_limit)};

	signal(SIGPIPE, SIG_IGN);
	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
