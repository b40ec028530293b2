/* SPDX-License-Identifier: Apache-2.0 */
/* Queues on a daemon's wire: a run through shared memory gives what run_prepared gives, whoever sleeps. */
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "engine/scheduler/cpus.h"
#include "queue_client.h"

static int setup(void **state)
{
	static const char *const arguments[] = {"--threads=2", "--connections-per-second=1000000", "--arena-ahead-bytes=0",
						"--arena-total-bytes=4294967296", NULL};

	(void)state;
	group_daemon_start(arguments);
	return 0;
}

/* ------- what is computed ------- */

/* The draw itself, with its reply. */
static struct value plain_draw(struct queue_client *q, uint64_t seed, uint64_t offset, float out[N])
{
	struct value params = client_map(&q->client, "n", value_uint(N), "seed", value_uint(seed), "offset", value_uint(offset), NULL);
	struct value result = client_result(&q->client, "normal", &params);
	const struct value *data = value_get(&result, "data");

	assert_int_equal(data->bytes.size, N * sizeof *out);
	memcpy(out, data->bytes.at, N * sizeof *out);
	return result;
}

static void expect_draw(struct queue_client *q, const struct queue_completion *completion, uint64_t seed, uint64_t offset, int tile)
{
	float expected[N];
	struct value result = plain_draw(q, seed, offset, expected);

	assert_int_equal(completion->error, 0);
	assert_int_equal(completion->given, QUEUE_SEED | QUEUE_STREAM | QUEUE_OFFSET | QUEUE_POSITION | QUEUE_NEXT);
	assert_true(completion->seed == seed && completion->stream == 0 && completion->offset == offset);
	assert_true(completion->position == client_number(&result, "position") && completion->next == client_number(&result, "next"));
	assert_memory_equal(expected, q->arena + tile * N, sizeof expected);
}

/* In place: what is stated, and nothing; every tile; over more entries than the ring has. */
static void same_as_the_call(void **state)
{
	struct queue_client q;
	uint32_t normal;

	(void)state;
	queue_client_open(&q, 16);
	normal = queue_client_prepare(&q, "normal", N, q.tiles[0]);
	for (unsigned i = 0; i < 50; i++) {
		struct run_prepared entry = {.prepared = normal, .user = i, .tiles = {q.tiles[i % TILES]}};
		struct queue_completion completion;

		entry.given = i % 8 & (RUN_PREPARED_SEED | RUN_PREPARED_OFFSET);
		entry.seed = i;
		entry.offset = 3 * i;
		completion = queue_client_run(&q, entry);
		assert_int_equal(completion.user, i);
		expect_draw(&q, &completion, entry.given & RUN_PREPARED_SEED ? i : 7, entry.given & RUN_PREPARED_OFFSET ? 3 * i : 0,
			    (int)(i % TILES));
	}
	queue_client_close(&q);
}

/* On the threads: completions in any order, each once. */
static void on_threads(void **state)
{
	struct queue_client q;
	uint32_t large, tiles[LARGE_TILES];
	uint64_t seen = 0;

	(void)state;
	queue_client_open(&q, 16);
	queue_client_make_large_tiles(&q, tiles);
	large = queue_client_prepare(&q, "normal", LARGE, tiles[0]);
	for (uint64_t i = 0; i < 16; i++)
		queue_client_submit(&q, &(struct run_prepared){.prepared = large, .user = i, .given = RUN_PREPARED_OFFSET, .offset = 5 * i,
						  .tiles = {tiles[i]}});
	for (int i = 0; i < 16; i++) {
		struct queue_completion completion = queue_client_take(&q);

		assert_int_equal(completion.error, 0);
		assert_int_equal(completion.offset, 5 * completion.user);
		seen |= UINT64_C(1) << completion.user;
	}
	assert_int_equal(seen, 0xffff);
	queue_client_close(&q);
}

/* ------- failures of runs ------- */

