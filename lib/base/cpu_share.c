/* SPDX-License-Identifier: Apache-2.0 */
/* Yielding, as long as it is short. */
#include "base/cpu_share.h"

#include <sched.h>

#include "base/backoff.h"
#include "base/clock.h"

enum {
	LONG_NS = 1000000, /* longer than the turns of 64 clients and of the daemon between them, shorter than a slice */
	OFTEN = 64, /* short yields between two long ones, at most: a crowd has a long one now and then by itself */
	REST_LEAST_NS = 1000000,
	REST_MOST_NS = 64000000, /* each costs a slice of 3 ms beside a program that computes */
	FORGET_AFTER = 4096, /* short yields: a long one costs as much as thousands of them save */
};

bool cpu_share_begin(struct cpu_share *share)
{
	if (share->rest_end_ns && now_ns() < share->rest_end_ns)
		return false;
	share->rest_end_ns = 0;
	return true;
}

bool cpu_share_yield(struct cpu_share *share)
{
	const uint64_t began_ns = now_ns();
	uint64_t now;

	sched_yield();
	now = now_ns();
	if (now - began_ns < LONG_NS) {
		share->good++;
		return true;
	}
	if (share->good < OFTEN) {
		share->rest_ns = backoff_next(share->rest_ns, REST_LEAST_NS, REST_MOST_NS);
		share->rest_end_ns = now + share->rest_ns;
	} else if (share->good >= FORGET_AFTER) {
		share->rest_ns = 0;
	}
	share->good = 0;
	return share->rest_end_ns == 0;
}
