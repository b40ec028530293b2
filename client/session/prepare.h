/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that are run again: the engine prepares them, and later runs send only what changes.
 *
 * A call that computes is prepared when it is run for the fourth time with the same parameters: most calls are run once
 * or twice, and a preparation costs as much as a run. The request for it goes out with that run, so nobody waits for it. Changed parameters, or another connection, end the
 * preparation; a call whose preparation is refused is sent whole, as before. */
#ifndef TRNSCI_CLIENT_SESSION_PREPARE_H
#define TRNSCI_CLIENT_SESSION_PREPARE_H

#include "session.h"

/* What the owner of a call that is now in flight has to do for it, without the lock. */
struct prepare_todo {
	bool releases;            /* handles are to be released */
	struct trnsci_call *call; /* it is to be prepared; one reference; NULL: no */
	uint64_t connection, preparation;
};

/* The call is in flight from now on: how it is sent. With the lock. */
struct prepare_todo prepare_begin(struct trnsci_call *call);
/* Without the lock, before the call is sent. */
void prepare_do(struct trnsci_session *session, const struct prepare_todo *todo);

/* Whether the call is sent as a run of its prepared form. With the lock. */
bool prepare_is_used(const struct trnsci_call *call);

/* A `prepare` was answered; reply NULL: by an error. With the lock. */
void prepare_finish(struct trnsci_call *prepare, const struct value *reply);

/* The call's owner frees it. Without the lock. */
void prepare_end(struct trnsci_call *call);

/* The request of a run, and of a `prepare`, in the bump allocator. -ERROR_NO_MEMORY */
int prepare_build_run(const struct trnsci_call *call, struct bump *bump, struct value *ret_params);
int prepare_build_request(const struct trnsci_call *prepare, struct bump *bump, struct value *ret_params);

#endif
