/* SPDX-License-Identifier: Apache-2.0 */
/* Requests that the engine runs, from their start to their reply.
 *
 * A request goes from the session's `running` to `finished` when the engine has answered it, waits there while earlier
 * replies are unread, and is freed when the outbox has sent its result.
 *
 *     requests_start --> running --the engine's on_done--> finished --> outbox --> freed, in the background if it is large
 *                           |                                  |
 *                           +--hang-up: cancelled; on_done-----+--hang-up--> freed without a reply
 *
 * It is charged as long as it exists: one job, its frame's bytes, and the bytes of its inline results. */
#ifndef TRNSCI_DAEMON_REQUESTS_H
#define TRNSCI_DAEMON_REQUESTS_H

#include "codec.h"
#include "engine/request.h"
#include "net/session.h"
#include "run_prepared.h"

/* Takes the end of a run instead of a reply on the socket: an error, or else its result. */
typedef void run_completed(struct session *session, uint64_t user, const struct error *error, const struct value *result);

struct prepared_changes;

struct pending_request {
	struct loop_event event;          /* must be the first member. From a lane's thread, or the background worker's */
	struct background_task free_task; /* frees large results */
	struct session *session;
	struct pending_request *next, *prev; /* of session->running; `next` alone: of session->finished */
	struct request *request;             /* owned; the engine's until on_done */
	struct bump *frame;   /* of a frame that became no request and is only to be freed; else NULL */
	uint64_t charge;      /* bytes of its frame, in session->bytes */
	uint64_t reply_bytes; /* of its inline results, in session->replies */
	uint64_t read_ns;     /* when its frame was read */
	unsigned latency;     /* the class that its time is counted in */
	const char *method;   /* an operation's name, or "" */
	uint32_t msgid;
	run_completed *completed; /* NULL: replies to msgid */
	uint64_t user;            /* for it */
	bool done;            /* answered from within its start, on the loop's thread: no event follows */
};

/* Starts a request in the engine; operation: that of the message, NULL if there is none. Takes bump and the frame's charge,
 * which hold the message, in any case. An error is replied. Returns true if the request was started. */
bool requests_start(struct session *session, const struct operation *operation, const struct message *message,
		    struct bump *bump, uint64_t charge);

/* Starts a run of a prepared call as a request. Returns 0: the reply, or `completed`, follows, perhaps from within. */
int requests_start_run(struct session *session, const struct run_prepared *run, const struct prepared_changes *changes,
		       run_completed *completed, struct error *err);

/* Notes that the session lets something be computed, and lets the engine know whether it is the only one that does. */
void requests_note_computing(struct session *session);

/* Moves finished requests into the outbox, as fast as the client reads. */
void requests_reply(struct session *session);

/* Counts the time of a frame that was answered at once, by the one look at the clock that may end a turn: returns that
 * time, from which the next frame counts. */
uint64_t requests_end_frame(struct session *session);

/* Frees the finished requests without a reply. */
void requests_drop(struct session *session);

/* Frees a frame that became no request, in the background if it is large. */
void requests_free_frame(struct session *session, struct bump *bump, uint64_t charge);

/* Returns the running request of that msgid, or NULL. */
struct pending_request *requests_find(struct session *session, uint32_t msgid);

#endif
