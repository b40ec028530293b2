/* SPDX-License-Identifier: Apache-2.0 */
/* What the space's owner answers, at once or later: requests of class METHOD_STREAM, which the engine binds; and where
 * the ranges lie that a stream_draw or a program takes of named streams. */
#ifndef TRNSCI_ENGINE_DEFERRED_REPLY_H
#define TRNSCI_ENGINE_DEFERRED_REPLY_H

#include "engine/operations/bind.h"
#include "rng/stream.h"

/* Part of a request, or of what else takes ranges of a named stream, and lives as long as it. */
struct served {
	struct bump *bump;  /* for the reply; nobody else uses it before the answer */
	struct value *reply;
	struct error *error;
	/* Of a range: what it needs, and where the owner puts it: sample `offset` of the stream. */
	uint64_t n;     /* samples */
	unsigned words; /* of a sample */
	struct stream stream;
	uint64_t offset;
	void *owner; /* the owner's own; NULL at first */
	/* What served_answer calls: whose it is. */
	void (*answered)(struct served *served, int error);
};

struct served_ops {
	/* 0: answered. A negative error: refused, with *served->error. SERVED_LATER: served_answer follows, from any
	 * thread. args live during the call, the values that they point at as long as served. */
	int (*begin)(void *arg, const struct args *args, struct served *served);
	/* The same for a range of the stream of that name, served->n samples of served->words words; context begins an
	 * error's text. What was taken is never given back. */
	int (*reserve)(void *arg, const char *name, size_t name_size, const char *context, struct served *served);
	/* What was to be answered later ends: answered, cancelled, or with its session. served must not be
	 * touched once this has returned; it waits for a served_answer that is under way. Any thread. */
	void (*forget)(void *arg, struct served *served);
};

enum { SERVED_LATER = 1 };

/* The answer, once: 0, or a negative error with *served->error. Any thread; never blocks. */
void served_answer(struct served *served, int error);

#endif
