/* SPDX-License-Identifier: Apache-2.0 */
/* What a tile is inside. Parameters that name a tile hold a reference to this object, which outlives the tile: once the
 * tile is freed, its handle is 0. */
#ifndef TRNSCI_CLIENT_SESSION_TILE_H
#define TRNSCI_CLIENT_SESSION_TILE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "session.h"

struct trnsci_tile {
	atomic_uint refs;
	struct trnsci_session *session;
	struct trnsci_tile *next, *previous; /* in the session's list, under its lock */
	_Atomic uint64_t handle;             /* on the present connection; 0: freed, or not made yet */
	enum trnsci_dtype dtype;
	size_t ndim;
	uint64_t shape[TRNSCI_MAX_DIMS];
	uint64_t count; /* elements */
	size_t bytes;
	struct arena *arena; /* NULL: not made yet, or freed */
	size_t offset;       /* bytes, in the arena */
	void *data;          /* in this process; NULL once the tile is freed or the session closed */
	atomic_bool lost;    /* a daemon ended and took the content along; written under the session's lock */
	bool rewritten;      /* the library writes it before each use: its content is never missed; under the session's lock */
	uint64_t new_handle; /* while a session is restored (remote/restore.h) */
};

static inline uint64_t tile_handle(const struct trnsci_tile *tile)
{
	return atomic_load_explicit(&tile->handle, memory_order_relaxed);
}

static inline bool tile_is_lost(const struct trnsci_tile *tile)
{
	return atomic_load_explicit(&tile->lost, memory_order_relaxed);
}

/* References to the object. Both accept NULL; any thread, with or without the session's lock. */
struct trnsci_tile *tile_ref(const struct trnsci_tile *tile);
void tile_unref(struct trnsci_tile *tile);

/* Writes the tile's dtype and shape, "f32 [16, 64]", as far as there is room. */
void tile_write_shape(const struct trnsci_tile *tile, char *text, size_t room);

/* The session's list, with its lock held. A listed tile holds a reference to the session; the caller of
 * tile_list_remove drops it. From tile_list_remove on, parameters that still name the tile name none. */
void tile_list_add(struct trnsci_session *session, struct trnsci_tile *tile);
void tile_list_remove(struct trnsci_tile *tile);

/* Marks whether the content of a tile that is not freed is lost. With the session's lock. */
void tile_set_lost(struct trnsci_tile *tile, bool lost);

/* Copies the caller's memory to all of a tile, while the session is not closed (-ERROR_CLOSED). Without the lock. A call that is
 * answered on another connection than is stated here may have read less than was written: a session that is restored meanwhile
 * may lose bytes. The call is to be run again. */
int tile_write(const struct trnsci_tile *tile, const void *from, uint64_t *ret_connection, struct error *err);
/* Copies all of a tile, which a daemon has written before it answered on that connection, to the caller's memory; around: stores
 * it around the caches. Returns 1 if the daemon has ended the session since, and may have emptied the tile before it was copied:
 * the call is to be run again. It reads the socket only if the arena was emptied. Otherwise as tile_write. */
int tile_read_answer(const struct trnsci_tile *tile, uint64_t connection, void *to, bool around, struct error *err);

#endif
