/* SPDX-License-Identifier: Apache-2.0 */
/* The ranges of a named stream that several clients draw from at once: no position twice, over clean stops without a gap,
 * over kills at random moments with a block skipped for each at most. */
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <sys/socket.h>

#include "named.h"

enum { CLIENTS = 4, RANGES_MOST = 1 << 18 };

struct reservation {
	uint64_t first, end;
};

struct log {
	struct reservation ranges[RANGES_MOST];
	size_t count;
	pthread_mutex_t lock;
};

static struct log issued = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- ranges of several clients ---- */

static void note_range(const struct value *reply)
{
	pthread_mutex_lock(&issued.lock);
	assert_true(issued.count < RANGES_MOST);
	issued.ranges[issued.count++] =
		(struct reservation){client_number(reply, "position"), client_number(reply, "next")};
	pthread_mutex_unlock(&issued.lock);
}

static int by_first(const void *a, const void *b)
{
	const struct reservation *x = a, *y = b;

	return x->first < y->first ? -1 : x->first > y->first;
}

/* Sorted, no two meet; the sum of the gaps between them. */
static uint64_t check_ranges(void)
{
	uint64_t gaps = 0;

	qsort(issued.ranges, issued.count, sizeof *issued.ranges, by_first);
	for (size_t i = 1; i < issued.count; i++) {
		const struct reservation *a = &issued.ranges[i - 1], *b = &issued.ranges[i];

		if (b->first < a->end)
			fail_msg("expected ranges that do not meet, got %" PRIu64 "..%" PRIu64 " and %" PRIu64 "..%" PRIu64,
				 a->first, a->end, b->first, b->end);
		gaps += b->first - a->end;
	}
	return gaps;
}

struct drawer {
	pthread_t thread;
	struct client client;
	unsigned seed, draws;
	unsigned unanswered; /* of those sent, when the connection ends */
};

enum { MOST = 700 }; /* words of a draw */

/* false when the daemon is gone. */
static bool ask(struct client *client, const struct value *params)
{
	struct codec_buffer buffer = {0};
	bool sent;

	assert_int_equal(codec_request(&buffer, ++client->last_msgid, "stream_draw", params), 0);
	sent = send(client->fd, buffer.at, buffer.size, MSG_NOSIGNAL) == (ssize_t)buffer.size;
	codec_buffer_free(&buffer);
	return sent;
}

/* Eight requests in flight, so that some wait for blocks behind others. Ends with the connection. */
static void *draw_many(void *arg)
{
	struct drawer *drawer = arg;
	struct client *client = &drawer->client;
	unsigned random = drawer->seed, sent = 0, received = 0;
	bool alive = true;

	while (alive && received < drawer->draws) {
		struct message message;

		for (; alive && sent < drawer->draws && sent < received + 8; sent++) {
			random = random * 1664525 + 1013904223;
			struct value params = draw_of(client, "noise", "bits", 1 + (random >> 16) % MOST);

			alive = ask(client, &params);
		}
		if (!client_receive(client, &message))
			break;
		assert_int_equal(message.error.code, 0);
		note_range(&message.result);
		received++;
	}
	drawer->unanswered = sent - received;
	client_close(client);
	return NULL;
}

static void start_drawers(struct drawer *drawers, const char *socket, unsigned seed, unsigned draws)
{
	for (unsigned i = 0; i < CLIENTS; i++) {
		drawers[i] = (struct drawer){.seed = seed + i, .draws = draws};
		client_open(&drawers[i].client, socket);
		assert_int_equal(pthread_create(&drawers[i].thread, NULL, draw_many, &drawers[i]), 0);
	}
}

/* Draws of which no answer came. */
static unsigned join_drawers(struct drawer *drawers)
{
	unsigned unanswered = 0;

	for (unsigned i = 0; i < CLIENTS; i++) {
		pthread_join(drawers[i].thread, NULL);
		unanswered += drawers[i].unanswered;
	}
	return unanswered;
}

/* Over clean stops, the ranges of all clients follow one another without a gap. */
static void ranges_follow(void **test)
{
	struct drawer drawers[CLIENTS];
	char state[128];
	struct daemon daemon;
	struct client client;

	(void)test;
	issued.count = 0;
	begin(&daemon, state);
	for (unsigned round = 0; round < 3; round++) {
		spawn(&daemon, state, "--stream-block=65536");
		client_open(&client, daemon.socket);
		if (round == 0)
			create(&client, "noise");
		client_close(&client);
		start_drawers(drawers, daemon.socket, round * 100, SANITIZED ? 100 : 1000);
		join_drawers(drawers);
		kill(daemon.pid, SIGTERM);
		assert_int_equal(daemon_wait(&daemon), 0);
	}
	assert_int_equal(issued.count, 3 * CLIENTS * (SANITIZED ? 100 : 1000));
	assert_int_equal(check_ranges(), 0);
	assert_int_equal(issued.ranges[0].first, 0);
	daemon_remove_dir(&daemon);
}

/* ---- kills ---- */

/* The daemon is gone in the middle of anything: no position twice, and a block skipped for each kill at most. */
static void kills(void **test)
{
	const unsigned rounds = getenv("TRNSCI_FULL") && *getenv("TRNSCI_FULL") ? 150 : 12;
	struct drawer drawers[CLIENTS];
	char state[128];
	struct daemon daemon;
	struct client client;
	unsigned random = 12345, unanswered = 0;

	(void)test;
	issued.count = 0;
	begin(&daemon, state);
	for (unsigned round = 0; round < rounds; round++) {
		spawn(&daemon, state, NULL);
		client_open(&client, daemon.socket);
		if (round == 0)
			create(&client, "noise");
		client_close(&client);
		start_drawers(drawers, daemon.socket, round * 7, 1000000);
		random = random * 1664525 + 1013904223;
		wait_to_strike((random >> 12) % 40000);
		kill(daemon.pid, SIGKILL);
		assert_int_equal(daemon_wait(&daemon), 128 + SIGKILL);
		unanswered += join_drawers(drawers);
	}
	spawn(&daemon, state, NULL);
	client_open(&client, daemon.socket);
	struct value params = named(&client, "noise"), shown = client_result(&client, "stream_show", &params);
	const uint64_t gaps = check_ranges(), skips = client_number(&shown, "skips");

	printf("# %zu ranges, %" PRIu64 " kills skipped %" PRIu64 " words\n", issued.count, skips,
	       client_number(&shown, "skipped"));
	/* Within a gap lie what a crash skipped, and draws whose answers never came. */
	assert_true(skips <= rounds);
	assert_true(client_number(&shown, "skipped") <= skips * BLOCK);
	assert_true(gaps <= skips * BLOCK + unanswered * (uint64_t)MOST);
	assert_true(client_number(&shown, "position") >= issued.ranges[issued.count - 1].end);
	client_close(&client);
	daemon_stop(&daemon);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranges_follow),
		cmocka_unit_test(kills),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
