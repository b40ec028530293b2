/* SPDX-License-Identifier: Apache-2.0 */
/* Clients in a pairing heap by their clocks (Fredman, Sedgewick, Sleator and Tarjan 1986), each with a ring of its jobs.
 * Clocks may wrap: what is compared is their distance. */
#include "engine/scheduler/fair_queue.h"

#include <assert.h>
#include <stddef.h>

enum {
	LEAST_NS = 5 * 1000,    /* of a unit: to take and give it costs as well */
	MOST_NS = 400 * 1000, /* a longer one's thread did not have the CPU all the time */
};

static bool is_before(uint64_t a, uint64_t b)
{
	return (int64_t)(a - b) < 0;
}

/* --- the heap: a client's children are a list, whose first one's prev is the client itself --- */

static struct turn *meld(struct turn *a, struct turn *b)
{
	if (!a || !b)
		return a ? a : b;
	if (is_before(b->clock, a->clock)) {
		struct turn *later = a;

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
static struct turn *meld_all(struct turn *list)
{
	struct turn *pairs = NULL, *whole = NULL;

	while (list) {
		struct turn *a = list, *b = a->next, *pair;

		list = b ? b->next : NULL;
		a->next = NULL;
		if (b)
			b->next = NULL;
		pair = meld(a, b);
		pair->next = pairs;
		pairs = pair;
	}
	while (pairs) {
		struct turn *next = pairs->next;

		pairs->next = NULL;
		whole = meld(whole, pairs);
		pairs = next;
	}
	if (whole)
		whole->prev = NULL;
	return whole;
}

static void insert(struct turns *turns, struct turn *turn)
{
	turn->child = turn->next = turn->prev = NULL;
	turns->first = meld(turns->first, turn);
}

static void extract(struct turns *turns, struct turn *turn)
{
	struct turn *children = meld_all(turn->child);

	if (turn == turns->first) {
		turns->first = children;
		return;
	}
	*(turn->prev->child == turn ? &turn->prev->child : &turn->prev->next) = turn->next;
	if (turn->next)
		turn->next->prev = turn->prev;
	turns->first = meld(turns->first, children);
}

/* --- time --- */

static uint64_t counted(uint64_t ns)
{
	return ns < LEAST_NS ? LEAST_NS : ns > MOST_NS ? MOST_NS : ns;
}

/* `ns` may be negative. */
static void move_on(struct turns *turns, struct turn *turn, int64_t ns)
{
	const bool queued = turn->jobs != NULL, alone = queued && !turn->prev && !turn->child;

	if (queued && !alone)
		extract(turns, turn);
	turn->clock += (uint64_t)(ns / (turn->weight ? (int)turn->weight : 1));
	if (queued && !alone)
		insert(turns, turn);
}

/* --- jobs --- */

void turn_enter(struct turns *turns, struct job *job)
{
	struct turn *turn = job->turn;

	assert(!job->queued);
	job->queued = true;
	atomic_fetch_add_explicit(&turns->queued, 1, memory_order_relaxed);
	if (turn->jobs) {
		job->next = turn->jobs;
		job->prev = turn->jobs->prev;
		job->prev->next = job->next->prev = job;
		return;
	}
	turn->jobs = job->next = job->prev = job;
	if (turn->unit_ns == 0 || is_before(turn->clock, turns->clock))
		turn->clock = turns->clock;
	insert(turns, turn);
}

void turn_leave(struct turns *turns, struct job *job)
{
	struct turn *turn = job->turn;

	if (!job->queued)
		return;
	job->queued = false;
	atomic_fetch_sub_explicit(&turns->queued, 1, memory_order_relaxed);
	if (job->next == job) {
		extract(turns, turn);
		turn->jobs = NULL;
		return;
	}
	job->prev->next = job->next;
	job->next->prev = job->prev;
	if (turn->jobs == job)
		turn->jobs = job->next;
}

struct job *turn_next(struct turns *turns, uint64_t *ret_ns)
{
	struct turn *turn = turns->first;
	struct job *job;

	if (!turn)
		return NULL;
	job = turn->jobs;
	turn->jobs = job->next;
	if (is_before(turns->clock, turn->clock))
		turns->clock = turn->clock;
	*ret_ns = counted(turn->unit_ns);
	move_on(turns, turn, (int64_t)*ret_ns);
	return job;
}

void turn_spend(struct turns *turns, struct turn *turn, uint64_t ns, uint64_t expected_ns)
{
	if (ns)
		turn->unit_ns = ns = counted(ns);
	move_on(turns, turn, (int64_t)ns - (int64_t)expected_ns);
}