/* The number in the completion; and the text in the notification. */
static void expect_failure(struct queue_client *q, struct run_prepared entry, int code, const char *words)
{
	struct queue_completion completion;
	struct message message;
	const struct value *text;
	char copy[sizeof message.error.text] = "";

	entry.user = UINT64_MAX - entry.prepared;
	completion = queue_client_run(q, entry);
	assert_true(completion.user == entry.user);
	assert_int_equal(completion.error, code);
	assert_int_equal(completion.given, 0);
	assert_true(client_receive(&q->client, &message));
	assert_int_equal(message.type, MESSAGE_NOTIFICATION);
	assert_memory_equal(message.method, "queue_error", message.method_size);
	assert_true(client_number(&message.params, "user") == entry.user);
	text = value_get(&message.params, "text");
	memcpy(copy, text->bytes.at, text->bytes.size);
	if (!strstr(copy, words))
		fail_msg("\"%s\" lacks \"%s\"", copy, words);
}

static void failed_runs(void **state)
{
	struct queue_client q;
	uint32_t normal, inline_draw;

	(void)state;
	queue_client_open(&q, 16);
	normal = queue_client_prepare(&q, "normal", N, q.tiles[0]);
	inline_draw = queue_client_prepare(&q, "normal", N, 0);
	expect_failure(&q, (struct run_prepared){.prepared = 99}, ERROR_BAD_TILE, "there is no prepared call 99");
	expect_failure(&q, (struct run_prepared){.prepared = normal, .tiles = {12345}}, ERROR_BAD_TILE, "12345");
	expect_failure(&q, (struct run_prepared){.prepared = normal, .tiles = {q.tiles[0], q.tiles[1]}}, ERROR_BAD_TILE, "allowed are the 1");
	expect_failure(&q, (struct run_prepared){.prepared = inline_draw}, ERROR_NOT_SUPPORTED, "results in tiles");
	expect_failure(&q, (struct run_prepared){.prepared = normal, .given = RUN_PREPARED_OFFSET, .offset = UINT64_MAX}, ERROR_END_OF_STREAM,
		       "");
	expect_failure(&q, (struct run_prepared){.prepared = normal, .given = 1u << 31}, ERROR_OUT_OF_RANGE,
		       "run_prepared: given: 2147483648, allowed: bits");
	assert_int_equal(queue_client_run(&q, (struct run_prepared){.prepared = normal}).error, 0);
	queue_client_close(&q);
}

/* ------- sleeping ------- */

/* By a notification, as often as the client sleeps and not more. */
static void woken_by_notification(void **state)
{
	struct queue_client q;
	struct message message;
	uint32_t normal;

	(void)state;
	queue_client_open(&q, 16);
	normal = queue_client_prepare(&q, "normal", N, q.tiles[0]);
	for (uint32_t i = 0; i < 20; i++) {
		atomic_store(&q.page->client_sleeps, (q.sleeps += QUEUE_SLEEP_STEP) | QUEUE_WAKE_NOTIFY);
		queue_client_submit(&q, &(struct run_prepared){.prepared = normal, .user = i});
		assert_true(client_receive(&q.client, &message));
		assert_int_equal(message.type, MESSAGE_NOTIFICATION);
		assert_memory_equal(message.method, "queue_wake", message.method_size);
		assert_true(queue_client_is_completed(&q));
		assert_int_equal(queue_client_take(&q).user, i);
	}
	queue_client_close(&q);
}

static bool is_asleep(const struct queue_client *q)
{
	return atomic_load(&q->page->daemon_sleeps) & 1;
}

/* Without its kick an entry stays where it is; the next kick, or any message, takes it. */
static void lost_kicks(void **state)
{
	struct queue_client q;
	uint32_t normal;

	(void)state;
	queue_client_open(&q, 16);
	normal = queue_client_prepare(&q, "normal", N, q.tiles[0]);
	for (uint32_t i = 0; i < 6; i++) {
		AWAIT(is_asleep(&q));
		queue_client_write(&q, &(struct run_prepared){.prepared = normal, .user = i});
		if (i % 2)
			queue_client_kick(&q);
		else
			client_result(&q.client, "ping", NULL);
		assert_int_equal(queue_client_take(&q).user, i);
	}
	for (int i = 0; i < 1000; i++) /* kicks for nothing */
		queue_client_kick(&q);
	assert_int_equal(queue_client_run(&q, (struct run_prepared){.prepared = normal, .user = 77}).user, 77);
	queue_client_close(&q);
}

