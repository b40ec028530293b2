/* SPDX-License-Identifier: Apache-2.0 */
/* A rate limit: so many events a second, and as many at once after a quiet second.
 *
 * The generic cell rate algorithm (ITU-T I.371, annex A, virtual scheduling) with a tolerance of one second. Its state is
 * one time. A refused event does not count. */
#ifndef TRNSCI_DAEMON_RATE_H
#define TRNSCI_DAEMON_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct rate {
	uint64_t due_ns; /* when the events so far would have come at an even pace */
};

/* Returns true if one more event at now_ns keeps to per_second (1 to 10^9). */
bool rate_allows(const struct rate *rate, uint64_t per_second, uint64_t now_ns);
/* Counts an event. */
void rate_count(struct rate *rate, uint64_t per_second, uint64_t now_ns);
/* Returns true if no past event counts any more. */
bool rate_is_rested(const struct rate *rate, uint64_t now_ns);

#endif
