/* SPDX-License-Identifier: Apache-2.0 */
/* The filler of a noise ring: keeps shared memory full ahead of one taker.
 *
 * The ring is filled step by step, as one job that takes its turns with all others and costs nothing while it waits. It
 * waits for ring_wake only, never for memory: the taker's index is copied once each time it is needed, and one that
 * moves back or past what was produced ends the ring. What is drawn, and where it goes, is known by the filler alone. */
#ifndef TRNSCI_ENGINE_RING_H
#define TRNSCI_ENGINE_RING_H

#include "engine/producers/reservations.h"
#include "engine/producers/ring_layout.h"
#include "engine/producers/sampler.h"

struct ring;

/* The ring's memory; the owner's, and mapped until `gone`. capacity: samples, a power of two. */
struct ring_memory {
	struct ring_page *page; /* as ring_page_begin leaves it */
	char *samples;
	const struct ring_index *index;
	uint64_t capacity;
};

/* Called from lanes' threads; neither may block. */
struct ring_events {
	/* produced or state has changed: to wake who waits for page->news. */
	void (*published)(void *arg);
	/* The last: the ring touches no memory any more, and waits for ring_free. why: cancelled (it was closed), or
	 * what is wrong with the taker. */
	void (*gone)(void *arg, const struct error *why);
	void *arg;
};

/* Begins to fill. ranges: of a named stream (NULL: there are none); its range is the capacity. It takes the noise,
 * whatever happens. *ret_ring is set before any event, and before the source is asked. -ERROR_CLOSED, -ERROR_LIMIT
 * (jobs), -ERROR_NO_MEMORY. */
int ring_create(struct space *space, struct noise *noise, const struct ring_memory *memory,
		const struct ranges_source *ranges, const struct ring_events *events, struct ring **ret_ring,
		struct error *err);

/* The taker says that half the ring is free. Any thread, until ring_free. */
void ring_wake(struct ring *ring);

/* The source of its ranges can be asked again. Any thread, until its forget has returned. */
void ring_go_on(struct ring *ring);

/* Asks for its end, within a chunk; also done by space_close. Any thread, until ring_free. */
void ring_close(struct ring *ring);

/* After gone. */
void ring_free(struct ring *ring);

#endif
