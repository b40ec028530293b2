/* SPDX-License-Identifier: Apache-2.0 */
/* The last requests that took longer than the setting slow_us, in a ring of fixed size. A request below it costs one
 * comparison. It belongs to the loop's thread. */
#ifndef TRNSCI_DAEMON_SLOW_LOG_H
#define TRNSCI_DAEMON_SLOW_LOG_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/value.h"

enum { SLOW_LOG_ROOM = 128 };

struct slow_request {
	const char *method; /* an operation's name, which lives as long as the process */
	uint64_t session;
	pid_t pid;
	uid_t uid;
	uint64_t time_ns;  /* of its reply, CLOCK_REALTIME; set by slow_log_add */
	uint64_t total_ns; /* from reading to reply */
	/* Set if the engine's threads ran the request. */
	bool has_threads;
	uint64_t wait_ns, run_ns; /* until a thread began with it; until it was computed */
	uint64_t result_bytes;
	int error; /* code; 0: none, or it was replied to at once */
};

/* Zero: empty. */
struct slow_log {
	uint64_t added;
	struct slow_request at[SLOW_LOG_ROOM];
};

/* Copies the request, over the oldest one where the ring is full. */
void slow_log_add(struct slow_log *log, const struct slow_request *request);

/* Adds a map for each request of that user to the array, the newest first; of all users if `all` is set. Returns 0 or
 * -ERROR_NO_MEMORY. */
int slow_log_show(const struct slow_log *log, uid_t uid, bool all, struct bump *bump, struct value *list);

#endif
