/* SPDX-License-Identifier: Apache-2.0 */
/* The beginning and the end of a queue. */
#ifndef TRNSCI_CLIENT_REMOTE_QUEUE_ATTACH_H
#define TRNSCI_CLIENT_REMOTE_QUEUE_ATTACH_H

#include "session/session.h"

struct queue;

/* As session_engine.begin_queue. */
int queue_begin(struct trnsci_session *session, struct error *err);

/* The connection is gone, or a thread that kept the memory mapped has finished. With the session's lock. Accepts NULL. */
void queue_end(struct queue *queue);

#endif
