/* SPDX-License-Identifier: Apache-2.0 */
/* A session's requests: read from its inbox, run by the engine or the session itself, answered into its outbox. */
#ifndef TRNSCI_DAEMON_REQUESTS_H
#define TRNSCI_DAEMON_REQUESTS_H

#include "run_prepared.h"
#include "net/session.h"

/* When a turn of the session that begins now is over. */
uint64_t requests_turn_end_ns(const struct session *session);

/* Starts what whole frames lie in the inbox, until its turn is over; session->backlog then says whether some may be left.
 * true: there is none, replies do not wait, and some of the turn is left. */
bool requests_take(struct session *session, uint64_t end_ns);

/* Moves finished requests into the outbox, only as fast as the client reads them. */
void requests_answer(struct session *session);

/* Answers a request that was not run by the engine; when there is no room for the reply, the client is told so. */
void requests_reply(struct session *session, uint32_t msgid, const struct error *error, const struct value *result);

/* Frames wait while replies do, and while the results that are under way leave no room for others. */
bool requests_must_wait(const struct session *session);

/* Runs a prepared call and answers it under run->user, its msgid: in place where it is small, else as a request. */
void requests_run(struct session *session, const struct run_prepared *run);

/* A job has come back from the engine: from running to finished. */
void requests_finish(struct job *job);

/* A job has come back from the reaper: nothing is left of it. */
void requests_reaped(struct job *job);

/* Forgets the finished ones. */
void requests_drop(struct session *session);

/* The running request of that msgid; NULL when there is none. */
struct job *requests_find(struct session *session, uint32_t msgid);

/* Nothing more is read. The client is told why by a notification, as there is no request to answer; what was accepted
 * is still answered. counter: of the service's stats. */
void requests_end(struct session *session, uint64_t *counter, enum error_code code, const char *what);
void requests_end_for_limit(struct session *session);
/* One whose message takes longer than frame_timeout. */
void requests_end_late(struct session *session);

#endif
