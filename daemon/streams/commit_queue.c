/* SPDX-License-Identifier: Apache-2.0 */
/* What is asked of the keeper, where a stream's next draw lies, and the draws that wait for their block. */
#include <inttypes.h>
#include <stdlib.h>

#include "streams_core.h"

/* ---- tasks ---- */

void task_post(struct streams *streams, struct task *task)
{
	task->next = NULL;
	*streams->last = task;
	streams->last = &task->next;
	pthread_cond_signal(&streams->wake);
}

void task_answer(struct task *task, int error)
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

struct task *task_new(enum task_kind kind, struct named *named, const struct streams_who *who, struct served *served)
{
	struct task *task = calloc(1, sizeof *task);

	if (task) {
		*task = (struct task){.kind = kind, .named = named, .served = served, .u64_text = who->u64_text};
		served->owner = task;
	}
	return task;
}

void streams_forget(struct streams *streams, struct served *served)
{
	struct task *task;

	pthread_mutex_lock(&streams->lock);
	task = served->owner;
	if (task)
		task->served = NULL;
	served->owner = NULL;
	pthread_mutex_unlock(&streams->lock);
}

/* ---- places ---- */

int named_place(const struct named *named, const struct served *served, uint64_t *ret_offset, uint64_t *ret_end)
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

static int fail_end(const struct named *named, struct served *served)
{
	return error_set(served->error, ERROR_END_OF_STREAM,
			 "stream_draw: n: %" PRIu64 " samples of %u words from group %" PRIu64
			 " of 4 words, allowed is to end by word 2^64, the end of the stream",
			 served->n, served->words, named->next);
}

void named_ask(struct streams *streams, struct named *named)
{
	if (named->reserving)
		return;
	named->reserving = true;
	task_post(streams, &named->reserve);
}

int named_take(struct streams *streams, struct named *named, struct served *served)
{
	uint64_t offset, end;

	if (named_place(named, served, &offset, &end) < 0)
		return fail_end(named, served);
	if (end > named->row.reserved)
		return 0;
	named->next = end;
	streams_note_draw(streams);
	served->stream = named->row.stream;
	served->offset = offset;
	if (named->row.reserved - named->next < named->block / 2 && named->row.reserved < STORE_GROUPS)
		named_ask(streams, named);
	return 1;
}

void named_serve(struct streams *streams, struct named *named)
{
	if (streams->trouble.code) {
		named_refuse(named, &streams->trouble);
		return;
	}
	while (named->waiters) {
		struct task *task = named->waiters;
		int r = task->served ? named_take(streams, named, task->served) : 1;

		if (r == 0) {
			named_ask(streams, named);
			return;
		}
		named->waiters = task->next;
		if (!named->waiters)
			named->waiters_last = &named->waiters;
		if (r < 0 && task->served)
			task->error = *task->served->error;
		task_answer(task, r < 0 ? r : 0);
		free(task);
	}
}

void named_refuse(struct named *named, const struct error *error)
{
	while (named->waiters) {
		struct task *task = named->waiters;

		named->waiters = task->next;
		task->error = *error;
		task_answer(task, -error->code);
		free(task);
	}
	named->waiters_last = &named->waiters;
}
