/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning and the end of a queue. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "queue.h"
#include "queue_core.h"

/* On the background worker's thread, when the memory has been returned to the system. */
static void give_memory_back(void *arg, uint64_t size)
{
	struct quota_user *user = arg;

	quota_give(user, QUOTA_ARENA_BYTES, size);
	quota_user_close(user);
}

/* The memory counts as arena bytes until it is gone. */
static int create_memory(struct session *session, uint64_t size, struct arena **ret_memory, int *ret_fd, struct error *err)
{
	struct quota_user *user = quota_user_open(session->service->quota, quota_user_uid(session->user));
	int r;

	if (!user)
		return error_set(err, ERROR_NO_MEMORY, "queue: an account");
	r = quota_take(user, QUOTA_ARENA_BYTES, size, err);
	if (r < 0) {
		quota_user_close(user);
		return r;
	}
	r = arena_create(size, NULL, give_memory_back, user, ret_memory, ret_fd, err);
	if (r < 0)
		give_memory_back(user, size);
	return r;
}

static void begin_page(struct queue *queue)
{
	queue->page->version = QUEUE_VERSION;
	queue->page->entries = queue->entries;
	queue->sleeps = 1; /* until the first kick */
	atomic_store_explicit(&queue->page->daemon_sleeps, queue->sleeps, memory_order_relaxed);
	queue->page->magic = QUEUE_MAGIC;
}

static int create_queue(struct session *session, uint32_t entries, struct queue **ret_queue, int *ret_fd, struct error *err)
{
	struct queue *queue = calloc(1, sizeof *queue);
	const uint64_t page = arena_page();
	int r = queue ? create_memory(session, (queue_bytes(entries) + page - 1) / page * page, &queue->memory, ret_fd, err)
		      : error_set(err, ERROR_NO_MEMORY, "queue: its entry");

	if (r < 0) {
		free(queue);
		return r;
	}
	queue->poller = (struct loop_poller){.poll = queue_poll, .sleep = queue_sleep};
	queue->session = session;
	queue->draws.session = session->memory;
	queue->page = arena_base(queue->memory);
	queue->entries = entries;
	begin_page(queue);
	*ret_queue = queue;
	return 0;
}

static void free_queue(struct queue *queue)
{
	arena_release(queue->memory);
	free(queue);
}

static int check_attach(const struct method_call *call)
{
	const struct session *session = call->session;
	const uint64_t wanted = call->args->at[0].u64, most = session->service->settings->queue_entries;

	if (session->queue)
		return error_set(call->err, ERROR_LIMIT, "queue: this session has one, allowed: one a session");
	if (outbox_has_fds(&session->outbox))
		return error_set(call->err, ERROR_LIMIT,
				 "queue: an earlier reply's descriptors are under way, allowed: one reply at a time");
	if (wanted > most)
		return error_set(call->err, ERROR_LIMIT,
				 "queue: entries: %" PRIu64 ", allowed: the setting queue_entries = %" PRIu64, wanted, most);
	return 0;
}

static int describe_queue(struct method_call *call, const struct queue *queue)
{
	const uint64_t bytes = arena_size(queue->memory);

	if (value_put(call->bump, call->result, "entries", value_uint(queue->entries)) < 0 ||
	    value_put(call->bump, call->result, "bytes", value_uint(bytes)) < 0 ||
	    value_put(call->bump, call->result, "submissions_offset", value_uint(QUEUE_PAGE_BYTES)) < 0 ||
	    value_put(call->bump, call->result, "completions_offset",
		      value_uint(QUEUE_PAGE_BYTES + (uint64_t)queue->entries * QUEUE_ENTRY_BYTES)) < 0)
		return error_set(call->err, ERROR_NO_MEMORY, "queue: the reply");
	return 0;
}

int queue_attach(struct method_call *call)
{
	struct session *session = call->session;
	uint32_t entries = QUEUE_ENTRIES_LEAST;
	struct queue *queue;
	int fd = -1, r = check_attach(call);

	if (r < 0)
		return r;
	while (entries < call->args->at[0].u64)
		entries *= 2;
	r = create_queue(session, entries, &queue, &fd, call->err);
	if (r < 0)
		return r;
	r = describe_queue(call, queue);
	if (r < 0) {
		close(fd);
		free_queue(queue);
		return r;
	}
	session->queue = queue;
	session->service->stats.queues++;
	*call->fds = (struct fdpass){.at = {fd}, .count = 1};
	return 0;
}

uint32_t queue_entries(const struct session *session)
{
	return session->queue ? session->queue->entries : 0;
}

void queue_close(struct session *session)
{
	struct queue *queue = session->queue;

	if (!queue)
		return;
	session->queue = NULL;
	session->service->stats.queues--;
	loop_stop_polling(session->service->loop, &queue->poller);
	free_queue(queue);
}
