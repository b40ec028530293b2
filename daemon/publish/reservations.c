/* SPDX-License-Identifier: Apache-2.0 */
/* Each range is a draw of its own, made by the filler: what it takes is issued, as a draw's is, whether it is ever
 * seen or not. */
#include "reservations.h"

#include <errno.h>
#include <string.h>

#include "streams/stream_methods.h"
#include "streams/streams.h"

/* The lock is held for assignments only. A name that is given anew is another stream. */
static struct streams_who who(const struct reservations *ranges, const struct stream *same)
{
	return (struct streams_who){&ranges->session->peer, ranges->name, false, "named stream", same, NULL};
}

int reservations_open(struct reservations *ranges, struct session *session, const struct args *args, unsigned param,
		       struct error *err)
{
	struct streams_who asks;
	int r;

	ranges->session = session;
	if (!args->at[param].given)
		return 0;
	r = stream_read_name(args, param, ranges->name, err);
	if (r == 0 && peer_read_groups(&session->peer, session->fd) < 0)
		r = error_set(err, ERROR_SYSTEM, "%s: the client's groups: %s", args->context, strerror(errno));
	if (r < 0)
		return r;
	asks = who(ranges, NULL);
	asks.operation = args->context;
	return streams_find(session->service->streams, &asks, &ranges->stream, err);
}

const struct stream *reservations_stream(const struct reservations *ranges)
{
	return ranges->name[0] ? &ranges->stream : NULL;
}

/* Under the lock of the streams. */
static void answered(struct served *served, int error)
{
	struct reservations *ranges =
		(struct reservations *)((char *)served - offsetof(struct reservations, served));

	pthread_mutex_lock(&ranges->lock);
	ranges->answer = error;
	ranges->state = RESERVATIONS_READY;
	pthread_mutex_unlock(&ranges->lock);
	ranges->go_on(ranges->arg);
}

/* The answer may come before this has returned. */
static int ask(struct reservations *ranges)
{
	const struct streams_who asks = who(ranges, &ranges->stream);
	int r;

	ranges->state = RESERVATIONS_REQUESTED;
	ranges->served.owner = NULL;
	r = streams_draw(ranges->session->service->streams, &asks, &ranges->served);
	if (r != SERVED_LATER)
		ranges->state = RESERVATIONS_IDLE;
	return r;
}

static int take(void *arg, uint64_t *ret_first, struct error *err)
{
	struct reservations *ranges = arg;
	int r;

	pthread_mutex_lock(&ranges->lock);
	const bool asked = ranges->state == RESERVATIONS_REQUESTED, has = ranges->state == RESERVATIONS_READY;

	r = ranges->answer;
	if (has)
		ranges->state = RESERVATIONS_IDLE;
	pthread_mutex_unlock(&ranges->lock);
	if (!has)
		r = asked ? SERVED_LATER : ask(ranges);
	if (r == SERVED_LATER)
		return RESERVATION_LATER;
	if (r < 0)
		*err = ranges->error;
	else
		*ret_first = ranges->served.offset;
	return r;
}

static void forget(void *arg)
{
	struct reservations *ranges = arg;

	streams_forget(ranges->session->service->streams, &ranges->served);
	pthread_mutex_destroy(&ranges->lock);
}

struct reservation_source reservations_source(struct reservations *ranges, const struct sampler *sampler, uint64_t n,
					      void (*go_on)(void *arg), void *arg)
{
	pthread_mutex_init(&ranges->lock, NULL);
	ranges->served =
		(struct served){.error = &ranges->error, .n = n, .words = sampler_words(sampler), .answered = answered};
	ranges->go_on = go_on;
	ranges->arg = arg;
	return (struct reservation_source){take, forget, ranges};
}
