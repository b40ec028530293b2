/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of named streams: from bound parameters to streams.h. */
#ifndef TRNSCI_DAEMON_STREAM_METHODS_H
#define TRNSCI_DAEMON_STREAM_METHODS_H

#include "engine/deferred_reply.h"
#include "store.h"

/* Their argument is the session. */
extern const struct deferred_reply_ops stream_methods;

/* Reads the name of a stream from a parameter. */
int stream_read_name(const struct args *args, unsigned param, char name[STORE_NAME_MOST + 1], struct error *err);

#endif
