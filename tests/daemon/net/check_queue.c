/* SPDX-License-Identifier: Apache-2.0 */
/* Queues on a daemon's wire: a run through shared memory gives what run_prepared gives, whoever sleeps; and a client that
 * breaks the rules loses its session and nothing else. */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "daemon/group_daemon.h"
#include "queue_layout.h"

enum { N = 512, TILES = 4, LARGE = 1 << 16, LARGE_TILES = 24, ARENA = 8 << 20 };

struct queue_client {
	struct client client;
	float *arena;
	struct queue_page *page;
	uint32_t entries, submitted, consumed, sleeps, kicked, tiles[TILES];
};

static int setup(void **state)
{
	static const char *const arguments[] = {"--threads=2", "--connections-per-second=1000000", "--arena-ahead-bytes=0", NULL};

	(void)state;
	group_daemon_start(arguments);
	return 0;
}

static const char kick[] = "\x93\x02\xa4kick\x90";

/* ------- a client ------- */

static void attach(struct queue_client *q, uint64_t entries)
{
	struct value params = client_map(&q->client, "entries", value_uint(entries), NULL);
	struct message message;
	int fd;

	client_send(&q->client, "queue", &params);
	assert_true(client_receive_fd(&q->client, &message, &fd));
	if (message.error.code)
		fail_msg("queue: %s", message.error.text);
	q->entries = (uint32_t)client_number(&message.result, "entries");
	q->page = mmap(NULL, client_number(&message.result, "bytes"), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_true(q->page != MAP_FAILED);
	close(fd);
	assert_true(q->page->magic == QUEUE_MAGIC && q->page->version == QUEUE_VERSION && q->page->entries == q->entries);
	assert_int_equal(client_number(&message.result, "submissions_offset"), QUEUE_PAGE_BYTES);
}

static uint32_t make_tile(struct queue_client *q, uint64_t n)
{
	struct value params = client_map(&q->client, "dtype", value_string("f32"), "shape", value_uint(n), NULL);
	struct value result = client_result(&q->client, "tile", &params);

	return (uint32_t)client_number(&result, "tile");
}

static void open_client(struct queue_client *q, uint64_t entries)
{
	void *base;

	*q = (struct queue_client){0};
	client_open(&q->client, group_daemon.socket);
	close(client_arena(&q->client, ARENA, &base));
	q->arena = base;
	for (int i = 0; i < TILES; i++)
		q->tiles[i] = make_tile(q, N);
	attach(q, entries);
}

static void close_client(struct queue_client *q)
{
	client_close(&q->client);
	munmap(q->page, queue_bytes(q->entries));
	munmap(q->arena, ARENA);
}

/* As many as runs of them are in flight at once: two runs must not write one tile. */
static void make_large_tiles(struct queue_client *q, uint32_t tiles[LARGE_TILES])
{
	for (int i = 0; i < LARGE_TILES; i++)
		tiles[i] = make_tile(q, LARGE);
}

/* A prepared draw; into `tile`, unless that is 0. */
static uint32_t prepare(struct queue_client *q, const char *method, uint64_t n, uint32_t tile)
{
	struct value draw = tile ? client_map(&q->client, "out", value_uint(tile), "seed", value_uint(7), NULL)
				 : client_map(&q->client, "n", value_uint(n), NULL);
	struct value params = client_map(&q->client, "method", value_string(method), "params", draw, NULL);
	struct value result = client_result(&q->client, "prepare", &params);

	return (uint32_t)client_number(&result, "prepared");
}

static void send_kick(struct queue_client *q)
{
	client_send_bytes(&q->client, kick, sizeof kick - 1);
}

static void write_entry(struct queue_client *q, const struct run_prepared *run)
{
	memcpy(queue_submission(q->page, q->entries, q->submitted), run, sizeof *run);
	atomic_store(&q->page->submitted, ++q->submitted);
}

/* Once for each sleep. */
static void kick_if_asleep(struct queue_client *q)
{
	const uint32_t sleeps = atomic_load(&q->page->daemon_sleeps);

	if (sleeps % 2 == 0 || sleeps == q->kicked)
		return;
	send_kick(q);
	q->kicked = sleeps;
}

static void submit(struct queue_client *q, const struct run_prepared *run)
{
	write_entry(q, run);
	kick_if_asleep(q);
}

static bool is_completed(const struct queue_client *q)
{
	return atomic_load(&q->page->completed) != q->consumed;
}

/* Sleeps at the futex until there is a completion. */
static void await_completion(struct queue_client *q)
{
	const struct timespec deadline = {DEADLINE_S, 0};

	while (!is_completed(q)) {
		const uint32_t completed = atomic_load(&q->page->completed);

		atomic_store(&q->page->client_sleeps, (q->sleeps += QUEUE_SLEEP_STEP) | QUEUE_WAKE_FUTEX);
		if (completed == q->consumed && syscall(SYS_futex, &q->page->completed, FUTEX_WAIT, completed, &deadline, NULL, 0) < 0)
			assert_int_not_equal(errno, ETIMEDOUT);
		atomic_store(&q->page->client_sleeps, QUEUE_AWAKE);
	}
}

static struct queue_completion take_completion(struct queue_client *q)
{
	struct queue_completion completion;

	await_completion(q);
	memcpy(&completion, queue_completion(q->page, q->entries, q->consumed), sizeof completion);
	atomic_store(&q->page->consumed, ++q->consumed);
	return completion;
}

static struct queue_completion run(struct queue_client *q, struct run_prepared run)
{
	submit(q, &run);
	return take_completion(q);
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
	open_client(&q, 16);
	normal = prepare(&q, "normal", N, q.tiles[0]);
	for (unsigned i = 0; i < 50; i++) {
		struct run_prepared entry = {.prepared = normal, .user = i, .tiles = {q.tiles[i % TILES]}};
		struct queue_completion completion;

		entry.given = i % 8 & (RUN_PREPARED_SEED | RUN_PREPARED_OFFSET);
		entry.seed = i;
		entry.offset = 3 * i;
		completion = run(&q, entry);
		assert_int_equal(completion.user, i);
		expect_draw(&q, &completion, entry.given & RUN_PREPARED_SEED ? i : 7, entry.given & RUN_PREPARED_OFFSET ? 3 * i : 0,
			    (int)(i % TILES));
	}
	close_client(&q);
}

/* On the threads: completions in any order, each once. */
static void on_threads(void **state)
{
	struct queue_client q;
	uint32_t large, tiles[LARGE_TILES];
	uint64_t seen = 0;

	(void)state;
	open_client(&q, 16);
	make_large_tiles(&q, tiles);
	large = prepare(&q, "normal", LARGE, tiles[0]);
	for (uint64_t i = 0; i < 16; i++)
		submit(&q, &(struct run_prepared){.prepared = large, .user = i, .given = RUN_PREPARED_OFFSET, .offset = 5 * i,
						  .tiles = {tiles[i]}});
	for (int i = 0; i < 16; i++) {
		struct queue_completion completion = take_completion(&q);

		assert_int_equal(completion.error, 0);
		assert_int_equal(completion.offset, 5 * completion.user);
		seen |= UINT64_C(1) << completion.user;
	}
	assert_int_equal(seen, 0xffff);
	close_client(&q);
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
	completion = run(q, entry);
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
	open_client(&q, 16);
	normal = prepare(&q, "normal", N, q.tiles[0]);
	inline_draw = prepare(&q, "normal", N, 0);
	expect_failure(&q, (struct run_prepared){.prepared = 99}, ERROR_BAD_TILE, "there is no prepared call 99");
	expect_failure(&q, (struct run_prepared){.prepared = normal, .tiles = {12345}}, ERROR_BAD_TILE, "12345");
	expect_failure(&q, (struct run_prepared){.prepared = normal, .tiles = {q.tiles[0], q.tiles[1]}}, ERROR_BAD_TILE, "allowed are the 1");
	expect_failure(&q, (struct run_prepared){.prepared = inline_draw}, ERROR_NOT_SUPPORTED, "results in tiles");
	expect_failure(&q, (struct run_prepared){.prepared = normal, .given = RUN_PREPARED_OFFSET, .offset = UINT64_MAX}, ERROR_END_OF_STREAM,
		       "");
	expect_failure(&q, (struct run_prepared){.prepared = normal, .given = 1u << 31}, ERROR_OUT_OF_RANGE,
		       "run_prepared: given: 2147483648, allowed: bits");
	assert_int_equal(run(&q, (struct run_prepared){.prepared = normal}).error, 0);
	close_client(&q);
}

/* ------- sleeping ------- */

/* By a notification, as often as the client sleeps and not more. */
static void woken_by_notification(void **state)
{
	struct queue_client q;
	struct message message;
	uint32_t normal;

	(void)state;
	open_client(&q, 16);
	normal = prepare(&q, "normal", N, q.tiles[0]);
	for (uint32_t i = 0; i < 20; i++) {
		atomic_store(&q.page->client_sleeps, (q.sleeps += QUEUE_SLEEP_STEP) | QUEUE_WAKE_NOTIFY);
		submit(&q, &(struct run_prepared){.prepared = normal, .user = i});
		assert_true(client_receive(&q.client, &message));
		assert_int_equal(message.type, MESSAGE_NOTIFICATION);
		assert_memory_equal(message.method, "queue_wake", message.method_size);
		assert_true(is_completed(&q));
		assert_int_equal(take_completion(&q).user, i);
	}
	close_client(&q);
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
	open_client(&q, 16);
	normal = prepare(&q, "normal", N, q.tiles[0]);
	for (uint32_t i = 0; i < 6; i++) {
		AWAIT(is_asleep(&q));
		write_entry(&q, &(struct run_prepared){.prepared = normal, .user = i});
		if (i % 2)
			send_kick(&q);
		else
			client_result(&q.client, "ping", NULL);
		assert_int_equal(take_completion(&q).user, i);
	}
	for (int i = 0; i < 1000; i++) /* kicks for nothing */
		send_kick(&q);
	assert_int_equal(run(&q, (struct run_prepared){.prepared = normal, .user = 77}).user, 77);
	close_client(&q);
}

/* ------- a client that does not read ------- */

/* Completions fill their ring: the daemon takes no more, and goes on where there is room again. */
static void full_ring(void **state)
{
	struct queue_client q;
	uint32_t normal;

	(void)state;
	open_client(&q, 16);
	normal = prepare(&q, "normal", N, q.tiles[0]);
	for (uint32_t i = 0; i < 16; i++)
		submit(&q, &(struct run_prepared){.prepared = normal, .user = i});
	AWAIT(atomic_load(&q.page->taken) == 16);
	for (uint32_t i = 16; i < 32; i++)
		submit(&q, &(struct run_prepared){.prepared = normal, .user = i});
	AWAIT(is_asleep(&q));
	assert_int_equal(atomic_load(&q.page->completed), 16);
	assert_int_equal(atomic_load(&q.page->taken), 16);
	for (uint32_t i = 0; i < 32; i++) {
		assert_int_equal(take_completion(&q).user, i);
		kick_if_asleep(&q);
	}
	close_client(&q);
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
		write_entry(q, &(struct run_prepared){.prepared = 99});
	q->consumed = atomic_load(&q->page->completed);
	atomic_store(&q->page->consumed, q->consumed);
	kick_if_asleep(q);
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
	open_client(&q, 1024);
	AWAIT(is_stuck(&q));
	for (errors = 0; errors < q.submitted; errors++) {
		assert_true(client_receive(&q.client, &message));
		assert_memory_equal(message.method, "queue_error", message.method_size);
		q.consumed = atomic_load(&q.page->completed);
		atomic_store(&q.page->consumed, q.consumed);
		kick_if_asleep(&q);
	}
	assert_int_equal(count_waiting(&q), 0);
	close_client(&q);
}

/* ------- broken rules ------- */

static void expect_end(struct queue_client *q, uint64_t before, const char *words)
{
	struct message message;
	const struct value *text;
	char copy[sizeof message.error.text] = "";

	if (send(q->client.fd, kick, sizeof kick - 1, MSG_NOSIGNAL) < 0) /* it may have seen the words before */
		assert_int_equal(errno, EPIPE);
	assert_true(client_receive(&q->client, &message));
	assert_int_equal(message.type, MESSAGE_NOTIFICATION);
	assert_memory_equal(message.method, "error", message.method_size);
	text = value_get(&message.params, "text");
	memcpy(copy, text->bytes.at, text->bytes.size);
	if (!strstr(copy, words))
		fail_msg("\"%s\" lacks \"%s\"", copy, words);
	assert_false(client_receive(&q->client, &message));
	assert_int_equal(client_stat(&witness, "daemon.bad_queues"), before + 1);
	close_client(q);
}

static void broken_rules(void **state)
{
	const uint64_t before = client_stat(&witness, "daemon.bad_queues");
	struct queue_client q;
	uint32_t normal;

	(void)state;
	open_client(&q, 16);
	atomic_store(&q.page->submitted, 17);
	expect_end(&q, before + 0, "submitted: 17 ahead, allowed: at most 16");
	open_client(&q, 16);
	atomic_store(&q.page->submitted, UINT32_MAX);
	expect_end(&q, before + 1, "submitted: 4294967295 ahead");
	open_client(&q, 16);
	normal = prepare(&q, "normal", N, q.tiles[0]);
	run(&q, (struct run_prepared){.prepared = normal});
	atomic_store(&q.page->consumed, 2);
	write_entry(&q, &(struct run_prepared){.prepared = normal});
	expect_end(&q, before + 2, "consumed: 2 ahead, allowed: at most 1");
	open_client(&q, 16);
	normal = prepare(&q, "normal", N, q.tiles[0]);
	run(&q, (struct run_prepared){.prepared = normal});
	write_entry(&q, &(struct run_prepared){.prepared = normal});
	kick_if_asleep(&q);
	take_completion(&q);
	atomic_store(&q.page->consumed, 0); /* back */
	write_entry(&q, &(struct run_prepared){.prepared = normal});
	expect_end(&q, before + 3, "consumed: 4294967295 ahead");
}

/* ------- a client that rewrites every word ------- */

static uint64_t random_state = 1;

static uint64_t random_u64(void)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return random_state >> 33 ^ random_state << 20;
}

