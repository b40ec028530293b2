/* SPDX-License-Identifier: Apache-2.0 */
/* Runs of prepared calls, on the loop's thread: in place where the call is small, else as requests (requests.h). A run in place
 * takes a job, as a request does, and leaves it to the next run of its turn. */
#ifndef TRNSCI_DAEMON_RUNS_H
#define TRNSCI_DAEMON_RUNS_H

#include "engine/call/prepared_batch.h"
#include "requests.h"

struct prepared;

/* Runs a prepared call, in place where it is small, else as a request. completed gets the end of the run, which may not have
 * results in its reply; NULL: replies to run->user, its msgid. */
void runs_start(struct session *session, const struct run_prepared *run, run_completed *completed);

/* Runs a prepared call as one of a batch, if it is a short draw into a tile. Returns false if not, or if something is wrong with
 * it: end the batch, and run it by runs_start. */
bool runs_draw(struct session *session, struct prepared_batch *batch, const struct run_prepared *run,
	       struct draw_position *ret_position);

/* Runs a prepared call as runs_draw, where its samples go into its reply, and sends that. */
bool runs_reply_draw(struct session *session, struct prepared_batch *batch, const struct run_prepared *run);

/* Ends a batch, open or not, whose runs took so long. */
void runs_close_batch(struct session *session, struct prepared_batch *batch, uint64_t took_ns);

/* The same, and counts the time of so many runs that were answered at once, which one look at the clock ends. */
void runs_end_batch(struct session *session, struct prepared_batch *batch, unsigned answered);

/* Gives back the job that a run in place leaves to the next one of its turn, as their accounts have locks. After the last run of a
 * turn, and before any other request. */
void runs_end(struct session *session);

#endif
