/* SPDX-License-Identifier: Apache-2.0 */
/* Commits changes of named streams in batches, then sends the replies.
 *
 * A task is staged (its row, with the lock), written and committed (without it), and published (with it):
 *
 *     stage    staged = row, changed by each task of the batch in turn      streams->lock
 *     write    BEGIN, one row for each task, COMMIT; then the folder's mark  no lock, may take as long as the disk
 *     publish  row = task->row, and the replies                             streams->lock
 *
 * Positions are issued only from a published reservation, so what a client has seen is always on the disk. A failure leaves
 * memory as it was: the store may then have reserved more than memory knows of, never less. That costs positions, which are
 * skipped after a crash, but repeats none. */
#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/thread.h"
#include "log.h"
#include "stats.h"
#include "streams_core.h"

enum {
	BATCH_MAX = 64,      /* tasks of one commit: bounds how long the first of them waits for its reply */
	BLOCK_MIN = 1 << 14, /* groups (65,536 words); the setting stream_block may allow fewer */
};

#define QUICK_NS 1000000000ull  /* a block that was used up sooner doubles the next one */
#define SLOW_NS  (60 * QUICK_NS) /* one that lasted longer halves it */

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t max_u64(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* ---- staging: with the lock ---- */

/* Doubles or halves the block by how long the last one lasted: a busy stream commits about once a second, up to the setting
 * stream_block, and a quiet one loses little in a crash. */
static void adapt_block(const struct streams *streams, struct named_stream *named)
{
	const uint64_t now = stats_now_ns(), since = now - named->refilled_ns;
	const uint64_t largest = streams->settings->stream_block / STREAM_GROUP_WORDS;

	if (named->refilled_ns && since < QUICK_NS)
		named->block = min_u64(2 * named->block, largest);
	else if (named->refilled_ns && since > SLOW_NS && named->block > BLOCK_MIN)
		named->block /= 2;
	named->refilled_ns = now;
}

/* Returns the groups that the first waiting draw needs; 0 if no draw waits, or the stream has not enough. */
static uint64_t first_need(const struct named_stream *named)
{
	uint64_t offset, end;

	for (const struct commit_task *task = named->waiters; task; task = task->next)
		if (task->deferred)
			return named_stream_next_draw(named, task->deferred, &offset, &end) < 0 ? 0 : end - named->next;
	return 0;
}

/* Reserves a block, or what one longer draw needs: a crash skips no more than that. */
static void stage_reserve(const struct streams *streams, struct named_stream *named)
{
	adapt_block(streams, named);
	const uint64_t extent = min_u64(max_u64(named->block, first_need(named)), STORE_GROUPS - named->next);

	named->staged.issued = max_u64(named->staged.issued, named->next);
	named->staged.reserved = max_u64(named->staged.reserved, named->next + extent);
}

/* An advance within the reservation needs no commit: `next` alone moves. Beyond it, the skipped groups count as issued, so
 * that a crash does not report them as skipped. */
static void stage_advance(struct named_stream *named, uint64_t to)
{
	if (to <= named->staged.reserved)
		return;
	named->staged.issued = to;
	named->staged.reserved = to + min_u64(named->block, STORE_GROUPS - to);
}

/* Puts the row that the task is to write into task->row. Tasks of one stream in the same batch build on each other through
 * named->staged; the row in memory stays as it is durable. */
static void stage_task(const struct streams *streams, struct commit_task *task)
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

/* Assigns the seed and id here and not at the request: only a transaction knows which ids were never used. */
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

/* A create that is refused for its id or name changes nothing, and does not stop the other tasks. */
static bool is_refusal(const struct commit_task *task)
{
	return task->kind == COMMIT_CREATE && (task->result == -ERROR_EXISTS || task->result == -ERROR_LIMIT);
}

/* Returns 1 after a commit; 0 if nothing was to be written. */
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

/* Takes the stream off the index and fails the draws that wait for it. Frees it, unless its `reserve` is still queued:
 * publish_reserve does it then. */
static void drop_stream(struct streams *streams, struct named_stream *named)
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

/* Makes the new block usable, and serves the draws that waited for it. */
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

static int describe_result(struct commit_task *task)
{
	if (!task->deferred ||
	    named_stream_describe(task->deferred->bump, task->deferred->reply, task->named, task->u64_text) == 0)
		return 0;
	return error_set(&task->error, ERROR_NO_MEMORY, "stream: the reply");
}

static void publish_create(struct streams *streams, struct commit_task *task)
{
	struct named_stream *named = task->named;

	if (task->result == 0) {
		named->row = task->row;
		named->state = NAMED_LIVE;
		commit_task_reply(task, describe_result(task));
	} else {
		commit_task_reply(task, task->result);
		drop_stream(streams, named);
	}
}

/* A delete that was not committed is undone: the stream lives on, with the draws that came meanwhile. */
static void publish_delete(struct streams *streams, struct commit_task *task)
{
	struct named_stream *named = task->named;

	if (task->result == 0) {
		commit_task_reply(task, describe_result(task));
		drop_stream(streams, named);
		return;
	}
	named->state = NAMED_LIVE;
	named_stream_serve_waiters(streams, named);
	commit_task_reply(task, task->result);
}

/* `next` never goes back: draws may have passed the group since the task was queued. */
static void publish_advance(struct commit_task *task)
{
	struct named_stream *named = task->named;

	if (task->result == 0) {
		if (!task->unchanged)
			named->row = task->row;
		named->next = max_u64(named->next, task->to);
		commit_task_reply(task, describe_result(task));
	} else {
		commit_task_reply(task, task->result);
	}
}

static void publish_task(struct streams *streams, struct commit_task *task)
{
	if (task->kind == COMMIT_RESERVE) {
		publish_reserve(streams, task); /* not freed: it is part of its stream */
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

/* Logs when commits begin to fail and when they succeed again. r: of a batch. A refusal says nothing of the store. */
static void note_failure(struct streams *streams, const struct error *err, int r)
{
	const bool failed = r == -ERROR_STORE || r == -ERROR_NO_MEMORY || r == -ERROR_SYSTEM;

	if (!failed && r != 1)
		return;
	streams->failures += failed;
	if (failed && !streams->failing && !streams->misplaced)
		log_line(LEVEL_ERROR, "%s: draws that need a new block are refused", err->text);
	else if (!failed && streams->failing)
		log_line(LEVEL_INFO, "the state of named streams can be written again");
	streams->failing = failed;
}

/* Commits all tasks in one transaction. If that fails, each gets a transaction of its own, so that none fails for another. */
static void run_batch(struct streams *streams, struct commit_task **tasks, size_t count)
{
	struct error err = {0};
	int r = 0;

	pthread_mutex_lock(&streams->lock);
	for (size_t i = 0; i < count; i++)
		tasks[i]->named->staged = tasks[i]->named->row;
	for (size_t i = 0; i < count; i++)
		stage_task(streams, tasks[i]);
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
		publish_task(streams, tasks[i]);
	}
	pthread_mutex_unlock(&streams->lock);
}

/* Takes the first tasks off the queue, in their order, at most BATCH_MAX; they are the committer's from then on. Call it with
 * the lock held. Returns their number. */
static size_t take_batch(struct streams *streams, struct commit_task **tasks)
{
	size_t count = 0;

	while (streams->first && count < BATCH_MAX) {
		tasks[count++] = streams->first;
		streams->first = streams->first->next;
	}
	if (!streams->first)
		streams->last = &streams->first;
	return count;
}

/* Commits batches until the stop, and everything queued before it. */
static void *committer_main(void *arg)
{
	struct streams *streams = arg;
	struct commit_task *tasks[BATCH_MAX];

	pthread_mutex_lock(&streams->lock);
	for (;;) {
		if (streams->reopen && !streams->stop) {
			pthread_mutex_unlock(&streams->lock);
			streams_restore_state(streams);
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

/* Waits for the thread, which commits what is queued, and then gives the reservations back: from then on nothing is
 * issued. */
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
