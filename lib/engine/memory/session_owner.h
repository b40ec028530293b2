/* SPDX-License-Identifier: Apache-2.0 */
/* The limits of a session, and what its owner answers for it. */
#ifndef TRNSCI_ENGINE_SESSION_OWNER_H
#define TRNSCI_ENGINE_SESSION_OWNER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

struct deferred_reply_ops;

/* Every limit is named in the error of a request that would pass it. 0 stands for the default in brackets. */
struct session_owner {
	size_t inline_bytes; /* of one reply's inline results, and of one request's inline inputs together [16 MiB] */
	size_t tiles;        /* tiles alive at once [65536] */
	unsigned weight;     /* shares of time while others have work too [1] */
	size_t prepared;     /* calls prepared at once [256] */
	size_t jobs;         /* requests unanswered at once [1024] */
	/* Memory of a request's results and temporaries, which its owner may account with that of other sessions'
	 * memories: asked for by request_start before it is used, given back by request_free. reserve may refuse with
	 * an error. Either may be NULL. */
	int (*reserve)(void *arg, uint64_t bytes, struct error *err);
	void (*unreserve)(void *arg, uint64_t bytes);
	void *reserve_arg;
	/* The bytes of a request's inline results, asked for before its job starts, from within request_start (for
	 * reply_arg). Its owner gives them back when it frees the request. May refuse with an error. NULL: not asked.
	 */
	int (*reserve_reply)(void *arg, uint64_t bytes, struct error *err);
	void *reply_arg;
	/* Requests come from this process: `out` may be a map {dtype, shape, data} of memory that the result is written
	 * to, and inline inputs are not bounded. */
	bool shares_memory;
	/* Methods that the session's owner answers. NULL: refused with not_supported. */
	const struct deferred_reply_ops *deferred;
	void *deferred_arg;
};

#endif
