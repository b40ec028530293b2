/* SPDX-License-Identifier: Apache-2.0 */
/* The monotonic clock: setting the host's clock makes no wait longer. */
#ifndef TRNSCI_BASE_CLOCK_H
#define TRNSCI_BASE_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since the host's start, or thereabouts. */
static inline uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

#endif
