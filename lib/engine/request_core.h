/* SPDX-License-Identifier: Apache-2.0 */
/* The members of struct request, private to engine/request*.c. */
#ifndef TRNSCI_ENGINE_REQUEST_CORE_H
#define TRNSCI_ENGINE_REQUEST_CORE_H

#include <stdatomic.h>

#include "engine/program/program.h"

struct owner_question;
struct prepared;

/* Allocated from its own bump, which also holds params, program and reply: request_free frees all at once. */
struct request {
	struct job job; /* must be the first member: the scheduler passes it back */
	struct session_job entry;
	struct session_memory *memory;
	struct bump *bump;
	struct program program;
	uint64_t reserved; /* bytes, given back by unreserve(reserve_arg) in request_free */
	void (*unreserve)(void *arg, uint64_t bytes);
	void *reserve_arg;
	struct prepared *prepared; /* a `prepare` whose tables are being built; else NULL */
	struct error error;
	struct value result;
	void (*done)(struct request *request, void *arg);
	void *arg;
	/* What the session's owner replies to: the request itself, or the reservations of its draws (request_owner.h).
	 */
	struct owner_question *questions;
	size_t n_questions;
	atomic_uint awaiting; /* replies, and 1 for request_start until all questions are asked */
	bool settled;         /* the owner's replies are in, and draws have their positions */
};

#endif
