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

/* A free or allocated part of the region. The blocks cover it without gaps. Two free neighbours are left only by an
 * allocation that ran out of memory. */
struct offset_block {
	uint64_t offset, size; /* bytes; multiples of OFFSET_ALIGN */
	/* The allocator's own. */
	struct offset_block *before, *after; /* by address */
	struct offset_block *left, *right;   /* in the treap, when free */
	uint32_t priority; /* random; in the treap no child's is above its parent's */
	uint32_t free;     /* 1 or 0 */
};

/* Creates an allocator of offsets below size, which is cut to a multiple of 64. Returns 0 or -ERROR_NO_MEMORY. */
int offset_allocator_create(uint64_t size, struct offset_allocator **ret_allocator);
void offset_allocator_free(struct offset_allocator *allocator); /* accepts NULL; blocks die with it */

/* Allocates a block of at least size bytes, which the allocator owns. Returns 0, -ERROR_LIMIT if no free block is large
 * enough, or -ERROR_NO_MEMORY. */
int offset_allocator_alloc(struct offset_allocator *allocator, uint64_t size, struct offset_block **ret_block);
/* Allocates the block at `offset`, which must be a multiple of OFFSET_ALIGN behind all allocated blocks. Returns 0,
 * -ERROR_LIMIT if it is not, or if fewer than size bytes follow it, or -ERROR_NO_MEMORY. */
int offset_allocator_alloc_at(struct offset_allocator *allocator, uint64_t offset, uint64_t size,
			      struct offset_block **ret_block);
/* Frees an allocated block; the pointer is dead from then on. */
void offset_allocator_release(struct offset_allocator *allocator, struct offset_block *block);

/* Return the bytes of allocated blocks, and of the largest free block. */
uint64_t offset_allocator_used(const struct offset_allocator *allocator);
uint64_t offset_allocator_largest(const struct offset_allocator *allocator);
/* Returns the offset behind which all is free; the whole size if the last block is allocated. */
uint64_t offset_allocator_tail(const struct offset_allocator *allocator);

#endif
