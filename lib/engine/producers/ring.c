/* SPDX-License-Identifier: Apache-2.0 */
/* One job for the life of a ring: a stage fills a step, and between stages it looks at the taker's index. */
#include "engine/producers/ring.h"

#include <inttypes.h>
#include <stdlib.h>

#include "engine/producers/producer.h"

/* Wake-ups in a row that brought nothing. An honest taker's may overlap with a look that had seen it: one or two. */
enum { WAKES_FOR_NOTHING = 1000 };

/* What is drawn and published at once: a chunk of most distributions, which one lane draws; of large rings so many
 * parts. */
enum { STEP_LEAST = 16384, STEPS = 16 };

struct ring {
	struct feed feed;  /* first */
	uint64_t told;     /* produced, when who waits was last woken */
	uint64_t taken;    /* as last seen, and believed */
	uint64_t slept_at; /* taken, when it fell asleep */
	uint64_t step;	   /* samples; a power of two, half a ring at most */
	atomic_uint wakes; /* since the taker last moved */
	bool asleep;
};

/* The one look at memory that the taker writes. */
static int look(struct ring *ring)
{
	const uint64_t taken = atomic_load_explicit(&ring->feed.memory.index->taken, memory_order_seq_cst);

	if (taken < ring->taken)
		return error_set(&ring->feed.why, ERROR_OUT_OF_RANGE,
				 "ring: index: moved back to %" PRIu64 ", allowed is %" PRIu64 " and more", taken,
				 ring->taken);
	if (taken > ring->feed.produced)
		return error_set(&ring->feed.why, ERROR_OUT_OF_RANGE,
				 "ring: index: moved to %" PRIu64 ", allowed is what was produced, %" PRIu64, taken,
				 ring->feed.produced);
	if (taken > ring->taken)
		atomic_store_explicit(&ring->wakes, 0, memory_order_relaxed);
	else if (atomic_load_explicit(&ring->wakes, memory_order_relaxed) > WAKES_FOR_NOTHING)
		return error_set(&ring->feed.why, ERROR_LIMIT,
				 "ring: woken %d times for nothing, allowed is once a half ring", WAKES_FOR_NOTHING);
	ring->taken = taken;
	return 0;
}

/* Samples that may be filled now: a step, less at the end of the stream, or none. Once it has slept, none before the
 * taker has passed a multiple of half a ring, as it says when it wakes: then there is a step at least. */
static size_t room(const struct ring *ring)
{
	const uint64_t capacity = ring->feed.memory.capacity, half = capacity / 2, step = ring->step;
	const uint64_t left = ring->feed.samples - ring->feed.produced;

	if (ring->asleep && ring->taken / half == ring->slept_at / half)
		return 0;
	if (capacity - (ring->feed.produced - ring->taken) < step)
		return 0;
	return (size_t)(left < step ? left : step);
}

static void tell(struct ring *ring, uint32_t state)
{
	ring->told = ring->feed.produced;
	feed_tell(&ring->feed, state);
}

/* Who looks sees each step; who sleeps is woken once in half a ring, or when the filler itself is about to wait: a
 * wake-up costs both sides as much as some steps. */
static void publish(struct ring *ring)
{
	const uint64_t half = ring->feed.memory.capacity / 2;

	if (!feed_publish(&ring->feed))
		return;
	if (ring->feed.produced == ring->feed.samples)
		tell(ring, ERROR_END_OF_STREAM);
	else if (ring->feed.produced - ring->told >= half)
		tell(ring, RING_OPEN);
	else
		atomic_fetch_add_explicit(&ring->feed.memory.page->news, 1, memory_order_release);
}

static int wait(struct ring *ring)
{
	if (ring->told != ring->feed.produced)
		tell(ring, RING_OPEN);
	return JOB_WAIT;
}

/* Says that it sleeps, then looks again: the taker moves its index, then looks whether the filler sleeps. Of the two
 * at least one sees the other. */
static int fall_asleep(struct ring *ring)
{
	if (!ring->asleep)
		ring->slept_at = ring->taken;
	ring->asleep = true;
	atomic_store_explicit(&ring->feed.memory.page->asleep, 1, memory_order_seq_cst);
	return look(ring);
}

static void wake_up(struct ring *ring)
{
	if (!ring->asleep)
		return;
	ring->asleep = false;
	atomic_store_explicit(&ring->feed.memory.page->asleep, 0, memory_order_relaxed);
}

/* Draws n samples more, or as many as are of one range. */
static int fill(struct ring *ring, size_t n)
{
	uint64_t at;
	int r = feed_find(&ring->feed, &n, &at);

	if (r != 0)
		return r == RANGES_LATER ? wait(ring) : r;
	return feed_aim(&ring->feed, n, at);
}

static int advance(struct job *job)
{
	struct ring *ring = (struct ring *)job;
	size_t n;
	int error = feed_make(&ring->feed);

	if (error)
		return error;
	publish(ring);
	error = look(ring);
	n = error ? 0 : room(ring);
	if (n == 0 && !error && ring->feed.produced < ring->feed.samples) {
		error = fall_asleep(ring);
		n = error ? 0 : room(ring);
	}
	if (error)
		return error;
	if (n == 0)
		return wait(ring);
	wake_up(ring);
	return fill(ring, n);
}

static void finish(struct job *job, int error)
{
	feed_finish((struct feed *)job, "ring", error);
}

static const struct job_ops ring_ops = {advance, feed_run, finish};

static uint64_t step_of(uint64_t capacity)
{
	const uint64_t step = capacity / STEPS < STEP_LEAST ? STEP_LEAST : capacity / STEPS;

	return step < capacity / 2 ? step : capacity / 2;
}

int ring_create(struct space *space, struct noise *noise, const struct ring_memory *memory,
		const struct ranges_source *ranges, const struct ring_events *events, struct ring **ret_ring,
		struct error *err)
{
	struct ring *ring = calloc(1, sizeof *ring);
	int error;

	if (!ring) {
		noise_free(noise);
		return error_set(err, ERROR_NO_MEMORY, "ring: no memory for it");
	}
	ring->step = step_of(memory->capacity);
	error = feed_begin(&ring->feed, &ring_ops, "ring", space, noise, memory, ranges, events, err);
	if (error) {
		free(ring);
		return error;
	}
	*ret_ring = ring;
	pool_submit(ring->feed.pool, &ring->feed.job);
	return 0;
}

void ring_wake(struct ring *ring)
{
	atomic_fetch_add_explicit(&ring->wakes, 1, memory_order_relaxed);
	pool_wake(ring->feed.pool, &ring->feed.job);
}

void ring_go_on(struct ring *ring)
{
	pool_wake(ring->feed.pool, &ring->feed.job);
}

void ring_close(struct ring *ring)
{
	pool_cancel(ring->feed.pool, &ring->feed.job);
}

void ring_free(struct ring *ring)
{
	if (ring)
		noise_free(ring->feed.noise);
	free(ring);
}
