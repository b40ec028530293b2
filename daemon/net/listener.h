/* SPDX-License-Identifier: Apache-2.0 */
/* The socket that clients connect to: the service manager's, or one that the daemon makes.
 *
 * The daemon binds its own under another name, listens, and then renames it into place: whoever sees it can connect. It never
 * replaces the socket of a running daemon, and at the end it is removed only if it is still the same. */
#ifndef TRNSCI_DAEMON_LISTENER_H
#define TRNSCI_DAEMON_LISTENER_H

#include "base/error.h"
#include "service.h"

struct listener;

/* Listens on fd, or (fd < 0) on the socket of the settings, and opens connections. Returns 0; -ERROR_LIMIT: another daemon
 * listens there; -ERROR_OUT_OF_RANGE: the path is too long; -ERROR_SYSTEM; -ERROR_NO_MEMORY. */
int listener_open(struct service *service, int fd, struct listener **ret_listener, struct error *err);

/* Stops listening. Accepts NULL. */
void listener_close(struct listener *listener);

/* Closes every connection that waits on fd, a listening socket, after sending it the reason. */
void listener_refuse_waiting(int fd, const struct error *why);

/* Returns "the socket passed by the service manager", or the path. */
const char *listener_name(const struct listener *listener);

#endif
