/* SPDX-License-Identifier: Apache-2.0 */
/* From frames to methods: what sessions do with the bytes that they receive. */
#ifndef TRNSCI_DAEMON_DISPATCH_H
#define TRNSCI_DAEMON_DISPATCH_H

#include "net/session.h"

/* The handler of service->handler. */
extern const struct session_handler dispatch_handler;

#endif
