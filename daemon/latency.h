/* SPDX-License-Identifier: Apache-2.0 */
/* How long requests take, from the reading of a request to its reply: a histogram for each class of methods.
 *
 * Times are counted in 16 buckets for each power of two of nanoseconds, so that a percentile is right within 1/16 at any
 * scale, and counting is one increment. Source: G. Tene, HdrHistogram. It all belongs to the loop's thread. */
#ifndef TRNSCI_DAEMON_LATENCY_H
#define TRNSCI_DAEMON_LATENCY_H

#include <stdint.h>

#include "base/value.h"

enum { LATENCY_STEPS = 16, LATENCY_BUCKETS = 61 * LATENCY_STEPS };

struct latency {
	uint64_t count, total_ns, max_ns;
	uint64_t buckets[LATENCY_BUCKETS];
};

void latency_add(struct latency *latency, uint64_t ns);
void latency_add_many(struct latency *latency, uint64_t ns, uint64_t count);

/* Returns the time in ns that this share of the requests (0 to 1) did not exceed; 0 if there was none. */
uint64_t latency_percentile(const struct latency *latency, double share);

/* Adds count, total_us, p50_us, p99_us, p999_us, max_us and histogram to map: entry i of that is the number of times from
 * 2^(i div 4) (1 + (i mod 4) / 4) ns up to the next entry's, without the zeros at the end. Returns 0 or -ERROR_NO_MEMORY. */
int latency_show(const struct latency *latency, struct bump *bump, struct value *map);

#endif
