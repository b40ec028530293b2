/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a connection that is not let in. */
#ifndef TRNSCI_DAEMON_REFUSAL_H
#define TRNSCI_DAEMON_REFUSAL_H

#include "base/error.h"

/* Writes the notification `error` with err's kind and text, without waiting for a request, and closes fd. Never blocks.
 * The kernel keeps the bytes until the client has read them. */
void refusal_send(int fd, const struct error *err);

#endif
