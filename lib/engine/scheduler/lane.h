/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes: 128 worker slots with an identity and counters. Lane i mod 128 counts chunk i of a stage. */
#ifndef TRNSCI_ENGINE_LANE_H
#define TRNSCI_ENGINE_LANE_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/value.h"

enum { ENGINE_LANES = 128 };

/* A lane may be worked on by several threads at once, when one takes work from another. */
struct lane {
	alignas(64) _Atomic uint64_t chunks;
	_Atomic uint64_t words, busy_ns, longest_ns;
};

void lane_record(struct lane *lane, uint64_t words, uint64_t ns);

/* The same of a lane that no other thread writes. */
void lane_record_alone(struct lane *lane, uint64_t words, uint64_t ns);
/* The same of several chunks, which took ns together. */
void lane_record_several(struct lane *lane, uint64_t chunks, uint64_t words, uint64_t ns);

/* Adds what one lane has counted to another. */
void lane_add(const struct lane *lane, struct lane *to);

/* Puts an array of 128 maps {chunks, words, busy_ns, longest_ns} into map under "lanes". first: what is to be added to
 * lane 0. */
int lane_stats(const struct lane lanes[ENGINE_LANES], const struct lane *first, struct bump *bump, struct value *map);

#endif
