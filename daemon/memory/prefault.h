/* SPDX-License-Identifier: Apache-2.0 */
/* A spare arena: memory that no client has had, touched ahead by the reaper's thread. The first touch of a page takes
 * some 3 us, of one that is there 0.2: the client that gets the spare never waits for the former.
 *
 * It is accounted like an arena of the daemon's own user, and given up when a client's needs its place. */
#ifndef TRNSCI_DAEMON_SPARE_H
#define TRNSCI_DAEMON_SPARE_H

#include <stdbool.h>
#include <stdint.h>

#include "limits/quota.h"

struct prefault;

/* Of so many bytes, rounded down to pages; 0: none is ever made. The first is made at once. -ERROR_NO_MEMORY */
int prefault_create(struct quota *quota, uint64_t bytes, struct prefault **ret_spare);
/* After the reaper has stopped. Accepts NULL. */
void prefault_free(struct prefault *prefault);

/* A memfd of *ret_bytes, all touched, mapped and not sealed; all of it the caller's. False when none is ready. */
bool prefault_take(struct prefault *prefault, int *ret_fd, void **ret_base, uint64_t *ret_bytes);

/* Has another made, unless there is one or no account for it. */
void prefault_refill(struct prefault *prefault);

/* Gives up the one that is ready or being made, and its account; false when there is none. */
bool prefault_drop(struct prefault *prefault);

/* Whether one is ready. */
bool prefault_is_ready(struct prefault *prefault);

#endif
