/* SPDX-License-Identifier: Apache-2.0 */
/* Yielding, as long as it is short. */
#include "base/cpu_share.h"

#include <sched.h>

#include "base/backoff.h"
#include "base/clock.h"

enum {
	LONG_NS = 1000000, /* longer than the turns of 64 clients and of the daemon between them, shorter than a slice */
	OFTEN = 64, /* short yields between two long ones, at most: a crowd has a long one now and then by itself */
	REST_LEAST = 64,
	REST_MOST = 65536,
	FORGET_AFTER = 4096, /* short yields: a long one costs as much as thousands of them save */
};

bool cpu_share_begin(struct cpu_share *share)
{
	if (share->rests == 0)
		return true;
	share->rests--;
	return false;
}

bool cpu_share_yield(struct cpu_share *share)
{
	const uint64_t began_ns = now_ns();

	sched_yield();
	if (now_ns() - began_ns < LONG_NS) {
		share->good++;
		return true;
	}
	if (share->good < OFTEN) {
		share->rest = (unsigned)backoff_next(share->rest, REST_LEAST, REST_MOST);
		share->rests = share->rest;
	} else if (share->good >= FORGET_AFTER) {
		share->rest = 0;
	}
	share->good = 0;
	return share->rests == 0;
}
