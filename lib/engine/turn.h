/* SPDX-License-Identifier: Apache-2.0 */
/* Turns: a ring of clients, each with a ring of its jobs that have units to give. Under the pool's lock. */
#ifndef TRNSCI_ENGINE_TURN_H
#define TRNSCI_ENGINE_TURN_H

#include "engine/pool.h"

/* Zero: nobody is queued. */
struct turns {
	struct turn *first;      /* whose turn is next */
	_Atomic unsigned queued; /* jobs in all; may be read without the lock */
};

/* Queues a job behind the others of its client; a client behind the other clients. */
void turn_enter(struct turns *turns, struct job *job);

/* Does nothing to a job that is not queued. */
void turn_leave(struct turns *turns, struct job *job);

/* The job whose turn it is; it stays queued. Its client's turn passes to that client's next job, and to the next client
 * after as many units as the client's weight. NULL when nobody is queued. */
struct job *turn_next(struct turns *turns);

#endif
