/* SPDX-License-Identifier: Apache-2.0 */
/* Replies that the sender's thread sends for a session.
 *
 * In a crowd each send wakes a client that sleeps, so the loop leaves that to the sender. The session's turn ends when the replies
 * have come back; until then its outbox stays as it is. */
#ifndef TRNSCI_DAEMON_HANDOVER_H
#define TRNSCI_DAEMON_HANDOVER_H

#include "session.h"

/* Gives the replies of a session that does nothing but wait for its client to the sender. Returns false if they are the loop's to send. */
bool handover_give(struct session *session);

/* Takes back what the sender has of the session. Returns false if it is being sent. */
bool handover_take_back(struct session *session);

/* Takes back the oldest replies that have been sent, and returns their session; NULL: there are none. */
struct session *handover_take_first(struct service *service);

#endif
