/* SPDX-License-Identifier: Apache-2.0 */
/* Replies that the session's owner gives, at once or later: to requests of class METHOD_STREAM, which the engine binds,
 * and to the reservations that a stream_draw, a run or a producer takes of named streams.
 *
 * They can be late because a reservation must be on disk before anybody sees its numbers:
 *
 *     engine                    owner (a daemon)
 *     begin or reserve ------->
 *                      <------- 0 or an error: the reply is there, deferred_reply_send does not follow
 *                      <------- REPLY_DEFERRED ... its commit is on disk: deferred_reply_send, from any thread
 *     forget           ------->  in the deferred case only, also after the reply */
#ifndef TRNSCI_ENGINE_DEFERRED_REPLY_H
#define TRNSCI_ENGINE_DEFERRED_REPLY_H

#include "engine/operations/bind.h"
#include "rng/stream.h"

/* Part of the request (or producer) that waits for it, and lives as long. */
struct deferred_reply {
	struct bump *bump; /* for the reply; nobody else allocates from it before deferred_reply_send */
	struct value *reply;
	struct error *error;
	/* A reservation: the owner reads same, n and words, and sets stream and offset. */
	const struct stream *same; /* the stream that the name must still stand for; NULL: any that is no signal */
	uint64_t n;     /* samples to reserve */
	unsigned words; /* of 32 bits, of one sample */
	struct stream stream;
	uint64_t offset; /* the first reserved sample */
	void *owner;     /* the owner's own state; NULL at first */
	/* Set by the waiting side, called by deferred_reply_send. */
	void (*send)(struct deferred_reply *deferred, int error);
};

struct deferred_reply_ops {
	/* Starts a METHOD_STREAM request. Returns 0 with the reply, a negative error with *deferred->error, or
	 * REPLY_DEFERRED: then deferred_reply_send follows, from any thread. args live during the call only, the values
	 * that they point at as long as deferred. */
	int (*begin)(void *arg, const struct args *args, struct deferred_reply *deferred);
	/* Reserves deferred->n samples of the named stream; returns as begin. context begins an error's text. What was
	 * reserved is never given back. */
	int (*reserve)(void *arg, const char *name, size_t name_size, const char *context,
		       struct deferred_reply *deferred);
	/* Ends every REPLY_DEFERRED: after its reply, on cancellation and at the session's end. Waits for a
	 * deferred_reply_send in progress; the owner does not touch deferred afterwards. Any thread. */
	void (*forget)(void *arg, struct deferred_reply *deferred);
	/* Finds what the named stream is, which the client must be allowed to draw from: the map {op: colored, ...} in bump, if it
	 * was created as one signal, and then the stream; otherwise nil. Called where requests start. NULL: no stream is a signal.
	 */
	int (*find_noise)(void *arg, const char *name, size_t name_size, const char *context, struct bump *bump,
			  struct stream *ret_stream, struct value *ret_noise, struct error *err);
};

enum { REPLY_DEFERRED = 1 };

/* Sends the deferred reply, exactly once: error is 0, or negative with *deferred->error set. Any thread; never blocks.
 */
void deferred_reply_send(struct deferred_reply *deferred, int error);

#endif