/* Few steps forward keep the rules often enough for runs to happen. */
static void rewrite_word(struct queue_client *q, uint32_t prepared)
{
	const struct run_prepared run = {.prepared = prepared, .given = (uint32_t)random_u64() % 8, .seed = random_u64(),
					 .offset = random_u64() >> 20, .user = random_u64(), .tiles = {q->tiles[random_u64() % TILES]}};
	_Atomic uint32_t *words = (_Atomic uint32_t *)q->page;
	const size_t n_words = queue_bytes(q->entries) / sizeof *words;

	switch (random_u64() % 8) {
	case 0:
		atomic_store(&words[random_u64() % n_words], (uint32_t)random_u64());
		return;
	case 1:
		atomic_store(&q->page->client_sleeps, (uint32_t)random_u64() % 16);
		return;
	case 2:
		atomic_store(&q->page->consumed, atomic_load(&q->page->completed));
		return;
	default:
		memcpy(queue_submission(q->page, q->entries, q->submitted), &run, sizeof run);
		q->submitted += (uint32_t)random_u64() % 4 ? 1 : 0;
		if (q->submitted - atomic_load(&q->page->taken) <= q->entries)
			atomic_store(&q->page->submitted, q->submitted);
	}
}

/* Until the session is ended, or for a while. Each round ends by a hang-up in the midst of it. */
static void rewritten(void **state)
{
	enum { ROUNDS = 60, WORDS = 20000 };
	const uint64_t before = client_stat(&witness, "daemon.queue_runs");

	(void)state;
	for (int round = 0; round < ROUNDS; round++) {
		struct queue_client q;
		uint32_t prepared;

		open_client(&q, 16u << round % 4);
		prepared = prepare(&q, "normal", N, q.tiles[0]);
		for (int i = 0; i < WORDS; i++) {
			rewrite_word(&q, prepared);
			if (i % 64 == 0 && send(q.client.fd, kick, sizeof kick - 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN)
				break;
		}
		close_client(&q);
		client_result(&witness, "ping", NULL);
	}
	assert_true(client_stat(&witness, "daemon.queue_runs") > before + ROUNDS);
	group_daemon_expect_rest();
}

/* Its pages are punched under the daemon, and its mapping holds nothing after the end. */
static void punched(void **state)
{
	struct queue_client q;
	uint32_t normal;

	(void)state;
	open_client(&q, 64);
	normal = prepare(&q, "normal", N, q.tiles[0]);
	for (int i = 0; i < 100; i++) {
		write_entry(&q, &(struct run_prepared){.prepared = normal});
		assert_int_equal(madvise(q.page, queue_bytes(q.entries) & ~4095ul, MADV_REMOVE), 0);
		if (send(q.client.fd, kick, sizeof kick - 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN)
			break;
		q.submitted %= 3;
	}
	client_close(&q.client);
	client_await_stat(&witness, "daemon.queues", 0);
	group_daemon_expect_rest();
	assert_int_equal(((uint64_t *)q.page)[0], 0);
	munmap(q.page, queue_bytes(q.entries));
	munmap(q.arena, ARENA);
}

/* A process that is killed in the midst of its runs, those on the threads included. */
static void killed(void **state)
{
	(void)state;
	for (int round = 0; round < 20; round++) {
		int ready[2];
		char byte;
		pid_t pid;

		assert_int_equal(pipe(ready), 0);
		pid = fork();
		if (pid == 0) {
			struct queue_client q;
			uint32_t calls[2], tiles[LARGE_TILES];

			open_client(&q, 64);
			calls[0] = prepare(&q, "normal", N, q.tiles[0]);
			make_large_tiles(&q, tiles);
			calls[1] = prepare(&q, "normal", LARGE, tiles[0]);
			for (uint64_t i = 0; write(ready[1], "", i == 40) >= 0; i++) {
				submit(&q, &(struct run_prepared){.prepared = calls[i % 3 == 0], .user = i,
								  .tiles = {i % 3 ? 0 : tiles[i / 3 % LARGE_TILES]}});
				if (i >= 60)
					take_completion(&q);
			}
			_exit(1);
		}
		close(ready[1]);
		assert_int_equal(read(ready[0], &byte, 1), 1);
		for (volatile int i = 0; i < round * 20000; i = i + 1)
			;
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		close(ready[0]);
	}
	client_await_stat(&witness, "daemon.queues", 0);
	group_daemon_expect_rest();
}

static void limits(void **state)
{
	struct queue_client q;
	struct value params;

	(void)state;
	open_client(&q, 16);
	client_fails(&q.client, "queue", NULL, ERROR_LIMIT, "this session has one");
	params = client_map(&q.client, "entries", value_uint(4097), NULL);
	client_fails(&q.client, "queue", &params, ERROR_OUT_OF_RANGE, "4096");
	params = client_map(&witness, "entries", value_uint(2000), NULL);
	client_fails(&witness, "queue", &params, ERROR_LIMIT, "queue_entries = 1024");
	assert_int_equal(client_stat(&witness, "daemon.queues"), 1);
	close_client(&q);
	client_await_stat(&witness, "daemon.queues", 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(same_as_the_call), cmocka_unit_test(on_threads),  cmocka_unit_test(failed_runs),
		cmocka_unit_test(woken_by_notification), cmocka_unit_test(lost_kicks), cmocka_unit_test(full_ring),
		cmocka_unit_test(unread_texts), cmocka_unit_test(broken_rules), cmocka_unit_test(limits),
		cmocka_unit_test(rewritten), cmocka_unit_test(punched), cmocka_unit_test(killed),
	};

	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
