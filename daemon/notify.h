/* SPDX-License-Identifier: Apache-2.0 */
/* What a service manager passes to the daemon, and what the daemon notifies it of. Without one, nothing happens. */
#ifndef TRNSCI_DAEMON_NOTIFY_H
#define TRNSCI_DAEMON_NOTIFY_H

#include <stdint.h>

#include "base/error.h"

/* Sets *ret_fd to the listening Unix stream socket that was passed (close-on-exec), or to -1. Returns 0; or -ERROR_SYSTEM
 * when several descriptors or one of another kind were passed. */
int notify_listen_fd(int *ret_fd, struct error *err);

void notify_ready(void);
/* Reports that the config files are about to be read again; notify_ready() ends that. */
void notify_reloading(void);
void notify_stopping(void);
void notify_status(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Returns how often to call notify_watchdog, in microseconds; 0: never. */
uint64_t notify_watchdog_interval_us(void);
void notify_watchdog(void);

#endif
