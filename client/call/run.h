/* SPDX-License-Identifier: Apache-2.0 */
/* Running calls: sending one with the changes of this run, and waiting for its answer. All without the lock. */
#ifndef TRNSCI_CLIENT_CALL_RUN_H
#define TRNSCI_CLIENT_CALL_RUN_H

#include "call.h"

/* Reads the changes of the next run. What it returns but 0 is the call's error, or -ERROR_OUT_OF_RANGE: it is in flight. */
int call_change(struct trnsci_call *call, const struct trnsci_param *changes);

/* Sends the call with its changes. answers_to_next: its answer is for trnsci_next. */
int call_start(struct trnsci_call *call, bool answers_to_next);

/* Waits for a call that was started, and gives it up at the deadline. What it returns but 0 is the call's error. */
int call_await(struct trnsci_call *call, int64_t deadline);

/* As trnsci_run, with the call's changes. */
int call_run_and_keep(struct trnsci_call *call);

/* As trnsci_run, but with the error in err, and on failure the call is freed. */
int call_run(struct trnsci_call *call, struct error *err);
/* As call_run for a call whose reply nobody reads: the call is freed also on success. */
int call_run_and_free(struct trnsci_call *call, struct error *err);
/* As call_run for a call that works on the caller's memory: one that exceeds its time limit is waited for until it has
 * stopped. */
int call_run_to_end(struct trnsci_call *call, struct error *err);

#endif
