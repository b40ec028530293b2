/* SPDX-License-Identifier: Apache-2.0 */
/* Best fit by a treap of free blocks (R. Seidel, C. R. Aragon, Algorithmica 16 (1996) 464): a search tree by (size,
 * offset) and a heap by random priority. Depth stays near 2.5 log2 n: priorities are not the client's to choose, so no
 * order of sizes makes it slow. */
#include "engine/memory/offset_allocator.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/checked.h"
#include "base/error.h"

struct offset_allocator {
	uint64_t size, used;               /* bytes: of the region, and of allocated blocks */
	struct offset_block *first, *last; /* of the list by address, which owns all blocks; never empty */
	struct offset_block *root;         /* of the treap of free blocks; NULL: nothing is free */
	uint64_t random;                   /* state of next_priority; never 0 */
};

/* xorshift64* (S. Vigna, ACM TOMS 42 (2016) 30): any start but 0 will do. It balances the tree, no result depends on
 * it. */
static uint32_t next_priority(struct offset_allocator *allocator)
{
	allocator->random ^= allocator->random >> 12;
	allocator->random ^= allocator->random << 25;
	allocator->random ^= allocator->random >> 27;
	return (uint32_t)(allocator->random * UINT64_C(2685821657736338717) >> 32);
}

/* The treap's order: by size, then by offset. */
static bool less(const struct offset_block *a, uint64_t size, uint64_t offset)
{
	return a->size != size ? a->size < size : a->offset < offset;
}

/* Splits tree into the blocks below (size, offset) and the others. */
static void split(struct offset_block *tree, uint64_t size, uint64_t offset, struct offset_block **ret_low,
		  struct offset_block **ret_high)
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

/* Joins two treaps, every block of `low` being less than those of `high`. Returns the root. */
static struct offset_block *merge(struct offset_block *low, struct offset_block *high)
{
	struct offset_block *root = NULL, **at = &root;

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

/* Puts a block into the treap, at the depth that its new priority gives it. */
static void insert_free(struct offset_allocator *allocator, struct offset_block *block)
{
	struct offset_block **at = &allocator->root;

	block->free = 1;
	block->priority = next_priority(allocator);
	while (*at && (*at)->priority >= block->priority)
		at = less(*at, block->size, block->offset) ? &(*at)->right : &(*at)->left;
	split(*at, block->size, block->offset, &block->left, &block->right);
	*at = block;
}

/* Takes a block out of the treap. Its size and offset must still be those that it was inserted with. */
static void extract_free(struct offset_allocator *allocator, struct offset_block *block)
{
	struct offset_block **at = &allocator->root;

	while (*at != block)
		at = less(*at, block->size, block->offset) ? &(*at)->right : &(*at)->left;
	*at = merge(block->left, block->right);
	block->free = 0;
}

/* Returns the least free block of at least size bytes, of these the lowest; NULL: none. */
static struct offset_block *find_fit(const struct offset_allocator *allocator, uint64_t size)
{
	struct offset_block *best = NULL;

	for (struct offset_block *at = allocator->root; at;) {
		if (at->size >= size) {
			best = at;
			at = at->left;
		} else {
			at = at->right;
		}
	}
	return best;
}

/* Returns whether a block has room for `size` bytes behind its first multiple of align, a power of two. */
static bool fits_aligned(const struct offset_block *block, uint64_t size, uint64_t align)
{
	uint64_t start = (block->offset + align - 1) & ~(align - 1);

	return start - block->offset <= block->size && block->size - (start - block->offset) >= size;
}

/* Cuts block, which is not in the treap, at `size`; the rest becomes a block after it, free and in the treap. */
static int cut(struct offset_allocator *allocator, struct offset_block *block, uint64_t size)
{
	struct offset_block *rest;

	if (block->size == size)
		return 0;
	rest = malloc(sizeof *rest);
	if (!rest)
		return -ERROR_NO_MEMORY;
	*rest = (struct offset_block){
		.offset = block->offset + size, .size = block->size - size, .before = block, .after = block->after};
	*(rest->after ? &rest->after->before : &allocator->last) = rest;
	block->after = rest;
	block->size = size;
	insert_free(allocator, rest);
	return 0;
}

int offset_allocator_create(uint64_t size, struct offset_allocator **ret_allocator)
{
	struct offset_allocator *allocator = calloc(1, sizeof *allocator);
	struct offset_block *block = calloc(1, sizeof *block);

	if (!allocator || !block) {
		free(allocator);
		free(block);
		return -ERROR_NO_MEMORY;
	}
	allocator->size = block->size = size & ~(uint64_t)(OFFSET_ALIGN - 1);
	allocator->first = allocator->last = block;
	allocator->random = (uintptr_t)allocator | 1;
	if (block->size)
		insert_free(allocator, block);
	*ret_allocator = allocator;
	return 0;
}

void offset_allocator_free(struct offset_allocator *allocator)
{
	if (!allocator)
		return;
	while (allocator->first) {
		struct offset_block *next = allocator->first->after;

		free(allocator->first);
		allocator->first = next;
	}
	free(allocator);
}

/* Finds a block for size bytes, aligned where that costs no larger region: the best fit, or one with room for aligning,
 * or the best fit unaligned. NULL: none. */
static struct offset_block *find_place(const struct offset_allocator *allocator, uint64_t size, uint64_t align)
{
	struct offset_block *best = find_fit(allocator, size), *roomy;

