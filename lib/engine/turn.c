/* SPDX-License-Identifier: Apache-2.0 */
/* Two levels of rings; whose turn it is stands at a ring's head, and a newcomer just behind all others. */
#include "engine/turn.h"

#include <assert.h>

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
	turn->left = turn->weight;
	if (turns->first) {
		turn->next = turns->first;
		turn->prev = turns->first->prev;
		turn->prev->next = turn->next->prev = turn;
	} else {
		turns->first = turn->next = turn->prev = turn;
	}
}

static void leave_clients(struct turns *turns, struct turn *turn)
{
	turn->jobs = NULL;
	if (turn->next == turn) {
		turns->first = NULL;
		return;
	}
	turn->prev->next = turn->next;
	turn->next->prev = turn->prev;
	if (turns->first == turn)
		turns->first = turn->next;
}

void turn_leave(struct turns *turns, struct job *job)
{
	struct turn *turn = job->turn;

	if (!job->queued)
		return;
	job->queued = false;
	atomic_fetch_sub_explicit(&turns->queued, 1, memory_order_relaxed);
	if (job->next == job) {
		leave_clients(turns, turn);
		return;
	}
	job->prev->next = job->next;
	job->next->prev = job->prev;
	if (turn->jobs == job)
		turn->jobs = job->next;
}

struct job *turn_next(struct turns *turns)
{
	struct turn *turn = turns->first;
	struct job *job;

	if (!turn)
		return NULL;
	job = turn->jobs;
	turn->jobs = job->next;
	if (turn->left > 1) {
		turn->left--;
		return job;
	}
	turn->left = turn->weight;
	turns->first = turn->next;
	return job;
}
