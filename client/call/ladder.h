/* SPDX-License-Identifier: Apache-2.0 */
/* The ladder of the same call again: a message, then a prepared call, then the queue.
 *
 *     1st run                a message: the engine validates and compiles the call for this run alone
 *     2nd, or 4th run        the engine prepares the call; later runs state only what changes (prepare.h)
 *     64th run within 2 s    later runs go through the daemon's queue, without a system call (queue_slot.h)
 *
 * The 4th run and the queue are a daemon's; an embedded engine prepares at the 2nd run, and then runs small calls in their caller's
 * thread. Changed parameters begin at the bottom, another connection at the next run. Whatever a step refuses, the call stays below it.
 * A call of a one-line function comes here with its second use (cache.h), since most of these come once. */
#ifndef TRNSCI_CLIENT_CALL_LADDER_H
#define TRNSCI_CLIENT_CALL_LADDER_H

#include "call.h"

/* Counts a run that is about to be sent as a request, and takes the call a step up when it is time. The first time that a call of the
 * session gets a queue, the thread waits for the daemon's answer. Without the lock; the call is not in flight. */
void ladder_climb(struct trnsci_call *call);

#endif
