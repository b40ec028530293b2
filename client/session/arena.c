/* SPDX-License-Identifier: Apache-2.0 */
/* Getting a session's arena once, whichever thread asks first. */
#include "arena.h"

#include <sys/mman.h>
#include <unistd.h>

enum { CONNECTION_LOST = 1 }; /* the daemon ended while its arena was on the way: ask the next one */

/* Ends arena_pending whatever comes of it: the next thread may try again. */
static int get_arena(struct trnsci_session *session, struct error *err)
{
	struct arena arena;
	bool lost = false;
	int r = session->engine->get_arena(session, session->arena_bytes, &arena, err);

	pthread_mutex_lock(&session->lock);
	lost = r == 0 && arena.connection != session->connection;
	if (r == 0 && !lost)
		session->arena = arena;
	session->arena_pending = false;
	pthread_cond_broadcast(&session->changed);
	pthread_mutex_unlock(&session->lock);
	if (lost)
		arena_unmap(&arena);
	return lost ? CONNECTION_LOST : r;
}

/* One thread gets the arena and polls for it; the others sleep until it has. */
int arena_ensure(struct trnsci_session *session, struct error *err)
{
	int r = session_check(session, err);

	if (r < 0)
		return r;
	do {
		pthread_mutex_lock(&session->lock);
		while (session->arena_pending && !session->closed)
			pthread_cond_wait(&session->changed, &session->lock);
		bool done = session->arena.base || session->closed;
		if (!done)
			session->arena_pending = true;
		pthread_mutex_unlock(&session->lock);
		r = done ? 0 : get_arena(session, err);
	} while (r == CONNECTION_LOST);
	return r;
}

void arena_unmap(struct arena *arena)
{
	if (!arena->base)
		return;
	munmap(arena->base, arena->size);
	if (arena->fd >= 0)
		close(arena->fd);
	*arena = (struct arena){.fd = -1};
}
