/* SPDX-License-Identifier: Apache-2.0 */
/* Mappings at addresses that huge pages can fill. */
#ifndef TRNSCI_BASE_HUGE_MAP_H
#define TRNSCI_BASE_HUGE_MAP_H

#include <stddef.h>

/* The huge pages of x86-64, and of aarch64 with pages of 4 KiB. */
enum { HUGE_PAGE_BYTES = 2 << 20 };

/* Maps bytes to read and write, of a descriptor from its start or with MAP_ANONYMOUS in flags. The mapping begins at a
 * multiple of HUGE_PAGE_BYTES if it is at least so large and the addresses last. Returns MAP_FAILED with errno, as mmap. */
void *huge_map(size_t bytes, int flags, int fd);

/* Allocates memory for tables, aligned to 64; huge pages are asked for where it can fill some. free() ends it. Returns
 * NULL without memory. */
void *huge_allocate(size_t bytes);
/* Makes the pages of a part of such a block before they are used. Kernels before 5.14 refuse it: their first use makes them. */
void huge_populate(void *block, size_t begin, size_t end);

/* Resizes such a mapping, and moves it to where huge_map would have it. On MAP_FAILED the old mapping is as it was. */
void *huge_remap(void *base, size_t bytes, size_t new_bytes);

#endif
