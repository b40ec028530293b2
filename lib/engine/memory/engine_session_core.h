/* SPDX-License-Identifier: Apache-2.0 */
/* The members of struct engine_session, private to lib/engine.
 *
 *     engine_session --> arenas (mappings), the oldest first --> offset_allocator --> blocks by address, free ones by size
 *                    --> table: handle --> tile --> its arena and block
 *                    --> prepared: handle --> prepared call
 *                    --> jobs: the unanswered requests
 *
 * Everything here lies in the process's own memory; clients see the mappings alone. */
#ifndef TRNSCI_ENGINE_ENGINE_SESSION_CORE_H
#define TRNSCI_ENGINE_ENGINE_SESSION_CORE_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/engine_core.h"
#include "engine/memory/offset_allocator.h"
#include "engine/memory/session_owner.h"

struct prepared;
struct tile;

enum { PREPARED_BUCKETS = 64 };

/* One mapping that tiles are placed in. */
struct tile_arena {
	struct tile_arena *next; /* a younger one */
	uint32_t handle;
	char *base;
	uint64_t size; /* bytes */
	struct offset_allocator *allocator;
	uint64_t reach; /* the furthest end of a tile so far, in bytes from base */
	void (*release)(void *arg); /* gives the mapping back */
	void *release_arg;
};

/* One unanswered request, in the list that engine_session_close cancels. */
struct session_job {
	struct job *job;
	struct session_job *next, *prev;
};

struct engine_session {
	struct engine *engine;        /* outlives all its sessions */
	struct session_owner limits; /* with defaults filled in; constant */
	struct fair_entry fair_entry; /* the session's place in the scheduler's queue; the pool's own */
	atomic_uint refs;             /* the owner's, and one of each request from enter to unref */
	pthread_mutex_t lock; /* guards everything below */
	bool closed;          /* no request may begin */
	bool sole_client;           /* without the lock: of the thread that starts requests */
	struct tile_arena *arenas; /* the oldest first */
	uint32_t last_arena;       /* handle of the youngest so far */
	uint32_t tile_arena;       /* handle of the one that got the last tile */
	struct tile **table; /* open addressing by handle; table_size is a power of two, or 0 */
	size_t table_size, n_tiles; /* n_tiles <= table_size / 2 */
	uint64_t next_handle; /* 1 and up; 64 bits, so that it can pass the last handle, 2^32 - 1 */
	struct prepared *prepared[PREPARED_BUCKETS]; /* by handle */
	size_t n_prepared;
	void (*release_prepared)(struct engine_session *session); /* set with the first of them; NULL: there was none */
	uint32_t last_prepared; /* handle of the youngest so far */
	struct session_job *jobs; /* unanswered requests, in no order */
	size_t n_jobs;
};

/* Lists a request, which takes a reference to the session and is cancelled when the session closes. context begins an
 * error's text. Any thread. -ERROR_CLOSED, -ERROR_LIMIT (jobs). */
int engine_session_enter(struct engine_session *session, struct session_job *entry, const char *context,
			 struct error *err);

/* Takes an answered request off the list. Its reference stays until engine_session_unref, which may free the session.
 */
void engine_session_leave(struct engine_session *session, struct session_job *entry);
void engine_session_unref(struct engine_session *session);

#endif
