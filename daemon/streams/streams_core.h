/* SPDX-License-Identifier: Apache-2.0 */
/* What the named streams are made of; for their own files. */
#ifndef TRNSCI_DAEMON_STREAMS_CORE_H
#define TRNSCI_DAEMON_STREAMS_CORE_H

#include <pthread.h>

#include "store.h"
#include "streams.h"

enum commit_task_kind { COMMIT_RESERVE, COMMIT_CREATE, COMMIT_DELETE, COMMIT_ADVANCE, COMMIT_DRAW };

/* What the keeper is to make durable; or (TASK_DRAW) a draw that waits for its block. */
struct commit_task {
	struct commit_task *next;
	enum commit_task_kind kind;
	struct named_stream *named;
	struct served *served; /* who waits for it; NULL: nobody any more */
	bool u64_text;
	bool wanted;             /* create: the id */
	bool seeded;             /* create: its seed is given */
	uint64_t to;             /* advance: the group */
	struct store_stream row; /* as it will stand in the store; the keeper's, as all below */
	bool unchanged;          /* nothing is to be written */
	int result;
	struct error error;
};

/* NEW and GOING: their create or delete is not durable yet. GONE: waits for its last task. */
enum named_stream_state { NAMED_NEW, NAMED_LIVE, NAMED_GOING, NAMED_GONE };

struct named_stream {
	struct store_stream row; /* as the store has it, durably; below row.reserved groups may be issued */
	struct store_stream staged; /* the keeper's: as the transaction under way leaves it */
	enum named_stream_state state;
	uint64_t next;        /* the first group not issued */
	uint64_t block;       /* groups that are next reserved */
	uint64_t refilled_ns; /* when they last were */
	bool listed;          /* among the sorted */
	bool reserving;       /* `reserve` is in the queue */
	struct commit_task reserve;
	struct commit_task *waiters, **waiters_last; /* draws, in the order in which they came */
};

struct user_count {
	uint32_t uid;
	uint64_t streams;
};

struct streams {
	const struct settings *settings;
	char dir[SETTING_TEXT_ROOM];
	pthread_t committer;
	bool keeping;
	pthread_mutex_t lock;
	/* Under the lock. */
	pthread_cond_t wake;
	bool stop;
	struct commit_task *first, **last;
	struct named_stream **sorted; /* by name */
	size_t count, room;
	struct user_count *users;
	size_t n_users;
	struct error trouble;
	bool damaged;         /* the trouble is for a repair: to try again is in vain */
	bool misplaced;       /* the trouble is where the state lies: over once it is back */
	bool drawn;           /* positions were issued since that was last checked */
	uint64_t check_ns;    /* when it may be checked again */
	bool reopen;          /* the keeper is to try again */
	uint64_t reopened_ns; /* when that was last asked for */
	uint64_t commits, failures, waits;
	bool failing;
	/* The keeper's. */
	int lock_fd; /* of the folder, or -1 */
	struct store *store;
};

/* ---- streams_names.c, with the lock ---- */

/* Where the name stands, or would. */
size_t streams_index(const struct streams *streams, const char *name, bool *ret_found);
/* Puts it among the others and counts it; false when there is no memory. */
bool streams_insert(struct streams *streams, struct named_stream *named);
void streams_remove(struct streams *streams, struct named_stream *named);
/* The user's count; NULL when there is none and no memory for it. */
struct user_count *streams_user(struct streams *streams, uint32_t uid);
struct named_stream *named_stream_new(const struct streams *streams);

/* ---- streams_tasks.c, with the lock ---- */

/* Owned by the served request, until it is answered or forgotten; NULL when there is no memory. */
struct commit_task *commit_task_new(enum commit_task_kind kind, struct named_stream *named, const struct streams_who *who, struct served *served);
/* For the keeper to do. */
void commit_queue_post(struct streams *streams, struct commit_task *task);
/* Answers who waits for the task, if anybody does. */
void commit_task_reply(struct commit_task *task, int error);
/* Where a draw would lie: its first sample and the group behind it. -ERROR_END_OF_STREAM */
int named_stream_next_draw(const struct named_stream *named, const struct served *served, uint64_t *ret_offset, uint64_t *ret_end);
/* 1: the draw has its place; 0: its block is not there yet; or an error. */
int named_stream_issue(struct streams *streams, struct named_stream *named, struct served *served);
/* Asks the keeper for a block, once. */
void named_stream_request_block(struct streams *streams, struct named_stream *named);
/* Serves those who wait, as far as the reserve goes; asks for more where that is wanted. */
void named_stream_serve_waiters(struct streams *streams, struct named_stream *named);
/* Answers all who wait with that error. */
void named_stream_fail_waiters(struct named_stream *named, const struct error *error);

/* ---- streams_reply.c ---- */

int named_stream_describe(struct bump *bump, struct value *map, const struct named_stream *named, bool u64_text);

/* ---- keeper.c ---- */

int committer_start(struct streams *streams);
/* After all tasks are done. 0; -ERROR_STORE: the state no longer lay at its path. */
int committer_stop(struct streams *streams);

/* ---- streams_placement.c ---- */

/* Without the lock: looks where the state lies. While it does not lie at its path there is trouble: nothing is issued.
 * 0, -ERROR_STORE, -ERROR_SYSTEM. */
int streams_check_placement(struct streams *streams, struct error *err);
/* With the lock: positions have been issued from a block, which takes no commit. */
void streams_note_draw(struct streams *streams);
/* With the lock, which it gives up meanwhile; returns when there may be something to do for the keeper. */
void committer_wait(struct streams *streams);

/* ---- keeper_open.c ---- */

/* Opens the state; make: a new one where there is none. Without the lock. */
int committer_load_state(struct streams *streams, bool make, struct error *err);

#endif
