/* SPDX-License-Identifier: Apache-2.0 */
/* What a call is inside.
 *
 * A call is referenced by its owner, while it is in flight by the session's table, and for a moment by a thread that
 * works on it without the lock. The call itself holds a reference to the session.
 *
 *     IDLE --trnsci_run, trnsci_submit--> IN_FLIGHT --answer, error, cancel, end of the session--> DONE
 *      ^                                      |                                                    |
 *      +---- it could not be sent ------------+                 it is run again: IN_FLIGHT <-------+
 *
 * Its parameters belong to the owner's thread while it is not in flight; nobody may change them while it is. */
#ifndef TRNSCI_CLIENT_CALL_CALL_H
#define TRNSCI_CLIENT_CALL_CALL_H

#include "args.h"
#include "changes.h"
#include "engine/operations/operations.h"
#include "fdpass.h"
#include "session/session.h"

/* The `ends` of a call whose request is not written yet. */
#define CALL_UNSENT UINT64_MAX

enum { CALL_LENT = 2 }; /* tiles of the pool that a call has at most */

enum call_state { CALL_IDLE, CALL_IN_FLIGHT, CALL_DONE /* answered: `error` or `reply` is set */ };

/* What came back. Written with the session's lock; once the call is done, its owner's. */
struct call_answer {
	const struct value *reply; /* NULL: none, or an error */
	struct bump *bump;         /* holds the reply of a remote call */
	void *request;             /* holds the reply of an embedded call: struct request */
	struct fdpass fds;         /* that came with the reply */
	struct trnsci_error error;
};

/* How often the call was run, and what it cannot have (ladder.h). The owner's thread. */
struct call_ladder {
	uint64_t version;    /* of the parameters; the rest is about these */
	unsigned runs;       /* as requests */
	int64_t began_ns;    /* when the latest 64 of them did */
	bool often;          /* it came often before it got the tile that it lacked */
	bool stays_prepared; /* a queue cannot run it */
	bool lacks_tile;     /* but for its results, which come in the reply */
};

/* The call as the engine has prepared it (prepare.h). Under the session's lock, but for `asked` and `inline_prepared`, which belong to
 * the owner's thread. */
struct call_preparation {
	_Atomic uint32_t handle; /* the engine's; 0: none */
	uint64_t connection;     /* on which the handle exists */
	uint64_t number;         /* counts those that were begun */
	bool asked;              /* the engine was asked to prepare it, or it cannot be */
	struct prepared *inline_prepared; /* embedded: the prepared call itself, for runs in the caller's thread; NULL: none */
	struct trnsci_call *prepares;     /* of a `prepare`: the call that is prepared; one reference */
};

/* What is known of it while it is in flight, and in the list of answered calls behind that. Under the session's lock. */
struct call_flight {
	bool sent_by_queue;    /* through the daemon's queue */
	bool in_answered_list; /* waits for trnsci_next */
	bool cancelling;       /* to be cancelled as soon as its request exists */
	bool sent_again;       /* after a reconnect */
	bool needs_room;       /* waits for an arena (remote/arena_request.h) */
	unsigned rooms;        /* times that it has waited for one */
	unsigned round;        /* over the calls in flight that has come to it (remote/reconnect.c) */
	uint32_t msgid;
	uint64_t begins; /* where its request begins among the bytes of the connection */
	uint64_t ends;   /* where it ends; CALL_UNSENT: not written */
	struct trnsci_call *chain;         /* next in its bucket of calls in flight */
	struct trnsci_call *newer, *older; /* neighbours in the list of answered calls */
};

struct trnsci_call {
	struct trnsci_session *session;
	atomic_uint refs;              /* changed without the lock */
	_Atomic(enum call_state) state; /* changed with the session's lock, but for runs in the caller's thread */
	/* The request. The owner's thread; constant while the call is in flight. */
	char *method;                /* constant, owned */
	struct trnsci_args *params;  /* owned, see above */
	struct args_state args;      /* of params */
	struct call_changes changes; /* of the present run */
	uint64_t bytes;              /* an internal call's own: see who makes it */
	bool internal; /* made by the library: of its arena, tiles and prepared calls, which it restores itself */
	bool wants_fds; /* its reply brings file descriptors */
	bool tied;      /* it names what exists on the connection tied_to only, and must not be sent on a later one */
	uint64_t tied_to;
	/* Tiles that the session's pool has lent it (api/tile_pool.h): of its results, and of its input; NULL: none, or that of the
	 * results. */
	struct trnsci_tile *lent[CALL_LENT];
	void (*give_back)(struct trnsci_call *call); /* NULL: it has none */
	/* How it climbs. */
	struct call_ladder ladder;
	struct call_preparation preparation;
	struct queue_slot *queue_slot; /* queue_slot.h; NULL: runs are sent. The owner's thread; in flight with the session's lock */
	struct call_flight flight;
	/* The answer. */
	atomic_bool answers_to_next; /* it goes to trnsci_next */
	void *arg;                   /* of trnsci_submit, for trnsci_next */
	bool ran_inline;     /* embedded: the last run was in its caller's thread */
	uint64_t connection; /* on which it was answered */
	/* Called with the lock once it is answered; reply is NULL if that was an error, or if it could not be sent. */
	void (*answered)(struct trnsci_call *call);
	struct call_answer answer;
};

/* Returns a call with one reference, of any method, also those that trnsci_call_new refuses. */
int call_new(struct trnsci_session *session, const char *method, struct trnsci_call **ret_call);
/* Makes a call as call_new, with an error text. The session is checked, and method may be NULL. */
int call_make(struct trnsci_session *session, const char *method, struct trnsci_call **ret_call, struct error *err);

/* Makes a call as call_make, with the parameter `name`, which must not be NULL. */
int call_make_named(struct trnsci_session *session, const char *method, const char *name, struct trnsci_call **ret_call,
		    struct error *err);

void call_ref(struct trnsci_call *call);
/* Drops a reference. Returns whether it was the last: the call is then the caller's to discard. */
bool call_drop_ref(struct trnsci_call *call);
/* Drops a reference; the last one frees the call. Without the lock. */
void call_unref(struct trnsci_call *call);
/* Drops a reference with the lock held. The session must have another reference than the call's. */
void call_unref_locked(struct trnsci_call *call);
/* Frees a call without references. The caller then drops the call's reference to the session. */
void call_discard(struct trnsci_call *call);

/* Returns the tile of the pool that the input of a call is written to. */
static inline struct trnsci_tile *call_input_tile(const struct trnsci_call *call)
{
	return call->lent[1] ? call->lent[1] : call->lent[0];
}

/* Forgets the last answer: pointers into its reply are dead from then on. */
void call_drop_reply(struct trnsci_call *call);

/* Stores an error as the call's and returns its negative code. */
int call_set_error(struct trnsci_call *call, const struct error *error);
static inline void call_clear_error(struct trnsci_call *call)
{
	call->answer.error.code = 0;
	call->answer.error.text[0] = '\0';
}

/* Returns what the method does beside its answer. A program that names a stream takes a reservation of it. */
enum method_effect call_effect(const struct trnsci_call *call);

/* Reads the reply's member `name`: 0, or -ERROR_BAD_REPLY with a text. */
int call_reply_u64(const struct trnsci_call *call, const char *name, uint64_t *ret, struct error *err);

#endif
