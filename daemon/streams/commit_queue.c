/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks for the committer, the place of a stream's next draw, and the draws that wait for their block. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "stream_signal.h"
#include "streams_core.h"

/* ---- tasks ---- */

void commit_queue_post(struct streams *streams, struct commit_task *task)
{
	task->next = NULL;
	*streams->last = task;
	streams->last = &task->next;
	pthread_cond_signal(&streams->wake);
}

/* Unlinks task and reply from each other first: once the reply is sent, its request may end and free `deferred`. */
void commit_task_reply(struct commit_task *task, int error)
{
	struct deferred_reply *deferred = task->deferred;

	if (!deferred)
		return;
	if (error < 0)
		*deferred->error = task->error;
	task->deferred = NULL;
	deferred->owner = NULL;
	deferred_reply_send(deferred, error);
}

struct commit_task *commit_task_new(enum commit_task_kind kind, struct named_stream *named,
				    const struct streams_who *who, struct deferred_reply *deferred)
{
	struct commit_task *task = calloc(1, sizeof *task);

	if (task) {
		*task = (struct commit_task){
			.kind = kind, .named = named, .deferred = deferred, .u64_text = who->u64_text};
		deferred->owner = task;
	}
	return task;
}

void streams_forget(struct streams *streams, struct deferred_reply *deferred)
{
	struct commit_task *task;

	pthread_mutex_lock(&streams->lock);
	task = deferred->owner;
	if (task)
		task->deferred = NULL;
	deferred->owner = NULL;
	pthread_mutex_unlock(&streams->lock);
}

/* ---- places ---- */

int named_stream_next_draw(const struct named_stream *named, const struct deferred_reply *deferred,
			   uint64_t *ret_offset, uint64_t *ret_end)
{
	const unsigned words = deferred->words;
	unsigned __int128 offset = 0, end = (unsigned __int128)named->next + deferred->n;
	const unsigned __int128 next = (unsigned __int128)named->next * STREAM_GROUP_WORDS;

	if (named->row.noise && end > STORE_GROUPS)
		return -ERROR_END_OF_STREAM;
	if (named->row.noise) { /* parts of the signal share the words that reach beyond their samples */
		*ret_offset = named->next;
		*ret_end = (uint64_t)end;
		return 0;
	}
	offset = (next + words - 1) / words;
	/* The next group at which a sample begins: samples of several words need not fill groups. */
	while (offset * words % STREAM_GROUP_WORDS != 0)
		offset++;
	end = (offset + deferred->n) * words;
	if (named->next == STORE_GROUPS || end > (unsigned __int128)1 << 64)
		return -ERROR_END_OF_STREAM;
	*ret_offset = (uint64_t)offset;
	*ret_end = deferred->n ? (uint64_t)((end + STREAM_GROUP_WORDS - 1) / STREAM_GROUP_WORDS) : named->next;
	return 0;
}

static int fail_end_of_stream(const struct named_stream *named, struct deferred_reply *deferred)
{
	if (named->row.noise)
		return error_set(deferred->error, ERROR_END_OF_STREAM,
				 "stream_draw: n: %" PRIu64 " samples from sample %" PRIu64
				 ", allowed: up to the end of the signal, sample 2^62",
				 deferred->n, named->next);
	return error_set(deferred->error, ERROR_END_OF_STREAM,
			 "stream_draw: n: %" PRIu64 " samples of %u words from group %" PRIu64
			 " of 4 words, allowed: up to the end of the stream, word 2^64",
			 deferred->n, deferred->words, named->next);
}

void named_stream_request_block(struct streams *streams, struct named_stream *named)
{
	if (named->reserving)
		return;
	named->reserving = true;
	commit_queue_post(streams, &named->reserve);
}

/* Moves `next` behind the draw, if its words are reserved on disk. The next block is requested when half of this one
 * is used, so that a steady reader never waits for the disk. */
