/* SPDX-License-Identifier: Apache-2.0 */
/* What the named streams are made of; for the files of this folder.
 *
 * A request passes through the files in this order:
 *
 *     streams_requests.c  loop's thread: checks permissions; issues from what is reserved, or queues a task
 *     commit_queue.c      the queue of tasks, and the draws that wait for a block
 *     committer.c         committer's thread: stages, writes and publishes a batch of tasks
 *     streams_state.c     committer's thread: opens the state, and watches that it stays at its path
 *     stream_signal.c     any thread: what a stream that is one signal of coloured noise keeps of it
 *     store_*.c           committer's thread: the SQLite file
 *
 * streams->lock covers memory only. The committer lets go of it while it writes, so a slow disk delays the draws that need a
 * new block and nobody else. Replies are sent with the lock held: deferred_reply_send never blocks. */
#ifndef TRNSCI_DAEMON_STREAMS_CORE_H
#define TRNSCI_DAEMON_STREAMS_CORE_H

#include <pthread.h>

#include "store.h"
#include "streams.h"

enum commit_task_kind { COMMIT_RESERVE, COMMIT_CREATE, COMMIT_DELETE, COMMIT_ADVANCE, COMMIT_DRAW };

/* What the committer is to make durable; or (COMMIT_DRAW) a draw that waits for its block.
 *
 * A task is in one list at a time: the queue (streams->first), the committer's batch, or named->waiters. Who takes it out
 * frees it, except for COMMIT_RESERVE, which is part of its stream. */
struct commit_task {
	struct commit_task *next; /* of that list */
	enum commit_task_kind kind;
	struct named_stream *named; /* outlives the task: a stream is freed when its last task is published */
	/* The request's; gets the reply. NULL: nobody waits any more. Under the lock: a request that ends sooner sets it to
	 * NULL by streams_forget, from any thread. */
	struct deferred_reply *deferred;
	bool u64_text;           /* the reply has numbers of 64 bits as text */
	bool wanted;             /* create: the stream id is given */
	bool seeded;             /* create: the seed is given */
	uint64_t to;             /* advance: the group of the next draw, at most STORE_GROUPS */
	/* The committer's, without the lock, while the task is in its batch. */
	struct store_stream row; /* as it will be in the store */
	bool unchanged;          /* nothing is to be written: the reservation already reaches so far */
	int result;              /* 0 or a negative error, then with `error` set */
	struct error error;
};

/* NEW and DELETING: the create or delete is not durable yet, and requests do not find the stream. GONE: deleted, but its
 * last task is still queued.
 *
 *     NEW --committed--> LIVE --stream_delete--> DELETING --committed--> GONE --> freed
 *      |                   ^                         |
 *      +-- refused: GONE   +------ not committed ----+ */
enum named_stream_state { NAMED_NEW, NAMED_LIVE, NAMED_DELETING, NAMED_GONE };

/* All under the lock, but for what is marked as the committer's. In streams->sorted from the request for its creation until
 * it is deleted. */
struct named_stream {
	struct store_stream row;    /* as it is durable in the store; groups below row.reserved may be issued */
	struct store_stream staged; /* the committer's: as the transaction under way leaves it */
	enum named_stream_state state;
	uint64_t next;        /* the first group that was not issued */
	uint64_t block;       /* groups to reserve next time; at most the setting stream_block */
	uint64_t refilled_ns; /* when groups were last reserved; 0: never */
	bool listed;          /* in streams->sorted */
	bool reserving;       /* `reserve` is in the queue or in a batch: it must not be queued again */
	struct commit_task reserve;
	struct commit_task *waiters, **waiters_last; /* draws, in the order in which they came */
	char noise[];                                /* row.noise */
};

struct user_count {
	uint32_t uid;
	uint64_t streams;
};

