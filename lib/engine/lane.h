/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes: 128 worker slots, each an identity and what was done under it. Chunk i of a stage belongs to lane i mod 128.
 */
#ifndef TRNSCI_ENGINE_LANE_H
#define TRNSCI_ENGINE_LANE_H

#include <stdalign.h>
#include <stdatomic.h>
#include <stdint.h>

#include "base/value.h"
#include "engine/engine.h"

/* A lane may be worked on by several threads at once, when one takes work from another. */
struct lane {
	alignas(64) _Atomic uint64_t chunks;
	_Atomic uint64_t words, busy_ns, longest_ns;
};

void lane_record(struct lane *lane, uint64_t words, uint64_t ns);

/* Puts an array of 128 maps {chunks, words, busy_ns, longest_ns} into map under "lanes". */
int lane_stats(const struct lane lanes[ENGINE_LANES], struct zone *zone, struct value *map);

#endif
