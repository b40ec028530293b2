/* SPDX-License-Identifier: Apache-2.0 */
/* The table of calls in flight and the queue of answered calls. */
#include "table.h"

#include <sys/eventfd.h>

#include "session/wait.h"
#include "tiles.h"

/* ---- the queue: a doubly linked list, since a call that is waited for by itself leaves from the middle ---- */

static void queue_push(struct trnsci_session *session, struct trnsci_call *call)
{
	if (!session->oldest && session->ready_fd >= 0)
		eventfd_write(session->ready_fd, 1);
	call->flight.in_answered_list = true;
	call->flight.older = session->newest;
	call->flight.newer = NULL;
	*(session->newest ? &session->newest->flight.newer : &session->oldest) = call;
	session->newest = call;
}

void call_unqueue(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;
	eventfd_t ignored;

	if (!call->flight.in_answered_list)
		return;
	call->flight.in_answered_list = false;
	*(call->flight.newer ? &call->flight.newer->flight.older : &session->newest) = call->flight.older;
	*(call->flight.older ? &call->flight.older->flight.newer : &session->oldest) = call->flight.newer;
	if (!session->oldest && session->ready_fd >= 0)
		eventfd_read(session->ready_fd, &ignored);
}

/* ---- the table ---- */

struct trnsci_call *call_table_find(struct trnsci_session *session, uint32_t msgid)
{
	struct trnsci_call *call = session->calls[msgid % CALL_BUCKETS];

	while (call && call->flight.msgid != msgid)
		call = call->flight.chain;
	return call;
}

/* Message ids count up and wrap at 2^32; one that is still in flight is skipped. */
void call_table_add(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;

	do
		call->flight.msgid = ++session->last_msgid;
	while (call_table_find(session, call->flight.msgid));
	call->flight.chain = session->calls[call->flight.msgid % CALL_BUCKETS];
	session->calls[call->flight.msgid % CALL_BUCKETS] = call;
	session->n_in_flight++;
	call_ref(call);
	call->flight.cancelling = false;
	call->flight.sent_again = call->flight.needs_room = false;
	call->flight.rooms = 0;
	call->flight.ends = CALL_UNSENT;
	atomic_store_explicit(&call->state, CALL_IN_FLIGHT, memory_order_release);
}

/* Takes a call out of its bucket. Buckets are short: a session has few calls in flight.
 */
static void take_out(struct trnsci_call *call)
{
	struct trnsci_call **at = &call->session->calls[call->flight.msgid % CALL_BUCKETS];

	while (*at != call)
		at = &(*at)->flight.chain;
	*at = call->flight.chain;
	call->session->n_in_flight--;
}

void call_table_remove(struct trnsci_call *call)
{
	take_out(call);
	call->state = CALL_IDLE;
	call_drop_ref(call);
}

bool call_finish_undiscarded(struct trnsci_call *call, const struct error *error, struct bump *bump, void *request,
			     const struct value *reply)
{
	if (!error)
		call_set_outputs_lost(call, false);
	take_out(call);
	call->connection = call->session->connection;
	call->answer.bump = bump;
	call->answer.request = request;
	call->answer.reply = error ? NULL : reply;
	if (error)
		call_set_error(call, error);
	else
		call_clear_error(call);
	if (call->answered)
		call->answered(call);
	if (call->answers_to_next)
		queue_push(call->session, call);
	atomic_store_explicit(&call->state, CALL_DONE, memory_order_release); /* the owner sees it without the lock */
	session_wake(call->session);
	return call_drop_ref(call);
}

void call_finish(struct trnsci_call *call, const struct error *error, struct bump *bump, void *request,
		 const struct value *reply)
{
	struct trnsci_session *session = call->session;

	if (!call_finish_undiscarded(call, error, bump, request, reply))
		return;
	call_discard(call);
	session_unref_locked(session);
}

void session_fail(struct trnsci_session *session, const struct error *error)
{
	if (session->failure.code)
		return;
	session->failure = *error;
	for (size_t i = 0; i < CALL_BUCKETS; i++)
		while (session->calls[i])
			call_finish(session->calls[i], error, NULL, NULL, NULL);
	session_wake(session);
}

bool call_is_in_flight(const struct trnsci_call *call)
{
	return atomic_load_explicit(&call->state, memory_order_acquire) == CALL_IN_FLIGHT;
}
