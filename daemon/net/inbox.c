/* SPDX-License-Identifier: Apache-2.0 */
/* A small frame is copied out. A large one keeps the buffer, and the bytes after it are copied to a new one. */
#include "inbox.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fdpass.h"

enum {
	FIRST_ROOM = 4096,
	READ_BYTES = 64 << 10, /* most bytes of one turn: others wait meanwhile */
	HAND_OVER_BYTES = 64 << 10,
};

void inbox_init(struct inbox *inbox, const struct frame_limits *limits, struct quota_share *share)
{
	*inbox = (struct inbox){.limits = *limits, .share = share};
	frame_scan_init(&inbox->scan, limits);
}

void inbox_free(struct inbox *inbox)
{
	free(inbox->at);
	quota_share_give(inbox->share, inbox->room);
	*inbox = (struct inbox){0};
}

bool inbox_was_filled(const struct inbox *inbox)
{
	return inbox->size == inbox->room;
}

bool inbox_is_empty(const struct inbox *inbox)
{
	return inbox->start == inbox->size;
}

const void *inbox_peek(const struct inbox *inbox, size_t *ret_size)
{
	if (inbox_is_empty(inbox) || inbox->scan.at > 0)
		return NULL;
	*ret_size = inbox->size - inbox->start;
	return inbox->at + inbox->start;
}

void inbox_skip(struct inbox *inbox, size_t size)
{
	assert(size <= inbox->size - inbox->start);
	inbox->start += size;
	inbox->frames++;
}

/* Moves what is left to the front, if that makes enough room. */
static void compact_inbox(struct inbox *inbox)
{
	if (inbox->start == 0 || (inbox->start < inbox->size && inbox->room - inbox->size > READ_BYTES))
		return;
	memmove(inbox->at, inbox->at + inbox->start, inbox->size - inbox->start);
	inbox->size -= inbox->start;
	inbox->start = 0;
}

/* Makes room for at least one byte. Doubling it lets a client hold at most twice what it has sent. */
static int grow_inbox(struct inbox *inbox)
{
	size_t room = inbox->room ? inbox->room * 2 : FIRST_ROOM;
	char *bigger;

	if (inbox->size < inbox->room)
		return 0;
	if (quota_share_take(inbox->share, room - inbox->room, NULL) < 0)
		return -ENOBUFS;
	bigger = realloc(inbox->at, room);
	if (!bigger) {
		quota_share_give(inbox->share, room - inbox->room);
		return -ENOBUFS;
	}
	inbox->at = bigger;
	inbox->room = room;
	return 0;
}

ssize_t inbox_receive(struct inbox *inbox, int socket)
{
	bool has_fds = false;
	size_t wanted;
	ssize_t got;
	int r;

	compact_inbox(inbox);
	r = grow_inbox(inbox);
	if (r < 0)
		return r;
	wanted = inbox->room - inbox->size < READ_BYTES ? inbox->room - inbox->size : READ_BYTES;
	got = inbox->refuses_fds ? fdpass_receive_bytes(socket, inbox->at + inbox->size, wanted)
				 : fdpass_receive(socket, inbox->at + inbox->size, wanted, NULL, &has_fds);
	if (got < 0)
		return got;
	if (has_fds)
		return -EPROTO;
	inbox->size += (size_t)got;
	return got;
}

/* Gives the buffer to the frame, and the rest of its bytes to a new one. */
static int hand_over_frame(struct inbox *inbox, struct bump *bump, struct inbox_frame *frame)
{
	size_t rest = inbox->size - inbox->start - frame->size;
	size_t room = rest ? rest : FIRST_ROOM;
	char *fresh;

	if (quota_share_take(inbox->share, room, NULL) < 0)
		return -ERROR_LIMIT;
	fresh = malloc(room);
	if (!fresh || bump_defer(bump, free, inbox->at) < 0) {
		free(fresh);
		quota_share_give(inbox->share, room);
		return -ERROR_NO_MEMORY;
	}
	frame->at = inbox->at + inbox->start;
	frame->charge += inbox->room;
	memcpy(fresh, inbox->at + inbox->start + frame->size, rest);
	inbox->at = fresh;
	inbox->start = 0;
	inbox->size = rest;
	inbox->room = room;
	return 0;
}

static int copy_frame(struct inbox *inbox, struct bump *bump, struct inbox_frame *frame)
{
	if (quota_share_take(inbox->share, frame->size, NULL) < 0)
		return -ERROR_LIMIT;
	frame->at = bump_copy(bump, inbox->at + inbox->start, frame->size);
	if (!frame->at) {
		quota_share_give(inbox->share, frame->size);
		return -ERROR_NO_MEMORY;
	}
	frame->charge += frame->size;
	inbox->start += frame->size;
	return 0;
}

int inbox_next(struct inbox *inbox, struct bump *bump, struct inbox_frame *ret_frame, const char **ret_wrong)
{
	struct inbox_frame frame = {0};
	uint64_t elements;
	int r = frame_scan_more(&inbox->scan, inbox->at + inbox->start, inbox->size - inbox->start, &frame.size);

	if (r < 0)
		*ret_wrong = inbox->scan.wrong;
	if (r <= 0)
		return r;
	/* A decoded element takes much more room than its byte on the wire. */
	elements = inbox->scan.elements * sizeof(struct value_member);
	if (quota_share_take(inbox->share, elements, NULL) < 0)
		return -ERROR_LIMIT;
	r = frame.size < HAND_OVER_BYTES ? copy_frame(inbox, bump, &frame) : hand_over_frame(inbox, bump, &frame);
	if (r < 0) {
		quota_share_give(inbox->share, elements);
		return r;
	}
	frame.charge += elements;
	inbox->frames++;
	frame_scan_init(&inbox->scan, &inbox->limits);
	*ret_frame = frame;
	return 1;
}
