/* SPDX-License-Identifier: Apache-2.0 */
/* Lanes' counters. */
#include "engine/scheduler/lane.h"

static void add_count(_Atomic uint64_t *counter, uint64_t more)
{
	atomic_fetch_add_explicit(counter, more, memory_order_relaxed);
}

void lane_record(struct lane *lane, uint64_t words, uint64_t ns)
{
	uint64_t longest = atomic_load_explicit(&lane->longest_ns, memory_order_relaxed);

	add_count(&lane->chunks, 1);
	add_count(&lane->words, words);
	add_count(&lane->busy_ns, ns);
	while (ns > longest && !atomic_compare_exchange_weak_explicit(&lane->longest_ns, &longest, ns,
								      memory_order_relaxed, memory_order_relaxed))
		;
}

static uint64_t get(const _Atomic uint64_t *counter)
{
	return atomic_load_explicit(counter, memory_order_relaxed);
}

static void set(_Atomic uint64_t *counter, uint64_t value)
{
	atomic_store_explicit(counter, value, memory_order_relaxed);
}

static void record(struct lane *lane, uint64_t chunks, uint64_t words, uint64_t ns, uint64_t each_ns)
{
	set(&lane->chunks, get(&lane->chunks) + chunks);
	set(&lane->words, get(&lane->words) + words);
	set(&lane->busy_ns, get(&lane->busy_ns) + ns);
	if (each_ns > get(&lane->longest_ns))
		set(&lane->longest_ns, each_ns);
}

void lane_record_several(struct lane *lane, uint64_t chunks, uint64_t words, uint64_t ns)
{
	record(lane, chunks, words, ns, ns / chunks);
}

void lane_record_alone(struct lane *lane, uint64_t words, uint64_t ns)
{
	record(lane, 1, words, ns, ns);
}

void lane_add(const struct lane *lane, struct lane *to)
{
	const uint64_t longest = get(&lane->longest_ns);

	set(&to->chunks, get(&to->chunks) + get(&lane->chunks));
	set(&to->words, get(&to->words) + get(&lane->words));
	set(&to->busy_ns, get(&to->busy_ns) + get(&lane->busy_ns));
	if (longest > get(&to->longest_ns))
		set(&to->longest_ns, longest);
}

static int put(struct bump *bump, struct value *map, const char *name, const _Atomic uint64_t *counter)
{
	return value_put(bump, map, name, value_uint(atomic_load_explicit(counter, memory_order_relaxed)));
}

static int put_lane(struct bump *bump, const struct lane *lane, struct value *list)
{
	struct value one = value_map();

	return put(bump, &one, "chunks", &lane->chunks) || put(bump, &one, "words", &lane->words) ||
	       put(bump, &one, "busy_ns", &lane->busy_ns) || put(bump, &one, "longest_ns", &lane->longest_ns) ||
	       value_push(bump, list, one);
}

int lane_stats(const struct lane lanes[ENGINE_LANES], const struct lane *first, struct bump *bump, struct value *map)
{
	struct value array = value_array();
	struct lane sum = {0};

	lane_add(&lanes[0], &sum);
	lane_add(first, &sum);
	for (unsigned i = 0; i < ENGINE_LANES; i++)
		if (put_lane(bump, i ? &lanes[i] : &sum, &array))
			return -ERROR_NO_MEMORY;
	return value_put(bump, map, "lanes", array);
}
