/* SPDX-License-Identifier: Apache-2.0 */
#include "queue_client.h"

#include <errno.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

static void attach_queue(struct queue_client *q, uint64_t entries)
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

uint32_t queue_client_make_tile(struct queue_client *q, uint64_t n)
{
	struct value params = client_map(&q->client, "dtype", value_string("f32"), "shape", value_uint(n), NULL);
	struct value result = client_result(&q->client, "tile", &params);

	return (uint32_t)client_number(&result, "tile");
}

void queue_client_open(struct queue_client *q, uint64_t entries)
{
	void *base;

	*q = (struct queue_client){0};
	client_open(&q->client, group_daemon.socket);
	close(client_arena(&q->client, ARENA, &base));
	q->arena = base;
	for (int i = 0; i < TILES; i++)
		q->tiles[i] = queue_client_make_tile(q, N);
	attach_queue(q, entries);
}

void queue_client_close(struct queue_client *q)
{
	client_close(&q->client);
	munmap(q->page, queue_bytes(q->entries));
	munmap(q->arena, ARENA);
}

void queue_client_make_large_tiles(struct queue_client *q, uint32_t tiles[LARGE_TILES])
{
	for (int i = 0; i < LARGE_TILES; i++)
		tiles[i] = queue_client_make_tile(q, LARGE);
}

uint32_t queue_client_prepare(struct queue_client *q, const char *method, uint64_t n, uint32_t tile)
{
	struct value draw = tile ? client_map(&q->client, "out", value_uint(tile), "seed", value_uint(7), NULL)
				 : client_map(&q->client, "n", value_uint(n), NULL);
	struct value params = client_map(&q->client, "method", value_string(method), "params", draw, NULL);
	struct value result = client_result(&q->client, "prepare", &params);

	return (uint32_t)client_number(&result, "prepared");
}

void queue_client_kick(struct queue_client *q)
{
	client_send_bytes(&q->client, queue_kick, sizeof queue_kick - 1);
}

void queue_client_write(struct queue_client *q, const struct run_prepared *run)
{
	memcpy(queue_submission(q->page, q->entries, q->submitted), run, sizeof *run);
	atomic_store(&q->page->submitted, ++q->submitted);
}

void queue_client_kick_if_asleep(struct queue_client *q)
{
	const uint32_t sleeps = atomic_load(&q->page->daemon_sleeps);

	if (sleeps % 2 == 0 || sleeps == q->kicked)
		return;
	queue_client_kick(q);
	q->kicked = sleeps;
}

void queue_client_submit(struct queue_client *q, const struct run_prepared *run)
{
	queue_client_write(q, run);
	queue_client_kick_if_asleep(q);
}

bool queue_client_is_completed(const struct queue_client *q)
{
	return atomic_load(&q->page->completed) != q->consumed;
}

void queue_client_await(struct queue_client *q)
{
	const struct timespec deadline = {DEADLINE_S, 0};

	while (!queue_client_is_completed(q)) {
		const uint32_t completed = atomic_load(&q->page->completed);

		atomic_store(&q->page->client_sleeps, (q->sleeps += QUEUE_SLEEP_STEP) | QUEUE_WAKE_FUTEX);
		if (completed == q->consumed && syscall(SYS_futex, &q->page->completed, FUTEX_WAIT, completed, &deadline, NULL, 0) < 0)
			assert_int_not_equal(errno, ETIMEDOUT);
		atomic_store(&q->page->client_sleeps, QUEUE_AWAKE);
	}
}

struct queue_completion queue_client_take(struct queue_client *q)
{
	struct queue_completion completion;

	queue_client_await(q);
	memcpy(&completion, queue_completion(q->page, q->entries, q->consumed), sizeof completion);
	atomic_store(&q->page->consumed, ++q->consumed);
	return completion;
}

struct queue_completion queue_client_run(struct queue_client *q, struct run_prepared run)
{
	queue_client_submit(q, &run);
	return queue_client_take(q);
}
