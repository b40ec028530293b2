/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator against a model that knows every 64 bytes of the allocator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/error.h"
#include "engine/memory/offset_allocator.h"

enum { CELLS = 4096, BYTES = CELLS * OFFSET_ALIGN, BLOCKS = 400 };

static uint64_t random_state;

static uint64_t draw(uint64_t below)
{
	random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (random_state >> 33) % below;
}

/* The longest run of free cells. */
static size_t longest_free(const bool *taken)
{
	size_t longest = 0, run = 0;

	for (size_t i = 0; i < CELLS; i++) {
		run = taken[i] ? 0 : run + 1;
		longest = run > longest ? run : longest;
	}
	return longest;
}

static void mark(bool *taken, const struct offset_block *block, bool value, uint64_t seed)
{
	for (uint64_t i = block->offset / OFFSET_ALIGN; i < (block->offset + block->size) / OFFSET_ALIGN; i++) {
		if (i >= CELLS || taken[i] == value)
			fail_msg("seed %llu: block [%llu, +%llu) overlaps another, or leaves the allocator",
				 (unsigned long long)seed, (unsigned long long)block->offset,
				 (unsigned long long)block->size);
		taken[i] = value;
	}
}

static void alloc_one(struct offset_allocator *allocator, bool *taken, struct offset_block **place, uint64_t seed)
{
	const uint64_t size = draw(20) == 0 ? draw(BYTES) : draw(8) ? draw(2000) : 4096 * (1 + draw(8));
	const size_t free_cells = longest_free(taken);
	int error = offset_allocator_alloc(allocator, size, place);

	if (error == -ERROR_LIMIT) {
		/* Refused only where there is no place for it. */
		if (size + OFFSET_ALIGN <= free_cells * OFFSET_ALIGN)
			fail_msg("seed %llu: %llu bytes refused, %zu are free in one piece", (unsigned long long)seed,
				 (unsigned long long)size, free_cells * OFFSET_ALIGN);
		*place = NULL;
		return;
	}
	assert_int_equal(error, 0);
	assert_true((*place)->size >= size && (*place)->offset % OFFSET_ALIGN == 0);
	mark(taken, *place, true, seed);
}

/* At a place of the caller's: behind all blocks, or it is refused. */
static void alloc_one_at(struct offset_allocator *allocator, bool *taken, struct offset_block **place, uint64_t seed)
{
	const uint64_t offset = draw(CELLS + 4) * OFFSET_ALIGN + (draw(16) == 0),
		       size = draw(4) ? draw(2000) : draw(BYTES);
	const uint64_t cells = size ? (size + OFFSET_ALIGN - 1) / OFFSET_ALIGN : 1;
	uint64_t end = CELLS;

	while (end > 0 && !taken[end - 1])
		end--;
	assert_int_equal(offset_allocator_tail(allocator), end * OFFSET_ALIGN);
	const bool fits =
		offset % OFFSET_ALIGN == 0 && offset >= end * OFFSET_ALIGN && offset / OFFSET_ALIGN + cells <= CELLS;
	const int error = offset_allocator_alloc_at(allocator, offset, size, place);

	if (error != (fits ? 0 : -ERROR_LIMIT))
		fail_msg("seed %llu: %llu bytes at %llu, behind %llu: expected %d, got %d", (unsigned long long)seed,
			 (unsigned long long)size, (unsigned long long)offset, (unsigned long long)end * OFFSET_ALIGN,
			 fits ? 0 : -ERROR_LIMIT, error);
	if (error) {
		*place = NULL;
		return;
	}
	assert_true((*place)->offset == offset && (*place)->size == cells * OFFSET_ALIGN);
	mark(taken, *place, true, seed);
}

static void run_model(uint64_t seed)
{
	struct offset_allocator *allocator;
	struct offset_block *blocks[BLOCKS] = {0};
	bool taken[CELLS] = {0};
	uint64_t used = 0;

	random_state = seed;
	assert_int_equal(offset_allocator_create(BYTES, &allocator), 0);
	for (int i = 0; i < 4000; i++) {
		struct offset_block **place = &blocks[draw(BLOCKS)];

		if (*place) {
			mark(taken, *place, false, seed);
			used -= (*place)->size;
			offset_allocator_release(allocator, *place);
			*place = NULL;
		} else {
			assert_int_equal(offset_allocator_largest(allocator), longest_free(taken) * OFFSET_ALIGN);
			(draw(4) ? alloc_one : alloc_one_at)(allocator, taken, place, seed);
			used += *place ? (*place)->size : 0;
		}
		assert_int_equal(offset_allocator_used(allocator), used);
	}
	for (size_t i = 0; i < BLOCKS; i++)
		if (blocks[i])
			offset_allocator_release(allocator, blocks[i]);
	assert_int_equal(offset_allocator_used(allocator), 0);
	assert_int_equal(offset_allocator_largest(allocator), BYTES);
	offset_allocator_free(allocator);
}

static void test_model(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 30; seed++)
		run_model(seed);
}

static void test_edges(void **state)
{
	struct offset_allocator *allocator;
	struct offset_block *block, *other;

	(void)state;
	/* The whole of it, to the byte; a size of no whole number of pages. */
	assert_int_equal(offset_allocator_create(4096 + 640, &allocator), 0);
	assert_int_equal(offset_allocator_alloc(allocator, 4096 + 640, &block), 0);
	assert_int_equal(offset_allocator_alloc(allocator, 1, &other), -ERROR_LIMIT);
	offset_allocator_release(allocator, block);
	assert_int_equal(offset_allocator_alloc(allocator, UINT64_MAX, &block), -ERROR_LIMIT);
	assert_int_equal(offset_allocator_alloc(allocator, 0, &block), 0);
	assert_int_equal(block->size, 64);
	/* From a page upwards blocks begin on one, where that costs no place. */
	offset_allocator_free(allocator);
	assert_int_equal(offset_allocator_create(64 * 4096, &allocator), 0);
	assert_int_equal(offset_allocator_alloc(allocator, 100, &block), 0);
	assert_int_equal(offset_allocator_alloc(allocator, 5000, &other), 0);
	assert_int_equal(other->offset, 4096);
	assert_int_equal(other->size, 8192);
	/* The hole before it serves small ones. */
	assert_int_equal(offset_allocator_alloc(allocator, 100, &other), 0);
	assert_true(other->offset < 4096);
	offset_allocator_free(allocator);
	assert_int_equal(offset_allocator_create(10, &allocator), 0);
	assert_int_equal(offset_allocator_alloc(allocator, 1, &block), -ERROR_LIMIT);
	offset_allocator_free(allocator);
	offset_allocator_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_model), cmocka_unit_test(test_edges)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
