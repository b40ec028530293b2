/* SPDX-License-Identifier: Apache-2.0 */
/* Ranges of a named stream for what is filled ahead of its use: a ring or a broadcast. */
#ifndef TRNSCI_DAEMON_STREAM_RANGES_H
#define TRNSCI_DAEMON_STREAM_RANGES_H

#include "engine/deferred_reply.h"
#include "engine/producers/sample_map.h"
#include "engine/producers/sampler.h"
#include "net/session.h"
#include "streams/store.h"

struct reservations {
	struct session *session;
	char name[STORE_NAME_MOST + 1]; /* empty: there is no named stream */
	struct stream stream;		/* what the name stands for */
	struct served served;
	struct error error; /* of the answer that has come */
	enum { RESERVATIONS_IDLE, RESERVATIONS_REQUESTED, RESERVATIONS_READY } state;
	int answer;
	pthread_mutex_t lock; /* of state and answer */
	void (*go_on)(void *arg);
	void *arg;
};

/* The stream that args' parameter names, of which the session's client may draw; none when it is left out. ranges is
 * the caller's, all 0. -ERROR_NOT_FOUND, -ERROR_NOT_PERMITTED, what named streams may have. */
int reservations_open(struct reservations *ranges, struct session *session, const struct args *args, unsigned param,
		       struct error *err);
/* NULL when there is no named stream. */
const struct stream *reservations_stream(const struct reservations *ranges);

/* The source of ranges of n samples each. go_on is called when it can be asked again, from any thread, until its forget
 * has returned; it must not block. */
struct reservation_source reservations_source(struct reservations *ranges, const struct sampler *sampler, uint64_t n,
					      void (*go_on)(void *arg), void *arg);

#endif
