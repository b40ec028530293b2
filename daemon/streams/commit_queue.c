/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of the keeper, where a stream's next draw lies, and the draws that wait for their block. */
#include <inttypes.h>
#include <stdlib.h>

#include "streams_core.h"

/* ---- tasks ---- */

void commit_queue_post(struct streams *streams, struct commit_task *task)
{
	task->next = NULL;
	*streams->last = task;
	streams->last = &task->next;
	pthread_cond_signal(&streams->wake);
}

void commit_task_reply(struct commit_task *task, int error)
{
	struct served *served = task->served;

	if (!served)
		return;
	if (error < 0)
		*served->error = task->error;
	task->served = NULL;
	served->owner = NULL;
	served_answer(served, error);
}

struct commit_task *commit_task_new(enum commit_task_kind kind, struct named_stream *named, const struct streams_who *who, struct served *served)
{
	struct commit_task *task = calloc(1, sizeof *task);

	if (task) {
		*task = (struct commit_task){.kind = kind, .named = named, .served = served, .u64_text = who->u64_text};
		served->owner = task;
	}
	return task;
}

void streams_forget(struct streams *streams, struct served *served)
{
	struct commit_task *task;

	pthread_mutex_lock(&streams->lock);
	task = served->owner;
	if (task)
		task->served = NULL;
	served->owner = NULL;
	pthread_mutex_unlock(&streams->lock);
}

/* ---- places ---- */

int named_stream_next_draw(const struct named_stream *named, const struct served *served, uint64_t *ret_offset, uint64_t *ret_end)
{
	const unsigned words = served->words;
	const unsigned __int128 next = (unsigned __int128)named->next * STREAM_GROUP_WORDS;
	unsigned __int128 offset = (next + words - 1) / words, end;

	/* The next whole group that begins a sample: vectors need not fill groups. */
	while (offset * words % STREAM_GROUP_WORDS != 0)
		offset++;
	end = (offset + served->n) * words;
	if (named->next == STORE_GROUPS || end > (unsigned __int128)1 << 64)
		return -ERROR_END_OF_STREAM;
	*ret_offset = (uint64_t)offset;
	*ret_end = served->n ? (uint64_t)((end + STREAM_GROUP_WORDS - 1) / STREAM_GROUP_WORDS) : named->next;
	return 0;
}

static int fail_end(const struct named_stream *named, struct served *served)
{
	return error_set(served->error, ERROR_END_OF_STREAM,
			 "stream_draw: n: %" PRIu64 " samples of %u words from group %" PRIu64
			 " of 4 words, allowed is to end by word 2^64, the end of the stream",
			 served->n, served->words, named->next);
}

void named_stream_request_block(struct streams *streams, struct named_stream *named)
{
	if (named->reserving)
		return;
	named->reserving = true;
	commit_queue_post(streams, &named->reserve);
}

int named_stream_issue(struct streams *streams, struct named_stream *named, struct served *served)
{
	uint64_t offset, end;

	if (named_stream_next_draw(named, served, &offset, &end) < 0)
		return fail_end(named, served);
	if (end > named->row.reserved)
		return 0;
	named->next = end;
	streams_note_draw(streams);
	served->stream = named->row.stream;
	served->offset = offset;
	if (named->row.reserved - named->next < named->block / 2 && named->row.reserved < STORE_GROUPS)
		named_stream_request_block(streams, named);
	return 1;
}

void named_stream_serve_waiters(struct streams *streams, struct named_stream *named)
{
	if (streams->trouble.code) {
		named_stream_fail_waiters(named, &streams->trouble);
		return;
	}
	while (named->waiters) {
		struct commit_task *task = named->waiters;
		int r = task->served ? named_stream_issue(streams, named, task->served) : 1;

		if (r == 0) {
			named_stream_request_block(streams, named);
			return;
		}
		named->waiters = task->next;
		if (!named->waiters)
			named->waiters_last = &named->waiters;
		if (r < 0 && task->served)
			task->error = *task->served->error;
		commit_task_reply(task, r < 0 ? r : 0);
		free(task);
	}
}

void named_stream_fail_waiters(struct named_stream *named, const struct error *error)
{
	while (named->waiters) {
		struct commit_task *task = named->waiters;

		named->waiters = task->next;
		task->error = *error;
		commit_task_reply(task, -error->code);
		free(task);
	}
	named->waiters_last = &named->waiters;
}
