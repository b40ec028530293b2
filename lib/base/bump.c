/* SPDX-License-Identifier: Apache-2.0 */
/* Blocks in a list, of which the newest gives out memory from its start to its end.
 *
 *     bump -> blocks -> [newest | used ....... size] -> [older] -> ... -> [first, inside bump]
 *
 * What is left of an older block when a new one is added stays unused: pieces are small, and most requests fit the
 * first. */
#include "base/bump.h"

#include <stdalign.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* 8000, 900: with malloc's own header and ours the first block stays below two pages, or within the 1,032 bytes that glibc keeps for each
 * thread. */
enum { FIRST_BYTES = 8000, SMALL_BYTES = 900, BLOCK_BYTES = 4096 };

struct block {
	struct block *next; /* an older one; NULL: this is the first */
	size_t used, size;  /* bytes; used is a multiple of the alignment */
	alignas(max_align_t) char bytes[];
};

/* A function that bump_free calls. In the allocator's own memory. */
struct deferred {
	struct deferred *next;
	void (*release)(void *arg);
	void *arg;
};

struct bump {
	struct block *blocks;      /* the newest first */
	struct deferred *deferred; /* the latest first */
	struct bump_cache *cache; /* NULL: none */
	struct block first;       /* must be the last member: its bytes follow */
};

static struct bump *new_of(size_t first_bytes)
{
	struct bump *bump = malloc(sizeof *bump + first_bytes);

	if (bump) {
		bump->blocks = &bump->first;
		bump->deferred = NULL;
		bump->cache = NULL;
		bump->first = (struct block){NULL, 0, first_bytes};
	}
	return bump;
}

struct bump *bump_new(void)
{
	return new_of(FIRST_BYTES);
}

struct bump *bump_new_small(void)
{
	return new_of(SMALL_BYTES);
}

/* Puts an empty allocator into its cache. Returns false if it has none, or the cache is full. */
static bool return_to_cache(struct bump *bump)
{
	if (!bump->cache)
		return false;
	bump->first.used = 0;
	bump->deferred = NULL;
	for (size_t i = 0; i < BUMP_CACHED; i++) {
		struct bump *none = NULL;

		/* Release: the thread that takes it (acquire) sees it empty. */
		if (!atomic_load_explicit(&bump->cache->free[i], memory_order_relaxed) &&
		    atomic_compare_exchange_strong_explicit(&bump->cache->free[i], &none, bump, memory_order_release,
							    memory_order_relaxed))
			return true;
	}
	return false;
}

void bump_free(struct bump *bump)
{
	if (!bump)
		return;
	for (struct deferred *d = bump->deferred; d; d = d->next)
		d->release(d->arg);
	while (bump->blocks != &bump->first) {
		struct block *next = bump->blocks->next;

		free(bump->blocks);
		bump->blocks = next;
	}
	if (!return_to_cache(bump))
		free(bump);
}

struct bump *bump_new_cached(struct bump_cache *cache)
{
	struct bump *bump = NULL;

	for (size_t i = 0; i < BUMP_CACHED && !bump; i++)
		if (atomic_load_explicit(&cache->free[i], memory_order_relaxed))
			bump = atomic_exchange_explicit(&cache->free[i], NULL, memory_order_acquire);
	if (!bump)
		bump = bump_new();
	if (bump)
		bump->cache = cache;
	return bump;
}

void bump_cache_free(struct bump_cache *cache)
{
	for (size_t i = 0; i < BUMP_CACHED; i++)
		free(atomic_exchange(&cache->free[i], NULL));
}

/* Adds a block of `size` bytes, which becomes the newest. NULL: no memory. */
static struct block *block_new(struct bump *bump, size_t size)
{
	struct block *block = malloc(sizeof *block + size);

	if (!block)
		return NULL;
	*block = (struct block){bump->blocks, 0, size};
	bump->blocks = block;
	return block;
}

void *bump_alloc(struct bump *bump, size_t size)
{
	struct block *block = bump->blocks;
	const size_t align = alignof(max_align_t), rounded = (size + align - 1) & ~(align - 1);
	void *at;

	if (size > SIZE_MAX / 2)
		return NULL;
	if (block->size - block->used < rounded)
		block = block_new(bump, rounded > BLOCK_BYTES ? rounded : BLOCK_BYTES);
	if (!block)
		return NULL;
	at = block->bytes + block->used;
	block->used += rounded;
	return at;
}

char *bump_copy(struct bump *bump, const void *bytes, size_t size)
{
	char *copy = size < SIZE_MAX ? bump_alloc(bump, size + 1) : NULL;

	if (!copy)
		return NULL;
	if (size)
		memcpy(copy, bytes, size);
	copy[size] = '\0';
	return copy;
}

size_t bump_bytes(const struct bump *bump)
{
	size_t bytes = sizeof *bump;

	for (const struct block *block = bump->blocks; block; block = block->next)
		bytes += sizeof *block + block->size;
	return bytes;
}

int bump_defer(struct bump *bump, void (*release)(void *arg), void *arg)
{
	struct deferred *deferred = bump_alloc(bump, sizeof *deferred);

	if (!deferred)
		return -ERROR_NO_MEMORY;
	*deferred = (struct deferred){bump->deferred, release, arg};
	bump->deferred = deferred;
	return 0;
}
