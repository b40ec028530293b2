/* SPDX-License-Identifier: Apache-2.0 */
/* The members of struct request, private to engine/request*.c.
 *
 * A request's life: request_new, engine_session_enter, bound and compiled (ready_*), then either answered at once or
 * submitted as a job. As a job it builds what its plans lack (settled is false), waits for its owner's replies, and
 * runs stage by stage; finish_request answers. It is freed by whoever gets `done`. */
#ifndef TRNSCI_ENGINE_REQUEST_CORE_H
#define TRNSCI_ENGINE_REQUEST_CORE_H

#include <stdatomic.h>

#include "engine/call/run.h"

struct owner_question;
struct prepared;

/* Allocated from its own bump, which also holds params, plan, run and reply: request_free frees all at once. */
struct request {
	struct job job; /* must be the first member: the scheduler passes it back */
	struct session_job entry;      /* in its session's list, from engine_session_enter to the answer */
	struct engine_session *session; /* a reference is held from engine_session_enter until `done` has returned */
	struct bump *bump;             /* owned */
	struct plan plan; /* unless it runs that of a prepared call */
	struct run run;
	uint64_t reserved; /* bytes, given back by unreserve(reserve_arg) in request_free */
	void (*unreserve)(void *arg, uint64_t bytes);
	void *reserve_arg;
	struct prepared *preparing; /* a `prepare` whose tables are being built; else NULL */
	struct prepared *prepared;  /* the call that this is a run of, held by bump; else NULL */
	struct error error;  /* code 0: none */
	struct value result; /* the reply, a map; members are added while the request is readied and settled */
	void (*done)(struct request *request, void *arg);
	void *arg; /* of done and of request_run's begins */
	/* What the session's owner replies to: the request itself, or the reservations of its draws (request_owner.h).
	 */
	struct owner_question *questions; /* in bump; as many as were asked */
	size_t n_questions;
	/* Replies that are missing, and 1 for the asking thread until it has asked all. Who lowers it to 0 goes on with
	 * the request: acquire and release, so that this thread sees what the others wrote with their replies. */
	atomic_uint awaiting;
	bool settled;         /* the owner's replies are in, and draws have their positions */
};

#endif
