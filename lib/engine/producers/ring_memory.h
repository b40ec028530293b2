/* SPDX-License-Identifier: Apache-2.0 */
/* What the owner of a ring or a broadcast gives its producer: shared memory, a stream and callbacks. */
#ifndef TRNSCI_ENGINE_RING_MEMORY_H
#define TRNSCI_ENGINE_RING_MEMORY_H

#include "base/error.h"
#include "engine/producers/ring_layout.h"
#include "rng/stream.h"

/* The ring's memory: it belongs to the owner and stays mapped until `gone`. capacity: samples, a power of two. */
struct ring_memory {
	struct ring_page *page; /* as ring_page_begin leaves it */
	char *samples;
	const struct ring_index *index;
	uint64_t capacity;
};

/* The named stream that the samples are drawn from, by reservations of one capacity each. It belongs to the owner until
 * `gone`. */
struct ring_stream {
	const char *name;
	struct stream stream; /* what the name stood for at first; another of the name is refused */
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
