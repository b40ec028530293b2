/* SPDX-License-Identifier: Apache-2.0 */
/* A buffer of encoded messages, with gaps for results that are sent from elsewhere. */
#include "outbox.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
	KEEP_ROOM = 64 << 10, /* an idle session keeps no larger buffer */
	SEND_COST = 512,      /* of the kernel's own structures for each send (576 bytes in Linux 6.18 on 64 bits) */
};

/* Bytes elsewhere, sent between the buffer's first left.at bytes and the rest. */
struct outbox_gap {
	struct outbox_gap *next;
	struct codec_gap left;        /* not sent yet */
	void (*release)(void *owner); /* NULL but for a message's last gap */
	void *owner;
};

void outbox_init(struct outbox *outbox, struct quota_share *share)
{
	*outbox = (struct outbox){.share = share};
	outbox->gaps_last = &outbox->gaps;
}

static void drop_gap(struct outbox *outbox)
{
	struct outbox_gap *gap = outbox->gaps;

	outbox->gaps = gap->next;
	if (!outbox->gaps)
		outbox->gaps_last = &outbox->gaps;
	outbox->gap_bytes -= gap->left.size;
	if (gap->release)
		gap->release(gap->owner);
	free(gap);
}

/* Charges what the buffer has grown by, or gives back what it has shrunk by. */
static int charge_buffer(struct outbox *outbox)
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
	while (outbox->gaps)
		drop_gap(outbox);
	fdpass_close(&outbox->fds);
	codec_buffer_free(&outbox->buffer);
	charge_buffer(outbox);
}

size_t outbox_pending(const struct outbox *outbox)
{
	return outbox->buffer.size - outbox->sent + outbox->gap_bytes;
}

/* Removes what was sent from the buffer, if little is left to move. */
static void compact_outbox(struct outbox *outbox)
{
	size_t pending = outbox->buffer.size - outbox->sent;

	assert(!outbox->handed_over);
	if (pending == 0 && !outbox->gaps && outbox->buffer.room > KEEP_ROOM) {
		codec_buffer_free(&outbox->buffer);
		charge_buffer(outbox);
	} else if (pending == 0 || (pending < KEEP_ROOM && outbox->sent > KEEP_ROOM)) {
		if (pending)
			memmove(outbox->buffer.at, outbox->buffer.at + outbox->sent, pending);
		outbox->buffer.size = pending;
		outbox->fds_at -= outbox->fds.count ? outbox->sent : 0;
		for (struct outbox_gap *gap = outbox->gaps; gap; gap = gap->next)
			gap->left.at -= outbox->sent;
	} else {
		return;
	}
	outbox->sent = 0;
}

/* Charges a message that the encoder has appended to a buffer of `before` bytes, or removes it. r: the encoder's result. */
static int check_appended(struct outbox *outbox, size_t before, int r)
{
	if (r == 0)
		r = charge_buffer(outbox);
	if (r < 0)
		outbox->buffer.size = before;
	return r;
}

bool outbox_has_fds(const struct outbox *outbox)
{
	return outbox->fds.count > 0;
}

int outbox_reply(struct outbox *outbox, uint32_t msgid, const struct error *error, const struct value *result,
		 struct fdpass *fds)
{
	size_t before;
	int r;

	compact_outbox(outbox);
	before = outbox->buffer.size;
	r = check_appended(outbox, before, codec_response(&outbox->buffer, msgid, error, result));
	if (!fds || fds->count == 0)
		return r;
	if (r < 0) {
		fdpass_close(fds);
		return r;
	}
	assert(!outbox_has_fds(outbox));
	outbox->fds = *fds;
	outbox->fds_at = before;
	return 0;
}

