/* SPDX-License-Identifier: Apache-2.0 */
/* What can be seen of a named stream in the page of a ring or a broadcast. */
#ifndef TRNSCI_TESTS_DAEMON_VISIBLE_H
#define TRNSCI_TESTS_DAEMON_VISIBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/producers/ring_layout.h"

struct visible {
	const struct ring_page *page;
	unsigned words; /* of a sample */
	uint64_t seen;  /* samples that were returned */
};

/* Returns the next run of samples that were not returned yet, as words of the stream; false: there are none. Take what
 * has been seen before the ring goes on by two ranges. */
static inline bool visible_next(struct visible *visible, uint64_t *ret_first, uint64_t *ret_end)
{
	const struct ring_page *page = visible->page;
	const uint64_t produced = atomic_load(&page->produced), range = page->range;
	const uint64_t in = visible->seen % range;
	uint64_t n = produced - visible->seen;

	if (n == 0)
		return false;
	n = n < range - in ? n : range - in;
	*ret_first = (atomic_load(&page->ranges[visible->seen / range % RING_RANGES]) + in) * visible->words;
	*ret_end = *ret_first + n * visible->words;
	visible->seen += n;
	return true;
}

#endif
