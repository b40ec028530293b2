/* SPDX-License-Identifier: Apache-2.0 */
/* Best fit by a treap of free blocks. Depth stays near 2.5 log2 n: priorities are not the client's to choose. */
#include "engine/memory/offset_allocator.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/error.h"

struct region {
	uint64_t size, used;
	struct region_block *first, *last, *root;
	uint64_t random;
};

/* xorshift64*: any odd start will do. */
static uint32_t next_priority(struct region *region)
{
	region->random ^= region->random >> 12;
	region->random ^= region->random << 25;
	region->random ^= region->random >> 27;
	return (uint32_t)(region->random * UINT64_C(2685821657736338717) >> 32);
}

static bool less(const struct region_block *a, uint64_t size, uint64_t offset)
{
	return a->size != size ? a->size < size : a->offset < offset;
}

/* Splits tree into the blocks below (size, offset) and the others. */
static void split(struct region_block *tree, uint64_t size, uint64_t offset, struct region_block **ret_low,
		  struct region_block **ret_high)
{
	while (tree) {
		if (less(tree, size, offset)) {
			*ret_low = tree;
			ret_low = &tree->right;
			tree = tree->right;
		} else {
			*ret_high = tree;
			ret_high = &tree->left;
			tree = tree->left;
		}
	}
	*ret_low = *ret_high = NULL;
}

static struct region_block *merge(struct region_block *low, struct region_block *high)
{
	struct region_block *root = NULL, **at = &root;

	while (low && high) {
		if (low->priority > high->priority) {
			*at = low;
			at = &low->right;
			low = low->right;
		} else {
			*at = high;
			at = &high->left;
			high = high->left;
		}
	}
	*at = low ? low : high;
	return root;
}

static void insert(struct region *region, struct region_block *block)
{
	struct region_block **at = &region->root;

	block->free = 1;
	block->priority = next_priority(region);
	while (*at && (*at)->priority >= block->priority)
		at = less(*at, block->size, block->offset) ? &(*at)->right : &(*at)->left;
	split(*at, block->size, block->offset, &block->left, &block->right);
	*at = block;
}

static void extract(struct region *region, struct region_block *block)
{
	struct region_block **at = &region->root;

	while (*at != block)
		at = less(*at, block->size, block->offset) ? &(*at)->right : &(*at)->left;
	*at = merge(block->left, block->right);
	block->free = 0;
}

/* The least free block of at least size bytes; NULL when there is none. */
static struct region_block *find(const struct region *region, uint64_t size)
{
	struct region_block *best = NULL;

	for (struct region_block *at = region->root; at;) {
		if (at->size >= size) {
			best = at;
			at = at->left;
		} else {
			at = at->right;
		}
	}
	return best;
}

static bool fits_aligned(const struct region_block *block, uint64_t size, uint64_t align)
{
	uint64_t start = (block->offset + align - 1) & ~(align - 1);

	return start - block->offset <= block->size && block->size - (start - block->offset) >= size;
}

/* Cuts block, which is not in the treap, at `size`; the rest becomes a block after it, free and in the treap. */
static int cut(struct region *region, struct region_block *block, uint64_t size)
{
	struct region_block *rest;

	if (block->size == size)
		return 0;
	rest = malloc(sizeof *rest);
	if (!rest)
		return -ERROR_NO_MEMORY;
	*rest = (struct region_block){
		.offset = block->offset + size, .size = block->size - size, .before = block, .after = block->after};
	*(rest->after ? &rest->after->before : &region->last) = rest;
	block->after = rest;
	block->size = size;
	insert(region, rest);
	return 0;
}

int region_create(uint64_t size, struct region **ret_region)
{
	struct region *region = calloc(1, sizeof *region);
	struct region_block *block = calloc(1, sizeof *block);

	if (!region || !block) {
		free(region);
		free(block);
		return -ERROR_NO_MEMORY;
	}
	region->size = block->size = size & ~(uint64_t)(REGION_ALIGN - 1);
	region->first = region->last = block;
	region->random = (uintptr_t)region | 1;
	if (block->size)
		insert(region, block);
	*ret_region = region;
	return 0;
}

void region_free(struct region *region)
{
	if (!region)
		return;
	while (region->first) {
		struct region_block *next = region->first->after;

		free(region->first);
		region->first = next;
	}
	free(region);
}

static struct region_block *find_place(const struct region *region, uint64_t size, uint64_t align)
{
	struct region_block *best = find(region, size), *roomy;

	if (!best || align == REGION_ALIGN || fits_aligned(best, size, align))
		return best;
	roomy = find(region, size + align - REGION_ALIGN);
	return roomy ? roomy : best;
}

/* Gives out `size` bytes of a free block, `skip` bytes from its beginning. */
static int carve(struct region *region, struct region_block *block, uint64_t skip, uint64_t size,
		 struct region_block **ret_block)
{
	int error;

	extract(region, block);
	if (skip) {
		struct region_block *head = block;

		error = cut(region, head, skip);
		block = head->after;
		insert(region, head);
		if (error)
			return error;
		extract(region, block);
	}
	error = cut(region, block, size);
	if (error) {
		insert(region, block);
		return error;
	}
	region->used += block->size;
	*ret_block = block;
	return 0;
}

int region_alloc(struct region *region, uint64_t size, struct region_block **ret_block)
{
	const bool pages = size >= REGION_PAGE;
	const uint64_t align = pages ? REGION_PAGE : REGION_ALIGN;
	struct region_block *block;
	uint64_t rounded, skip = 0;

	/* A last, partial page of the region serves too. */
	if (round_up_overflows(size ? size : 1, align, &rounded))
		return -ERROR_LIMIT;
	block = find_place(region, rounded, align);
	if (!block && pages && !round_up_overflows(size, REGION_ALIGN, &rounded))
		block = find_place(region, rounded, align);
	if (!block)
		return -ERROR_LIMIT;
	if (fits_aligned(block, rounded, align))
		skip = (align - block->offset % align) % align;
	return carve(region, block, skip, rounded, ret_block);
}

int region_alloc_at(struct region *region, uint64_t offset, uint64_t size, struct region_block **ret_block)
{
	struct region_block *block = region->last;
	uint64_t rounded;

	if (round_up_overflows(size ? size : 1, REGION_ALIGN, &rounded) || offset % REGION_ALIGN || !block->free ||
	    offset < block->offset || offset - block->offset > block->size ||
	    rounded > block->size - (offset - block->offset))
		return -ERROR_LIMIT;
	return carve(region, block, offset - block->offset, rounded, ret_block);
}

/* Joins block with the one after it; neither is in the treap. */
static void join(struct region *region, struct region_block *block)
{
	struct region_block *gone = block->after;

	block->size += gone->size;
	block->after = gone->after;
	*(block->after ? &block->after->before : &region->last) = block;
	free(gone);
}

void region_release(struct region *region, struct region_block *block)
{
	region->used -= block->size;
	if (block->after && block->after->free) {
		extract(region, block->after);
		join(region, block);
	}
	if (block->before && block->before->free) {
		block = block->before;
		extract(region, block);
		join(region, block);
	}
	insert(region, block);
}

uint64_t region_used(const struct region *region)
{
	return region->used;
}

uint64_t region_largest(const struct region *region)
{
	const struct region_block *at = region->root;

	while (at && at->right)
		at = at->right;
	return at ? at->size : 0;
}

uint64_t region_tail(const struct region *region)
{
	return region->last->free ? region->last->offset : region->size;
}
