/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, as the two engines and the typed conveniences see them. */
#ifndef TRNSCI_CLIENT_SESSION_CALL_H
#define TRNSCI_CLIENT_SESSION_CALL_H

#include "session.h"

#include "engine/operations/operations.h"

/* As trnsci_call_new, for the session's own methods too. */
int call_new(struct trnsci_session *session, const char *method, struct trnsci_call **ret_call);

/* Without the lock. The last one frees the call; the session's reference that it held is returned with it. */
void call_unref(struct trnsci_call *call);

/* Sends. changes: of this run alone, or NULL. queueing: the answer is for trnsci_next. */
int call_start(struct trnsci_call *call, const struct trnsci_changes *changes, bool queueing);

/* Its request as it is sent, in a new bump allocator. -ERROR_NO_MEMORY */
int call_build(struct trnsci_call *call, struct bump **ret_bump, const char **ret_method, struct value *ret_params,
	       struct error *err);

/* Whether it waits for its answer. Without the lock. */
bool call_is_flying(const struct trnsci_call *call);

/* Takes an answered call out of the queue for trnsci_next, if it is there. With the lock. */
void call_unqueue(struct trnsci_call *call);

/* The flying call of that number; NULL when there is none. With the lock. */
struct trnsci_call *call_find(struct trnsci_session *session, uint32_t msgid);

/* Answers a flying call: with an error, or with a reply that lives in bump or request (both may be NULL; the call
 * takes them). Returns true when the flight's reference was the last: the caller then calls call_discard, with or
 * without the lock, and after it session_unref_locked. With the lock. */
bool call_finish(struct trnsci_call *call, const struct error *error, struct bump *bump, void *request,
		 const struct value *reply);
void call_discard(struct trnsci_call *call);

/* What it does beside its answer: its method's, but for a program that names a stream, of which it spends a range. */
enum method_effect call_effect(const struct trnsci_call *call);

/* For the typed conveniences: a call with its error in err, and its run, which frees the call when it failed. */
int call_make(struct trnsci_session *session, const char *method, struct trnsci_call **ret_call, struct error *err);
int call_run(struct trnsci_call *call, struct error *err);
/* The same of a call that uses memory of the caller's: when it takes too long, it is waited for until it has stopped. */
int call_run_to_end(struct trnsci_call *call, struct error *err);
/* As trnsci_run, but waits until the deadline (deadline_after) instead of the session's time limit. */
int call_run_until(struct trnsci_call *call, const struct trnsci_changes *changes, int64_t deadline);

/* The member `name` of the reply as u64: 0 or -ERROR_BAD_REPLY with a text. */
int call_reply_u64(const struct trnsci_call *call, const char *name, uint64_t *ret, struct error *err);

#endif
