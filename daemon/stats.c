/* SPDX-License-Identifier: Apache-2.0 */
/* Counters: expands the one table. */
#include "stats.h"

#include "base/clock.h"
#include "base/error.h"

int stats_show(const struct stats *stats, struct bump *bump, struct value *map)
{
	int failed = 0;

#define X(name, help) failed |= value_put(bump, map, #name, value_uint(stats->name));
	STATS_TABLE(X)
#undef X
	return failed ? -ERROR_NO_MEMORY : 0;
}

uint64_t stats_now_ns(void)
{
	return now_ns();
}