int named_stream_issue(struct streams *streams, struct named_stream *named, struct deferred_reply *deferred)
{
	uint64_t offset, end;

	if (named_stream_next_draw(named, deferred, &offset, &end) < 0)
		return fail_end_of_stream(named, deferred);
	if (end > named->row.reserved)
		return 0;
	named->next = end;
	streams_note_draw(streams);
	deferred->stream = named->row.stream;
	deferred->offset = offset;
	if (named->row.reserved - named->next < named->block / 2 && named->row.reserved < STORE_GROUPS)
		named_stream_request_block(streams, named);
	return 1;
}

/* In the order in which they came: a draw that needs more than is reserved holds up those behind it, or it might
 * never be served. */
void named_stream_serve_waiters(struct streams *streams, struct named_stream *named)
{
	if (streams->trouble.code) {
		named_stream_fail_waiters(named, &streams->trouble);
		return;
	}
	while (named->waiters) {
		struct commit_task *task = named->waiters;
		int r = task->deferred ? named_stream_issue(streams, named, task->deferred) : 1;

		if (r == 0) {
			named_stream_request_block(streams, named);
			return;
		}
		named->waiters = task->next;
		if (!named->waiters)
			named->waiters_last = &named->waiters;
		if (r < 0 && task->deferred)
			task->error = *task->deferred->error;
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

/* ---- descriptions ---- */

static int put_text(struct bump *bump, struct value *map, const char *name, const char *text)
{
	char *copy = bump_copy(bump, text, strlen(text));

	return copy ? value_put(bump, map, name, value_string(copy)) : -ERROR_NO_MEMORY;
}

static int put_u64(struct bump *bump, struct value *map, const char *name, uint64_t u, bool text)
{
	char digits[24];

	snprintf(digits, sizeof digits, "%" PRIu64, u);
	return text ? put_text(bump, map, name, digits) : value_put(bump, map, name, value_uint(u));
}

/* A position at the end of the stream is nil. */
static int put_position(struct bump *bump, struct value *map, const char *name, const struct store_stream *row, uint64_t group,
			bool text)
{
	return group == STORE_GROUPS ? value_put(bump, map, name, value_nil())
				     : put_u64(bump, map, name, group * store_group_positions(row), text);
}

static int put_skips(struct bump *bump, struct value *map, const struct store_stream *row, bool text)
{
	if (put_u64(bump, map, "skips", row->skips, false) ||
	    put_position(bump, map, "skipped", row, row->skipped, text))
		return -ERROR_NO_MEMORY;
	if (row->skips == 0)
		return 0;
	return put_position(bump, map, "skipped_from", row, row->skipped_from, text) |
	       put_position(bump, map, "skipped_until", row, row->skipped_until, text);
}

/* The state's rows are read as if an enemy had written them: what is no map is shown as an empty one, and cannot be drawn. */
static int put_noise(struct bump *bump, struct value *map, const struct store_stream *row)
{
	struct value noise = value_map();

	if (!row->noise)
		return 0;
	if (stream_signal_decode(bump, row->noise, row->noise_size, &noise) == -ERROR_NO_MEMORY)
		return -ERROR_NO_MEMORY;
	return value_put(bump, map, "noise", noise);
}

int named_stream_describe(struct bump *bump, struct value *map, const struct named_stream *named, bool text)
{
	const struct store_stream *row = &named->row;
	char mode[8];
	int failed;

	snprintf(mode, sizeof mode, "%04o", row->mode & 0777);
	failed = put_text(bump, map, "name", row->name) |
		 value_put(bump, map, "generator", value_string(generator_row(row->stream.generator)->name)) |
		 put_u64(bump, map, "seed", row->stream.seed, text) |
		 put_u64(bump, map, "stream", row->stream.stream, text) |
		 put_position(bump, map, "position", row, named->next, text) |
		 put_position(bump, map, "reserved", row, row->reserved - named->next, text) | put_noise(bump, map, row) |
		 put_skips(bump, map, row, text) | value_put(bump, map, "uid", value_uint(row->uid)) |
		 value_put(bump, map, "gid", value_uint(row->gid)) | put_text(bump, map, "mode", mode) |
		 value_put(bump, map, "created", value_uint((uint64_t)row->created_s)) |
		 value_put(bump, map, "stream_format", value_uint(STREAM_FORMAT));
	return failed ? -ERROR_NO_MEMORY : 0;
}
