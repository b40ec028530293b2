/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes that a session is to send, and the file descriptors of at most one reply. Large results are sent from where they
 * were computed. */
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
	uint64_t sent_cost; /* of all that was ever sent: at least what SIOCOUTQ counts for it while it is unread */
	struct outbox_gap *gaps, **gaps_last;
	size_t gap_bytes; /* of all gaps, not yet sent */
	struct fdpass fds; /* are sent with the byte at fds_at, and closed then */
	size_t fds_at;
	bool handed_over;
	uint64_t charged;
	struct quota_share *share;
};

void outbox_init(struct outbox *outbox, struct quota_share *share);
/* Frees everything that was not sent, and releases its owners. */
void outbox_free(struct outbox *outbox);

/* Returns the bytes that are not sent yet. */
size_t outbox_pending(const struct outbox *outbox);

/* Returns true while a reply's descriptors are not sent: until then no other reply may have any. */
bool outbox_has_fds(const struct outbox *outbox);

/* Appends a reply; fds (NULL: none) are sent with its first byte. The outbox takes fds in any case. Returns 0; or
 * -ERROR_NO_MEMORY or -ERROR_LIMIT, and nothing was appended. */
int outbox_reply(struct outbox *outbox, uint32_t msgid, const struct error *error, const struct value *result,
		 struct fdpass *fds);

/* Appends a result that stays where it is until release(owner) is called, from within or later. On an error release is not
 * called. */
int outbox_reply_owned(struct outbox *outbox, uint32_t msgid, const struct value *result, void (*release)(void *owner),
		       void *owner);

int outbox_notify(struct outbox *outbox, const char *method, const struct value *params);

/* Sends what the socket takes. Returns bytes sent; 0 if nothing was pending; -EAGAIN or another -errno. */
ssize_t outbox_send(struct outbox *outbox, int socket);

/* Hands all that is pending over to another sender, if it lies in one piece of at most `most` bytes and no descriptors go with it.
 * Until outbox_take_back nothing else may be done with the outbox. */
bool outbox_hand_over(struct outbox *outbox, size_t most, const void **ret_bytes, size_t *ret_size);
/* sent: bytes that were sent. */
void outbox_take_back(struct outbox *outbox, size_t sent);

#endif
