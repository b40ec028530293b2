/* SPDX-License-Identifier: Apache-2.0 */
/* Asking for a queue, checking and mapping its memory. */
#include "queue_attach.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "call/run.h"
#include "queue_core.h"
#include "sealed_memfd.h"
#include "socket_io.h"

enum {
	ENTRIES = 256,
	WAIT_MS = 1000, /* the queue saves some microseconds a run: none is worth more than that */
};

static int map_queue(struct trnsci_call *call, struct queue *queue, struct error *err)
{
	uint64_t entries = 0, bytes = 0, submissions = 0, completions = 0;
	void *base;
	int r = call_reply_u64(call, "entries", &entries, err);

	if (r == 0)
		r = call_reply_u64(call, "bytes", &bytes, err);
	if (r == 0)
		r = call_reply_u64(call, "submissions_offset", &submissions, err);
	if (r == 0)
		r = call_reply_u64(call, "completions_offset", &completions, err);
	if (r == 0)
		r = sealed_memfd_check_count(&call->answer.fds, 1, "queue", err);
	if (r == 0)
		r = sealed_memfd_check(call->answer.fds.at[0], bytes, false, "queue", err);
	if (r < 0)
		return r;
	if (entries < QUEUE_ENTRIES_LEAST || entries > QUEUE_ENTRIES_MOST || (entries & (entries - 1)) ||
	    bytes < queue_bytes((uint32_t)entries) || bytes > SIZE_MAX || submissions != QUEUE_PAGE_BYTES ||
	    completions != QUEUE_PAGE_BYTES + entries * QUEUE_ENTRY_BYTES)
		return error_set(err, ERROR_BAD_REPLY, "queue: %llu entries in %llu bytes", (unsigned long long)entries,
				 (unsigned long long)bytes);
	base = mmap(NULL, (size_t)bytes, PROT_READ | PROT_WRITE, MAP_SHARED, call->answer.fds.at[0], 0);
	if (base == MAP_FAILED)
		return error_set(err, ERROR_SYSTEM, "queue: mmap: %s", strerror(errno));
	madvise(base, (size_t)bytes, MADV_DONTFORK);
	*queue = (struct queue){.page = base, .bytes = (size_t)bytes, .refs = 1, .connection = call->connection,
				.entries = (uint32_t)entries};
	if (queue->page->magic == QUEUE_MAGIC && queue->page->version == QUEUE_VERSION)
		return 0;
	munmap(base, (size_t)bytes);
	return error_set(err, ERROR_NOT_SUPPORTED, "queue: a layout that this library does not know");
}

static int ask_for_queue(struct trnsci_session *session, struct queue *ret_queue, struct error *err)
{
	struct trnsci_call *call;
	int r = call_make(session, "queue", &call, err);

	if (r < 0)
		return r;
	call->internal = true;
	args_set_u64(trnsci_call_args(call), "entries", ENTRIES);
	r = sealed_memfd_run_call(call, session->timeout_ms < 0 || session->timeout_ms > WAIT_MS ? WAIT_MS : session->timeout_ms, err);
	if (r < 0)
		return r;
	r = map_queue(call, ret_queue, err);
	trnsci_call_free(call);
	return r;
}

/* One thread asks at a time: the daemon refuses a second queue, and the one that there is may not be known yet. Returns 1 if the
 * session has a queue, 0 if this thread is to ask. */
static int begin_asking(struct trnsci_session *session, struct error *err)
{
	struct remote *remote = session->peer;
	int r;

	pthread_mutex_lock(&session->lock);
	r = remote->queue != NULL;
	if (!r && remote->asks_for_queue)
		r = error_set(err, ERROR_TIMEOUT, "queue: another thread asks for it");
	else
		remote->asks_for_queue = true;
	pthread_mutex_unlock(&session->lock);
	return r;
}

/* Takes the queue over, unless it is NULL or its connection has ended. Returns whether the session has one. */
static bool end_asking(struct trnsci_session *session, struct queue *queue)
{
	struct remote *remote = session->peer;
	bool has;

	pthread_mutex_lock(&session->lock);
	remote->asks_for_queue = false;
	if (queue && !remote->queue && !session->closed && queue->connection == session->connection)
		remote->queue = queue;
	else
		queue_end(queue);
	has = remote->queue != NULL;
	pthread_mutex_unlock(&session->lock);
	return has;
}

int queue_begin(struct trnsci_session *session, struct error *err)
{
	struct queue *queue;
	int r = begin_asking(session, err);

	if (r != 0)
		return r < 0 ? r : 0;
	queue = calloc(1, sizeof *queue);
	r = queue ? ask_for_queue(session, queue, err) : error_set(err, ERROR_NO_MEMORY, "queue: no memory for its entry");
	if (r < 0) {
		free(queue);
		queue = NULL;
	}
	return end_asking(session, queue) ? 0 : r < 0 ? r : error_set(err, ERROR_CLOSED, "queue: its connection has ended");
}

/* A thread may spin at it. */
void queue_end(struct queue *queue)
{
	if (!queue || --queue->refs > 0)
		return;
	munmap(queue->page, queue->bytes);
	free(queue);
}
