/* SPDX-License-Identifier: Apache-2.0 */
/* A session's received bytes, and the frames in them. What is held is charged to the session's share of message
 * bytes before it is allocated. */
#ifndef TRNSCI_DAEMON_INBOX_H
#define TRNSCI_DAEMON_INBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/value.h"
#include "frame.h"
#include "limits/quota.h"

struct inbox {
	char *at;
	size_t start, size, room; /* bytes at [start, size) are not yet taken */
	struct frame_scan scan;   /* of the frame that begins at start */
	uint64_t frames;          /* taken so far */
	struct frame_limits limits;
	struct quota_share *share;
};

void inbox_init(struct inbox *inbox, const struct frame_limits *limits, struct quota_share *share);
void inbox_free(struct inbox *inbox);

/* Reads once from the socket. Bytes read; 0 at the end of input; -EAGAIN and other -errno; -ENOBUFS when the share is
 * used up; -EPROTO when the client sent file descriptors, which nothing in the protocol lets it do. */
ssize_t inbox_receive(struct inbox *inbox, int socket);

/* The last time it took as much as it had room for: more may wait. */
bool inbox_was_filled(const struct inbox *inbox);

/* No byte is left in it. */
bool inbox_is_empty(const struct inbox *inbox);

/* What has come of a frame that has not been looked at yet; NULL: there is nothing, or one has begun. */
const void *inbox_peek(const struct inbox *inbox, size_t *ret_size);
/* A whole frame that was found there so. */
void inbox_skip(struct inbox *inbox, size_t size);

struct inbox_frame {
	const void *at;
	size_t size;
	uint64_t charge; /* taken from the share; to be given back when the bump allocator is freed */
};

/* 1: the next whole frame, in memory that belongs to bump. 0: there is none yet. -ERROR_BAD_FRAME: *ret_wrong says
 * why. -ERROR_LIMIT, -ERROR_NO_MEMORY. */
int inbox_next(struct inbox *inbox, struct bump *bump, struct inbox_frame *ret_frame, const char **ret_wrong);

#endif
