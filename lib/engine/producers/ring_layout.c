/* SPDX-License-Identifier: Apache-2.0 */
/* The size and the first contents of the shared pages. */
#include "engine/producers/ring_layout.h"

uint64_t ring_capacity(uint64_t samples, size_t sample_bytes, uint64_t page_bytes, uint64_t most_bytes)
{
	const uint64_t most = most_bytes / sample_bytes;
	uint64_t capacity = page_bytes;

	while (capacity < samples && capacity <= most)
		capacity *= 2;
	return capacity <= most ? capacity : 0;
}

/* Changes `news` last, which wakes readers that still wait on a ring that has ended. */
void ring_page_begin(struct ring_page *page, uint64_t capacity, size_t sample_bytes, uint64_t range)
{
	page->magic = RING_MAGIC;
	page->version = RING_VERSION;
	page->sample_bytes = (uint32_t)sample_bytes;
	page->capacity = capacity;
	page->range = range;
	atomic_store_explicit(&page->claimed, 0, memory_order_relaxed);
	atomic_store_explicit(&page->asleep, 0, memory_order_relaxed);
	for (int i = 0; i < RING_RANGES; i++)
		atomic_store_explicit(&page->ranges[i], 0, memory_order_relaxed);
	atomic_store_explicit(&page->produced, 0, memory_order_relaxed);
	atomic_store_explicit(&page->state, RING_OPEN, memory_order_release);
	atomic_fetch_add_explicit(&page->news, 1, memory_order_release);
}
