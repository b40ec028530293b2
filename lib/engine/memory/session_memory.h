/* SPDX-License-Identifier: Apache-2.0 */
/* A space: the tiles of one client in one region of memory, and the limits that hold for that client.
 *
 * The region may be shared with a client that writes it at any moment, so nothing in it is ever used as an index,
 * length or bound: all bookkeeping lies outside. Handles carry a generation and are never reused in a space. */
#ifndef TRNSCI_ENGINE_SESSION_MEMORY_H
#define TRNSCI_ENGINE_SESSION_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "engine/engine.h"

struct served_ops;
struct space;

/* Every limit is named in the error of a request that would pass it. 0 stands for the default in brackets. */
struct space_limits {
	size_t inline_bytes; /* of one reply's inline results, and of one request's inline inputs together [16 MiB] */
	size_t tiles;        /* tiles alive at once [65536] */
	unsigned weight;     /* shares of time while others have work too [1] */
	size_t prepared;     /* calls prepared at once [256] */
	size_t jobs;         /* requests unanswered at once [1024] */
	/* Memory of a request's results and temporaries, which its owner may account with that of other spaces: asked
	 * for by request_start before it is used, given back by request_free. reserve may refuse with an error. Either may be
	 * NULL. */
	int (*reserve)(void *arg, uint64_t bytes, struct error *err);
	void (*unreserve)(void *arg, uint64_t bytes);
	void *reserve_arg;
	/* The bytes of a request's inline results, asked for before its job starts, from within request_start (for reply_arg).
	 * Its owner gives them back when it frees the request. May refuse with an error. NULL: not asked. */
	int (*reserve_reply)(void *arg, uint64_t bytes, struct error *err);
	void *reply_arg;
	/* Requests come from this process: `out` may be a map {dtype, shape, data} of memory that the result is written to,
	 * and inline inputs are not bounded. */
	bool shares_memory;
	/* Methods that the space's owner answers. NULL: refused with not_supported. */
	const struct served_ops *served;
	void *served_arg;
};

/* On success *ret_space is yours (one reference). */
int space_create(struct engine *engine, const struct space_limits *limits, struct space **ret_space);

/* Gives the space its memory, once: base aligned to a page. release(arg) is called, on any thread, when the space's
 * last reference is gone. -ERROR_LIMIT when it has memory already. */
int space_attach(struct space *space, void *base, size_t size, void (*release)(void *arg), void *arg);

/* Bytes from the beginning of its memory within which all tiles so far have lain. Any thread. */
uint64_t space_reach(struct space *space);

/* Bytes that its tiles take. Any thread. */
uint64_t space_bytes_used(struct space *space);

/* Cancels what runs and refuses what comes; then drops the owner's reference. Running requests hold one each, and
 * still call their done callback. Accepts NULL. */
void space_close(struct space *space);
/* The first half of it alone, and at once; whether the rest takes long, for many tiles or prepared calls. */
void space_stop(struct space *space);
bool space_is_large(struct space *space);

/* Puts the space's figures into map: bytes, bytes_used, tiles, prepared, jobs. Any thread. */
int space_stats(struct space *space, struct bump *bump, struct value *map);

#endif
