/* SPDX-License-Identifier: Apache-2.0 */
/* How long requests take. */
#include "latency.h"

#include "base/error.h"

/* Below 16 ns a bucket for each; above, the power of two and the four bits behind its leading one. */
static unsigned bucket_of(uint64_t ns)
{
	if (ns < LATENCY_STEPS)
		return (unsigned)ns;
	const unsigned exponent = 63 - (unsigned)__builtin_clzll(ns);

	return (exponent - 3) * LATENCY_STEPS + (unsigned)(ns >> (exponent - 4) & (LATENCY_STEPS - 1));
}

/* The largest time in a bucket. */
static uint64_t end_of(unsigned bucket)
{
	if (bucket < LATENCY_STEPS)
		return bucket;
	const unsigned exponent = bucket / LATENCY_STEPS + 3;
	const uint64_t step = (uint64_t)1 << (exponent - 4);

	return ((uint64_t)1 << exponent) + (bucket % LATENCY_STEPS + 1) * step - 1;
}

void latency_add_many(struct latency *latency, uint64_t ns, uint64_t count)
{
	if (count == 0)
		return;
	latency->count += count;
	latency->total_ns += count * ns;
	latency->max_ns = ns > latency->max_ns ? ns : latency->max_ns;
	latency->buckets[bucket_of(ns)] += count;
}

void latency_add(struct latency *latency, uint64_t ns)
{
	latency_add_many(latency, ns, 1);
}

uint64_t latency_percentile(const struct latency *latency, double share)
{
	uint64_t seen = 0;

	for (unsigned i = 0; i < LATENCY_BUCKETS; i++) {
		seen += latency->buckets[i];
		if (seen > 0 && (double)seen >= share * (double)latency->count)
			return end_of(i) < latency->max_ns ? end_of(i) : latency->max_ns;
	}
	return latency->max_ns;
}

/* Quarters of powers of two, the first of which are narrower than a nanosecond. */
enum { QUARTERS = 4 * 64, FIRST_WHOLE = 4 * 4 };

static unsigned quarter_of(unsigned bucket)
{
	if (bucket >= LATENCY_STEPS)
		return FIRST_WHOLE + (bucket - LATENCY_STEPS) / (LATENCY_STEPS / 4);
	const unsigned exponent = bucket ? 31 - (unsigned)__builtin_clz(bucket) : 0;

	return 4 * exponent + (bucket ? ((bucket << 2) >> exponent & 3) : 0);
}

static int show_histogram(const struct latency *latency, struct bump *bump, struct value *map)
{
	uint64_t counts[QUARTERS] = {0};
	struct value list = value_array();
	unsigned n = 0;
	int failed = 0;

	for (unsigned i = 0; i < LATENCY_BUCKETS; i++)
		if (latency->buckets[i]) {
			n = quarter_of(i) + 1;
			counts[n - 1] += latency->buckets[i];
		}
	for (unsigned i = 0; i < n; i++)
		failed |= value_push(bump, &list, value_uint(counts[i]));
	return failed | value_put(bump, map, "histogram", list);
}

int latency_show(const struct latency *latency, struct bump *bump, struct value *map)
{
	int failed = value_put(bump, map, "count", value_uint(latency->count));

	failed |= value_put(bump, map, "total_us", value_real((double)latency->total_ns * 1e-3));
	failed |= value_put(bump, map, "p50_us", value_real((double)latency_percentile(latency, 0.5) * 1e-3));
	failed |= value_put(bump, map, "p99_us", value_real((double)latency_percentile(latency, 0.99) * 1e-3));
	failed |= value_put(bump, map, "p999_us", value_real((double)latency_percentile(latency, 0.999) * 1e-3));
	failed |= value_put(bump, map, "max_us", value_real((double)latency->max_ns * 1e-3));
	return failed | show_histogram(latency, bump, map) ? -ERROR_NO_MEMORY : 0;
}
