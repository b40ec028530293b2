/* SPDX-License-Identifier: Apache-2.0 */
/* What a session is inside, and the interface that hides which engine answers it: a daemon (remote/) or this process
 * (embedded/).
 *
 * One lock for each session guards its calls in flight, its queue of answered calls and its tiles. "With the lock"
 * below means that the caller holds it, "without" that it must not. The session lives as long as anybody holds a
 * reference: its owner, its calls, its tiles, its rings and its broadcasts. */
#ifndef TRNSCI_CLIENT_SESSION_SESSION_H
#define TRNSCI_CLIENT_SESSION_SESSION_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <trnsci/trnsci.h>

#include "base/error.h"
#include "base/value.h"
#include "base/wait.h"
#include "deadline.h"

enum {
	CALL_BUCKETS = 256, /* of the hash table of calls in flight; a power of two */
	SESSION_RELEASES =
		32,       /* prepared calls that wait for their release; further ones stay until the session's end */
	POOLED_TILES = 8, /* tiles kept for later arrays of the caller (api/tile_pool.h) */
};

struct cache;
struct prepared;
struct ring_link;

struct arena;

/* How a session gets one more arena (remote/arena_request.h). */
struct arena_request {
	bool wanted;  /* an arena is to be asked for */
	bool exact;   /* for no more than `bytes`: a larger one was refused */
	bool asked;   /* a request for one is in flight */
	size_t bytes; /* the largest tile that waits for room */
	size_t last;  /* size of the youngest arena so far; 0: none */
	/* An arena that the daemon gave and this process could not map, on that connection; 0: none. It is to be given
	 * back. */
	uint32_t unmapped;
	uint64_t unmapped_on;
	/* The last such arena, of whose tiles replies may come later, and why. */
	uint32_t failed;
	uint64_t failed_on;
	struct error failure;
};

/* One engine. session->peer is its own. */
struct session_engine {
	bool shares_memory; /* a request may name the caller's memory */
	/* Starts a call that is marked as in flight. On an error the call was not sent, and nobody answers it. Without.
	 */
	int (*send)(struct trnsci_call *call, struct error *err);
	/* Prepares a call in this process and returns a reference to it, for release. NULL for an engine of another
	 * process, which is asked by a request. Without. */
	int (*prepare)(struct trnsci_call *call, struct prepared **ret_prepared);
	/* Ends it, also after stop. Without. */
	void (*release)(struct trnsci_session *session, struct prepared *prepared);
	/* Sends what was kept back while answers wait for trnsci_next. NULL: nothing ever is. With. */
	void (*flush)(struct trnsci_session *session);
	/* Tries once to bring back a session whose daemon was lost, at times that are apart. `failure` is the outcome. With. NULL: this
	 * engine is never lost. */
	void (*restore)(struct trnsci_session *session);
	/* Makes the session's queue, unless it has one. NULL: the engine has none. Without. */
	int (*begin_queue)(struct trnsci_session *session, struct error *err);
	/* Submits a call that has what it needs for the queue. Returns false if it has to be sent. Without. */
	bool (*enqueue)(struct trnsci_call *call, bool answers_to_next);
	/* Asks for the end of a call in flight, to which the caller holds a reference. Without. */
	void (*cancel)(struct trnsci_call *call);
	/* Receives answers, and waits for some until the deadline: with a deadline above 0 one thread at a time. With; the lock
	 * may be released meanwhile. NULL: the engine's own threads answer. */
	void (*progress)(struct trnsci_session *session, int64_t deadline);
	/* Gets memory for tiles unless there is some, or asks for it: then requests that follow find it. `bytes`: of the
	 * tile that needs it, 0 if that is not known. Without. */
	int (*begin_arenas)(struct trnsci_session *session, size_t bytes, struct error *err);
	/* Adds memory that calls wait for, and gives back what tiles have left. Without. NULL: neither is necessary. */
	void (*tend_arenas)(struct trnsci_session *session);
	/* Attaches the ring that the call (not sent yet) describes, and frees the call. Without. */
	int (*attach_ring)(struct trnsci_call *call, struct ring_link *ret_link, struct error *err);
	/* Attaches the broadcast that the call describes, as attach_ring. NULL: the engine has none. */
	int (*attach_broadcast)(struct trnsci_call *call, struct ring_link *ret_link, struct error *err);
	/* Wakes the producer: it sleeps, and half of the ring is free. Without. */
	void (*wake_ring)(struct ring_link *link);
	/* Ends what was attached, also a broadcast's reader. */
	void (*detach_ring)(struct trnsci_session *session, struct ring_link *link);
	/* Returns a descriptor for trnsci_session_fd, or -errno. With. */
	int (*poll_fd)(struct trnsci_session *session);
	/* Ends all calls in flight. No thread is inside progress once it has returned. Without. */
	void (*stop)(struct trnsci_session *session);
	/* Frees peer; no call and no tile is left. */
	void (*destroy)(struct trnsci_session *session);
	/* In a child after fork: gives up descriptors and mappings that must not be shared, and nothing else. */
	void (*abandon)(struct trnsci_session *session);
};

