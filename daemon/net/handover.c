/* SPDX-License-Identifier: Apache-2.0 */
/* Whole messages only: those that a socket takes at once. */
#include "handover.h"

#include "sender.h"

enum {
	HANDED_BYTES = 64 << 10, /* of replies */
	HANDED_WAITING = 6,      /* events behind this one: for fewer the sender would be woken too often */
};

bool handover_give(struct session *session)
{
	struct service *service = session->service;
	const void *bytes;
	size_t size;

	if (!service->sender || loop_count_waiting(service->loop) < HANDED_WAITING ||
	    !outbox_hand_over(&session->outbox, HANDED_BYTES, &bytes, &size))
		return false;
	session->parcel = sender_give(service->sender, session->fd, bytes, size);
	if (!session->parcel) {
		outbox_take_back(&session->outbox, 0);
		return false;
	}
	session->next_sending = NULL;
	if (service->sending)
		*service->sending_last = session;
	else
		service->sending = session;
	service->sending_last = &session->next_sending;
	service->stats.sender_replies++;
	return true;
}

static void unlink_sending(struct session *session)
{
	struct session **at = &session->service->sending;

	while (*at != session)
		at = &(*at)->next_sending;
	*at = session->next_sending;
	if (!*at)
		session->service->sending_last = at;
}

bool handover_take_back(struct session *session)
{
	ssize_t sent;

	if (!session->parcel)
		return true;
	if (!sender_take(session->parcel, &sent))
		return false;
	session->parcel = NULL;
	unlink_sending(session);
	/* An error is reported again by the next try. */
	outbox_take_back(&session->outbox, sent > 0 ? (size_t)sent : 0);
	session->service->stats.bytes_sent += sent > 0 ? (uint64_t)sent : 0;
	return true;
}

struct session *handover_take_first(struct service *service)
{
	struct session *session = service->sending;

	return session && sender_is_done(session->parcel) && handover_take_back(session) ? session : NULL;
}
