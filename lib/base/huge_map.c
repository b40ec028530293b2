/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel aligns mappings by itself only where its policy already gives them huge pages. */
#include "base/huge_map.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/mman.h>

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

void *huge_remap(void *base, size_t bytes, size_t new_bytes)
{
	char *at = reserve_aligned(new_bytes);
	void *moved = at ? mremap(base, bytes, new_bytes, MREMAP_MAYMOVE | MREMAP_FIXED, at)
			 : mremap(base, bytes, new_bytes, MREMAP_MAYMOVE);

	if (moved == MAP_FAILED && at)
		munmap(at, new_bytes);
	return moved;
}
