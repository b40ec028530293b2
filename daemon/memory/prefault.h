/* SPDX-License-Identifier: Apache-2.0 */
/* A pre-faulted arena: memory that no client has used, made ready in the background for the next client that asks for an
 * arena. The first touch of a page takes about 3 us, and 0.2 us once the page is there.
 *
 * It is as large as the arenas that clients asked for last, up to a bound. None is made for small arenas: few of their pages
 * are used, and touching all of them would cost more than it saves. It is charged to the daemon's own user as an arena is, and dropped when a client's arena needs that room. */
#ifndef TRNSCI_DAEMON_PREFAULT_H
#define TRNSCI_DAEMON_PREFAULT_H

#include <stdbool.h>
#include <stdint.h>

#include "limits/quota.h"

struct prefault;

/* most_bytes: the bound; 0: none is made. The first is made at once. Returns 0 or -ERROR_NO_MEMORY. */
int prefault_create(struct quota *quota, uint64_t most_bytes, struct prefault **ret_prefault);
/* Call it after the background worker has stopped. Accepts NULL. */
void prefault_free(struct prefault *prefault);

/* Hands over the arena for one of wanted_bytes: a memfd of *ret_bytes, at most as many, pre-faulted, mapped and not sealed.
 * Returns false if none is ready. */
bool prefault_take(struct prefault *prefault, uint64_t wanted_bytes, int *ret_fd, void **ret_base, uint64_t *ret_bytes);

/* Notes that an arena of so many bytes was asked for, and makes another in the background unless there is one that may
 * serve, or it cannot be charged. */
void prefault_refill(struct prefault *prefault, uint64_t wanted_bytes);

/* Drops the arena, ready or being made, and its charge. Returns false if there is none. */
bool prefault_drop(struct prefault *prefault);

bool prefault_is_ready(struct prefault *prefault);

#endif
