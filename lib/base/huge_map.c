/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel aligns mappings by itself only where its policy already gives them huge pages. */
#include "base/huge_map.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

enum { PAGE = 4096, LINE = 64 };

/* Reserves aligned addresses, for a mapping that takes their place. Returns NULL for a small mapping, or where there are none. */
static char *reserve_aligned(size_t bytes)
{
	char *at;
	size_t skipped;

	if (bytes < HUGE_PAGE_BYTES || bytes > SIZE_MAX - HUGE_PAGE_BYTES)
		return NULL;
	at = mmap(NULL, bytes + HUGE_PAGE_BYTES, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (at == MAP_FAILED)
		return NULL;
	skipped = -(uintptr_t)at & (HUGE_PAGE_BYTES - 1);
	if (skipped)
		munmap(at, skipped);
	munmap(at + skipped + bytes, HUGE_PAGE_BYTES - skipped);
	return at + skipped;
}

void *huge_map(size_t bytes, int flags, int fd)
{
	char *at = reserve_aligned(bytes);
	void *base = mmap(at, bytes, PROT_READ | PROT_WRITE, flags | (at ? MAP_FIXED : 0), fd, 0);

	if (base == MAP_FAILED && at)
		munmap(at, bytes);
	return base;
}

void *huge_allocate(size_t bytes)
{
	const size_t whole = bytes / HUGE_PAGE_BYTES * HUGE_PAGE_BYTES;
	void *at;

	if (posix_memalign(&at, whole ? HUGE_PAGE_BYTES : LINE, bytes) != 0)
		return NULL;
	if (whole)
		(void)madvise(at, whole, MADV_HUGEPAGE); /* a kernel without them refuses, which does not matter */
	return at;
}

void huge_populate(void *block, size_t begin, size_t end)
{
	const uintptr_t from = ((uintptr_t)block + begin + PAGE - 1) & ~(uintptr_t)(PAGE - 1);
	const uintptr_t to = ((uintptr_t)block + end) & ~(uintptr_t)(PAGE - 1);

	if (from < to)
		(void)madvise((void *)from, to - from, MADV_POPULATE_WRITE);
}

void *huge_remap(void *base, size_t bytes, size_t new_bytes)
{
	char *at = reserve_aligned(new_bytes);
	void *moved = at ? mremap(base, bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at)
			 : mremap(base, bytes, new_bytes, MREMAP_MAYMOVE);

	if (moved == MAP_FAILED && at)
		munmap(at, new_bytes);
	return moved;
}
