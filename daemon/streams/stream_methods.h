/* SPDX-License-Identifier: Apache-2.0 */
/* The methods of named streams: from bound parameters to streams.h. */
#ifndef TRNSCI_DAEMON_STREAM_METHODS_H
#define TRNSCI_DAEMON_STREAM_METHODS_H

#include "engine/deferred_reply.h"
#include "store.h"

struct session;

/* How replies of named streams are deferred; the functions' argument is the session. */
extern const struct deferred_reply_ops stream_methods;

/* Finds the stream that a parameter of args names, which the client may draw from, and the noise that it is one signal of: a map
 * in bump, or nil. Returns 0; or -ERROR_NOT_FOUND, -ERROR_NOT_PERMITTED or another error of named streams. */
int stream_find_named(struct session *session, const struct args *args, unsigned param, struct bump *bump,
		      char ret_name[STORE_NAME_MOST + 1], struct stream *ret_stream, struct value *ret_noise, struct error *err);

#endif
