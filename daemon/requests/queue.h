/* SPDX-License-Identifier: Apache-2.0 */
/* Queues: runs of prepared calls through memory that the client shares (proto/queue_layout.h), without a message for each.
 *
 * The client can write all of that memory at any time. The daemon keeps its own numbers, copies each word and each entry once,
 * and checks the copy. A client that breaks the rules loses its session. All of it belongs to the loop's thread. */
#ifndef TRNSCI_DAEMON_QUEUE_H
#define TRNSCI_DAEMON_QUEUE_H

#include "net/method_call.h"
#include "net/session.h"

/* The method `queue`: makes the session's queue and gives the client a descriptor of its memory. */
int queue_attach(struct method_call *call);

/* The notification `kick`: the client has submitted entries while the daemon slept. */
void queue_kick(struct session *session);

/* Runs submitted entries until turn_end_ns. Without a queue it does nothing. Replies may be left in the outbox. */
void queue_run(struct session *session, uint64_t turn_end_ns);

/* Returns the number of entries of the session's queue; 0: it has none. */
uint32_t queue_entries(const struct session *session);

/* Ends the session's queue; runs under way complete into nothing. */
void queue_close(struct session *session);

#endif
