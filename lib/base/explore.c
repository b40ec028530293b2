/* SPDX-License-Identifier: Apache-2.0 */
/* A moving mean for the faster way, series of tries for the other. */
#include "base/explore.h"

#include <stdbool.h>

enum {
	TRIES = 8, /* enough to know a way */
	PAUSE_LEAST = 128,
	PAUSE_MOST = 1024, /* other work, for which the other way is better, has to wait so long */
	WEIGHT = 32,       /* of what was learned, against one time more */
};

void explore_init(struct explore *ways, unsigned way, unsigned until_tries)
{
	*ways = (struct explore){.way = way, .until_tries = until_tries, .pause = PAUSE_LEAST};
}

unsigned explore_next(const struct explore *ways)
{
	return ways->tries_left > 0 ? !ways->way : ways->way;
}

/* The second time replaces the first, which finds caches cold. */
static void learn_mean(struct explore *ways, uint64_t took_ns)
{
	const unsigned weight = ways->learned < 2 ? 1 : ways->learned;

	ways->mean_ns = ways->mean_ns - ways->mean_ns / weight + took_ns / weight;
	ways->learned += ways->learned < WEIGHT;
}

static void end_tries(struct explore *ways)
{
	const bool better = ways->tried_ns < TRIES * ways->mean_ns;

	if (better) {
		ways->way = !ways->way;
		ways->mean_ns = ways->tried_ns / TRIES;
		ways->learned = TRIES;
	}
	ways->tried_ns = 0;
	ways->tries_left = 0;
	ways->pause = better ? PAUSE_LEAST : ways->pause < PAUSE_MOST ? 2 * ways->pause : PAUSE_MOST;
	ways->until_tries = ways->pause;
}

void explore_learn(struct explore *ways, unsigned way, uint64_t took_ns)
{
	if (way == ways->way) {
		learn_mean(ways, took_ns);
		if (ways->tries_left == 0 && --ways->until_tries == 0)
			ways->tries_left = TRIES;
	} else if (ways->tries_left > 0) {
		ways->tried_ns += took_ns;
		if (--ways->tries_left == 0 || ways->tried_ns >= TRIES * ways->mean_ns)
			end_tries(ways);
	}
}
