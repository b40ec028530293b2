/* SPDX-License-Identifier: Apache-2.0 */
/* A session's bytes on their way out, and at most one reply's file descriptors among them. Large results are sent from where
 * they were computed. */
#ifndef TRNSCI_DAEMON_OUTBOX_H
#define TRNSCI_DAEMON_OUTBOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/value.h"
#include "codec.h"
#include "fdpass.h"
#include "limits/quota.h"

struct outbox_gap;

struct outbox {
	struct codec_buffer buffer;
	size_t sent; /* of the buffer */
	struct outbox_gap *gaps, **gaps_last;
	size_t gap_bytes; /* of all gaps, not yet sent */
	struct fdpass fds; /* go with the byte at fds_at, and are closed then */
	size_t fds_at;
	uint64_t charged;
	struct quota_share *share;
};

void outbox_init(struct outbox *outbox, struct quota_share *share);
/* Releases all that was to be sent. */
void outbox_free(struct outbox *outbox);

/* Bytes not sent yet. */
size_t outbox_pending(const struct outbox *outbox);

/* Whether a reply's file descriptors are not sent yet: there must be no second. */
bool outbox_has_fds(const struct outbox *outbox);

/* Appends a reply; fds (NULL: none) go with its first byte. The outbox takes and closes them, whatever happens.
 * -ERROR_NO_MEMORY, -ERROR_LIMIT: the message is not in the outbox. */
int outbox_reply(struct outbox *outbox, uint32_t msgid, const struct error *error, const struct value *result,
		 struct fdpass *fds);

/* The same for a result that may stay where it is: release(owner) is called once it is no longer needed, from within
 * or later; always, unless there was an error. */
int outbox_reply_owned(struct outbox *outbox, uint32_t msgid, const struct value *result, void (*release)(void *owner),
		       void *owner);

int outbox_notify(struct outbox *outbox, const char *method, const struct value *params);

/* Sends what the socket takes. Bytes sent (0: nothing was pending); -EAGAIN; other -errno. */
ssize_t outbox_send(struct outbox *outbox, int socket);

#endif
