/* SPDX-License-Identifier: Apache-2.0 */
/* What a client of a crowd does: requests of every kind, of which every byte that comes is compared with what an engine
 * inside the process makes of the same request. */
#ifndef TESTS_CLIENT_DEEDS_H
#define TESTS_CLIENT_DEEDS_H

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <trnsci/trnsci.h>

#include "drawing.h"

/* The daemon's stream and broadcast that all clients share. */
#define DEEDS_STREAM "shared"
#define DEEDS_BROADCAST "news"

enum {
	DEEDS_PLACES_LOG = 31, /* places of the shared stream, of 4 words each, that are counted apart */
	DEEDS_SEED = 4711,
};

/* Seen by all processes: zero at first, in memory that is theirs together. */
struct deeds_shared {
	_Atomic uint64_t requests, clients, failed;
	char why[400]; /* of the first that failed */
	_Atomic uint8_t given[(size_t)1 << (DEEDS_PLACES_LOG - 3)];
};

extern const size_t deeds_count;

const char *deeds_name(size_t index);

/* The broadcast's draw. */
struct drawing deeds_news(void);

/* A whole life at that socket, of which all is determined by the seed but the order of answers. The process ends here:
 * with 0, or with 1, once `why` is set. */
_Noreturn void deeds_live(struct deeds_shared *shared, const char *socket, uint32_t seed);

#endif
