/* SPDX-License-Identifier: Apache-2.0 */
/* Refusing a connection. */
#ifndef TRNSCI_DAEMON_REFUSAL_H
#define TRNSCI_DAEMON_REFUSAL_H

#include "base/error.h"

/* Sends the notification `error` with err's kind and text, and closes fd. Waits for no request and never blocks: the kernel
 * keeps the bytes until the client has read them. */
void refusal_send(int fd, const struct error *err);

#endif
