/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of at most a quarter of the memory: first it is claimed, then drawn, then published. */
#include "engine/producers/broadcast.h"

#include <stdlib.h>

#include "engine/producers/producer.h"

struct broadcast {
	struct feed feed; /* first */
	_Atomic uint64_t target;
	uint64_t claimed; /* the filler's own */
};

static void publish(struct feed *feed)
{
	if (feed_publish(feed))
		feed_tell(feed, feed->produced == feed->samples ? ERROR_END_OF_STREAM : RING_OPEN);
}

/* What is drawn next, in one piece of memory; 0: nothing. */
static size_t next_step(struct broadcast *broadcast)
{
	const uint64_t capacity = broadcast->feed.memory.capacity, most = capacity / 4;
	uint64_t target = atomic_load_explicit(&broadcast->target, memory_order_acquire), n;

	target = target < broadcast->feed.samples ? target : broadcast->feed.samples;
	if (target - broadcast->feed.produced > capacity)
		broadcast->feed.produced = target - capacity, broadcast->claimed = target; /* what is left out, too */
	n = target - broadcast->feed.produced;
	n = n < most ? n : most;
	if (n > capacity - broadcast->feed.produced % capacity)
		n = capacity - broadcast->feed.produced % capacity;
	return (size_t)n;
}

static int advance(struct job *job)
{
	struct broadcast *broadcast = (struct broadcast *)job;
	struct feed *feed = &broadcast->feed;
	uint64_t at;
	size_t n;
	int r = feed_make(feed);

	if (r != 0)
		return r;
	publish(feed);
	n = next_step(broadcast);
	if (n == 0)
		return JOB_WAIT;
	r = feed_find(feed, &n, &at);
	if (r != 0)
		return r == RANGES_LATER ? JOB_WAIT : r;
	/* Before any of it is overwritten: whoever has copied an old sample afterwards sees the claim. */
	if (broadcast->claimed < feed->produced + n)
		broadcast->claimed = feed->produced + n;
	atomic_store_explicit(&feed->memory.page->claimed, broadcast->claimed, memory_order_seq_cst);
	return feed_aim(feed, n, at);
}

static void finish(struct job *job, int error)
{
	feed_finish((struct feed *)job, "broadcast", error);
}

static const struct job_ops broadcast_ops = {advance, feed_run, finish};

int broadcast_create(struct space *space, struct noise *noise, const struct ring_memory *memory,
		     const struct ranges_source *ranges, const struct ring_events *events,
		     struct broadcast **ret_broadcast, struct error *err)
{
	struct broadcast *broadcast = calloc(1, sizeof *broadcast);
	int error;

	if (!broadcast) {
		noise_free(noise);
		return error_set(err, ERROR_NO_MEMORY, "broadcast: no memory for it");
	}
	error = feed_begin(&broadcast->feed, &broadcast_ops, "broadcast", space, noise, memory, ranges, events, err);
	if (error) {
		free(broadcast);
		return error;
	}
	*ret_broadcast = broadcast;
	pool_submit(broadcast->feed.pool, &broadcast->feed.job);
	return 0;
}

void broadcast_publish(struct broadcast *broadcast, uint64_t target)
{
	if (target <= atomic_load_explicit(&broadcast->target, memory_order_relaxed))
		return;
	atomic_store_explicit(&broadcast->target, target, memory_order_release);
	pool_wake(broadcast->feed.pool, &broadcast->feed.job);
}

uint64_t broadcast_produced(const struct broadcast *broadcast)
{
	return atomic_load_explicit(&broadcast->feed.memory.page->produced, memory_order_acquire);
}

const struct noise *broadcast_noise(const struct broadcast *broadcast)
{
	return broadcast->feed.noise;
}

void broadcast_go_on(struct broadcast *broadcast)
{
	pool_wake(broadcast->feed.pool, &broadcast->feed.job);
}

void broadcast_close(struct broadcast *broadcast)
{
	pool_cancel(broadcast->feed.pool, &broadcast->feed.job);
}

void broadcast_free(struct broadcast *broadcast)
{
	if (broadcast)
		noise_free(broadcast->feed.noise);
	free(broadcast);
}
