/* SPDX-License-Identifier: Apache-2.0 */
/* How often something may happen: so many times a second, and as many at once after a quiet second.
 *
 * The generic cell rate algorithm (ITU-T I.371, annex A, virtual scheduling) with a tolerance of one second: the state is
 * one time, and what is refused costs nothing of what is allowed. */
#ifndef TRNSCI_DAEMON_RATE_H
#define TRNSCI_DAEMON_RATE_H

#include <stdbool.h>
#include <stdint.h>

struct rate {
	uint64_t due_ns; /* when all that was let through would have come at an even pace */
};

/* Whether one more fits at now_ns under per_second, which is 1 to 10^9. */
bool rate_allows(const struct rate *rate, uint64_t per_second, uint64_t now_ns);
/* It has come. */
void rate_count(struct rate *rate, uint64_t per_second, uint64_t now_ns);
/* Whether it is as if nothing had ever come. */
bool rate_is_rested(const struct rate *rate, uint64_t now_ns);

#endif
