/* SPDX-License-Identifier: Apache-2.0 */
/* The socket that clients connect to: the service manager's, or one of our own.
 *
 * Our own is bound under another name, listens, and is then renamed into place: who sees it can connect. It never takes
 * the place of a living daemon's, and at the end it is removed only if it is still ours. */
#ifndef TRNSCI_DAEMON_LISTENER_H
#define TRNSCI_DAEMON_LISTENER_H

#include "base/error.h"
#include "service.h"

struct listener;

/* Listens on fd, or (fd < 0) on the socket of the settings, and opens sessions. -ERROR_LIMIT: another daemon listens
 * there. -ERROR_OUT_OF_RANGE: the path is too long. -ERROR_SYSTEM, -ERROR_NO_MEMORY. */
int listener_open(struct service *service, int fd, struct listener **ret_listener, struct error *err);

/* Nobody can connect any more. Accepts NULL. */
void listener_close(struct listener *listener);

/* Sends the reason to every connection that waits on fd, a listening socket, and closes them. */
void listener_refuse_waiting(int fd, const struct error *why);

/* "the socket passed by the service manager", or the path. */
const char *listener_name(const struct listener *listener);

#endif
