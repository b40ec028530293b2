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

enum call_state { CALL_IDLE, CALL_IN_FLIGHT, CALL_DONE /* answered: `error` or `reply` is set */ };

struct trnsci_call {
	struct trnsci_session *session;
	struct trnsci_args *params; /* owned, see above */
	struct call_changes changes; /* of the present run */
	/* What each run through a daemon's queue reads or writes stands together up to `fds`. */
	struct queued_call *queue_slot; /* queued_call.h; NULL: runs are sent */
	trnsci_callback *done;       /* for trnsci_dispatch; NULL: the call goes to trnsci_next */
	void *done_arg;
	bool internal; /* made by the library: of its arena, tiles and prepared calls, which it restores itself */
	bool ran_inline; /* embedded: the last run was in its caller's thread */
	/* Under the session's lock. */
	bool sent_by_queue;                     /* in flight through the daemon's queue */
	bool in_answered_list;            /* in the queue of answered calls */
	atomic_bool answers_to_next;              /* goes into that queue when it is answered */
	bool cancelling;                   /* to be cancelled as soon as its request exists */
	bool sent_again;                   /* after a reconnect */
	bool needs_room;                   /* waits for an arena (remote/arena_request.h) */
	unsigned rooms;                    /* times that it has waited for one */
	atomic_uint refs; /* changed without the lock */
	_Atomic(enum call_state) state;
	uint32_t msgid;
	struct trnsci_call *chain;         /* next in its bucket of calls in flight */
	struct trnsci_call *newer, *older; /* neighbours in the queue of answered calls */
	uint64_t begins;     /* where its request begins among the bytes of the connection */
	uint64_t ends;       /* where it ends; CALL_UNSENT: not written */
	uint64_t connection; /* on which it was answered */
	/* Called with the lock once it is answered; reply is NULL if that was an error, or if it could not be sent. */
	void (*answered)(struct trnsci_call *call);
	/* The answer. */
	const struct value *reply; /* NULL: none, or an error */
	struct bump *bump;         /* holds the reply of a remote call */
	void *request;             /* holds the reply of an embedded call: struct request */
	struct fdpass fds;         /* that came with the reply */
	struct trnsci_error error;
	char *method;                /* constant, owned */
	struct args_state args;      /* of params */
	uint64_t bytes; /* an internal call's own: see who makes it */
	/* The request names what exists on the connection tied_to only, and must not be sent on a later one. */
	bool tied;
	uint64_t tied_to;
	/* Its preparation (prepare.h), under the session's lock. */
	_Atomic uint32_t prepared; /* the engine's handle; 0: none */
	uint64_t prepared_on;      /* the connection on which the handle exists */
	uint64_t prepared_version; /* of the parameters */
	uint64_t preparation;      /* counts those that were begun */
	unsigned runs;             /* with these parameters, up to those after which it is prepared */
	bool asked;                /* the engine was asked to prepare it; only the owner's thread sets this */
	bool ended;                /* its owner has freed it */
	/* How often it runs, for which it gets a place in the queue. */
	unsigned queue_runs;              /* since queue_began_ns */
	int64_t queue_began_ns;
	uint64_t queue_refused_version;             /* 1 more than the version of the parameters that do not fit */
	struct trnsci_tile *prepares_into; /* of a `prepare`: the output of the call that it prepares; NULL: as stated */
	struct prepared *inline_prepared; /* embedded: the prepared call itself, for runs in the caller's thread; NULL: none */
	/* Under the session's lock. */
	bool wants_fds;                    /* its reply brings file descriptors */
	unsigned round;                    /* over the calls in flight that has come to it (remote/reconnect.c) */
	struct trnsci_call *prepares; /* of a `prepare`: the call that is prepared; one reference */
};

/* Returns a call with one reference, of any method, also those that trnsci_call_new refuses. */
int call_new(struct trnsci_session *session, const char *method, struct trnsci_call **ret_call);
/* The same with an error text; the session is checked and method may be NULL. */
int call_make(struct trnsci_session *session, const char *method, struct trnsci_call **ret_call, struct error *err);

/* The same with the parameter `name`, which must not be NULL. */
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

/* Forgets the last answer: pointers into its reply are dead from then on. */
void call_drop_reply(struct trnsci_call *call);

/* Stores an error as the call's and returns its negative code. */
int call_set_error(struct trnsci_call *call, const struct error *error);
static inline void call_clear_error(struct trnsci_call *call)
{
	call->error.code = 0;
	call->error.text[0] = '\0';
}

/* Returns what the method does beside its answer. A program that names a stream takes a reservation of it. */
enum method_effect call_effect(const struct trnsci_call *call);

/* Reads the reply's member `name`: 0, or -ERROR_BAD_REPLY with a text. */
int call_reply_u64(const struct trnsci_call *call, const char *name, uint64_t *ret, struct error *err);

#endif
