/* SPDX-License-Identifier: Apache-2.0 */
/* What a session and a call are inside, and the door that the two engines, remote and embedded, stand behind.
 *
 * One lock a session guards the calls in flight, the queue of answered ones and the tiles. A call is referenced by its
 * owner, by its flight, and for a moment by whoever works on it without the lock; the session by its owner, its calls
 * and its tiles. */
#ifndef TRNSCI_CLIENT_SESSION_SESSION_H
#define TRNSCI_CLIENT_SESSION_SESSION_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <trnsci/trnsci.h>

#include "args.h"
#include "base/error.h"
#include "base/value.h"
#include "args.h"
#include "fdpass.h"

enum { CALL_BUCKETS = 256, SESSION_RELEASES = 32 };

#define DEADLINE_NEVER       INT64_MAX
#define ARENA_BYTES_REMOTE ((size_t)64 << 20)

struct ring_link;

#define CALL_UNSENT UINT64_MAX

enum { POOLED_TILES = 8 };
/* What a run states instead of the call. */
struct call_changes {
	unsigned given;
	uint64_t seed, stream, offset;
	struct args_swaps tiles; /* `to` holds references */
};

enum call_state { CALL_IDLE, CALL_FLYING, CALL_DONE };

struct trnsci_call {
	struct trnsci_session *session;
	char *method;
	struct trnsci_args *params;
	struct args_state args;      /* of params */
	struct call_changes changes; /* of the run that is in flight */
	/* Its preparation (prepare.h). */
	uint32_t prepared;         /* the engine's handle; 0: none */
	uint64_t prepared_on;      /* the connection on which it stands */
	uint64_t prepared_version; /* of the parameters */
	uint64_t preparation;      /* counts those that were begun */
	unsigned runs;             /* with these parameters, up to those after which it is prepared */
	bool asked;                /* whether the engine was asked to prepare it */
	bool ended;                /* its owner has freed it */
	struct trnsci_call *prepares; /* of a `prepare`: the call that it is for; one reference */
	struct prepared *held;        /* whose memory the reply is in; NULL: none */
	trnsci_callback *done; /* for trnsci_dispatch; NULL: for trnsci_next */
	void *done_arg;
	unsigned refs;
	enum call_state state;
	uint32_t msgid;
	bool queueing;                     /* goes into the session's queue when it is answered */
	bool queued;                       /* is in it */
	bool wants_fds;                    /* its reply brings file descriptors */
	uint64_t ends;                     /* its last byte among those of the connection (remote.sent); CALL_UNSENT */
	bool repeated;                     /* sent again, to a daemon that had come back */
	bool own;                          /* the library's: of the arena and its tiles, which it makes again itself */
	uint64_t connection;               /* on which it was answered */
	bool tied;                         /* names what exists on connection tied_to only */
	uint64_t tied_to;
	bool cancelling;                   /* to be cancelled as soon as its request is known */
	struct fdpass fds;                 /* they */
	struct trnsci_call *chain;         /* next in its bucket of calls in flight */
	struct trnsci_call *newer, *older; /* neighbours in the queue */
	struct trnsci_error error;
	struct bump *bump; /* holds the reply of a remote call */
	void *request;     /* holds the reply of an embedded call: struct request */
	const struct value *reply;
};

/* Memory for tiles. */
struct arena {
	char *base; /* NULL: none yet */
	size_t size;
	int fd;              /* remote: its memfd; else -1 */
	uint64_t connection; /* on which it came */
};

/* One engine. `peer` is its own. */
struct session_engine {
	bool shares_memory; /* requests may name memory of the caller's */
	/* Starts a call that is marked as in flight. 0 or an error; then the call was not sent and is not answered.
	 * Without the lock. */
	int (*send)(struct trnsci_call *call, struct error *err);
	/* Runs a small prepared call in this thread: its reply, which *ret_prepared holds; NULL: it is to be sent. NULL
	 * for an engine that cannot. Without the lock. */
	const struct value *(*run_now)(struct trnsci_call *call, struct prepared **ret_prepared);
	/* Asks for a flying call's end. The caller holds a reference. Without the lock. */
	void (*cancel)(struct trnsci_call *call);
	/* Waits for news until the deadline (0: only looks). With the lock, which it may release meanwhile. */
	void (*progress)(struct trnsci_session *session, int64_t deadline);
	/* Gets memory of at least `bytes`. Without the lock, by one thread at a time. */
	int (*arena)(struct trnsci_session *session, size_t bytes, struct arena *ret_arena, struct error *err);
	/* Attaches the ring that the call (unsent) asks for: what ring_end lets go of. Without the lock. */
	int (*ring)(struct trnsci_call *call, struct ring_link *ret_link, struct error *err);
	/* The filler sleeps, and half the ring is free. Without the lock. */
	void (*ring_wake)(struct ring_link *link);
	void (*ring_end)(struct trnsci_session *session, struct ring_link *link);
	/* A descriptor for trnsci_fd, or -errno. With the lock. */
	int (*poll_fd)(struct trnsci_session *session);
	/* Ends everything in flight; afterwards no thread is inside progress. Without the lock. */
	void (*stop)(struct trnsci_session *session);
	/* Frees peer, when no call or tile is left. */
	void (*destroy)(struct trnsci_session *session);
	/* In a child after fork: lets go of what must not be shared, and no more. */
	void (*abandon)(struct trnsci_session *session);
};