/* Has `busy` make runs for so long. Returns whether the daemon looks at the queue of q all the while. */
static bool stays_awake(const struct queue_client *q, struct queue_client *busy, uint32_t normal, uint64_t ns)
{
	const uint32_t sleeps = atomic_load(&q->page->daemon_sleeps);
	const uint64_t end_ns = now_ns() + ns;

	while (now_ns() < end_ns)
		queue_client_run(busy, (struct run_prepared){.prepared = normal});
	return sleeps % 2 == 0 && atomic_load(&q->page->daemon_sleeps) == sleeps;
}

/* While others have work the daemon looks at a queue whose client has not read its completions for much longer than spin_us, but not
 * for ever. */
static void unread_completions(void **state)
{
	enum { WHILE_NS = 2000000 };
	struct run_prepared run = {.user = 1};
	struct queue_client q, busy;
	uint32_t normal;
	bool stays = false;

	(void)state;
	if (cpus_usable() == 1) /* nobody spins */
		skip();
	queue_client_open(&q, 16);
	queue_client_open(&busy, 16);
	run.prepared = queue_client_prepare(&q, "normal", N, q.tiles[0]);
	normal = queue_client_prepare(&busy, "normal", N, busy.tiles[0]);
	AWAIT(stays) { /* a test that gets no CPU in time lets the whole daemon sleep */
		queue_client_submit(&q, &run);
		queue_client_await(&q);
		stays = stays_awake(&q, &busy, normal, WHILE_NS);
		queue_client_take(&q);
	}
	assert_false(stays_awake(&q, &busy, normal, WHILE_NS));
	queue_client_submit(&q, &run);
	queue_client_await(&q);
	assert_false(stays_awake(&q, &busy, normal, 20 * WHILE_NS));
	queue_client_close(&busy);
	queue_client_close(&q);
}

/* ------- a client that does not read ------- */

/* Completions fill their ring: the daemon takes no more, and goes on where there is room again. */
static void full_ring(void **state)
{
	struct queue_client q;
	uint32_t normal;

	(void)state;
	queue_client_open(&q, 16);
	normal = queue_client_prepare(&q, "normal", N, q.tiles[0]);
	for (uint32_t i = 0; i < 16; i++)
		queue_client_submit(&q, &(struct run_prepared){.prepared = normal, .user = i});
	AWAIT(atomic_load(&q.page->taken) == 16);
	for (uint32_t i = 16; i < 32; i++)
		queue_client_submit(&q, &(struct run_prepared){.prepared = normal, .user = i});
	AWAIT(is_asleep(&q));
	assert_int_equal(atomic_load(&q.page->completed), 16);
	assert_int_equal(atomic_load(&q.page->taken), 16);
	for (uint32_t i = 0; i < 32; i++) {
		assert_int_equal(queue_client_take(&q).user, i);
		queue_client_kick_if_asleep(&q);
	}
	queue_client_close(&q);
}

static uint32_t count_waiting(const struct queue_client *q)
{
	return q->submitted - atomic_load(&q->page->taken);
}

/* Fills the ring of submissions, empties that of completions, and kicks once for each sleep. Returns whether the daemon sleeps
 * on, and takes none: the second ping is answered by a loop that has seen the kick. */
static bool is_stuck(struct queue_client *q)
{
	uint32_t taken;

	while (count_waiting(q) < q->entries)
		queue_client_write(q, &(struct run_prepared){.prepared = 99});
	q->consumed = atomic_load(&q->page->completed);
	atomic_store(&q->page->consumed, q->consumed);
	queue_client_kick_if_asleep(q);
	taken = atomic_load(&q->page->taken);
	client_result(&witness, "ping", NULL);
	client_result(&witness, "ping", NULL);
	return is_asleep(q) && atomic_load(&q->page->taken) == taken && count_waiting(q) == q->entries;
}

