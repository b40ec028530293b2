/* SPDX-License-Identifier: Apache-2.0 */
/* Memory and descriptors that a daemon passes: checked before they are used. */
#ifndef TRNSCI_CLIENT_REMOTE_SEALED_MEMFD_H
#define TRNSCI_CLIENT_REMOTE_SEALED_MEMFD_H

#include <stdint.h>

#include "call/call.h"

/* Runs a call whose reply brings descriptors, in call->answer.fds; as call_run, with that time limit. One such call at a time: a
 * received descriptor cannot be tied to a range of bytes. */
int sealed_memfd_run_call(struct trnsci_call *call, int timeout_ms, struct error *err);

/* Checks that so many descriptors came. -ERROR_SYSTEM if this process could not take more, otherwise -ERROR_BAD_REPLY.
 */
int sealed_memfd_check_count(const struct fdpass *fds, unsigned count, const char *what, struct error *err);

/* Checks that the descriptor is memory of that size which nobody can shrink or grow, or, if `readonly`, write in a new
 * mapping. -ERROR_BAD_REPLY */
int sealed_memfd_check(int fd, uint64_t bytes, bool readonly, const char *what, struct error *err);

#endif
