/* SPDX-License-Identifier: Apache-2.0 */
/* Which chunks are whose, and lanes' counters. */
#include "engine/scheduler/lane.h"

static uint64_t home_lanes(unsigned home, unsigned threads)
{
	return (ENGINE_LANES - home + threads - 1) / threads;
}

uint64_t lane_home_chunks(unsigned home, unsigned threads, uint64_t n_chunks)
{
	const uint64_t rest = n_chunks % ENGINE_LANES;
	const uint64_t last = rest > home ? (rest - home + threads - 1) / threads : 0;

	return n_chunks / ENGINE_LANES * home_lanes(home, threads) + last;
}

size_t lane_home_chunk(unsigned home, unsigned threads, uint64_t k)
{
	const uint64_t lanes = home_lanes(home, threads);

	return (size_t)(k / lanes * ENGINE_LANES + home + k % lanes * threads);
}

static void add(_Atomic uint64_t *counter, uint64_t more)
{
	atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

void lane_record(struct lane *lane, uint64_t words, uint64_t ns)
{
	uint64_t longest = atomic_load_explicit(&lane->longest_ns, memory_order_relaxed);

	add(&lane->chunks, 1);
	add(&lane->words, words);
	add(&lane->busy_ns, ns);
	while (ns > longest && !atomic_compare_exchange_weak_explicit(&lane->longest_ns, &longest, ns,
								      memory_order_relaxed, memory_order_relaxed))
		;
}

static int put(struct bump *bump, struct value *map, const char *name, const _Atomic uint64_t *counter)
{
	return value_put(bump, map, name, value_uint(atomic_load_explicit(counter, memory_order_relaxed)));
}

int lane_stats(const struct lane lanes[ENGINE_LANES], struct bump *bump, struct value *map)
{
	struct value array = value_array();

	for (unsigned i = 0; i < ENGINE_LANES; i++) {
		struct value one = value_map();

		if (put(bump, &one, "chunks", &lanes[i].chunks) || put(bump, &one, "words", &lanes[i].words) ||
		    put(bump, &one, "busy_ns", &lanes[i].busy_ns) ||
		    put(bump, &one, "longest_ns", &lanes[i].longest_ns) || value_push(bump, &array, one))
			return -ERROR_NO_MEMORY;
	}
	return value_put(bump, map, "lanes", array);
}
