/* SPDX-License-Identifier: Apache-2.0 */
/* Named streams that are one signal of coloured noise: the map {op: colored, dtype, its filter}, as the state keeps it. */
#ifndef TRNSCI_DAEMON_STREAM_SIGNAL_H
#define TRNSCI_DAEMON_STREAM_SIGNAL_H

#include <stddef.h>

#include "base/bump.h"
#include "engine/operations/bind.h"

struct session;

/* Checks the map in a parameter as the draw itself does, and writes op, dtype and the filter to *ret_at, in bump. Returns 0, the
 * draw's error, or -ERROR_LIMIT: they are longer than STORE_NOISE_MOST. */
int stream_signal_encode(struct session *session, const struct args *args, unsigned param, struct bump *bump, const char **ret_at,
			 size_t *ret_size, struct error *err);

/* Reads what stream_signal_encode has written; the bytes may be anything. Returns 0, -ERROR_BAD_FRAME or -ERROR_NO_MEMORY. */
int stream_signal_decode(struct bump *bump, const char *at, size_t size, struct value *ret_map);

#endif