/* The last gap of a message releases its owner. */
static int add_gaps(struct outbox *outbox, const struct codec_gap *gaps, size_t count, void (*release)(void *owner),
		    void *owner)
{
	struct outbox_gap **last = outbox->gaps_last;

	for (size_t i = 0; i < count; i++) {
		struct outbox_gap *gap = malloc(sizeof *gap);

		if (!gap) {
			while (outbox->gaps_last != last && *last) {
				struct outbox_gap *next = (*last)->next;

				free(*last);
				*last = next;
			}
			outbox->gaps_last = last;
			return -ERROR_NO_MEMORY;
		}
		*gap = (struct outbox_gap){.left = gaps[i], .owner = owner};
		*outbox->gaps_last = gap;
		outbox->gaps_last = &gap->next;
		if (i + 1 == count)
			gap->release = release;
	}
	for (size_t i = 0; i < count; i++)
		outbox->gap_bytes += gaps[i].size;
	return 0;
}

int outbox_reply_owned(struct outbox *outbox, uint32_t msgid, const struct value *result, void (*release)(void *owner),
		       void *owner)
{
	struct codec_gap gaps[CODEC_GAPS_MAX];
	size_t before, count = 0;
	int r;

	compact_outbox(outbox);
	before = outbox->buffer.size;
	r = check_appended(outbox, before, codec_response_gaps(&outbox->buffer, msgid, NULL, result, gaps, &count));
	if (r == 0)
		r = add_gaps(outbox, gaps, count, release, owner);
	if (r < 0)
		outbox->buffer.size = before;
	else if (count == 0)
		release(owner);
	return r;
}

int outbox_notify(struct outbox *outbox, const char *method, const struct value *params)
{
	compact_outbox(outbox);
	return check_appended(outbox, outbox->buffer.size, codec_notification(&outbox->buffer, method, params));
}

static void count_sent(struct outbox *outbox, size_t sent)
{
	outbox->sent_cost += sent == 0 ? 0 : sent < SEND_COST ? SEND_COST : sent;
}

static ssize_t send_gap(struct outbox *outbox, int socket)
{
	struct codec_gap *left = &outbox->gaps->left;
	ssize_t sent = fdpass_send(socket, left->bytes, left->size, NULL);

	if (sent < 0)
		return sent;
	left->bytes += sent;
	left->size -= (size_t)sent;
	outbox->gap_bytes -= (size_t)sent;
	if (left->size == 0)
		drop_gap(outbox);
	return sent;
}

/* Sends from the buffer, up to the next gap or the byte that takes descriptors. */
static ssize_t send_buffer(struct outbox *outbox, int socket)
{
	bool with_fds = outbox->fds.count && outbox->fds_at == outbox->sent;
	size_t upto = outbox->buffer.size;
	ssize_t sent;

	if (outbox->gaps)
		upto = outbox->gaps->left.at;
	if (outbox->fds.count && !with_fds && outbox->fds_at < upto)
		upto = outbox->fds_at;
	sent = fdpass_send(socket, outbox->buffer.at + outbox->sent, upto - outbox->sent,
			   with_fds ? &outbox->fds : NULL);
	if (sent < 0)
		return sent;
	if (with_fds && sent > 0)
		fdpass_close(&outbox->fds);
	outbox->sent += (size_t)sent;
	return sent;
}

ssize_t outbox_send(struct outbox *outbox, int socket)
{
	bool gap = outbox->gaps && outbox->gaps->left.at == outbox->sent;
	ssize_t sent;

	if (outbox_pending(outbox) == 0)
		return 0;
	sent = gap ? send_gap(outbox, socket) : send_buffer(outbox, socket);
	if (sent >= 0) {
		count_sent(outbox, (size_t)sent);
		compact_outbox(outbox);
	}
	return sent;
}

bool outbox_hand_over(struct outbox *outbox, size_t most, const void **ret_bytes, size_t *ret_size)
{
	const size_t pending = outbox_pending(outbox);

	if (pending == 0 || pending > most || outbox->gaps || outbox_has_fds(outbox))
		return false;
	*ret_bytes = outbox->buffer.at + outbox->sent;
	*ret_size = pending;
	outbox->handed_over = true;
	return true;
}

void outbox_take_back(struct outbox *outbox, size_t sent)
{
	outbox->handed_over = false;
	outbox->sent += sent;
	count_sent(outbox, sent);
	compact_outbox(outbox);
}
