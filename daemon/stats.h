/* SPDX-License-Identifier: Apache-2.0 */
/* Counters of the daemon since its start. They belong to the loop's thread. */
#ifndef TRNSCI_DAEMON_STATS_H
#define TRNSCI_DAEMON_STATS_H

#include <stdint.h>

#include "base/value.h"

/* X(name, what it counts) */
#define STATS_TABLE(X)                                                                                                 \
	X(connections_accepted, "connections accepted")                                                    \
	X(connections_refused, "connections refused for a limit")                                                           \
	X(sessions, "sessions now")                                                                                    \
	X(requests, "requests read")                                                                                   \
	X(requests_prepared, "requests that were runs of prepared calls")                                                        \
	X(errors, "requests answered with an error")                                                                   \
	X(slow_requests, "requests that took longer than slow_us")                                                     \
	X(cancelled, "requests that a client cancelled")                                                               \
	X(notifications_ignored, "notifications of clients, which are ignored")                                               \
	X(bad_frames, "connections closed for bytes that are not a message")                                               \
	X(strange_fds, "connections closed for unexpected file descriptors")                                 \
	X(over_limit, "connections closed for messages beyond a limit")                                                 \
	X(half_frames, "connections closed for a message that was not completed in time")                                             \
	X(unread, "connections closed for unread replies")                                                  \
	X(rings, "noise rings now")                                                                                    \
	X(broadcasts, "broadcasts now")                                                                                \
	X(ring_wakes, "wake-ups of a ring's producer by its client")                                               \
	X(rings_detached, "rings that the daemon ended")                                                    \
	X(queues, "queues now")                                                                                        \
	X(queue_runs, "runs of prepared calls that came through a queue")                                              \
	X(queue_kicks, "notifications of clients that entries were submitted")                                         \
	X(queue_wakes, "clients woken for completions")                                                                \
	X(sender_replies, "messages that the sender's thread sent, of a crowd of clients")                                     \
	X(bad_queues, "connections closed for a queue whose words break its rules")                                    \
	X(bytes_received, "bytes of messages read")                                                                    \
	X(bytes_sent, "bytes of messages sent")

struct stats {
#define X(name, help) uint64_t name;
	STATS_TABLE(X)
#undef X
};

/* Adds every counter to map. Returns 0 or -ERROR_NO_MEMORY. */
int stats_show(const struct stats *stats, struct bump *bump, struct value *map);

/* Returns the time of CLOCK_MONOTONIC. */
uint64_t stats_now_ns(void);

#endif
