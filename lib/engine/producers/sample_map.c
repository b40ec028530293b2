/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the current reservation only; the page lists the earlier ones whose samples are still in the ring. */
#include "engine/producers/sample_map.h"

/* The page has the last four ranges' positions: the client can have unread samples of the last two at most, since a
 * range is as long as the ring. */
static int take_reservation(struct sample_map *map, struct ring_page *page, uint64_t number, struct error *err)
{
	uint64_t first;
	int r = map->source.take(map->source.arg, &first, err);

	if (r != 0)
		return r;
	map->current = number + 1;
	map->first = first;
	atomic_store_explicit(&page->ranges[number % RING_RANGES], first, memory_order_release);
	return 0;
}

/* Finds where sample `sample` of the ring lies in its stream, and cuts *n at the end of its range. Without a named
 * stream samples lie one behind the other. */
int sample_map_locate(struct sample_map *map, struct ring_page *page, uint64_t sample, size_t *n, uint64_t *ret_at,
		      struct error *err)
{
	uint64_t within;
	int r = 0;

	if (map->samples == 0) {
		*ret_at = sample;
		return 0;
	}
	within = sample % map->samples;
	if (sample / map->samples + 1 != map->current)
		r = take_reservation(map, page, sample / map->samples, err);
	if (r != 0)
		return r;
	if (*n > map->samples - within)
		*n = (size_t)(map->samples - within);
	*ret_at = map->first + within;
	return 0;
}

void sample_map_forget(struct sample_map *map)
{
	if (map->samples)
		map->source.forget(map->source.arg);
}
