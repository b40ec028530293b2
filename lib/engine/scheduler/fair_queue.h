/* SPDX-License-Identifier: Apache-2.0 */
/* Turns: whom the pool's threads serve next. Under the pool's lock.
 *
 * Each client has a clock, which the time that is spent on it moves on, by so much less as its weight is larger; the
 * client whose clock is behind all others' is served. So each gets time in the ratio of the weights, however long its
 * chunks take, and one with a large weight does not keep the others waiting. A client that was idle begins where those
 * who are served stand: it is next, but has saved nothing up. (Start-time fair queueing; Goyal, Vin and Cheng 1996.) */
#ifndef TRNSCI_ENGINE_FAIR_QUEUE_H
#define TRNSCI_ENGINE_FAIR_QUEUE_H

#include "engine/scheduler/job.h"

/* Zero: nobody is queued. */
struct fair_queue {
	struct fair_entry *first; /* heap, whose clock is behind all others' */
	uint64_t clock;          /* of the client that was served last, before */
	_Atomic unsigned queued; /* jobs in all; may be read without the lock */
};

/* Queues a job behind the others of its client. */
void fair_queue_enter(struct fair_queue *queue, struct job *job);

/* Does nothing to a job that is not queued. */
void fair_queue_leave(struct fair_queue *queue, struct job *job);

/* The job whose turn it is; it stays queued, and its client's turn passes to that client's next job. What its chunk may
 * take is put on the client's account at once, so that the threads do not all serve one client meanwhile: *ret_ns, to
 * be given to fair_queue_charge. NULL when nobody is queued. */
struct job *fair_queue_next(struct fair_queue *queue, uint64_t *ret_ns);

/* A chunk of that client has taken `ns` and not `expected_ns`. 0: there was none. */
void fair_queue_charge(struct fair_queue *queue, struct fair_entry *fair_entry, uint64_t ns, uint64_t expected_ns);

#endif
