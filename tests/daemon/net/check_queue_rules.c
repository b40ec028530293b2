/* SPDX-License-Identifier: Apache-2.0 */
/* A client that breaks the rules of its queue, or dies in the midst of it, loses its session and nothing else. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "queue_client.h"

static int setup(void **state)
{
	static const char *const arguments[] = {"--threads=2", "--connections-per-second=1000000", "--arena-ahead-bytes=0", NULL};

	(void)state;
	group_daemon_start(arguments);
	return 0;
}

/* ------- broken rules ------- */

static void expect_end(struct queue_client *q, uint64_t before, const char *words)
{
	struct message message;
	const struct value *text;
	char copy[sizeof message.error.text] = "";

	if (send(q->client.fd, queue_kick, sizeof queue_kick - 1, MSG_NOSIGNAL) < 0) /* it may have seen the words before */
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
	queue_client_close(q);
}

static void broken_rules(void **state)
{
	const uint64_t before = client_stat(&witness, "daemon.bad_queues");
	struct queue_client q;
	uint32_t normal;

	(void)state;
	queue_client_open(&q, 16);
	atomic_store(&q.page->submitted, 17);
	expect_end(&q, before + 0, "submitted: 17 ahead, allowed: at most 16");
	queue_client_open(&q, 16);
	atomic_store(&q.page->submitted, UINT32_MAX);
	expect_end(&q, before + 1, "submitted: 4294967295 ahead");
	queue_client_open(&q, 16);
	normal = queue_client_prepare(&q, "normal", N, q.tiles[0]);
	queue_client_run(&q, (struct run_prepared){.prepared = normal});
	atomic_store(&q.page->consumed, 2);
	queue_client_write(&q, &(struct run_prepared){.prepared = normal});
	expect_end(&q, before + 2, "consumed: 2 ahead, allowed: at most 1");
	queue_client_open(&q, 16);
	normal = queue_client_prepare(&q, "normal", N, q.tiles[0]);
	queue_client_run(&q, (struct run_prepared){.prepared = normal});
	queue_client_write(&q, &(struct run_prepared){.prepared = normal});
	queue_client_kick_if_asleep(&q);
	queue_client_take(&q);
	atomic_store(&q.page->consumed, 0); /* back */
	queue_client_write(&q, &(struct run_prepared){.prepared = normal});
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

		queue_client_open(&q, 16u << round % 4);
		prepared = queue_client_prepare(&q, "normal", N, q.tiles[0]);
		for (int i = 0; i < WORDS; i++) {
			rewrite_word(&q, prepared);
			if (i % 64 == 0 && send(q.client.fd, queue_kick, sizeof queue_kick - 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN)
				break;
		}
		queue_client_close(&q);
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
	queue_client_open(&q, 64);
	normal = queue_client_prepare(&q, "normal", N, q.tiles[0]);
	for (int i = 0; i < 100; i++) {
		queue_client_write(&q, &(struct run_prepared){.prepared = normal});
		assert_int_equal(madvise(q.page, queue_bytes(q.entries) & ~4095ul, MADV_REMOVE), 0);
		if (send(q.client.fd, queue_kick, sizeof queue_kick - 1, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno != EAGAIN)
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

			queue_client_open(&q, 64);
			calls[0] = queue_client_prepare(&q, "normal", N, q.tiles[0]);
			queue_client_make_large_tiles(&q, tiles);
			calls[1] = queue_client_prepare(&q, "normal", LARGE, tiles[0]);
			for (uint64_t i = 0; write(ready[1], "", i == 40) >= 0; i++) {
				queue_client_submit(&q, &(struct run_prepared){.prepared = calls[i % 3 == 0], .user = i,
								  .tiles = {i % 3 ? 0 : tiles[i / 3 % LARGE_TILES]}});
				if (i >= 60)
					queue_client_take(&q);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(broken_rules), cmocka_unit_test(rewritten), cmocka_unit_test(punched),
		cmocka_unit_test(killed),
	};

	return cmocka_run_group_tests(tests, setup, group_daemon_stop);
}
