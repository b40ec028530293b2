/* SPDX-License-Identifier: Apache-2.0 */
/* Each reservation is a draw by the producer. Its positions are issued as those of any draw, whether a client ever sees the
 * samples or not. */
#include "reservations.h"

#include <errno.h>
#include <string.h>

#include "streams/stream_methods.h"
#include "streams/streams.h"

/* same: the stream that the name must still stand for; NULL: any. */
static struct streams_who client_of(const struct reservations *reservations, const struct stream *same)
{
	return (struct streams_who){&reservations->session->peer, reservations->name, false, "named stream", same, NULL};
}

int reservations_open(struct reservations *reservations, struct session *session, const struct args *args, unsigned param,
		       struct error *err)
{
	struct streams_who asks;
	int r;

	reservations->session = session;
	if (!args->at[param].given)
		return 0;
	r = stream_read_name(args, param, reservations->name, err);
	if (r == 0 && peer_read_groups(&session->peer, session->fd) < 0)
		r = error_set(err, ERROR_SYSTEM, "%s: the client's groups: %s", args->context, strerror(errno));
	if (r < 0)
		return r;
	asks = client_of(reservations, NULL);
	asks.operation = args->context;
	return streams_find(session->service->streams, &asks, &reservations->stream, err);
}

const struct stream *reservations_stream(const struct reservations *reservations)
{
	return reservations->name[0] ? &reservations->stream : NULL;
}

/* Called with the lock of the streams held. */
static void on_reserved(struct deferred_reply *deferred, int error)
{
	struct reservations *reservations =
		(struct reservations *)((char *)deferred - offsetof(struct reservations, deferred));

	pthread_mutex_lock(&reservations->lock);
	reservations->result = error;
	reservations->state = RESERVATIONS_READY;
	pthread_mutex_unlock(&reservations->lock);
	reservations->go_on(reservations->arg);
}

/* The reservation may be ready before this returns. */
static int request_reservation(struct reservations *reservations)
{
	const struct streams_who asks = client_of(reservations, &reservations->stream);
	int r;

	reservations->state = RESERVATIONS_REQUESTED;
	reservations->deferred.owner = NULL;
	r = streams_draw(reservations->session->service->streams, &asks, &reservations->deferred);
	if (r != REPLY_DEFERRED)
		reservations->state = RESERVATIONS_IDLE;
	return r;
}

static int take_reservation(void *arg, uint64_t *ret_first, struct error *err)
{
	struct reservations *reservations = arg;
	int r;

	pthread_mutex_lock(&reservations->lock);
	const bool asked = reservations->state == RESERVATIONS_REQUESTED, has = reservations->state == RESERVATIONS_READY;

	r = reservations->result;
	if (has)
		reservations->state = RESERVATIONS_IDLE;
	pthread_mutex_unlock(&reservations->lock);
	if (!has)
		r = asked ? REPLY_DEFERRED : request_reservation(reservations);
	if (r == REPLY_DEFERRED)
		return RESERVATION_LATER;
	if (r < 0)
		*err = reservations->error;
	else
		*ret_first = reservations->deferred.offset;
	return r;
}

static void forget_reservations(void *arg)
{
	struct reservations *reservations = arg;

	streams_forget(reservations->session->service->streams, &reservations->deferred);
	pthread_mutex_destroy(&reservations->lock);
}

struct reservation_source reservations_source(struct reservations *reservations, const struct sampler *sampler, uint64_t n,
					      void (*go_on)(void *arg), void *arg)
{
	pthread_mutex_init(&reservations->lock, NULL);
	reservations->deferred = (struct deferred_reply){
		.error = &reservations->error, .n = n, .words = sampler_words(sampler), .send = on_reserved};
	reservations->go_on = go_on;
	reservations->arg = arg;
	return (struct reservation_source){take_reservation, forget_reservations, reservations};
}
