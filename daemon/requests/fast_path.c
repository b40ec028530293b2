/* SPDX-License-Identifier: Apache-2.0 */
#include "fast_path.h"

#include <stdlib.h>

#include "engine/prepare.h"
#include "request_pattern.h"
#include "runs.h"

enum {
	ENTRIES = 4,
	RUNS_BEFORE = 3,           /* requests until one is prepared: what comes once or twice would pay for nothing */
	PREPARED_BYTES = 64 << 10, /* of one entry; nobody asked for it */
};

struct fast_entry {
	const struct operation *operation;
	struct prepared *prepared; /* owned; NULL: not yet, or it cannot be */
	unsigned runs;             /* so far, up to RUNS_BEFORE */
	struct request_pattern pattern;
};

struct fast_path {
	struct fast_entry entries[ENTRIES];
	unsigned next; /* whose turn it is to go when all are prepared */
};

/* ---- running ---- */

/* Returns the entry of the request at the session's next byte; NULL: it has none that is prepared. */
static const struct fast_entry *find_prepared(const struct session *session, struct run_prepared *ret_run, size_t *ret_size)
{
	size_t size;
	const void *bytes = session->fast_path ? inbox_peek(&session->inbox, &size) : NULL;

	for (size_t i = 0; bytes && i < ENTRIES; i++) {
		const struct fast_entry *entry = &session->fast_path->entries[i];

		*ret_size = entry->prepared ? request_pattern_match(&entry->pattern, bytes, size, ret_run) : 0;
		if (*ret_size > 0)
			return entry;
	}
	return NULL;
}

bool fast_path_run(struct session *session)
{
	struct run_prepared run;
	size_t size;
	const struct fast_entry *entry = find_prepared(session, &run, &size);

	if (!entry || !runs_unlisted(session, entry->operation, entry->prepared, &run))
		return false;
	inbox_skip(&session->inbox, size);
	return true;
}

/* ---- preparing ---- */

static struct fast_path *path_of(struct session *session)
{
	if (!session->fast_path)
		session->fast_path = calloc(1, sizeof *session->fast_path);
	return session->fast_path;
}

static struct fast_entry *find_entry(struct fast_path *path, const struct inbox_frame *frame)
{
	struct run_prepared ignored;

	for (size_t i = 0; i < ENTRIES; i++)
		if (request_pattern_match(&path->entries[i].pattern, frame->at, frame->size, &ignored) == frame->size)
			return &path->entries[i];
	return NULL;
}

/* Returns the entry that gives way: one that is not prepared, so that requests that come once do not push out the others. */
static struct fast_entry *choose_victim(struct fast_path *path)
{
	for (size_t i = 0; i < ENTRIES; i++) {
		struct fast_entry *entry = &path->entries[path->next++ % ENTRIES];

		if (!entry->prepared)
			return entry;
	}
	return &path->entries[path->next++ % ENTRIES];
}

static void enter_request(struct session *session, const struct operation *operation, const struct message *message,
			  const struct inbox_frame *frame)
{
	struct fast_entry *entry = choose_victim(session->fast_path);

	prepared_end(session->memory, entry->prepared);
	*entry = (struct fast_entry){.operation = operation, .runs = 1};
	request_pattern_make(frame->at, frame->size, message, &entry->pattern);
}

void fast_path_note(struct session *session, const struct operation *operation, const struct message *message,
		    const struct inbox_frame *frame)
{
	struct fast_path *path = frame->size <= REQUEST_PATTERN_BYTES ? path_of(session) : NULL;
	struct fast_entry *entry = path ? find_entry(path, frame) : NULL;
	struct error ignored;

	if (path && !entry)
		enter_request(session, operation, message, frame);
	if (!entry || entry->runs == RUNS_BEFORE || ++entry->runs < RUNS_BEFORE)
		return;
	if (prepared_make_unlisted(session->memory, operation, &message->params, PREPARED_BYTES, &entry->prepared, &ignored) < 0)
		entry->prepared = NULL;
}

void fast_path_close(struct session *session)
{
	for (size_t i = 0; session->fast_path && i < ENTRIES; i++)
		prepared_end(session->memory, session->fast_path->entries[i].prepared);
	free(session->fast_path);
	session->fast_path = NULL;
}
