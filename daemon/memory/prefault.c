/* SPDX-License-Identifier: Apache-2.0 */
/* The arena is made on the background worker's thread and taken on the loop's.
 *
 *     NONE --refill--> MAKING --made--> READY --take, drop--> NONE
 *                        | \
 *                        |  +--failed--> NONE
 *                        +--drop--> DROPPED --made, then freed--> NONE
 *
 * The user who pays is the daemon's own. The bytes are charged from refill until take, drop or failure: while the worker still
 * makes an arena that was dropped, others may use its bytes. */
#include "prefault.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena.h"
#include "background.h"

/* FIRST_BYTES: before any client asked. LEAST_BYTES: arenas of at most so many are small. */
enum { FIRST_BYTES = 2 << 20, LEAST_BYTES = 256 << 10 };

enum prefault_state {
	STATE_NONE,
	STATE_MAKING,
	STATE_DROPPED, /* while it was being made: its charge was given back */
	STATE_READY,
};

struct prefault {
	struct background_task task; /* must be the first member */
	struct quota_user *user; /* the daemon's own: no client pays for what it may never get */
	uint64_t most_bytes;     /* of the arena: a setting */
	uint64_t bytes;       /* of the arena; changes in STATE_NONE only */
	uint64_t last_wanted; /* by the client before; the loop's thread */
	pthread_mutex_t lock; /* protects what follows */
	enum prefault_state state;
	int fd;     /* both of STATE_READY, and only then owned here */
	void *base;
};

/* Returns false if the arena could not be made or was dropped meanwhile. *ret_charged: it is still charged. */
static bool publish_arena(struct prefault *prefault, int fd, void *base, bool *ret_charged)
{
	bool wanted;

	pthread_mutex_lock(&prefault->lock);
	wanted = prefault->state == STATE_MAKING;
	*ret_charged = wanted;
	wanted = wanted && base != MAP_FAILED;
	prefault->state = wanted ? STATE_READY : STATE_NONE;
	prefault->fd = fd;
	prefault->base = base;
	pthread_mutex_unlock(&prefault->lock);
	return wanted;
}

static void make_arena(struct background_task *task)
{
	struct prefault *prefault = (struct prefault *)task;
	const uint64_t bytes = prefault->bytes; /* another arena may be begun once this one is published */
	int fd = arena_memfd(bytes);
	void *base = fd < 0 ? MAP_FAILED : arena_map(fd, bytes);
	bool charged;

	if (base != MAP_FAILED)
		arena_populate(base, bytes);
	if (publish_arena(prefault, fd, base, &charged))
		return;
	if (base != MAP_FAILED)
		munmap(base, bytes);
	if (fd >= 0)
		close(fd);
	if (charged)
		quota_give(prefault->user, QUOTA_ARENA_BYTES, bytes);
}

int prefault_create(struct quota *quota, uint64_t most_bytes, struct prefault **ret_prefault)
{
	struct prefault *prefault = calloc(1, sizeof *prefault);

	if (!prefault)
		return -ERROR_NO_MEMORY;
	prefault->user = quota_user_open(quota, geteuid());
	if (!prefault->user) {
		free(prefault);
		return -ERROR_NO_MEMORY;
	}
	prefault->most_bytes = most_bytes - most_bytes % arena_page();
	prefault->task.run = make_arena;
	pthread_mutex_init(&prefault->lock, NULL);
	prefault_refill(prefault, FIRST_BYTES);
	*ret_prefault = prefault;
	return 0;
}

void prefault_free(struct prefault *prefault)
{
	if (!prefault)
		return;
	prefault_drop(prefault);
	quota_user_close(prefault->user);
	pthread_mutex_destroy(&prefault->lock);
	free(prefault);
}

bool prefault_take(struct prefault *prefault, uint64_t wanted_bytes, int *ret_fd, void **ret_base, uint64_t *ret_bytes)
{
	bool ready;

	pthread_mutex_lock(&prefault->lock);
	ready = prefault->state == STATE_READY && prefault->bytes <= wanted_bytes;
	if (ready) {
		prefault->state = STATE_NONE;
		*ret_fd = prefault->fd;
		*ret_base = prefault->base;
		*ret_bytes = prefault->bytes;
	}
	pthread_mutex_unlock(&prefault->lock);
	if (ready)
		quota_give(prefault->user, QUOTA_ARENA_BYTES, *ret_bytes);
	return ready;
}

static bool is_none(struct prefault *prefault)
{
	pthread_mutex_lock(&prefault->lock);
	const bool none = prefault->state == STATE_NONE;
	pthread_mutex_unlock(&prefault->lock);
	return none;
}

/* An arena that is too large for two clients in a row is replaced. Only the loop's thread leaves STATE_NONE, so the state
 * cannot change between the locks. */
void prefault_refill(struct prefault *prefault, uint64_t wanted_bytes)
{
	const uint64_t bytes = wanted_bytes < prefault->most_bytes ? wanted_bytes : prefault->most_bytes;
	const bool again = wanted_bytes == prefault->last_wanted;

	if (bytes <= LEAST_BYTES)
		return;
	prefault->last_wanted = wanted_bytes;
	if (again && !is_none(prefault) && bytes < prefault->bytes)
		prefault_drop(prefault);
	if (!is_none(prefault) || quota_take(prefault->user, QUOTA_ARENA_BYTES, bytes, NULL) < 0)
		return;
	prefault->bytes = bytes;
	pthread_mutex_lock(&prefault->lock);
	prefault->state = STATE_MAKING;
	pthread_mutex_unlock(&prefault->lock);
	background_post(&prefault->task);
}

bool prefault_drop(struct prefault *prefault)
{
	uint64_t bytes;
	void *base;
	bool making;
	int fd;

	pthread_mutex_lock(&prefault->lock);
	making = prefault->state == STATE_MAKING;
	if (making)
		prefault->state = STATE_DROPPED;
	pthread_mutex_unlock(&prefault->lock);
	if (making)
		quota_give(prefault->user, QUOTA_ARENA_BYTES, prefault->bytes);
	if (making || !prefault_take(prefault, UINT64_MAX, &fd, &base, &bytes))
		return making;
	munmap(base, bytes);
	close(fd);
	return true;
}

bool prefault_is_ready(struct prefault *prefault)
{
	bool ready;

	pthread_mutex_lock(&prefault->lock);
	ready = prefault->state == STATE_READY;
	pthread_mutex_unlock(&prefault->lock);
	return ready;
}