	if (!best || align == OFFSET_ALIGN || fits_aligned(best, size, align))
		return best;
	roomy = find_fit(allocator, size + align - OFFSET_ALIGN);
	return roomy ? roomy : best;
}

/* Gives out `size` bytes of a free block, `skip` bytes from its beginning. */
static int carve_block(struct offset_allocator *allocator, struct offset_block *block, uint64_t skip, uint64_t size,
		       struct offset_block **ret_block)
{
	int error;

	extract_free(allocator, block);
	if (skip) {
		struct offset_block *head = block;

		error = cut(allocator, head, skip);
		block = head->after;
		insert_free(allocator, head);
		if (error)
			return error;
		extract_free(allocator, block);
	}
	error = cut(allocator, block, size);
	if (error) {
		insert_free(allocator, block);
		return error;
	}
	allocator->used += block->size;
	*ret_block = block;
	return 0;
}

int offset_allocator_alloc(struct offset_allocator *allocator, uint64_t size, struct offset_block **ret_block)
{
	const bool pages = size >= OFFSET_PAGE;
	const uint64_t align = pages ? OFFSET_PAGE : OFFSET_ALIGN;
	struct offset_block *block;
	uint64_t rounded, skip = 0;

	/* A last, partial page of the region serves too. */
	if (round_up_overflows(size ? size : 1, align, &rounded))
		return -ERROR_LIMIT;
	block = find_place(allocator, rounded, align);
	if (!block && pages && !round_up_overflows(size, OFFSET_ALIGN, &rounded))
		block = find_place(allocator, rounded, align);
	if (!block)
		return -ERROR_LIMIT;
	if (fits_aligned(block, rounded, align))
		skip = (align - block->offset % align) % align;
	return carve_block(allocator, block, skip, rounded, ret_block);
}

int offset_allocator_alloc_at(struct offset_allocator *allocator, uint64_t offset, uint64_t size,
			      struct offset_block **ret_block)
{
	struct offset_block *block = allocator->last;
	uint64_t rounded;

	if (round_up_overflows(size ? size : 1, OFFSET_ALIGN, &rounded) || offset % OFFSET_ALIGN || !block->free ||
	    offset < block->offset || offset - block->offset > block->size ||
	    rounded > block->size - (offset - block->offset))
		return -ERROR_LIMIT;
	return carve_block(allocator, block, offset - block->offset, rounded, ret_block);
}

/* Joins block with the one after it; neither is in the treap. */
static void join(struct offset_allocator *allocator, struct offset_block *block)
{
	struct offset_block *gone = block->after;

	block->size += gone->size;
	block->after = gone->after;
	*(block->after ? &block->after->before : &allocator->last) = block;
	free(gone);
}

void offset_allocator_release(struct offset_allocator *allocator, struct offset_block *block)
{
	allocator->used -= block->size;
	if (block->after && block->after->free) {
		extract_free(allocator, block->after);
		join(allocator, block);
	}
	if (block->before && block->before->free) {
		block = block->before;
		extract_free(allocator, block);
		join(allocator, block);
	}
	insert_free(allocator, block);
}

uint64_t offset_allocator_used(const struct offset_allocator *allocator)
{
	return allocator->used;
}

uint64_t offset_allocator_largest(const struct offset_allocator *allocator)
{
	const struct offset_block *at = allocator->root;

	while (at && at->right)
		at = at->right;
	return at ? at->size : 0;
}

uint64_t offset_allocator_tail(const struct offset_allocator *allocator)
{
	return allocator->last->free ? allocator->last->offset : allocator->size;
}