struct streams {
	const struct settings *settings;
	char dir[SETTING_TEXT_ROOM];
	pthread_t committer;
	bool committing; /* the committer's thread runs */
	pthread_mutex_t lock;
	/* Under the lock. */
	pthread_cond_t wake;
	bool stop;
	struct commit_task *first, **last;
	struct named_stream **sorted; /* by name; owns the streams */
	size_t count, room;           /* entries in use, and allocated */
	struct user_count *users;     /* one for each uid that ever had a stream; grows only */
	size_t n_users;
	struct error trouble; /* why nothing is issued; code 0: none */
	bool damaged;         /* the trouble needs a repair: trying again does not help */
	bool misplaced;       /* the trouble is where the state lies, and ends when it is back */
	bool drawn;           /* positions were issued since the placement was last checked */
	uint64_t check_ns;    /* when it may be checked again */
	bool reopen;          /* the committer is to open the state again */
	uint64_t reopened_ns; /* when that was last requested */
	uint64_t commits, failures, waits; /* for `stats`, since the start */
	bool failing;         /* the last commit failed: log only the change */
	/* The committer's. */
	int lock_fd; /* of the folder; -1: not locked */
	struct store *store;
};

/* ---- streams_index.c: call with the lock held ---- */

/* Returns where the name stands in streams->sorted, or would stand. */
size_t streams_index(const struct streams *streams, const char *name, bool *ret_found);
/* Inserts and counts a stream. Returns false if there is no memory. */
bool streams_insert(struct streams *streams, struct named_stream *named);
void streams_remove(struct streams *streams, struct named_stream *named);
/* Returns the user's count, making it if needed; NULL if there is no memory. */
struct user_count *streams_user(struct streams *streams, uint32_t uid);
/* Makes a stream with a copy of its noise, which may be NULL. Returns NULL if there is no memory. */
struct named_stream *named_stream_new(const struct streams *streams, const char *noise, size_t noise_size);

/* ---- streams_state.c ---- */

/* Loads the state; make: creates one if there is none. Call without the lock. */
int streams_load_state(struct streams *streams, bool make, struct error *err);
/* Loads the state, or checks its placement, again after trouble. Call without the lock. */
void streams_restore_state(struct streams *streams);
/* Checks where the state lies. While it does not lie at its path, that is the trouble. Call without the lock. Returns 0,
 * -ERROR_STORE, -ERROR_SYSTEM. */
int streams_check_placement(struct streams *streams, struct error *err);
/* Notes that positions were issued from a block, without a commit. Call with the lock held. */
void streams_note_draw(struct streams *streams);
/* Waits until the committer may have work. Call with the lock held; it is released meanwhile. */
void streams_wait(struct streams *streams);
/* Gives unused reservations back at the stop. Returns 0; -ERROR_STORE: the state no longer lies at its path. */
int streams_end_state(struct streams *streams);

/* ---- commit_queue.c: call with the lock held ---- */

/* Makes a task whose reply is sent to `deferred`. Returns NULL if there is no memory. */
struct commit_task *commit_task_new(enum commit_task_kind kind, struct named_stream *named,
				    const struct streams_who *who, struct deferred_reply *deferred);
void commit_queue_post(struct streams *streams, struct commit_task *task);
/* Replies to whoever waits for the task, if anybody does. */
void commit_task_reply(struct commit_task *task, int error);

/* Finds the place of the next draw: its first sample, and the group after it. -ERROR_END_OF_STREAM */
int named_stream_next_draw(const struct named_stream *named, const struct deferred_reply *deferred,
			   uint64_t *ret_offset, uint64_t *ret_end);
/* Returns 1 if the draw got its place; 0 if its block is not reserved yet; or an error. */
int named_stream_issue(struct streams *streams, struct named_stream *named, struct deferred_reply *deferred);
/* Queues the reservation of a block, unless it is queued. */
void named_stream_request_block(struct streams *streams, struct named_stream *named);
/* Issues positions to the draws that wait, as far as the reservation goes, and requests a block for the rest. */
void named_stream_serve_waiters(struct streams *streams, struct named_stream *named);
/* Replies to all draws that wait with an error. */
void named_stream_fail_waiters(struct named_stream *named, const struct error *error);

/* Describes a stream in a reply; u64_text: numbers of 64 bits as text. Needs no lock for a copy. */
int named_stream_describe(struct bump *bump, struct value *map, const struct named_stream *named, bool u64_text);

/* ---- committer.c ---- */

int committer_start(struct streams *streams);
/* Stops after all tasks are done. Returns 0; -ERROR_STORE: the state no longer lies at its path. */
int committer_stop(struct streams *streams);

#endif
