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

struct spare;

/* Of so many bytes, rounded down to pages; 0: none is ever made. The first is made at once. -ERROR_NO_MEMORY */
int spare_create(struct quota *quota, uint64_t bytes, struct spare **ret_spare);
/* After the reaper has stopped. Accepts NULL. */
void spare_free(struct spare *spare);

/* A memfd of *ret_bytes, all touched, mapped and not sealed; all of it the caller's. False when none is ready. */
bool spare_take(struct spare *spare, int *ret_fd, void **ret_base, uint64_t *ret_bytes);

/* Has another made, unless there is one or no account for it. */
void spare_refill(struct spare *spare);

/* Gives up the one that is ready or being made, and its account; false when there is none. */
bool spare_drop(struct spare *spare);

/* Whether one is ready. */
bool spare_is_ready(struct spare *spare);

#endif