struct trnsci_session {
	const struct session_engine *engine;
	void *peer;      /* the engine's own */
	char *address;   /* owned */
	pid_t pid;       /* of the process that opened it; a child after fork must not use it */
	const int *fork_flag; /* 0 in a child (fork_flag.h); NULL: not available, pid decides */
	/* Settings: fixed once the session is open. */
	int timeout_ms;     /* of a call; -1: none */
	int reconnect_ms;   /* how long the first wait for a lost daemon may take; negative: none, a lost session ends */
	int queue_option;     /* the option `queue` */
	bool (*interrupted)(void *arg); /* the option; NULL: none */
	void *interrupted_arg;
	size_t arena_bytes; /* least size of the first arena */
	/* Everything below is guarded by the lock. */
	pthread_mutex_t lock;
	pthread_cond_t ended; /* what a thread that closes or detaches waits for: a waiter, a run, an embedded call, a ring */
	atomic_uint refs;   /* changed without the lock */
	atomic_uint inside; /* threads between session_enter and session_leave, and whether it is closed; without the lock */
	struct session_waiter *waiting; /* threads inside session_wait, a list */
	struct wait_history waits;      /* for answers */
	bool receiving;                 /* one of them is inside the engine's progress */
	atomic_bool closed;
	atomic_bool queue_refused;    /* the daemon has no queue for this session */
	struct error failure;         /* why nothing can be sent, until engine->restore succeeds; code 0: all is well */
	struct bump_cache bump_cache; /* for requests and replies */
	/* Calls (call_table.h). */
	uint32_t last_msgid;
	struct trnsci_call *calls[CALL_BUCKETS]; /* in flight, by msgid */
	uint32_t n_in_flight;
	struct trnsci_call *oldest, *newest;     /* answered, for trnsci_next */
	bool drains_answers; /* the program is emptying this list by trnsci_next */
	int ready_fd; /* eventfd, readable while that queue holds a call; -1 until trnsci_session_fd */
	/* Handles of prepared calls to release (prepare.h); they stand on that connection. */
	uint32_t releases[SESSION_RELEASES];
	atomic_uint n_releases; /* read without the lock, too */
	uint64_t releases_connection;
	bool fds_pending; /* a call whose reply brings descriptors is in flight: one at a time */
	/* Tiles. */
	struct arena *arenas; /* list (arena.h) */
	struct arena_request arena_request;
	bool large_fills; /* an array was filled that a tile could have served */
	_Atomic uint64_t connection; /* counts connections: a reconnect ends what earlier replies named; read without the lock, too */
	struct trnsci_tile *tiles; /* list (tile.h) */
	uint64_t n_frees;          /* of tiles, so far */
	size_t n_lost;             /* tiles whose content is lost */
	struct trnsci_tile *pooled[POOLED_TILES];
	size_t n_pooled;
	atomic_size_t lent_bytes; /* of tiles that the pool has lent to calls; without the lock */
	struct cache *cache; /* call/cache.h; constant until the session is stopped; NULL: there was no memory */
};

/* Returns -ERROR_CLOSED for NULL and in a child after fork. */
int session_check_fully(const struct trnsci_session *session, struct error *err);
static inline int session_check(const struct trnsci_session *session, struct error *err)
{
	return session && session->fork_flag && *session->fork_flag ? 0 : session_check_fully(session, err);
}

/* Returns a session without peer, with one reference; NULL if there is no memory. */
struct trnsci_session *session_new(const struct session_engine *engine, const char *address,
				   const struct trnsci_options *options);
/* Sets how long the waits of a session of these options may look before they sleep. */
void session_init_waits(struct wait_history *waits, const struct trnsci_options *options);
void session_ref(struct trnsci_session *session);
/* Drops a reference; the last one destroys the session. Without the lock. */
void session_unref(struct trnsci_session *session);
/* Drops a reference that cannot be the last one. With the lock. */
void session_unref_locked(struct trnsci_session *session);

/* Returns whether the program is about to call the session again, because answers wait for trnsci_next. Until then requests are held,
 * to be sent together. With the lock. */
static inline bool session_will_return(const struct trnsci_session *session)
{
	return session->drains_answers && session->oldest && !session->waiting && session->ready_fd < 0;
}

/* Enters a session to work on its memory, for a short time: it is neither stopped nor freed until session_leave. Returns false if
 * it is closed. Without the lock. */
bool session_enter(struct trnsci_session *session);
void session_leave(struct trnsci_session *session);
/* Checks a session, and enters it. -ERROR_CLOSED */
int session_check_and_enter(struct trnsci_session *session, struct error *err);
/* Checks a session, and takes a reference for what may take long: it may be stopped meanwhile. -ERROR_CLOSED */
int session_check_and_ref(struct trnsci_session *session, struct error *err);

/* Returns -ERROR_CLOSED, with the reason why the session has failed. With the lock. */
int session_report_failure(const struct trnsci_session *session, struct error *err);

/* Closes a session to those who would enter it, and marks it as closed. With the lock. */
void session_close_entry(struct trnsci_session *session);
/* Returns whether threads are inside a session that is closed; session->ended is signalled when one leaves. With the lock. */
bool session_is_in_use(const struct trnsci_session *session);

#endif
