/* SPDX-License-Identifier: Apache-2.0 */
/* The reply that describes a ring or a broadcast of a daemon's. */
#ifndef TRNSCI_CLIENT_REMOTE_RING_REPLY_H
#define TRNSCI_CLIENT_REMOTE_RING_REPLY_H

#include "call/call.h"
#include "session/ring_link.h"

/* Reads the description into *link, and where the samples begin in the memfd and its size, in bytes. The sizes are
 * checked to fit together. -ERROR_BAD_REPLY */
int ring_reply_read(const struct trnsci_call *call, struct ring_link *link, uint64_t *ret_data_offset,
		    uint64_t *ret_bytes, struct error *err);

#endif
