/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes that a session has received, and the frames in them. Memory is charged to the session's message bytes before it
 * is allocated. */
#ifndef TRNSCI_DAEMON_INBOX_H
#define TRNSCI_DAEMON_INBOX_H

#include <stdbool.h>
#include <stddef.h>

#include "base/value.h"
#include "frame.h"
#include "limits/quota.h"

struct inbox {
	char *at;
	size_t start, size, room; /* bytes at [start, size) were not taken yet */
	struct frame_scan scan;   /* of the frame that begins at start */
	uint64_t frames;          /* taken so far */
	struct frame_limits limits;
	struct quota_share *share;
	bool refuses_fds; /* the socket does, as fdpass_refuse returned; default: false */
};

void inbox_init(struct inbox *inbox, const struct frame_limits *limits, struct quota_share *share);
void inbox_free(struct inbox *inbox);

/* Reads once from the socket. Returns bytes read; 0 at the end of input; -EAGAIN or another -errno; -ENOBUFS if the share
 * is used up; -EPROTO if the client sent file descriptors, which no message carries. */
ssize_t inbox_receive(struct inbox *inbox, int socket);

/* Returns true if the last read filled the buffer: more may wait. */
bool inbox_was_filled(const struct inbox *inbox);

bool inbox_is_empty(const struct inbox *inbox);

/* Returns the bytes of a frame that was not scanned yet; NULL if there are none, or its scan has begun. */
const void *inbox_peek(const struct inbox *inbox, size_t *ret_size);
/* Takes a whole frame that inbox_peek has shown. */
void inbox_skip(struct inbox *inbox, size_t size);

struct inbox_frame {
	const void *at;
	size_t size;
	uint64_t charge; /* taken from the share; the caller gives it back when the bump allocator is freed */
};

/* Takes the next whole frame, in memory that belongs to bump. Returns 1; 0 if there is none yet; -ERROR_BAD_FRAME:
 * *ret_wrong says why; -ERROR_LIMIT; -ERROR_NO_MEMORY. */
int inbox_next(struct inbox *inbox, struct bump *bump, struct inbox_frame *ret_frame, const char **ret_wrong);

#endif
