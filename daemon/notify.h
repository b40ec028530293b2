/* SPDX-License-Identifier: Apache-2.0 */
/* What a service manager passes to the daemon and hears from it. Without one, all of it does nothing. */
#ifndef TRNSCI_DAEMON_NOTIFY_H
#define TRNSCI_DAEMON_NOTIFY_H

#include <stdint.h>

#include "base/error.h"

/* *ret_fd: the listening Unix stream socket that was passed (close-on-exec), or -1 when none was. -ERROR_SYSTEM: more
 * than one was passed, or another sort of fd. */
int notify_listen_fd(int *ret_fd, struct error *err);

void notify_ready(void);
void notify_stopping(void);
void notify_status(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* How often notify_watchdog is to be called, in microseconds; 0: never. */
uint64_t notify_watchdog_interval_us(void);
void notify_watchdog(void);

#endif
