/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes on their way out. */
#include "outbox.h"

#include <assert.h>
#include <string.h>

#include "fdpass.h"

enum { KEEP_ROOM = 64 << 10 }; /* an idle session keeps no larger buffer */

void outbox_init(struct outbox *outbox, struct quota_share *share)
{
	*outbox = (struct outbox){.fd = -1, .share = share};
}

/* The charge follows the buffer. */
static int charge(struct outbox *outbox)
{
	uint64_t room = outbox->buffer.room;

	if (room > outbox->charged && quota_share_take(outbox->share, room - outbox->charged, NULL) < 0)
		return -ERROR_LIMIT;
	if (room < outbox->charged)
		quota_share_give(outbox->share, outbox->charged - room);
	outbox->charged = room;
	return 0;
}

void outbox_free(struct outbox *outbox)
{
	codec_buffer_free(&outbox->buffer);
	charge(outbox);
}

size_t outbox_pending(const struct outbox *outbox)
{
	return outbox->buffer.size - outbox->sent;
}

/* What was sent leaves the buffer, when little is left to move. */
static void compact(struct outbox *outbox)
{
	size_t pending = outbox_pending(outbox);

	if (pending == 0 && outbox->buffer.room > KEEP_ROOM) {
		codec_buffer_free(&outbox->buffer);
		charge(outbox);
	} else if (pending == 0 || (pending < KEEP_ROOM && outbox->sent > KEEP_ROOM)) {
		if (pending)
			memmove(outbox->buffer.at, outbox->buffer.at + outbox->sent, pending);
		outbox->buffer.size = pending;
		outbox->fd_at -= outbox->fd >= 0 ? outbox->sent : 0;
	} else {
		return;
	}
	outbox->sent = 0;
}

/* r: of the encoder that appended to a buffer of size before. */
static int appended(struct outbox *outbox, size_t before, int r)
{
	if (r == 0)
		r = charge(outbox);
	if (r < 0)
		outbox->buffer.size = before;
	return r;
}

int outbox_reply(struct outbox *outbox, uint32_t msgid, const struct error *error, const struct value *result, int fd)
{
	size_t before;
	int r;

	compact(outbox);
	before = outbox->buffer.size;
	r = appended(outbox, before, codec_response(&outbox->buffer, msgid, error, result));
	if (r < 0 || fd < 0)
		return r;
	assert(outbox->fd < 0);
	outbox->fd = fd;
	outbox->fd_at = before;
	return 0;
}

int outbox_notify(struct outbox *outbox, const char *method, const struct value *params)
{
	compact(outbox);
	return appended(outbox, outbox->buffer.size, codec_notification(&outbox->buffer, method, params));
}

ssize_t outbox_send(struct outbox *outbox, int socket)
{
	size_t upto = outbox->buffer.size;
	bool with_fd = outbox->fd >= 0 && outbox->fd_at == outbox->sent;
	ssize_t sent;

	if (outbox_pending(outbox) == 0)
		return 0;
	if (outbox->fd >= 0 && !with_fd)
		upto = outbox->fd_at;
	sent = fdpass_send(socket, outbox->buffer.at + outbox->sent, upto - outbox->sent, with_fd ? outbox->fd : -1);
	if (sent < 0)
		return sent;
	if (with_fd && sent > 0)
		outbox->fd = -1;
	outbox->sent += (size_t)sent;
	compact(outbox);
	return sent;
}
