/* SPDX-License-Identifier: Apache-2.0 */
/* The ring of slow requests. */
#include "slow_log.h"

#include <time.h>

#include "base/error.h"

void slow_log_add(struct slow_log *log, const struct slow_request *request)
{
	struct slow_request *at = &log->at[log->added++ % SLOW_LOG_ROOM];
	struct timespec now;

	clock_gettime(CLOCK_REALTIME, &now);
	*at = *request;
	at->time_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int show_request(const struct slow_request *request, struct bump *bump, struct value *list)
{
	struct value map = value_map();
	int failed = value_put(bump, &map, "time_s", value_real((double)request->time_ns * 1e-9));

	failed |= value_put(bump, &map, "method", value_string(request->method));
	failed |= value_put(bump, &map, "session", value_uint(request->session));
	failed |= value_put(bump, &map, "pid", value_uint((uint64_t)request->pid));
	failed |= value_put(bump, &map, "uid", value_uint(request->uid));
	failed |= value_put(bump, &map, "total_us", value_real((double)request->total_ns * 1e-3));
	if (request->has_threads) {
		failed |= value_put(bump, &map, "wait_us", value_real((double)request->wait_ns * 1e-3));
		failed |= value_put(bump, &map, "run_us", value_real((double)request->run_ns * 1e-3));
		failed |= value_put(bump, &map, "bytes", value_uint(request->result_bytes));
	}
	if (request->error)
		failed |= value_put(bump, &map, "error", value_string(error_name(request->error)));
	return failed | value_push(bump, list, map);
}

int slow_log_show(const struct slow_log *log, uid_t uid, bool all, struct bump *bump, struct value *list)
{
	const uint64_t kept = log->added < SLOW_LOG_ROOM ? log->added : SLOW_LOG_ROOM;
	int failed = 0;

	for (uint64_t i = 1; i <= kept; i++) {
		const struct slow_request *request = &log->at[(log->added - i) % SLOW_LOG_ROOM];

		if (all || request->uid == uid)
			failed |= show_request(request, bump, list);
	}
	return failed ? -ERROR_NO_MEMORY : 0;
}
