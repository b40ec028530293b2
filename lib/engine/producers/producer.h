/* SPDX-License-Identifier: Apache-2.0 */
/* What the fillers of rings and broadcasts share: one job for life that draws a noise's samples into shared memory,
 * step by step, and tells who waits. */
#ifndef TRNSCI_ENGINE_PRODUCER_H
#define TRNSCI_ENGINE_PRODUCER_H

#include "engine/memory/session_memory_core.h"
#include "engine/producers/reservations.h"
#include "engine/producers/ring.h"
#include "engine/producers/sampler.h"

struct feed {
	struct job job; /* first */
	struct space_job entry;
	struct space *space;
	struct pool *pool; /* outlives the space */
	struct noise *noise;
	struct ring_memory memory;
	struct ring_events events;
	struct ranges ranges;
	uint64_t samples;  /* that there are, to the end of the stream */
	uint64_t produced; /* the filler's own; the page has a copy */
	size_t filling;    /* samples of the stage that runs */
	struct error why;
};

/* Sets the feed and enters the space as `what`. The noise is the feed's from now on, and freed on failure. ranges: of a
 * named stream, as ring_create. The owner submits feed->job. */
int feed_begin(struct feed *feed, const struct job_ops *ops, const char *what, struct space *space, struct noise *noise,
	       const struct ring_memory *memory, const struct ranges_source *ranges, const struct ring_events *events,
	       struct error *err);

/* Before anything else: what the noise needs, by pieces. JOB_AGAIN; 0: all is there; or an error. */
int feed_make(struct feed *feed);

/* Publishes what the last stage drew; false: nothing was. */
bool feed_publish(struct feed *feed);

/* The page's state, and a call to who wakes the waiting. */
void feed_tell(struct feed *feed, uint32_t state);

/* Where the next n samples lie in the stream, or as many as are of one range: as ranges_find. */
int feed_find(struct feed *feed, size_t *n, uint64_t *ret_at);

/* Makes the stage that draws them. JOB_STAGE. */
int feed_aim(struct feed *feed, size_t n, uint64_t at);

/* job_ops.run */
uint64_t feed_run(struct job *job, size_t unit, void *scratch);

/* The end: what has gone wrong is told as `what`'s, the space is left, and `gone` is called, in which the feed may be
 * freed. */
void feed_finish(struct feed *feed, const char *what, int error);

#endif
