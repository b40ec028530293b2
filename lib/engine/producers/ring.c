/* SPDX-License-Identifier: Apache-2.0 */
/* One job for the life of a ring: each stage fills one step; between stages it reads the consumer's index. */
#include "engine/producers/ring.h"

#include <inttypes.h>
#include <stdlib.h>

#include "engine/producers/producer.h"

/* Wake-ups in a row that freed no space. A correct consumer causes one or two, when its wake-up overlaps with a look.
 */
enum { USELESS_WAKES_MAX = 1000 };

/* Samples of one step: a sixteenth of the ring, at least one chunk of most distributions, which one lane draws. */
enum { STEP_MIN = 16384, STEPS_PER_RING = 16 };

struct ring {
	struct producer producer; /* first */
	uint64_t notified;        /* samples_published when readers were last woken */
	uint64_t taken;           /* the last index that passed the checks */
	uint64_t slept_at;        /* `taken` when the producer fell asleep */
	uint64_t step;	   /* samples; a power of two, half a ring at most */
	atomic_uint wakes; /* since `taken` last moved */
	bool asleep;
};

/* Copies the consumer's index once and checks it. Nothing else here reads memory that the consumer writes. */
static int read_index(struct ring *ring)
{
	const uint64_t taken = atomic_load_explicit(&ring->producer.memory.index->taken, memory_order_seq_cst);

	if (taken < ring->taken)
		return error_set(&ring->producer.failure, ERROR_OUT_OF_RANGE,
				 "ring: index: moved back to %" PRIu64 ", allowed is %" PRIu64 " and more", taken,
				 ring->taken);
	if (taken > ring->producer.samples_published)
		return error_set(&ring->producer.failure, ERROR_OUT_OF_RANGE,
				 "ring: index: moved to %" PRIu64 ", allowed is what was produced, %" PRIu64, taken,
				 ring->producer.samples_published);
	if (taken > ring->taken)
		atomic_store_explicit(&ring->wakes, 0, memory_order_relaxed);
	else if (atomic_load_explicit(&ring->wakes, memory_order_relaxed) > USELESS_WAKES_MAX)
		return error_set(&ring->producer.failure, ERROR_LIMIT,
				 "ring: woken %d times without free space, allowed is once per half ring",
				 USELESS_WAKES_MAX);
	ring->taken = taken;
	return 0;
}

/* Returns the samples to fill now: a step, less at the end of the stream, or 0. After sleeping, 0 until the consumer
 * has passed a multiple of half a ring: only then does it call ring_wake, and at least one step is free. */
static size_t fillable(const struct ring *ring)
{
	const uint64_t capacity = ring->producer.memory.capacity, half = capacity / 2, step = ring->step;
	const uint64_t left = ring->producer.samples_available - ring->producer.samples_published;

	if (ring->asleep && ring->taken / half == ring->slept_at / half)
		return 0;
	if (capacity - (ring->producer.samples_published - ring->taken) < step)
		return 0;
	return (size_t)(left < step ? left : step);
}

static void notify(struct ring *ring, uint32_t state)
{
	ring->notified = ring->producer.samples_published;
	/* A ring that an administrator has ended does not look open again while its last chunk is drawn. */
	if (state == RING_OPEN && atomic_load(&ring->producer.closed_as) == ERROR_NOT_PERMITTED)
		state = ERROR_NOT_PERMITTED;
	producer_notify(&ring->producer, state);
}

/* A consumer that polls sees each step. One that sleeps is woken once per half ring, or when the producer is about to
 * wait: a wake-up costs both sides as much as several steps. */
static void publish_chunk_to_ring(struct ring *ring)
{
	const uint64_t half = ring->producer.memory.capacity / 2;

	if (!producer_publish(&ring->producer))
		return;
	if (ring->producer.samples_published == ring->producer.samples_available)
		notify(ring, ERROR_END_OF_STREAM);
	else if (ring->producer.samples_published - ring->notified >= half)
		notify(ring, RING_OPEN);
	else
		atomic_fetch_add_explicit(&ring->producer.memory.page->news, 1, memory_order_release);
}

