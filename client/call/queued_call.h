/* SPDX-License-Identifier: Apache-2.0 */
/* What a call keeps to be run through a daemon's queue: a prepared call whose results lie in tiles, and its reply, into which
 * the end of a run writes its numbers. Results of a call that states no tile go to a tile of the library's own, where the
 * reply's data then lie. */
#ifndef TRNSCI_CLIENT_CALL_QUEUED_CALL_H
#define TRNSCI_CLIENT_CALL_QUEUED_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "base/value.h"
#include "queue_layout.h"

struct trnsci_call;
struct trnsci_session;
struct trnsci_tile;

struct queued_call {
	uint32_t prepared;
	uint64_t connection, version; /* on which, and of which parameters, `prepared` is */
	struct queued_call *younger, *older; /* of the session's, under its lock */
	const struct trnsci_call *call;
	uint64_t frees; /* of the session's tiles, when those of the call were last looked at */
	bool outdated;                /* `connection` is gone; only the thread that runs the call sets it */
	struct trnsci_tile *out;      /* as the call states it; a reference */
	struct trnsci_tile *own;      /* for results that are to be in the reply; NULL: none */
	struct bump *bump;
	struct value reply;
	struct value *seed, *stream, *offset, *position, *next, *tile, *data; /* members of the reply; NULL: none */
	void (*release)(struct queued_call *queued);                          /* frees `own`. Without the lock */
};

/* Keeps a copy of the call's present reply. The caller sets what stands before `bump`, and `release`. Returns
 * -ERROR_NOT_SUPPORTED if the end of a run would not state all that changes in it, or -ERROR_NO_MEMORY. */
int queued_call_new(const struct trnsci_call *call, struct queued_call **ret_queued);
void queued_call_free(struct queued_call *queued); /* accepts NULL. Without the lock */

/* Gives it to the call, whose runs go through the queue from then on; or takes it away and frees it. Without the lock. */
void call_set_queued(struct trnsci_call *call, struct queued_call *queued);
void call_end_queued(struct trnsci_call *call);

/* Copies the data of replies out of tiles whose memory is about to go. With the lock. */
void queued_calls_keep_data(struct trnsci_session *session);

/* Writes the end of a run into the reply. With the lock. */
void queued_call_complete(struct trnsci_call *call, const struct queue_completion *completion);

#endif
