/* SPDX-License-Identifier: Apache-2.0 */
/* What the owner of a ring or a broadcast gives its producer: shared memory and callbacks. */
#ifndef TRNSCI_ENGINE_RING_MEMORY_H
#define TRNSCI_ENGINE_RING_MEMORY_H

#include "base/error.h"
#include "engine/producers/ring_layout.h"

/* The ring's memory: it belongs to the owner and stays mapped until `gone`. capacity: samples, a power of two. */
struct ring_memory {
	struct ring_page *page; /* as ring_page_begin leaves it */
	char *samples;
	const struct ring_index *index;
	uint64_t capacity;
};

/* Callbacks from the pool's threads. Neither may block. */
struct ring_events {
	/* The page's counter or state has changed: wake those who wait for page->news. */
	void (*published)(void *arg);
	/* The last call: the ring does not touch its memory any more; call ring_free. why: ERROR_CANCELLED after
	 * ring_close, or what the consumer did wrong. */
	void (*gone)(void *arg, const struct error *why);
	void *arg;
};

#endif
