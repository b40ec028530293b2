/* SPDX-License-Identifier: Apache-2.0 */
/* Deadlines on the monotonic clock. */
#include "deadline.h"

#include <time.h>

int64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t deadline_after(int timeout_ms)
{
	if (timeout_ms < 0)
		return DEADLINE_NEVER;
	return timeout_ms ? clock_ns() + (int64_t)timeout_ms * 1000000 : 0;
}

/* Rounded down, poll() would return just before the deadline and be called again at once. */
int deadline_left_ms(int64_t deadline)
{
	if (deadline == DEADLINE_NEVER)
		return -1;
	int64_t left = deadline ? deadline - clock_ns() : 0;

	if (left <= 0)
		return 0;
	return left / 1000000 >= INT32_MAX - 1 ? INT32_MAX : (int)(left / 1000000) + 1;
}