/* Texts of failures that nobody reads: the daemon takes no more entries, until they are read. */
static void unread_texts(void **state)
{
	struct queue_client q;
	struct message message;
	uint32_t errors;

	(void)state;
	queue_client_open(&q, 1024);
	AWAIT(is_stuck(&q));
	for (errors = 0; errors < q.submitted; errors++) {
		assert_true(client_receive(&q.client, &message));
		assert_memory_equal(message.method, "queue_error", message.method_size);
		q.consumed = atomic_load(&q.page->completed);
		atomic_store(&q.page->consumed, q.consumed);
		queue_client_kick_if_asleep(&q);
	}
	assert_int_equal(count_waiting(&q), 0);
	queue_client_close(&q);
}

/* ------- limits ------- */

static void limits(void **state)
{
	struct queue_client q;
	struct value params;

	(void)state;
	queue_client_open(&q, 16);
	client_fails(&q.client, "queue", NULL, ERROR_LIMIT, "this session has one");
	params = client_map(&q.client, "entries", value_uint(4097), NULL);
	client_fails(&q.client, "queue", &params, ERROR_OUT_OF_RANGE, "4096");
	params = client_map(&witness, "entries", value_uint(2000), NULL);
	client_fails(&witness, "queue", &params, ERROR_LIMIT, "queue_entries = 1024");
	assert_int_equal(client_stat(&witness, "daemon.queues"), 1);
	queue_client_close(&q);
	client_await_stat(&witness, "daemon.queues", 0);
}

/* ------- several clients ------- */

/* Each of n clients has so many runs, all at once. Returns what the first one's queue then says of yields. */
static uint32_t run_each(struct queue_client *clients, const uint32_t *normals, size_t n, unsigned runs)
{
	for (size_t i = 0; i < n; i++) {
		struct queue_client *q = &clients[i];

		for (unsigned k = 0; k < runs; k++)
			*(struct run_prepared *)queue_submission(q->page, q->entries, q->submitted++) =
				(struct run_prepared){.prepared = normals[i]};
		atomic_store(&q->page->submitted, q->submitted);
		queue_client_kick_if_asleep(q);
	}
	for (size_t i = 0; i < n; i++)
		for (unsigned k = 0; k < runs; k++)
			queue_client_take(&clients[i]);
	return atomic_load(&clients[0].page->yields);
}

/* Whether a client had better yield follows the clients that have work: several, one, more than take turns, and several that do not
 * wait for each run. */
static void says_who_yields(void **state)
{
	enum { SEVERAL = 3, MANY = 70 };
	static struct queue_client clients[MANY];
	uint32_t normals[MANY];

	(void)state;
	for (size_t i = 0; i < MANY; i++) {
		queue_client_open(&clients[i], 16);
		normals[i] = queue_client_prepare(&clients[i], "normal", N, clients[i].tiles[0]);
	}
	AWAIT(run_each(clients, normals, SEVERAL, 1) == 1);
	AWAIT(run_each(clients, normals, 1, 1) == 0);
	AWAIT(run_each(clients, normals, SEVERAL, 1) == 1);
	AWAIT(run_each(clients, normals, MANY, 1) == 0);
	AWAIT(run_each(clients, normals, SEVERAL, 1) == 1);
	AWAIT(run_each(clients, normals, SEVERAL, 16) == 0);
	for (size_t i = 0; i < MANY; i++)
		queue_client_close(&clients[i]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_the_call), cmocka_unit_test(on_threads), cmocka_unit_test(failed_runs),
		cmocka_unit_test(woken_by_notification), cmocka_unit_test(lost_kicks), cmocka_unit_test(full_ring),
		cmocka_unit_test(unread_completions), cmocka_unit_test(unread_texts), cmocka_unit_test(limits),
		cmocka_unit_test(says_who_yields),
	};

	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
