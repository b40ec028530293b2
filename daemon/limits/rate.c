/* SPDX-License-Identifier: Apache-2.0 */
/* The generic cell rate algorithm. */
#include "rate.h"

enum { SECOND_NS = 1000000000 };

bool rate_allows(const struct rate *rate, uint64_t per_second, uint64_t now_ns)
{
	return rate->due_ns <= now_ns + SECOND_NS - SECOND_NS / per_second;
}

void rate_count(struct rate *rate, uint64_t per_second, uint64_t now_ns)
{
	rate->due_ns = (rate->due_ns > now_ns ? rate->due_ns : now_ns) + SECOND_NS / per_second;
}

bool rate_is_rested(const struct rate *rate, uint64_t now_ns)
{
	return rate->due_ns <= now_ns;
}
