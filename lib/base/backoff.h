/* SPDX-License-Identifier: Apache-2.0 */
/* Exponential backoff: what was in vain is left alone for a while, for twice as long when it is in vain again. */
#ifndef TRNSCI_BASE_BACKOFF_H
#define TRNSCI_BASE_BACKOFF_H

#include <stdint.h>

/* Returns the length of the next rest, in any unit. last: that of the one before; 0: there was none. */
static inline uint64_t backoff_next(uint64_t last, uint64_t least, uint64_t most)
{
	const uint64_t next = last < least ? least : 2 * last;

	return next < most ? next : most;
}

#endif
