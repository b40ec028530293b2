/* SPDX-License-Identifier: Apache-2.0 */
/* One job for the life of a ring: a stage fills a step, and between stages it looks at the taker's index. */
#include "engine/ring.h"

#include <inttypes.h>
#include <stdlib.h>

#include "engine/space_core.h"

/* Wake-ups in a row that brought nothing. An honest taker's may overlap with a look that had seen it: one or two. */
enum { WAKES_FOR_NOTHING = 1000 };

/* What is drawn and published at once: a chunk of most laws, which one lane draws; of large rings so many parts. */
enum { STEP_LEAST = 16384, STEPS = 16 };

struct ring {
	struct job job;
	struct space_job entry;
	struct space *space;
	struct pool *pool; /* outlives the space */
	struct noise *noise;
	struct ring_memory memory;
	struct ring_events events;
	struct ranges ranges;
	uint64_t samples;  /* that there are, to the end of the stream */
	uint64_t produced; /* the filler's own; the page has a copy */
	uint64_t told;     /* produced, when who waits was last woken */
	uint64_t taken;    /* as last seen, and believed */
	uint64_t slept_at; /* taken, when it fell asleep */
	uint64_t step;	   /* samples; a power of two, half a ring at most */
	size_t filling;    /* samples of the stage that runs */
	atomic_uint wakes; /* since the taker last moved */
	bool asleep;
	struct error why;
};

static struct ring *of_job(struct job *job)
{
	return (struct ring *)((char *)job - offsetof(struct ring, job));
}

/* The one look at memory that the taker writes. */
static int look(struct ring *ring)
{
	const uint64_t taken = atomic_load_explicit(&ring->memory.index->taken, memory_order_seq_cst);

	if (taken < ring->taken)
		return error_set(&ring->why, ERROR_OUT_OF_RANGE,
				 "ring: index: moved back to %" PRIu64 ", allowed is %" PRIu64 " and more", taken,
				 ring->taken);
	if (taken > ring->produced)
		return error_set(&ring->why, ERROR_OUT_OF_RANGE,
				 "ring: index: moved to %" PRIu64 ", allowed is what was produced, %" PRIu64, taken,
				 ring->produced);
	if (taken > ring->taken)
		atomic_store_explicit(&ring->wakes, 0, memory_order_relaxed);
	else if (atomic_load_explicit(&ring->wakes, memory_order_relaxed) > WAKES_FOR_NOTHING)
		return error_set(&ring->why, ERROR_LIMIT,
				 "ring: woken %d times for nothing, allowed is once a half ring", WAKES_FOR_NOTHING);
	ring->taken = taken;
	return 0;
}

/* Samples that may be filled now: a step, less at the end of the stream, or none. Once it has slept, none before the
 * taker has passed a multiple of half a ring, as it says when it wakes: then there is a step at least. */
static size_t room(const struct ring *ring)
{
	const uint64_t capacity = ring->memory.capacity, half = capacity / 2, step = ring->step;
	const uint64_t left = ring->samples - ring->produced;

	if (ring->asleep && ring->taken / half == ring->slept_at / half)
		return 0;
	if (capacity - (ring->produced - ring->taken) < step)
		return 0;
	return (size_t)(left < step ? left : step);
}

static void tell(struct ring *ring, uint32_t state)
{
	ring->told = ring->produced;
	atomic_store_explicit(&ring->memory.page->state, state, memory_order_release);
	atomic_fetch_add_explicit(&ring->memory.page->news, 1, memory_order_release);
	ring->events.published(ring->events.arg);
}

/* Who looks sees each step; who sleeps is woken once in half a ring, or when the filler itself is about to wait: a
 * wake-up costs both sides as much as some steps. */
static void publish(struct ring *ring)
{
	if (ring->filling == 0)
		return;
	ring->produced += ring->filling;
	ring->filling = 0;
	atomic_store_explicit(&ring->memory.page->produced, ring->produced, memory_order_release);
	if (ring->produced == ring->samples)
		tell(ring, ERROR_END_OF_STREAM);
	else if (ring->produced - ring->told >= ring->memory.capacity / 2)
		tell(ring, RING_OPEN);
	else
		atomic_fetch_add_explicit(&ring->memory.page->news, 1, memory_order_release);
}

static int wait(struct ring *ring)
{
	if (ring->told != ring->produced)
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
	atomic_store_explicit(&ring->memory.page->asleep, 1, memory_order_seq_cst);
	return look(ring);
}

static void wake_up(struct ring *ring)
{
	if (!ring->asleep)
		return;
	ring->asleep = false;
	atomic_store_explicit(&ring->memory.page->asleep, 0, memory_order_relaxed);
}

/* Draws n samples more, or as many as are of one range. */
static int fill(struct ring *ring, size_t n)
{
	uint64_t at;
	size_t place;
	int r = ranges_find(&ring->ranges, ring->memory.page, ring->produced, &n, &at, &ring->why);

	if (r != 0)
		return r == RANGES_LATER ? wait(ring) : r;
	ring->filling = n;
	place = (size_t)(ring->produced % ring->memory.capacity) * noise_sample_bytes(ring->noise);
	noise_aim(ring->noise, at, n, ring->memory.samples + place, &ring->job.n_units);
	return JOB_STAGE;
}

static int advance(struct job *job)
{
	struct ring *ring = of_job(job);
	size_t n;
	int error;

	publish(ring);
	error = look(ring);
	n = error ? 0 : room(ring);
	if (n == 0 && !error && ring->produced < ring->samples) {
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

static uint64_t run(struct job *job, size_t unit, void *scratch)
{
	return noise_run(of_job(job)->noise, unit, scratch);
}

/* The caller's reference to the space outlives `gone`, in which the ring may be freed. */
static void finish(struct job *job, int error)
{
	struct ring *ring = of_job(job);
	struct space *space = ring->space;

	if (!ring->why.code)
		error_set(&ring->why, (enum error_code) - error, "ring: %s", error_meaning(error));
	ranges_forget(&ring->ranges);
	noise_free(ring->noise);
	ring->noise = NULL;
	tell(ring, error == -ERROR_CANCELLED ? ERROR_CLOSED : (uint32_t)-error);
	space_leave(space, &ring->entry);
	ring->events.gone(ring->events.arg, &ring->why);
	space_unref(space);
}

static const struct job_ops ring_ops = {advance, run, finish};

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
	int error = ring ? 0 : error_set(err, ERROR_NO_MEMORY, "ring: no memory for it");

	if (!error) {
		*ring = (struct ring){
			.job = {.ops = &ring_ops, .turn = &space->turn},
			.space = space,
			.pool = space->engine->pool,
			.noise = noise,
			.memory = *memory,
			.events = *events,
			.samples = noise_samples(noise),
			.step = step_of(memory->capacity),
		};
		if (ranges)
			ring->ranges = (struct ranges){.source = *ranges, .samples = memory->capacity};
		ring->entry.job = &ring->job;
		error = space_enter(space, &ring->entry, "ring", err);
	}
	if (error) {
		noise_free(noise);
		free(ring);
		return error;
	}
	*ret_ring = ring;
	pool_submit(ring->pool, &ring->job);
	return 0;
}

void ring_wake(struct ring *ring)
{
	atomic_fetch_add_explicit(&ring->wakes, 1, memory_order_relaxed);
	pool_wake(ring->pool, &ring->job);
}

void ring_go_on(struct ring *ring)
{
	pool_wake(ring->pool, &ring->job);
}

void ring_close(struct ring *ring)
{
	pool_cancel(ring->pool, &ring->job);
}

void ring_free(struct ring *ring)
{
	free(ring);
}
