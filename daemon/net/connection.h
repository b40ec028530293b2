/* SPDX-License-Identifier: Apache-2.0 */
/* Connections: the sockets and events of sessions.
 *
 * At the end of input, what was accepted is still answered; a hang-up cancels it. */
#ifndef TRNSCI_DAEMON_CONNECTION_H
#define TRNSCI_DAEMON_CONNECTION_H

#include "session.h"

/* Makes a session of a connected, non-blocking socket. Takes fd in any case: a connection beyond a limit gets the reason and
 * is closed. */
void connection_open(struct service *service, int fd);

/* Goes on with the sessions whose replies service->sender has sent; for loop_set_collect. arg: the service. */
bool connection_collect_sent(void *arg);

/* Reads nothing more; requests that were received are still answered. */
void connection_drain(struct session *session);

/* Closes all connections and cancels what still runs, which ends at its next chunk. */
void connection_end_all(struct service *service);

#endif
