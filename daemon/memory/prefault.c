/* SPDX-License-Identifier: Apache-2.0 */
/* The arena is made on the background worker's thread and taken on the loop's. */
#include "prefault.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena.h"
#include "background.h"

enum prefault_state {
	STATE_NONE,
	STATE_MAKING,
	STATE_DROPPED, /* while it was being made: its charge was given back */
	STATE_READY,
};

struct prefault {
	struct background_task task; /* must be the first member */
	struct quota_user *user;
	uint64_t bytes;
	pthread_mutex_t lock; /* protects what follows */
	enum prefault_state state;
	int fd;
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
	int fd = arena_memfd(prefault->bytes);
	void *base = fd < 0 ? MAP_FAILED : arena_map(fd, prefault->bytes);
	bool charged;

	if (base != MAP_FAILED)
		arena_populate(base, 0, prefault->bytes);
	if (publish_arena(prefault, fd, base, &charged))
		return;
	if (base != MAP_FAILED)
		munmap(base, prefault->bytes);
	if (fd >= 0)
		close(fd);
	if (charged)
		quota_give(prefault->user, QUOTA_ARENA_BYTES, prefault->bytes);
}

int prefault_create(struct quota *quota, uint64_t bytes, struct prefault **ret_prefault)
{
	struct prefault *prefault = calloc(1, sizeof *prefault);

	if (!prefault)
		return -ERROR_NO_MEMORY;
	prefault->user = quota_user_open(quota, geteuid());
	if (!prefault->user) {
		free(prefault);
		return -ERROR_NO_MEMORY;
	}
	prefault->bytes = bytes - bytes % arena_page();
	prefault->task.run = make_arena;
	pthread_mutex_init(&prefault->lock, NULL);
	prefault_refill(prefault);
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

bool prefault_take(struct prefault *prefault, int *ret_fd, void **ret_base, uint64_t *ret_bytes)
{
	bool ready;

	pthread_mutex_lock(&prefault->lock);
	ready = prefault->state == STATE_READY;
	if (ready) {
		prefault->state = STATE_NONE;
		*ret_fd = prefault->fd;
		*ret_base = prefault->base;
		*ret_bytes = prefault->bytes;
	}
	pthread_mutex_unlock(&prefault->lock);
	if (ready)
		quota_give(prefault->user, QUOTA_ARENA_BYTES, prefault->bytes);
	return ready;
}

/* Only the loop's thread leaves STATE_NONE, so the state cannot change between the two locks. */
void prefault_refill(struct prefault *prefault)
{
	bool none;

	pthread_mutex_lock(&prefault->lock);
	none = prefault->state == STATE_NONE && prefault->bytes > 0;
	pthread_mutex_unlock(&prefault->lock);
	if (!none || quota_take(prefault->user, QUOTA_ARENA_BYTES, prefault->bytes, NULL) < 0)
		return;
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
	if (making || !prefault_take(prefault, &fd, &base, &bytes))
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
