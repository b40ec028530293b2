/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's log: journal fields where standard error is the journal's, plain lines otherwise.
 *
 * What a client causes is logged at level debug only, so that no client can fill a disk; `stats` counts it at every level.
 * Any thread. */
#ifndef TRNSCI_DAEMON_LOG_H
#define TRNSCI_DAEMON_LOG_H

#include <stdint.h>
#include <sys/types.h>

/* Numbers are syslog's priorities. */
enum log_level { LEVEL_ERROR = 3, LEVEL_WARNING = 4, LEVEL_INFO = 6, LEVEL_DEBUG = 7 };

/* name: one of the choices of the setting log_level. */
void log_open(const char *name);
/* Changes the level. */
void log_set_level(const char *name);

void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* About one client: its session's number and user, as fields TRNSCI_SESSION and TRNSCI_UID of the journal. */
void log_client(enum log_level level, uint64_t session, uid_t uid, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

#endif
