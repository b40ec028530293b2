/* SPDX-License-Identifier: Apache-2.0 */
/* A session's calls: those in flight, found by message id, and the queue of answered ones for trnsci_next.
 * All functions are called with the lock, except call_is_in_flight. */
#ifndef TRNSCI_CLIENT_CALL_TABLE_H
#define TRNSCI_CLIENT_CALL_TABLE_H

#include "call.h"

/* Takes the call into the table under a new message id, with a reference; its state is CALL_IN_FLIGHT from then on. */
void call_table_add(struct trnsci_call *call);
/* Takes it out, drops that reference (never the last one) and makes it idle: it could not be sent. */
void call_table_remove(struct trnsci_call *call);
/* Returns the call in flight of that message id, or NULL. */
struct trnsci_call *call_table_find(struct trnsci_session *session, uint32_t msgid);

/* Answers a call in flight, with an error or with a reply that lives in `bump` or `request` (both may be NULL; the call
 * takes them), and drops the table's reference: the call may be freed. */
void call_finish(struct trnsci_call *call, const struct error *error, struct bump *bump, void *request,
		 const struct value *reply);
/* The same, but if it returns true the table's reference was the last: the caller then calls call_discard, which needs
 * no lock, and session_unref_locked. */
bool call_finish_undiscarded(struct trnsci_call *call, const struct error *error, struct bump *bump, void *request,
			     const struct value *reply);

/* Fails the session: nothing can be sent until its engine restores it, and every call in flight is answered with the error.
 * Later errors are consequences of the first, and ignored. */
void session_fail(struct trnsci_session *session, const struct error *error);

/* Takes a call out of the queue of answered calls if it is there. */
void call_unqueue(struct trnsci_call *call);

/* Without the lock. */
bool call_is_in_flight(const struct trnsci_call *call);

#endif
