/* SPDX-License-Identifier: Apache-2.0 */
/* What a tile is inside. */
#ifndef TRNSCI_CLIENT_SESSION_TILE_H
#define TRNSCI_CLIENT_SESSION_TILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <trnsci/trnsci.h>

#include "base/error.h"

/* Parameters that name a tile keep the object, not the tile. */
struct trnsci_tile {
	atomic_uint refs;
	struct trnsci_session *session;
	struct trnsci_tile *next, *previous; /* in the session's list, under its lock */
	_Atomic uint64_t handle;             /* of the present connection; 0: none, or freed */
	uint64_t scope;
	enum trnsci_dtype dtype;
	size_t ndim;
	uint64_t shape[TRNSCI_MAX_DIMS];
	uint64_t count;
	size_t bytes;
	size_t offset; /* in the arena */
	void *data;
	atomic_bool lost;    /* its content went with a daemon; changed under the session's lock */
	uint64_t new_handle; /* while the session is restored (restore.h) */
};

static inline uint64_t tile_handle(const struct trnsci_tile *tile)
{
	return atomic_load_explicit(&tile->handle, memory_order_relaxed);
}

/* The session has an arena when it returns 0. Without the lock. */
int tile_ensure_arena(struct trnsci_session *session, struct error *err);

/* The tile that a call has made, by the map of its reply that says so. -ERROR_BAD_REPLY, -ERROR_CLOSED (it went with its
 * connection), -ERROR_NO_MEMORY */
int tile_from_reply(const struct trnsci_call *call, const struct trnsci_value *map, struct trnsci_tile **ret_tile,
		    struct error *err);

/* NULL for NULL. */
struct trnsci_tile *tile_ref(const struct trnsci_tile *tile);
void tile_unref(struct trnsci_tile *tile); /* accepts NULL; any thread, with or without a lock */

static inline bool tile_is_lost(const struct trnsci_tile *tile)
{
	return atomic_load_explicit(&tile->lost, memory_order_relaxed);
}

/* With the session's lock. Says that the content of a living tile is gone, or that it is there. */
void tile_set_lost(struct trnsci_tile *tile, bool lost);

#endif
