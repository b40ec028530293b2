/* SPDX-License-Identifier: Apache-2.0 */
/* What a queue is inside; for the files queue*.c alone.
 *
 *     queue.c         takes entries, runs them, completes them, polls and sleeps
 *     queue_attach.c  makes a queue and ends it */
#ifndef TRNSCI_DAEMON_QUEUE_CORE_H
#define TRNSCI_DAEMON_QUEUE_CORE_H

#include "engine/call/prepared_batch.h"
#include "memory/arena.h"
#include "net/session.h"
#include "queue_layout.h"

enum { QUEUE_NUMBERS = 5 }; /* of a completion */

/* Where a reply has the numbers of a completion. Runs of one call have replies of one layout, whose names are the same texts in
 * memory. */
struct reply_layout {
	uint32_t index[QUEUE_NUMBERS]; /* 0 and `given` without its bit: there is none */
	const char *name[QUEUE_NUMBERS];
	uint32_t given;
};

struct queue {
	struct loop_poller poller; /* must be the first member */
	struct session *session;
	struct arena *memory;
	struct queue_page *page;
	uint32_t entries;
	/* Our own numbers. The page has copies of them, which are never read back. */
	uint32_t taken, completed, published;
	uint32_t consumed; /* the client's, as last checked */
	uint32_t running;  /* taken and not completed */
	uint32_t sleeps;   /* odd: asleep */
	uint32_t woken;    /* the client's sleep from which we woke it last */
	unsigned in_place; /* of those that are completed and not published: ended by their start */
	struct prepared_batch draws; /* of these, the short draws; open only while a turn runs entries */
	unsigned idle_polls;
	struct reply_layout layout; /* of the last reply */
	bool announces; /* entries are completed of which the client may not know */
	uint64_t worked_ns; /* when an entry was taken last */
};

/* See struct loop_poller. */
bool queue_poll(struct loop_poller *poller);
bool queue_sleep(struct loop_poller *poller);

#endif
