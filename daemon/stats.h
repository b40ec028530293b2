/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon has counted since it began. Touched by the loop's thread only. */
#ifndef TRNSCI_DAEMON_STATS_H
#define TRNSCI_DAEMON_STATS_H

#include <stdint.h>

#include "base/value.h"

/* X(name, what it counts) */
#define STATS_TABLE(X)                                                                                                 \
	X(connections_accepted, "connections that became sessions")                                                    \
	X(connections_refused, "connections beyond a limit")                                                           \
	X(sessions, "sessions now")                                                                                    \
	X(requests, "requests read")                                                                                   \
	X(requests_prepared, "of them, runs of prepared calls")                                                        \
	X(errors, "requests answered with an error")                                                                   \
	X(cancelled, "requests that a client cancelled")                                                               \
	X(notifications_ignored, "notifications, none of which we know")                                               \
	X(bad_frames, "connections ended for bytes that are no message")                                               \
	X(strange_fds, "connections ended for file descriptors that nobody asked for")                                 \
	X(over_limit, "connections ended for messages beyond a limit")                                                 \
	X(half_frames, "connections ended for a message that did not end")                                             \
	X(unread, "connections ended for replies that were not read")                                                  \
	X(rings, "noise rings now")                                                                                    \
	X(broadcasts, "broadcasts now")                                                                                \
	X(ring_wakes, "times that a client woke the filler of its ring")                                               \
	X(rings_detached, "rings ended for what their clients did")                                                    \
	X(bytes_received, "bytes of messages read")                                                                    \
	X(bytes_sent, "bytes of messages sent")

struct stats {
#define X(name, help) uint64_t name;
	STATS_TABLE(X)
#undef X
};

/* Every counter into map. -ERROR_NO_MEMORY */
int stats_show(const struct stats *stats, struct bump *bump, struct value *map);

/* CLOCK_MONOTONIC */
uint64_t stats_now_ns(void);

#endif
