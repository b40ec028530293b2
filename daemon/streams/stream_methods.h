/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of named streams, from bound parameters to what daemon/streams/streams.h offers. */
#ifndef TRNSCI_DAEMON_STREAM_METHODS_H
#define TRNSCI_DAEMON_STREAM_METHODS_H

#include "engine/deferred_reply.h"
#include "store.h"

/* Their argument is the session. */
extern const struct served_ops stream_methods;

/* The stream's name that a parameter has, with a NUL behind it. */
int stream_read_name(const struct args *args, unsigned param, char name[STORE_NAME_MOST + 1], struct error *err);

#endif
