/* SPDX-License-Identifier: Apache-2.0 */
/* What a call keeps to be run through a daemon's queue: its reply, into which the end of a run writes its numbers, and the tile of its
 * results. The run itself names the prepared call. */
#ifndef TRNSCI_CLIENT_CALL_QUEUE_SLOT_H
#define TRNSCI_CLIENT_CALL_QUEUE_SLOT_H

#include "call.h"
#include "queue_layout.h"

struct queue_slot {
	struct trnsci_tile *out; /* as the call states it; a reference */
	uint64_t frees;          /* of the session's tiles, when those of the call were last looked at */
	struct bump *bump;       /* of the reply */
	struct value reply;
	struct value *seed, *stream, *offset, *position, *next, *tile; /* members of the reply; NULL: none */
};

/* Gives the call a slot with a copy of its present reply; later runs go through the queue. Returns -ERROR_NOT_SUPPORTED if the call is
 * none for a queue, -ERROR_BAD_TILE if it is one but for its results, which come in the reply, or -ERROR_NO_MEMORY. Without the lock. */
int queue_slot_give(struct trnsci_call *call);

/* Takes the slot away, if there is one. Without the lock. */
void queue_slot_take(struct trnsci_call *call);

/* Writes the end of a run into the reply. With the lock. */
void queue_slot_complete(struct trnsci_call *call, const struct queue_completion *completion);

#endif
