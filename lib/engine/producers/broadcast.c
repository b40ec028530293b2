/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of at most a quarter of the memory: each is claimed, then drawn, then published. */
#include "engine/producers/broadcast.h"

#include <stdlib.h>

#include "engine/producers/producer.h"

struct broadcast {
	struct producer producer; /* first */
	_Atomic uint64_t target;
	uint64_t claimed; /* authoritative; the shared page holds a copy */
};

static void publish_chunk(struct producer *producer)
{
	if (producer_publish(producer))
		producer_notify(producer, producer->samples_published == producer->samples_available
						  ? ERROR_END_OF_STREAM
						  : RING_OPEN);
}

/* Returns the samples to draw next, which do not wrap around the end of the memory; 0: none. */
static size_t step_samples(struct broadcast *broadcast)
{
	const uint64_t capacity = broadcast->producer.memory.capacity, most = capacity / 4;
	uint64_t target = atomic_load_explicit(&broadcast->target, memory_order_acquire), n;

	target = target < broadcast->producer.samples_available ? target : broadcast->producer.samples_available;
	if (target - broadcast->producer.samples_published > capacity)
		broadcast->producer.samples_published = target - capacity,
		broadcast->claimed = target; /* skipped samples count, too */
	n = target - broadcast->producer.samples_published;
	n = n < most ? n : most;
	if (n > capacity - broadcast->producer.samples_published % capacity)
		n = capacity - broadcast->producer.samples_published % capacity;
	return (size_t)n;
}

/* Publishes the chunk that was drawn, then claims and draws the next, until what was asked for is there. */
static int advance_broadcast(struct job *job)
{
	struct broadcast *broadcast = (struct broadcast *)job;
	struct producer *producer = &broadcast->producer;
	uint64_t at;
	size_t n;
	int r = producer_continue(producer);

	if (r != 0)
		return r;
	publish_chunk(producer);
	n = step_samples(broadcast);
	if (n == 0)
		return JOB_WAIT;
	r = producer_locate(producer, &at);
	if (r != 0)
		return r == REPLY_DEFERRED ? JOB_WAIT : r;
	/* Claim first: a reader that copies an overwritten sample sees the claim when it checks after its copy. */
	if (broadcast->claimed < producer->samples_published + n)
		broadcast->claimed = producer->samples_published + n;
	atomic_store_explicit(&producer->memory.page->claimed, broadcast->claimed, memory_order_seq_cst);
	return producer_begin_step(producer, n, at);
}

static void finish_broadcast(struct job *job, int error)
{
	producer_finish((struct producer *)job, "broadcast", error);
}

static const struct job_ops broadcast_ops = {advance_broadcast, producer_run_chunk, finish_broadcast};

int broadcast_create(struct engine_session *session, struct sampler *sampler, const struct ring_memory *memory,
		     const struct ring_stream *named, const struct ring_events *events,
		     struct broadcast **ret_broadcast, struct error *err)
{
	struct broadcast *broadcast = calloc(1, sizeof *broadcast);
	int error;

	if (!broadcast) {
		sampler_free(sampler);
		return error_set(err, ERROR_NO_MEMORY, "broadcast: no memory for it");
	}
	error = producer_start(&broadcast->producer, &broadcast_ops, "broadcast", session, sampler, memory,
			       named, memory->capacity / 4, events, err);
	if (error) {
		free(broadcast);
		return error;
	}
	*ret_broadcast = broadcast;
	pool_submit(broadcast->producer.pool, &broadcast->producer.job);
	return 0;
}

void broadcast_publish(struct broadcast *broadcast, uint64_t target)
{
	if (target <= atomic_load_explicit(&broadcast->target, memory_order_relaxed))
		return;
	atomic_store_explicit(&broadcast->target, target, memory_order_release);
	pool_wake(broadcast->producer.pool, &broadcast->producer.job);
}

uint64_t broadcast_produced(const struct broadcast *broadcast)
{
	return atomic_load_explicit(&broadcast->producer.memory.page->produced, memory_order_acquire);
}

const struct sampler *broadcast_sampler(const struct broadcast *broadcast)
{
	return broadcast->producer.sampler;
}

void broadcast_close(struct broadcast *broadcast, enum error_code why)
{
	atomic_store(&broadcast->producer.closed_as, (uint32_t)why);
	pool_cancel(broadcast->producer.pool, &broadcast->producer.job);
}

void broadcast_free(struct broadcast *broadcast)
{
	if (broadcast)
		sampler_free(broadcast->producer.sampler);
	free(broadcast);
}
