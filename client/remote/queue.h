/* SPDX-License-Identifier: Apache-2.0 */
/* The library's side of a queue (proto/queue_layout.h). Nothing that the daemon writes there is trusted before it is checked.
 *
 * A call in flight through the queue stands in the session's table as any other, and its message id is the entry's `user`.
 * The text of a failure comes by the socket, and ends the call; its completion only frees the entry. */
#ifndef TRNSCI_CLIENT_REMOTE_QUEUE_H
#define TRNSCI_CLIENT_REMOTE_QUEUE_H

#include "base/wait.h"
#include "codec.h"
#include "session/session.h"

struct queue;

/* As session_engine.enqueue. */
bool queue_submit(struct trnsci_call *call, bool answers_to_next);

/* The rest with the session's lock, but for queue_has_ended. */

/* Answers calls whose runs have ended. Returns whether there were any. */
bool queue_receive(struct trnsci_session *session);
/* As queue_receive, but waits until half of several runs have ended. */
bool queue_receive_several(struct trnsci_session *session);
/* Publishes the submissions that were kept back. */
void queue_publish(struct trnsci_session *session);
/* Ends the call whose run has failed, if this is the notification of it. */
void queue_read_notification(struct trnsci_session *session, const struct message *message);

/* Returns whether entries are submitted and not completed. */
bool queue_is_busy(const struct queue *queue);
/* What a thread looks for that waits for completions. */
struct queue_look {
	uint32_t consumed; /* when it began */
	uint32_t awaited;  /* how many more are worth the end of its looks at memory */
};

/* Keeps the memory of the session's queue mapped while a thread looks at it, and puts looks and turns for it before the wait's window;
 * NULL: there is none that is busy. */
struct queue *queue_hold(struct trnsci_session *session, struct wait *wait, struct queue_look *ret_look);
void queue_let_go(struct queue *queue);
/* Returns whether so many runs have ended, since queue_hold. Without the lock. */
bool queue_has_ended(const struct queue *queue, const struct queue_look *look, uint32_t n);

/* Returns whether runs in the queue are all that can have an answer, and whether they are several. */
bool queue_is_awaited(const struct trnsci_session *session, bool *ret_several);
/* If runs are all that is awaited, sleeps at the queue's own memory until some have ended, or for a short time. Returns whether
 * calls were answered; if not, the thread is to look at the socket. The lock is released meanwhile. */
bool queue_sleep(struct trnsci_session *session, int64_t deadline);
/* Wakes a thread that sleeps there, or interrupts one that looks there: something else is awaited now. */
void queue_wake_sleeper(struct trnsci_session *session);

/* The thread is about to sleep at the socket: the daemon is to send a notification. Returns false if there is news. */
bool queue_arm(struct trnsci_session *session);
/* It is awake again. */
void queue_disarm(struct trnsci_session *session);

#endif
