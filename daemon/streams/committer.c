/* SPDX-License-Identifier: Apache-2.0 */
/* The keeper: makes durable what the streams promise, several tasks in one transaction, and then tells.
 *
 * A task is staged (its row, under the lock), written and committed (without it), and published (under it). Only a
 * published reserve is issued from. What fails leaves memory as it was: the store may then know of more than was
 * promised, never of less. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/thread.h"
#include "log.h"
#include "stats.h"
#include "streams_core.h"

enum {
	BATCH_MOST = 64,
	BLOCK_LEAST = 1 << 14, /* groups; a setting may allow fewer */
};

#define LIVELY_NS 1000000000ull   /* a block used up sooner than this: the next is twice as large */
#define LAZY_NS   (60 * LIVELY_NS) /* later than this: half */

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t most(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* ---- staging: with the lock ---- */

static void adapt_block(const struct streams *streams, struct named_stream *named)
{
	const uint64_t now = stats_now_ns(), since = now - named->refilled_ns;
	const uint64_t largest = streams->settings->stream_block / STREAM_GROUP_WORDS;

	if (named->refilled_ns && since < LIVELY_NS)
		named->block = least(2 * named->block, largest);
	else if (named->refilled_ns && since > LAZY_NS && named->block > BLOCK_LEAST)
		named->block /= 2;
	named->refilled_ns = now;
}

/* Groups that the first who still waits needs; 0 when nobody does, or there are none. */
static uint64_t first_need(const struct named_stream *named)
{
	uint64_t offset, end;

	for (const struct commit_task *task = named->waiters; task; task = task->next)
		if (task->served)
			return named_stream_next_draw(named, task->served, &offset, &end) < 0 ? 0 : end - named->next;
	return 0;
}

/* At most a block, or what one long draw needs, is reserved and unused: that is what a crash skips. */
static void stage_reserve(const struct streams *streams, struct named_stream *named)
{
	adapt_block(streams, named);
	const uint64_t extent = least(most(named->block, first_need(named)), STORE_GROUPS - named->next);

	named->staged.issued = most(named->staged.issued, named->next);
	named->staged.reserved = most(named->staged.reserved, named->next + extent);
}

static void stage_advance(struct named_stream *named, uint64_t to)
{
	if (to <= named->staged.reserved)
		return;
	named->staged.issued = to;
	named->staged.reserved = to + least(named->block, STORE_GROUPS - to);
}

static void stage(const struct streams *streams, struct commit_task *task)
{
	struct named_stream *named = task->named;

	if (task->kind == COMMIT_RESERVE && named->state == NAMED_LIVE)
		stage_reserve(streams, named);
	else if (task->kind == COMMIT_ADVANCE && named->state == NAMED_LIVE)
		stage_advance(named, task->to);
	else if (task->kind == COMMIT_CREATE)
		named->staged.reserved = named->block;
	task->row = named->staged;
	task->result = 0;
	task->unchanged = (task->kind == COMMIT_RESERVE || task->kind == COMMIT_ADVANCE) &&
			  (named->state != NAMED_LIVE || named->staged.reserved == named->row.reserved);
}

/* ---- writing: without the lock ---- */

static int write_create(struct streams *streams, struct commit_task *task)
{
	int r;

	if (!task->seeded)
		task->row.stream.seed = store_seed(streams->store);
	r = store_assign(streams->store, &task->row.stream, task->wanted, task->row.uid,
			 streams->settings->stream_seeds, &task->error);

	return r < 0 ? r : store_put(streams->store, &task->row, &task->error);
}

static int write_task(struct streams *streams, struct commit_task *task)
{
	if (task->unchanged)
		return 0;
	if (task->kind == COMMIT_CREATE && !task->named->listed)
		return error_set(&task->error, ERROR_EXISTS, "stream_create: name: there is a stream \"%s\" now",
				 task->row.name);
	if (task->kind == COMMIT_CREATE)
		return write_create(streams, task);
	if (task->kind == COMMIT_DELETE)
		return store_remove(streams->store, task->row.name, &task->error);
	return store_put(streams->store, &task->row, &task->error);
}

/* An id or a name that cannot be had changes nothing, and does not stop the others. */
static bool is_refusal(const struct commit_task *task)
{
	return task->kind == COMMIT_CREATE && (task->result == -ERROR_EXISTS || task->result == -ERROR_LIMIT);
}

/* 1: committed; 0: there was nothing to write. */
static int write_batch(struct streams *streams, struct commit_task **tasks, size_t count, struct error *err)
{
	bool changed = false;
	int r = 0;

	for (size_t i = 0; i < count; i++)
		changed |= !tasks[i]->unchanged;
	if (!changed)
		return 0;
	r = store_begin(streams->store, err);
	for (size_t i = 0; i < count && r == 0; i++) {
		tasks[i]->result = write_task(streams, tasks[i]);
		if (tasks[i]->result < 0 && !is_refusal(tasks[i])) {
			r = tasks[i]->result;
			*err = tasks[i]->error;
		}
	}
	if (r < 0) {
		store_rollback(streams->store);
		return r;
	}
	r = store_commit(streams->store, err);
	return r < 0 ? r : 1;
}

/* ---- publishing: with the lock ---- */

static void drop(struct streams *streams, struct named_stream *named)
{
	struct error gone;

	error_set(&gone, ERROR_NOT_FOUND, "stream_draw: name: the stream \"%.64s\" has been deleted", named->row.name);
	if (named->listed)
		streams_remove(streams, named);
	named_stream_fail_waiters(named, &gone);
	named->state = NAMED_GONE;
	if (!named->reserving)
		free(named);
}

static void publish_reserve(struct streams *streams, struct commit_task *task)
{
	struct named_stream *named = task->named;

	named->reserving = false;
	if (named->state == NAMED_GONE) {
		free(named);
		return;
	}
	if (task->result < 0)
		named_stream_fail_waiters(named, &task->error);
	else if (!task->unchanged)
		named->row = task->row;
	if (named->state == NAMED_LIVE)
		named_stream_serve_waiters(streams, named);
}

static int reply(struct commit_task *task)
{
	if (!task->served || named_stream_describe(task->served->bump, task->served->reply, task->named, task->u64_text) == 0)
		return 0;
	return error_set(&task->error, ERROR_NO_MEMORY, "stream: the reply");
}

static void publish_create(struct streams *streams, struct commit_task *task)
{
	struct named_stream *named = task->named;

	if (task->result == 0) {
		named->row = task->row;
		named->state = NAMED_LIVE;
		commit_task_reply(task, reply(task));
	} else {
		commit_task_reply(task, task->result);
		drop(streams, named);
	}
}

static void publish_delete(struct streams *streams, struct commit_task *task)
{
	struct named_stream *named = task->named;

	if (task->result == 0) {
		commit_task_reply(task, reply(task));
		drop(streams, named);
		return;
	}
	named->state = NAMED_LIVE;
	named_stream_serve_waiters(streams, named);
	commit_task_reply(task, task->result);
}

static void publish_advance(struct commit_task *task)
{
	struct named_stream *named = task->named;

	if (task->result == 0) {
		if (!task->unchanged)
			named->row = task->row;
		named->next = most(named->next, task->to);
		commit_task_reply(task, reply(task));
	} else {
		commit_task_reply(task, task->result);
	}
}

static void publish(struct streams *streams, struct commit_task *task)
{
	if (task->kind == COMMIT_RESERVE) {
		publish_reserve(streams, task); /* part of its stream */
		return;
	}
	if (task->kind == COMMIT_CREATE)
		publish_create(streams, task);
	else if (task->kind == COMMIT_DELETE)
		publish_delete(streams, task);
	else
		publish_advance(task);
	free(task);
}

/* ---- batches ---- */

/* Says so when it begins, and when it is over. r: a batch's; what was merely refused says nothing of the store. */
static void note_failure(struct streams *streams, const struct error *err, int r)
{
	const bool failed = r == -ERROR_STORE || r == -ERROR_NO_MEMORY || r == -ERROR_SYSTEM;

	if (!failed && r != 1)
		return;
	streams->failures += failed;
	if (failed && !streams->failing && !streams->misplaced)
		log_line(LEVEL_ERROR, "%s; draws that need a new block are refused", err->text);
	else if (!failed && streams->failing)
		log_line(LEVEL_INFO, "the state of named streams can be written again");
	streams->failing = failed;
}

/* All of them, in one transaction; or when that fails and there are several, each in its own, so that none fails for
 * another. */
static void run_batch(struct streams *streams, struct commit_task **tasks, size_t count)
{
	struct error err = {0};
	int r = 0;

	pthread_mutex_lock(&streams->lock);
	for (size_t i = 0; i < count; i++)
		tasks[i]->named->staged = tasks[i]->named->row;
	for (size_t i = 0; i < count; i++)
		stage(streams, tasks[i]);
	pthread_mutex_unlock(&streams->lock);
	if (!streams->store)
		r = streams_load_state(streams, true, &err);
	if (r == 0)
		r = write_batch(streams, tasks, count, &err);
	if (r < 0 && streams->store)
		streams_check_placement(streams, &(struct error){0});
	if (r < 0 && count > 1) {
		for (size_t i = 0; i < count; i++)
			run_batch(streams, &tasks[i], 1);
		return;
	}
	pthread_mutex_lock(&streams->lock);
	streams->commits += r == 1;
	note_failure(streams, &err, r);
	for (size_t i = 0; i < count; i++) {
		if (r < 0) {
			tasks[i]->result = r;
			tasks[i]->error = err;
		}
		publish(streams, tasks[i]);
	}
	pthread_mutex_unlock(&streams->lock);
}

/* With the lock. */
static size_t take_batch(struct streams *streams, struct commit_task **tasks)
{
	size_t count = 0;

	while (streams->first && count < BATCH_MOST) {
		tasks[count++] = streams->first;
		streams->first = streams->first->next;
	}
	if (!streams->first)
		streams->last = &streams->first;
	return count;
}

static void *committer_main(void *arg)
{
	struct streams *streams = arg;
	struct commit_task *tasks[BATCH_MOST];

	pthread_mutex_lock(&streams->lock);
	for (;;) {
		if (streams->reopen && !streams->stop) {
			pthread_mutex_unlock(&streams->lock);
			streams_reopen_state(streams);
			pthread_mutex_lock(&streams->lock);
			continue;
		}
		size_t count = take_batch(streams, tasks);

		if (count == 0 && streams->stop)
			break;
		if (count == 0) {
			streams_wait(streams);
			continue;
		}
		pthread_mutex_unlock(&streams->lock);
		run_batch(streams, tasks, count);
		pthread_mutex_lock(&streams->lock);
	}
	pthread_mutex_unlock(&streams->lock);
	return NULL;
}

int committer_start(struct streams *streams)
{
	if (thread_start("trnscid-commit", committer_main, streams, &streams->committer) < 0)
		return -ERROR_SYSTEM;
	streams->committing = true;
	return 0;
}

int committer_stop(struct streams *streams)
{
	int r = 0;

	if (streams->committing) {
		pthread_mutex_lock(&streams->lock);
		streams->stop = true;
		pthread_cond_signal(&streams->wake);
		pthread_mutex_unlock(&streams->lock);
		pthread_join(streams->committer, NULL);
	}
	if (streams->store)
		r = streams_end_state(streams);
	store_close(streams->store);
	streams->store = NULL;
	return r;
}
