/* SPDX-License-Identifier: Apache-2.0 */
/* The range that is being drawn; those before it stand in the page as long as their samples do. */
#include "engine/producers/reservations.h"

static int take(struct ranges *ranges, struct ring_page *page, uint64_t number, struct error *err)
{
	uint64_t first;
	int r = ranges->source.take(ranges->source.arg, &first, err);

	if (r != 0)
		return r;
	ranges->current = number + 1;
	ranges->first = first;
	atomic_store_explicit(&page->ranges[number % RING_RANGES], first, memory_order_release);
	return 0;
}

int ranges_find(struct ranges *ranges, struct ring_page *page, uint64_t sample, size_t *n, uint64_t *ret_at,
		struct error *err)
{
	uint64_t within;
	int r = 0;

	if (ranges->samples == 0) {
		*ret_at = sample;
		return 0;
	}
	within = sample % ranges->samples;
	if (sample / ranges->samples + 1 != ranges->current)
		r = take(ranges, page, sample / ranges->samples, err);
	if (r != 0)
		return r;
	if (*n > ranges->samples - within)
		*n = (size_t)(ranges->samples - within);
	*ret_at = ranges->first + within;
	return 0;
}

void ranges_forget(struct ranges *ranges)
{
	if (ranges->samples)
		ranges->source.forget(ranges->source.arg);
}
