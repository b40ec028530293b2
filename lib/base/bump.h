/* SPDX-License-Identifier: Apache-2.0 */
/* A bump allocator: pieces of memory that are freed together.
 *
 * Each request has one. The first block, of 8,000 bytes, comes with the allocator itself, so that most requests take one
 * malloc, or none with a cache. One thread at a time may use an allocator. */
#ifndef TRNSCI_BASE_BUMP_H
#define TRNSCI_BASE_BUMP_H

#include <stdatomic.h>
#include <stddef.h>

struct bump;

enum { BUMP_CACHED = 16 };

/* Keeps free allocators, so that a session which has several requests in flight needs no malloc for the next ones. Start with
 * zero. Any thread. */
struct bump_cache {
	_Atomic(struct bump *) free[BUMP_CACHED]; /* NULL where there is none */
};

/* Returns NULL without memory. */
struct bump *bump_new(void);

/* As bump_new, for little that lives long: its first block has 900 bytes. */
struct bump *bump_new_small(void);

/* As bump_new, from the cache if it holds one; bump_free puts it back there. The cache must outlive the allocator. */
struct bump *bump_new_cached(struct bump_cache *cache);

/* Frees the allocators in the cache. */
void bump_cache_free(struct bump_cache *cache);

/* Calls the deferred functions, last first, then frees all memory. Accepts NULL. */
void bump_free(struct bump *bump);

/* Returns uninitialised memory, aligned for any type; NULL without memory. */
void *bump_alloc(struct bump *bump, size_t size);

/* Returns a copy of size bytes and a NUL; NULL without memory. */
char *bump_copy(struct bump *bump, const void *bytes, size_t size);

/* Returns the bytes that the allocator holds, without those that deferred functions will free. */
size_t bump_bytes(const struct bump *bump);

/* Registers release(arg) for bump_free, such as for memory that a tree of values borrows. Returns 0 or
 * -ERROR_NO_MEMORY; release is then not called. */
int bump_defer(struct bump *bump, void (*release)(void *arg), void *arg);

#endif