static int wait(struct ring *ring)
{
	if (ring->notified != ring->producer.samples_published)
		notify(ring, RING_OPEN);
	return JOB_WAIT;
}

/* Sets `asleep`, then reads the index again. The consumer does the reverse: it moves its index, then reads `asleep`.
 * With sequentially consistent accesses at least one side sees the other, so no wake-up is lost. */
static int fall_asleep(struct ring *ring)
{
	if (!ring->asleep)
		ring->slept_at = ring->taken;
	ring->asleep = true;
	atomic_store_explicit(&ring->producer.memory.page->asleep, 1, memory_order_seq_cst);
	return read_index(ring);
}

static void wake_up(struct ring *ring)
{
	if (!ring->asleep)
		return;
	ring->asleep = false;
	atomic_store_explicit(&ring->producer.memory.page->asleep, 0, memory_order_relaxed);
}

/* Draws the next n samples. */
static int fill_ring(struct ring *ring, size_t n)
{
	uint64_t at;
	int r = producer_locate(&ring->producer, &at);

	if (r != 0)
		return r == REPLY_DEFERRED ? wait(ring) : r;
	return producer_begin_step(&ring->producer, n, at);
}

/* Publishes the chunk that was drawn, looks how far the client has read, and draws the next chunk. Without room it
 * says that it sleeps, looks once more (the client may have read meanwhile without waking it), and waits. */
static int advance_ring(struct job *job)
{
	struct ring *ring = (struct ring *)job;
	size_t n;
	int error = producer_continue(&ring->producer);

	if (error)
		return error;
	publish_chunk_to_ring(ring);
	error = read_index(ring);
	n = error ? 0 : fillable(ring);
	if (n == 0 && !error && ring->producer.samples_published < ring->producer.samples_available) {
		error = fall_asleep(ring);
		n = error ? 0 : fillable(ring);
	}
	if (error)
		return error;
	if (n == 0)
		return wait(ring);
	wake_up(ring);
	return fill_ring(ring, n);
}

static void finish_ring(struct job *job, int error)
{
	producer_finish((struct producer *)job, "ring", error);
}

static const struct job_ops ring_ops = {advance_ring, producer_run_chunk, finish_ring};

static uint64_t step_samples(uint64_t capacity)
{
	const uint64_t step = capacity / STEPS_PER_RING < STEP_MIN ? STEP_MIN : capacity / STEPS_PER_RING;

	return step < capacity / 2 ? step : capacity / 2;
}

int ring_create(struct engine_session *session, struct sampler *sampler, const struct ring_memory *memory,
		const struct ring_stream *named, const struct ring_events *events, struct ring **ret_ring,
		struct error *err)
{
	struct ring *ring = calloc(1, sizeof *ring);
	int error;

	if (!ring) {
		sampler_free(sampler);
		return error_set(err, ERROR_NO_MEMORY, "ring: no memory for it");
	}
	ring->step = step_samples(memory->capacity);
	error = producer_start(&ring->producer, &ring_ops, "ring", session, sampler, memory, named, ring->step, events, err);
	if (error) {
		free(ring);
		return error;
	}
	*ret_ring = ring;
	pool_submit(ring->producer.pool, &ring->producer.job);
	return 0;
}

void ring_wake(struct ring *ring)
{
	atomic_fetch_add_explicit(&ring->wakes, 1, memory_order_relaxed);
	pool_wake(ring->producer.pool, &ring->producer.job);
}

void ring_close(struct ring *ring, enum error_code why)
{
	uint32_t none = 0;

	atomic_compare_exchange_strong(&ring->producer.closed_as, &none, (uint32_t)why);
	if (why != ERROR_CLOSED) /* readers are to see it before anything else ends */
		producer_notify(&ring->producer, (uint32_t)why);
	pool_cancel(ring->producer.pool, &ring->producer.job);
}

void ring_free(struct ring *ring)
{
	if (ring)
		sampler_free(ring->producer.sampler);
	free(ring);
}
