/* SPDX-License-Identifier: Apache-2.0 */
/* A broadcast's producer: draws samples once, into memory that any number of readers map, up to a target.
 *
 * It waits for no reader. A reader that falls a capacity behind compares `claimed` after its copy, and so finds which
 * of the copied samples were overwritten. One job for the life of the broadcast; it sleeps while nothing is to be
 * published. */
#ifndef TRNSCI_ENGINE_BROADCAST_H
#define TRNSCI_ENGINE_BROADCAST_H

#include "engine/producers/ring.h"
#include "engine/producers/sampler.h"

struct broadcast;

/* Takes ownership of the sampler, also when it fails. memory->index is not used; named as for ring_create. `published`
 * follows every step, `gone` comes last. Sets *ret_broadcast before the first event. Returns 0, -ERROR_CLOSED,
 * -ERROR_LIMIT (jobs) or -ERROR_NO_MEMORY. */
int broadcast_create(struct engine_session *session, struct sampler *sampler, const struct ring_memory *memory,
		     const struct ring_stream *named, const struct ring_events *events,
		     struct broadcast **ret_broadcast, struct error *err);

/* Publishes up to sample `target`, which only grows. Samples more than a capacity before the target are skipped, not
 * drawn: they would be overwritten at once. One thread at a time. */
void broadcast_publish(struct broadcast *broadcast, uint64_t target);

/* Samples published so far; and the sampler they come from, valid until broadcast_free. */
uint64_t broadcast_produced(const struct broadcast *broadcast);
const struct sampler *broadcast_sampler(const struct broadcast *broadcast);

/* As ring_close and ring_free. `why` is the state of the page: ERROR_CLOSED, or ERROR_NO_DAEMON where the daemon
 * stops, which readers outlast. */
void broadcast_close(struct broadcast *broadcast, enum error_code why);
void broadcast_free(struct broadcast *broadcast);

#endif
