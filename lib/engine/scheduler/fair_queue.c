/* SPDX-License-Identifier: Apache-2.0 */
/* Clients in a pairing heap by their clocks (Fredman, Sedgewick, Sleator and Tarjan 1986), each with a ring of its
 * jobs. Clocks may wrap: what is compared is their distance. */
#include "engine/scheduler/fair_queue.h"

#include <assert.h>
#include <stddef.h>

#include "base/chunk.h"

enum {
	LEAST_NS = 5 * 1000,  /* of a chunk: to take and give it costs as well */
	MOST_NS = CHUNK_MOST_NS * 8 / 5, /* a longer one's thread did not have the CPU all the time */
};

static bool is_before(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b) < 0;
}

/* --- the heap: a client's children are a list, whose first one's prev is the client itself --- */

static struct fair_entry *meld(struct fair_entry *a, struct fair_entry *b)
{
	if (!a || !b)
		return a ? a : b;
	if (is_before(b->clock, a->clock)) {
		struct fair_entry *later = a;

		a = b;
		b = later;
	}
	b->prev = a;
	b->next = a->child;
	if (b->next)
		b->next->prev = b;
	a->child = b;
	a->next = a->prev = NULL;
	return a;
}

/* Pair by pair, and the pairs from last to first. */
static struct fair_entry *meld_all(struct fair_entry *list)
{
	struct fair_entry *pairs = NULL, *whole = NULL;

	while (list) {
		struct fair_entry *a = list, *b = a->next, *pair;

		list = b ? b->next : NULL;
		a->next = NULL;
		if (b)
			b->next = NULL;
		pair = meld(a, b);
		pair->next = pairs;
		pairs = pair;
	}
	while (pairs) {
		struct fair_entry *next = pairs->next;

		pairs->next = NULL;
		whole = meld(whole, pairs);
		pairs = next;
	}
	if (whole)
		whole->prev = NULL;
	return whole;
}

static void insert_entry(struct fair_queue *queue, struct fair_entry *fair_entry)
{
	fair_entry->child = fair_entry->next = fair_entry->prev = NULL;
	queue->first = meld(queue->first, fair_entry);
}

static void extract_entry(struct fair_queue *queue, struct fair_entry *fair_entry)
{
	struct fair_entry *children = meld_all(fair_entry->child);

	if (fair_entry == queue->first) {
		queue->first = children;
		return;
	}
	*(fair_entry->prev->child == fair_entry ? &fair_entry->prev->child : &fair_entry->prev->next) =
		fair_entry->next;
	if (fair_entry->next)
		fair_entry->next->prev = fair_entry->prev;
	queue->first = meld(queue->first, children);
}

/* --- time --- */

static uint64_t counted(uint64_t ns)
{
	return ns < LEAST_NS ? LEAST_NS : ns > MOST_NS ? MOST_NS : ns;
}

/* `ns` may be negative. */
static void move_on(struct fair_queue *queue, struct fair_entry *fair_entry, int64_t ns)
{
	const bool queued = fair_entry->jobs != NULL, alone = queued && !fair_entry->prev && !fair_entry->child;

	if (queued && !alone)
		extract_entry(queue, fair_entry);
	fair_entry->clock += (uint64_t)(ns / (fair_entry->weight ? (int)fair_entry->weight : 1));
	if (queued && !alone)
		insert_entry(queue, fair_entry);
}

/* --- jobs --- */

void fair_queue_enter(struct fair_queue *queue, struct job *job)
{
	struct fair_entry *fair_entry = job->fair_entry;

	assert(!job->queued);
	job->queued = true;
	atomic_fetch_add_explicit(&queue->queued, 1, memory_order_relaxed);
	if (fair_entry->jobs) {
		job->next = fair_entry->jobs;
		job->prev = fair_entry->jobs->prev;
		job->prev->next = job->next->prev = job;
		return;
	}
	fair_entry->jobs = job->next = job->prev = job;
	if (fair_entry->chunk_ns == 0 || is_before(fair_entry->clock, queue->clock))
		fair_entry->clock = queue->clock;
	insert_entry(queue, fair_entry);
}

void fair_queue_leave(struct fair_queue *queue, struct job *job)
{
	struct fair_entry *fair_entry = job->fair_entry;

	if (!job->queued)
		return;
	job->queued = false;
	atomic_fetch_sub_explicit(&queue->queued, 1, memory_order_relaxed);
	if (job->next == job) {
		extract_entry(queue, fair_entry);
		fair_entry->jobs = NULL;
		return;
	}
	job->prev->next = job->next;
	job->next->prev = job->prev;
	if (fair_entry->jobs == job)
		fair_entry->jobs = job->next;
}

struct job *fair_queue_next(struct fair_queue *queue, uint64_t *ret_ns)
{
	struct fair_entry *fair_entry = queue->first;
	struct job *job;

	if (!fair_entry)
		return NULL;
	job = fair_entry->jobs;
	fair_entry->jobs = job->next;
	if (is_before(queue->clock, fair_entry->clock))
		queue->clock = fair_entry->clock;
	*ret_ns = counted(fair_entry->chunk_ns);
	move_on(queue, fair_entry, (int64_t)*ret_ns);
	return job;
}

void fair_queue_charge(struct fair_queue *queue, struct fair_entry *fair_entry, uint64_t ns, uint64_t expected_ns)
{
	if (ns)
		fair_entry->chunk_ns = ns = counted(ns);
	move_on(queue, fair_entry, (int64_t)ns - (int64_t)expected_ns);
}
