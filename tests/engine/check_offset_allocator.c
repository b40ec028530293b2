/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator against a model that knows every 64 bytes of the region. */
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

enum { CELLS = 4096, BYTES = CELLS * REGION_ALIGN, BLOCKS = 400 };

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

static void mark(bool *taken, const struct region_block *block, bool value, uint64_t seed)
{
	for (uint64_t i = block->offset / REGION_ALIGN; i < (block->offset + block->size) / REGION_ALIGN; i++) {
		if (i >= CELLS || taken[i] == value)
			fail_msg("seed %llu: block [%llu, +%llu) overlaps another, or leaves the region",
				 (unsigned long long)seed, (unsigned long long)block->offset,
				 (unsigned long long)block->size);
		taken[i] = value;
	}
}

static void alloc_one(struct region *region, bool *taken, struct region_block **place, uint64_t seed)
{
	const uint64_t size = draw(20) == 0 ? draw(BYTES) : draw(8) ? draw(2000) : 4096 * (1 + draw(8));
	const size_t free_cells = longest_free(taken);
	int error = region_alloc(region, size, place);

	if (error == -ERROR_LIMIT) {
		/* Refused only where there is no place for it. */
		if (size + REGION_ALIGN <= free_cells * REGION_ALIGN)
			fail_msg("seed %llu: %llu bytes refused, %zu are free in one piece", (unsigned long long)seed,
				 (unsigned long long)size, free_cells * REGION_ALIGN);
		*place = NULL;
		return;
	}
	assert_int_equal(error, 0);
	assert_true((*place)->size >= size && (*place)->offset % REGION_ALIGN == 0);
	mark(taken, *place, true, seed);
}

/* At a place of the caller's: behind all blocks, or it is refused. */
static void alloc_one_at(struct region *region, bool *taken, struct region_block **place, uint64_t seed)
{
	const uint64_t offset = draw(CELLS + 4) * REGION_ALIGN + (draw(16) == 0), size = draw(4) ? draw(2000) : draw(BYTES);
	const uint64_t cells = size ? (size + REGION_ALIGN - 1) / REGION_ALIGN : 1;
	uint64_t end = CELLS;

	while (end > 0 && !taken[end - 1])
		end--;
	assert_int_equal(region_tail(region), end * REGION_ALIGN);
	const bool fits = offset % REGION_ALIGN == 0 && offset >= end * REGION_ALIGN &&
			  offset / REGION_ALIGN + cells <= CELLS;
	const int error = region_alloc_at(region, offset, size, place);

	if (error != (fits ? 0 : -ERROR_LIMIT))
		fail_msg("seed %llu: %llu bytes at %llu, behind %llu: expected %d, got %d", (unsigned long long)seed,
			 (unsigned long long)size, (unsigned long long)offset, (unsigned long long)end * REGION_ALIGN,
			 fits ? 0 : -ERROR_LIMIT, error);
	if (error) {
		*place = NULL;
		return;
	}
	assert_true((*place)->offset == offset && (*place)->size == cells * REGION_ALIGN);
	mark(taken, *place, true, seed);
}

static void run_model(uint64_t seed)
{
	struct region *region;
	struct region_block *blocks[BLOCKS] = {0};
	bool taken[CELLS] = {0};
	uint64_t used = 0;

	random_state = seed;
	assert_int_equal(region_create(BYTES, &region), 0);
	for (int i = 0; i < 4000; i++) {
		struct region_block **place = &blocks[draw(BLOCKS)];

		if (*place) {
			mark(taken, *place, false, seed);
			used -= (*place)->size;
			region_release(region, *place);
			*place = NULL;
		} else {
			assert_int_equal(region_largest(region), longest_free(taken) * REGION_ALIGN);
			(draw(4) ? alloc_one : alloc_one_at)(region, taken, place, seed);
			used += *place ? (*place)->size : 0;
		}
		assert_int_equal(region_used(region), used);
	}
	for (size_t i = 0; i < BLOCKS; i++)
		if (blocks[i])
			region_release(region, blocks[i]);
	assert_int_equal(region_used(region), 0);
	assert_int_equal(region_largest(region), BYTES);
	region_free(region);
}

static void test_model(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 30; seed++)
		run_model(seed);
}

static void test_edges(void **state)
{
	struct region *region;
	struct region_block *block, *other;

	(void)state;
	/* The whole of it, to the byte; a size of no whole number of pages. */
	assert_int_equal(region_create(4096 + 640, &region), 0);
	assert_int_equal(region_alloc(region, 4096 + 640, &block), 0);
	assert_int_equal(region_alloc(region, 1, &other), -ERROR_LIMIT);
	region_release(region, block);
	assert_int_equal(region_alloc(region, UINT64_MAX, &block), -ERROR_LIMIT);
	assert_int_equal(region_alloc(region, 0, &block), 0);
	assert_int_equal(block->size, 64);
	/* From a page upwards blocks begin on one, where that costs no place. */
	region_free(region);
	assert_int_equal(region_create(64 * 4096, &region), 0);
	assert_int_equal(region_alloc(region, 100, &block), 0);
	assert_int_equal(region_alloc(region, 5000, &other), 0);
	assert_int_equal(other->offset, 4096);
	assert_int_equal(other->size, 8192);
	/* The hole before it serves small ones. */
	assert_int_equal(region_alloc(region, 100, &other), 0);
	assert_true(other->offset < 4096);
	region_free(region);
	assert_int_equal(region_create(10, &region), 0);
	assert_int_equal(region_alloc(region, 1, &block), -ERROR_LIMIT);
	region_free(region);
	region_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_model), cmocka_unit_test(test_edges)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
