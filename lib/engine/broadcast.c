/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of at most a quarter of the memory: first it is claimed, then drawn, then published. */
#include "engine/broadcast.h"

#include <stdlib.h>

#include "engine/space_core.h"

struct broadcast {
	struct job job;
	struct space_job entry;
	struct space *space;
	struct pool *pool; /* outlives the space */
	struct noise *noise;
	struct ring_memory memory;
	struct ring_events events;
	struct ranges ranges;
	_Atomic uint64_t target;
	uint64_t samples, produced; /* the filler's own */
	uint64_t claimed;
	size_t filling;
	struct error why;
};

static struct broadcast *of_job(struct job *job)
{
	return (struct broadcast *)((char *)job - offsetof(struct broadcast, job));
}

static void tell(struct broadcast *broadcast, uint32_t state)
{
	atomic_store_explicit(&broadcast->memory.page->state, state, memory_order_release);
	atomic_fetch_add_explicit(&broadcast->memory.page->news, 1, memory_order_release);
	broadcast->events.published(broadcast->events.arg);
}

static void publish(struct broadcast *broadcast)
{
	if (broadcast->filling == 0)
		return;
	broadcast->produced += broadcast->filling;
	broadcast->filling = 0;
	atomic_store_explicit(&broadcast->memory.page->produced, broadcast->produced, memory_order_release);
	tell(broadcast, broadcast->produced == broadcast->samples ? ERROR_END_OF_STREAM : RING_OPEN);
}

/* What is drawn next, in one piece of memory; 0: nothing. */
static size_t next_step(struct broadcast *broadcast)
{
	const uint64_t capacity = broadcast->memory.capacity, most = capacity / 4;
	uint64_t target = atomic_load_explicit(&broadcast->target, memory_order_acquire), n;

	target = target < broadcast->samples ? target : broadcast->samples;
	if (target - broadcast->produced > capacity)
		broadcast->produced = target - capacity, broadcast->claimed = target; /* what is left out, too */
	n = target - broadcast->produced;
	n = n < most ? n : most;
	if (n > capacity - broadcast->produced % capacity)
		n = capacity - broadcast->produced % capacity;
	return (size_t)n;
}

static int advance(struct job *job)
{
	struct broadcast *broadcast = of_job(job);
	size_t n, place;
	uint64_t at;
	int r;

	publish(broadcast);
	n = next_step(broadcast);
	if (n == 0)
		return JOB_WAIT;
	r = ranges_find(&broadcast->ranges, broadcast->memory.page, broadcast->produced, &n, &at, &broadcast->why);
	if (r != 0)
		return r == RANGES_LATER ? JOB_WAIT : r;
	broadcast->filling = n;
	/* Before any of it is overwritten: whoever has copied an old sample afterwards sees the claim. */
	if (broadcast->claimed < broadcast->produced + n)
		broadcast->claimed = broadcast->produced + n;
	atomic_store_explicit(&broadcast->memory.page->claimed, broadcast->claimed, memory_order_seq_cst);
	place = (size_t)(broadcast->produced % broadcast->memory.capacity) * noise_sample_bytes(broadcast->noise);
	noise_aim(broadcast->noise, at, n, broadcast->memory.samples + place, &job->n_units);
	return JOB_STAGE;
}

static uint64_t run(struct job *job, size_t unit, void *scratch)
{
	return noise_run(of_job(job)->noise, unit, scratch);
}

static void finish(struct job *job, int error)
{
	struct broadcast *broadcast = of_job(job);
	struct space *space = broadcast->space;

	if (!broadcast->why.code)
		error_set(&broadcast->why, (enum error_code) - error, "broadcast: %s", error_meaning(error));
	ranges_forget(&broadcast->ranges);
	tell(broadcast, error == -ERROR_CANCELLED ? ERROR_CLOSED : (uint32_t)-error);
	space_leave(space, &broadcast->entry);
	noise_end(broadcast->noise);
	broadcast->events.gone(broadcast->events.arg, &broadcast->why);
	space_unref(space);
}

static const struct job_ops broadcast_ops = {advance, run, finish};

int broadcast_create(struct space *space, struct noise *noise, const struct ring_memory *memory,
		     const struct ranges_source *ranges, const struct ring_events *events,
		     struct broadcast **ret_broadcast, struct error *err)
{
	struct broadcast *broadcast = calloc(1, sizeof *broadcast);
	int error = broadcast ? 0 : error_set(err, ERROR_NO_MEMORY, "broadcast: no memory for it");

	if (!error) {
		*broadcast = (struct broadcast){
			.job = {.ops = &broadcast_ops, .turn = &space->turn},
			.space = space,
			.pool = space->engine->pool,
			.noise = noise,
			.memory = *memory,
			.events = *events,
			.samples = noise_samples(noise),
		};
		if (ranges)
			broadcast->ranges = (struct ranges){.source = *ranges, .samples = memory->capacity};
		broadcast->entry.job = &broadcast->job;
		error = space_enter(space, &broadcast->entry, "broadcast", err);
	}
	if (error) {
		noise_free(noise);
		free(broadcast);
		return error;
	}
	*ret_broadcast = broadcast;
	pool_submit(broadcast->pool, &broadcast->job);
	return 0;
}

void broadcast_publish(struct broadcast *broadcast, uint64_t target)
{
	if (target <= atomic_load_explicit(&broadcast->target, memory_order_relaxed))
		return;
	atomic_store_explicit(&broadcast->target, target, memory_order_release);
	pool_wake(broadcast->pool, &broadcast->job);
}

uint64_t broadcast_produced(const struct broadcast *broadcast)
{
	return atomic_load_explicit(&broadcast->memory.page->produced, memory_order_acquire);
}

const struct noise *broadcast_noise(const struct broadcast *broadcast)
{
	return broadcast->noise;
}

void broadcast_go_on(struct broadcast *broadcast)
{
	pool_wake(broadcast->pool, &broadcast->job);
}

void broadcast_close(struct broadcast *broadcast)
{
	pool_cancel(broadcast->pool, &broadcast->job);
}

void broadcast_free(struct broadcast *broadcast)
{
	if (broadcast)
		noise_free(broadcast->noise);
	free(broadcast);
}
