/* SPDX-License-Identifier: Apache-2.0 */
/* The spare arena: made by the reaper's thread, taken by the loop's. */
#include "prefault.h"

#include <pthread.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "arena.h"
#include "background.h"

enum state {
	STATE_NONE,
	STATE_MAKING,
	STATE_GIVEN_UP, /* while it was being made: its account is given back already */
	STATE_READY,
};

struct spare {
	struct chore chore; /* first */
	struct quota_user *user;
	uint64_t bytes;
	pthread_mutex_t lock; /* of all below */
	enum state state;
	int fd;
	void *base;
};

/* False: it could not be made, or was given up meanwhile, and then its account with it. */
static bool keep(struct spare *spare, int fd, void *base, bool *ret_charged)
{
	bool wanted;

	pthread_mutex_lock(&spare->lock);
	wanted = spare->state == STATE_MAKING;
	*ret_charged = wanted;
	wanted = wanted && base != MAP_FAILED;
	spare->state = wanted ? STATE_READY : STATE_NONE;
	spare->fd = fd;
	spare->base = base;
	pthread_mutex_unlock(&spare->lock);
	return wanted;
}

static void make(struct chore *chore)
{
	struct spare *spare = (struct spare *)chore;
	int fd = arena_memfd(spare->bytes);
	void *base = fd < 0 ? MAP_FAILED : arena_map(fd, spare->bytes);
	bool charged;

	if (base != MAP_FAILED)
		arena_touch(fd, base, 0, spare->bytes);
	if (keep(spare, fd, base, &charged))
		return;
	if (base != MAP_FAILED)
		munmap(base, spare->bytes);
	if (fd >= 0)
		close(fd);
	if (charged)
		quota_give(spare->user, QUOTA_ARENA_BYTES, spare->bytes);
}

int spare_create(struct quota *quota, uint64_t bytes, struct spare **ret_spare)
{
	struct spare *spare = calloc(1, sizeof *spare);

	if (!spare)
		return -ERROR_NO_MEMORY;
	spare->user = quota_user_open(quota, geteuid());
	if (!spare->user) {
		free(spare);
		return -ERROR_NO_MEMORY;
	}
	spare->bytes = bytes - bytes % arena_page();
	spare->chore.run = make;
	pthread_mutex_init(&spare->lock, NULL);
	spare_refill(spare);
	*ret_spare = spare;
	return 0;
}

void spare_free(struct spare *spare)
{
	if (!spare)
		return;
	spare_drop(spare);
	quota_user_close(spare->user);
	pthread_mutex_destroy(&spare->lock);
	free(spare);
}

bool spare_take(struct spare *spare, int *ret_fd, void **ret_base, uint64_t *ret_bytes)
{
	bool ready;

	pthread_mutex_lock(&spare->lock);
	ready = spare->state == STATE_READY;
	if (ready) {
		spare->state = STATE_NONE;
		*ret_fd = spare->fd;
		*ret_base = spare->base;
		*ret_bytes = spare->bytes;
	}
	pthread_mutex_unlock(&spare->lock);
	if (ready)
		quota_give(spare->user, QUOTA_ARENA_BYTES, spare->bytes);
	return ready;
}

/* The loop's thread is the only one that leaves STATE_NONE. */
void spare_refill(struct spare *spare)
{
	bool none;

	pthread_mutex_lock(&spare->lock);
	none = spare->state == STATE_NONE && spare->bytes > 0;
	pthread_mutex_unlock(&spare->lock);
	if (!none || quota_take(spare->user, QUOTA_ARENA_BYTES, spare->bytes, NULL) < 0)
		return;
	pthread_mutex_lock(&spare->lock);
	spare->state = STATE_MAKING;
	pthread_mutex_unlock(&spare->lock);
	reaper_post(&spare->chore);
}

bool spare_drop(struct spare *spare)
{
	uint64_t bytes;
	void *base;
	bool making;
	int fd;

	pthread_mutex_lock(&spare->lock);
	making = spare->state == STATE_MAKING;
	if (making)
		spare->state = STATE_GIVEN_UP;
	pthread_mutex_unlock(&spare->lock);
	if (making)
		quota_give(spare->user, QUOTA_ARENA_BYTES, spare->bytes);
	if (making || !spare_take(spare, &fd, &base, &bytes))
		return making;
	munmap(base, bytes);
	close(fd);
	return true;
}

bool spare_is_ready(struct spare *spare)
{
	bool ready;

	pthread_mutex_lock(&spare->lock);
	ready = spare->state == STATE_READY;
	pthread_mutex_unlock(&spare->lock);
	return ready;
}
