/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines: times of the monotonic clock in nanoseconds, so that setting the host's clock makes no wait longer. */
#ifndef TRNSCI_CLIENT_SESSION_DEADLINE_H
#define TRNSCI_CLIENT_SESSION_DEADLINE_H

#include <stdint.h>

/* A wait until DEADLINE_NEVER has no limit; one until 0 only looks at what is there. */
#define DEADLINE_NEVER INT64_MAX

int64_t clock_ns(void);

/* Returns DEADLINE_NEVER for a negative timeout and 0 for 0. */
int64_t deadline_after(int timeout_ms);

/* Returns the time left as poll() takes it: -1 for ever, 0 if the deadline has passed; rounded up. */
int deadline_left_ms(int64_t deadline);

#endif
