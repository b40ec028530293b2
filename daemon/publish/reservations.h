/* SPDX-License-Identifier: Apache-2.0 */
/* Reservations in a named stream, from which a ring or a broadcast draws its samples ahead of their use.
 *
 *     IDLE --the producer asks, words are reserved already--> IDLE
 *     IDLE --the producer asks, a commit is needed--> REQUESTED --committed or failed--> READY --the producer asks--> IDLE
 *
 * A lane of the engine asks, the committer replies, and go_on makes the producer ask again. */
#ifndef TRNSCI_DAEMON_RESERVATIONS_H
#define TRNSCI_DAEMON_RESERVATIONS_H

#include "engine/deferred_reply.h"
#include "engine/producers/sample_map.h"
#include "engine/producers/sampler.h"
#include "net/session.h"
#include "streams/store.h"

struct reservations {
	struct session *session; /* outlives this: a session waits for its rings and broadcasts */
	char name[STORE_NAME_MOST + 1]; /* empty: there is no named stream */
	struct stream stream;		/* what the name stood for at first; another of the name is refused */
	struct deferred_reply deferred; /* the committer's in REQUESTED, else the producer's */
	struct error error; /* of the reservation that is ready */
	enum { RESERVATIONS_IDLE, RESERVATIONS_REQUESTED, RESERVATIONS_READY } state;
	int result;
	pthread_mutex_t lock; /* protects state and result */
	void (*go_on)(void *arg);
	void *arg;
};

/* Finds the stream that a parameter of args names, if it is given. *reservations is the caller's, all 0. Returns 0; or
 * -ERROR_NOT_FOUND or -ERROR_NOT_PERMITTED if the client may not draw from it; or another error of named streams. */
int reservations_open(struct reservations *reservations, struct session *session, const struct args *args, unsigned param,
		       struct error *err);
/* Returns the named stream; NULL if there is none. */
const struct stream *reservations_stream(const struct reservations *reservations);

/* Returns a source of reservations of n samples each, for the engine. go_on(arg) is called, on any thread, when a
 * reservation is ready, until the source's forget has returned; it must not block. */
struct reservation_source reservations_source(struct reservations *reservations, const struct sampler *sampler, uint64_t n,
					      void (*go_on)(void *arg), void *arg);

#endif