struct trnsci_session {
	const struct session_engine *engine;
	void *peer;
	char *address;
	pid_t pid; /* who opened it: a child after fork is not served */
	unsigned char *mark; /* 0 in a child; NULL: it could not be had */
	int timeout_ms;
	int reconnect_ms;   /* how long a lost daemon is waited for; 0: not at all */
	uint64_t spin_ns;   /* bound of spinning; 0: none */
	size_t arena_bytes; /* wanted */
	pthread_mutex_t lock;
	pthread_cond_t changed; /* a call was answered, a waiter left, the arena came */
	unsigned refs;
	unsigned flying;  /* calls in flight */
	unsigned running_now; /* calls in run_now */
	unsigned waiters; /* threads inside session_wait */
	bool closed;
	struct error failure; /* why nothing more can be sent; code 0 while all is well */
	uint32_t last_msgid;
	struct bump_cache bump_cache; /* of calls */
	/* Handles of prepared calls that are still to be released, on that connection. */
	uint32_t releases[SESSION_RELEASES];
	unsigned n_releases;
	uint64_t releases_connection;
	struct trnsci_call *calls[CALL_BUCKETS];
	struct trnsci_call *oldest, *newest; /* answered, for trnsci_next */
	int ready_fd;                        /* eventfd, readable while the queue holds a call; -1 until trnsci_fd */
	bool arena_pending;
	bool fds_pending; /* a call that brings descriptors is under way */
	struct arena arena;
	uint64_t connection; /* the present one's number: what the replies of earlier ones named is gone */
	uint64_t last_scope;
	struct trnsci_tile *tiles;
	size_t n_lost; /* of them, those whose content is lost */
	struct trnsci_tile *pooled[POOLED_TILES]; /* tile_pool.h */
	size_t n_pooled;
};

/* Whether this process may use the session; a text goes to err. */
int session_check(const struct trnsci_session *session, struct error *err);

/* A session without peer yet; NULL when memory cannot be had. */
struct trnsci_session *session_new(const struct session_engine *engine, const char *address,
				   const struct trnsci_options *options);
void session_ref(struct trnsci_session *session);
void session_unref(struct trnsci_session *session);
/* The same with the lock held; never the last. */
void session_unref_locked(struct trnsci_session *session);

/* The number of the connection, once it was looked whether it still stands. -ERROR_CLOSED: nothing more can be sent. */
int session_look(struct trnsci_session *session, uint64_t *ret_connection, struct error *err);

/* Waits until ready(arg) with the lock held. 0 or -ERROR_TIMEOUT. */
int session_wait(struct trnsci_session *session, bool (*ready)(void *arg), void *arg, int64_t deadline);

/* Nothing more can be sent: every call in flight is answered with the error. With the lock. */
void session_fail(struct trnsci_session *session, const struct error *error);

int64_t clock_ns(void);
/* -1: never; 0: 0. */
int64_t deadline_after(int timeout_ms);
/* What is left, for poll: -1 for ever; 0 for a deadline that has passed. */
int deadline_left_ms(int64_t deadline);

/* Copies an error to where the public interface wants it (may be NULL); returns its negative code. */
int error_give(struct trnsci_error *ret, const struct error *error);
/* The other way. */
int error_take(struct error *ret, const struct trnsci_error *error);

int remote_open(const char *path, const struct trnsci_options *options, struct trnsci_session **ret_session,
		struct error *err);
int embedded_open(const struct trnsci_options *options, struct trnsci_session **ret_session, struct error *err);

#endif
