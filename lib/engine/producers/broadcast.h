/* SPDX-License-Identifier: Apache-2.0 */
/* The filler of a broadcast: draws samples once, into memory that any number of readers see, as far as it is told.
 *
 * Nobody is waited for: a reader that falls a capacity behind finds by `claimed`, after it has copied, which samples
 * were overwritten meanwhile. One job for the life of the broadcast, in turns with all others, asleep while there is
 * nothing to publish. */
#ifndef TRNSCI_ENGINE_BROADCAST_H
#define TRNSCI_ENGINE_BROADCAST_H

#include "engine/producers/ring.h"
#include "engine/producers/sampler.h"

struct broadcast;

/* Takes the noise, whatever happens. memory->index is not used; ranges as of a ring. Of events, `published` follows every step, and
 * `gone` comes last; as a ring's. *ret_broadcast is set before any event. -ERROR_CLOSED, -ERROR_LIMIT (jobs),
 * -ERROR_NO_MEMORY. */
int broadcast_create(struct space *space, struct noise *noise, const struct ring_memory *memory,
		     const struct ranges_source *ranges, const struct ring_events *events,
		     struct broadcast **ret_broadcast, struct error *err);

/* Publishes up to sample `target`, which only grows. What would be overwritten at once, as a target that is more than
 * a capacity ahead makes it, is not drawn at all. By one thread. */
void broadcast_publish(struct broadcast *broadcast, uint64_t target);

/* Samples that readers can see, as far as the events have told; and what they are, until broadcast_free. */
uint64_t broadcast_produced(const struct broadcast *broadcast);
const struct noise *broadcast_noise(const struct broadcast *broadcast);

/* As ring_go_on, ring_close and ring_free. */
void broadcast_go_on(struct broadcast *broadcast);
void broadcast_close(struct broadcast *broadcast);
void broadcast_free(struct broadcast *broadcast);

#endif
