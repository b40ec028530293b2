/* SPDX-License-Identifier: Apache-2.0 */
/* Allocation of offsets in a region whose own memory is never touched: best fit, neighbours joined on release.
 *
 * Blocks stand in a list by address; the free ones also in a treap by (size, offset), so that the smallest block that
 * fits, and of those the lowest, is found in O(log n). Offsets are multiples of 64; from a page upwards a block is
 * whole pages, and begins on one where that costs no place. One thread at a time. */
#ifndef TRNSCI_ENGINE_OFFSET_ALLOCATOR_H
#define TRNSCI_ENGINE_OFFSET_ALLOCATOR_H

#include <stdint.h>

enum { OFFSET_ALIGN = 64, OFFSET_PAGE = 4096 };

struct offset_allocator;

struct offset_block {
	uint64_t offset, size;
	/* the region's own */
	struct offset_block *before, *after; /* by address */
	struct offset_block *left, *right;   /* in the treap, when free */
	uint32_t priority;
	uint32_t free;
};

/* A region of size bytes (cut to a multiple of 64). -ERROR_NO_MEMORY. */
int offset_allocator_create(uint64_t size, struct offset_allocator **ret_allocator);
void offset_allocator_free(struct offset_allocator *allocator); /* accepts NULL; blocks die with it */

/* At least size bytes. -ERROR_LIMIT when no free block is large enough, -ERROR_NO_MEMORY. */
int offset_allocator_alloc(struct offset_allocator *allocator, uint64_t size, struct offset_block **ret_block);
/* At an offset, a multiple of OFFSET_ALIGN, behind all blocks given out. -ERROR_LIMIT when it is not, or the region
 * ends before size bytes more; -ERROR_NO_MEMORY. */
int offset_allocator_alloc_at(struct offset_allocator *allocator, uint64_t offset, uint64_t size,
			      struct offset_block **ret_block);
void offset_allocator_release(struct offset_allocator *allocator, struct offset_block *block);

/* Bytes of blocks given out, and of the largest free one. */
uint64_t offset_allocator_used(const struct offset_allocator *allocator);
uint64_t offset_allocator_largest(const struct offset_allocator *allocator);
/* Where the free block at the region's end begins; the region's size when there is none. */
uint64_t offset_allocator_tail(const struct offset_allocator *allocator);

#endif
