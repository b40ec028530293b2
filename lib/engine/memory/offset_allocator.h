/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation of offsets in a region whose own memory is never touched: best fit, neighbours joined on release.
 *
 * Blocks stand in a list by address; the free ones also in a treap by (size, offset), so that the smallest block that
 * fits, and of those the lowest, is found in O(log n). Offsets are multiples of 64; from a page upwards a block is
 * whole pages, and begins on one where that costs no place. One thread at a time. */
#ifndef TRNSCI_ENGINE_OFFSET_ALLOCATOR_H
#define TRNSCI_ENGINE_OFFSET_ALLOCATOR_H

#include <stdint.h>

enum { REGION_ALIGN = 64, REGION_PAGE = 4096 };

struct region;

struct region_block {
	uint64_t offset, size;
	/* the region's own */
	struct region_block *before, *after; /* by address */
	struct region_block *left, *right;   /* in the treap, when free */
	uint32_t priority;
	uint32_t free;
};

/* A region of size bytes (cut to a multiple of 64). -ERROR_NO_MEMORY. */
int region_create(uint64_t size, struct region **ret_region);
void region_free(struct region *region); /* accepts NULL; blocks die with it */

/* At least size bytes. -ERROR_LIMIT when no free block is large enough, -ERROR_NO_MEMORY. */
int region_alloc(struct region *region, uint64_t size, struct region_block **ret_block);
/* At an offset, a multiple of REGION_ALIGN, behind all blocks given out. -ERROR_LIMIT when it is not, or the region ends
 * before size bytes more; -ERROR_NO_MEMORY. */
int region_alloc_at(struct region *region, uint64_t offset, uint64_t size, struct region_block **ret_block);
void region_release(struct region *region, struct region_block *block);

/* Bytes of blocks given out, and of the largest free one. */
uint64_t region_used(const struct region *region);
uint64_t region_largest(const struct region *region);
/* Where the free block at the region's end begins; the region's size when there is none. */
uint64_t region_tail(const struct region *region);

#endif
