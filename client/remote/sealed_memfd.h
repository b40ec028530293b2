/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and descriptors that a daemon passes: none of its words about them is taken on trust. */
#ifndef TRNSCI_CLIENT_REMOTE_SEALED_MEMFD_H
#define TRNSCI_CLIENT_REMOTE_SEALED_MEMFD_H

#include <stdint.h>

#include "call/call.h"

/* call_run for a call whose reply brings descriptors, in call->fds: one at a time, since none can be tied to a reply
 * otherwise. */
int sealed_memfd_run_call(struct trnsci_call *call, struct error *err);

/* Whether so many came. -ERROR_SYSTEM when this process had no room for them, else -ERROR_BAD_REPLY. */
int sealed_memfd_check_count(const struct fdpass *fds, unsigned count, const char *what, struct error *err);

/* Whether it is memory of that size, which nobody can shrink, grow or, `readonly`, write any more. -ERROR_BAD_REPLY */
int sealed_memfd_check(int fd, uint64_t bytes, bool readonly, const char *what, struct error *err);

#endif
