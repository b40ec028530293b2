/* SPDX-License-Identifier: Apache-2.0 */
/* A ring's producer: keeps shared memory full of random numbers ahead of one consumer.
 *
 * It is one job that the scheduler serves among all others; it costs nothing while it waits for ring_wake. The consumer
 * can write its index at any moment, so each look copies it once; an index that moves back, or past what was published,
 * ends the ring. What is drawn and where it goes never depends on shared memory. */
#ifndef TRNSCI_ENGINE_RING_H
#define TRNSCI_ENGINE_RING_H

#include "engine/producers/ring_memory.h"
#include "engine/producers/sampler.h"

struct ring;

/* Starts to fill the ring. named: the sampler's stream, of a session whose owner has named streams; NULL for a plain stream.
 * Takes ownership of the sampler, also when it fails. Sets *ret_ring before the first event. Returns 0, -ERROR_CLOSED, -ERROR_LIMIT (jobs) or -ERROR_NO_MEMORY. */
int ring_create(struct engine_session *session, struct sampler *sampler, const struct ring_memory *memory,
		const struct ring_stream *named, const struct ring_events *events, struct ring **ret_ring,
		struct error *err);

/* The consumer reports that half the ring is free. Any thread, until ring_free. */
void ring_wake(struct ring *ring);

/* Cancels the ring within one chunk; engine_session_close does the same. `why` is the state of the page: ERROR_CLOSED, or
 * ERROR_NOT_PERMITTED where an administrator ended it. The first one stays. Any thread, until ring_free. */
void ring_close(struct ring *ring, enum error_code why);

/* Call it after `gone`. Accepts NULL. */
void ring_free(struct ring *ring);

#endif
