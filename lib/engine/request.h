/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: a method's name and a map of parameters in, a map or an error out; the same door for the daemon's
 * sessions and for the embedded client. Parameters are checked against the one table of operations.
 *
 * Methods: every row of the table whose class is not METHOD_SESSION. */
#ifndef TRNSCI_ENGINE_REQUEST_H
#define TRNSCI_ENGINE_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "base/value.h"
#include "engine/memory/engine_session.h"

struct prepared_changes;
struct request;

/* Called once when the request is answered: from request_start itself (small requests are computed where they
 * arrive) or from a lane's thread. It must not block, since that thread serves other jobs, and may free the request. */
typedef void request_done(struct request *request, void *arg);

/* What a request computes: a method, or with method NULL a run of a prepared call. */
struct request_call {
	const char *method;
	size_t method_size;
	const struct value *params; /* a map */
	uint32_t prepared; /* handle */
	const struct prepared_changes *changes;
};

/* Starts a request. It takes bump, in which params and its strings live, whatever happens: it is freed with the
 * request. A request that is wrong is answered like any other, with an error; the return value is negative only when no
 * request could be made (-ERROR_NO_MEMORY; bump is freed, done is not called). *ret_request is set before done is
 * called. Threads may call it for one session at once. */
int request_start(struct engine_session *session, const struct request_call *call, struct bump *bump, request_done *done,
		  void *arg, struct request **ret_request);

/* How a caller runs a request in its own thread, to the end unless it has to wait; threads join where that is sooner.
 */
struct request_run {
	uint64_t deadline_ns; /* CLOCK_MONOTONIC, past which it is cancelled; 0: none */
	/* Called with the request and done's arg before it begins: from then on it may be cancelled. */
	void (*begins)(struct request *request, void *arg);
	/* Asked by the calling thread between chunks whether to cancel the request; NULL: never. */
	bool (*interrupted)(void *arg);
	void *interrupted_arg;
};

/* Starts a request as request_start, and joins its computing in the calling thread. Returns when the request is answered,
 * or earlier where it waits for its owner's reply. There is no ret_request: how->begins passes the request on before it
 * runs. */
int request_run(struct engine_session *session, const struct request_call *call, struct bump *bump,
		const struct request_run *how, request_done *done, void *arg);

/* After done: NULL, or the error (text "name: parameter: what was wrong, what is allowed"). */
const struct error *request_error(const struct request *request);

/* After done, without error: the reply, a map that lives as long as the request. Inline results are BYTES. */
const struct value *request_result(const struct request *request);

/* What a request used, for the owner's records of slow requests and of quotas. */
struct request_account {
	uint64_t began_ns, ended_ns; /* CLOCK_MONOTONIC, when threads began with it and when they ended; 0: none had it */
	uint64_t result_bytes;       /* that its steps wrote to tiles and to the reply */
};

/* After done. */
struct request_account request_account(const struct request *request);

/* Asks the request to stop at its next chunk; it is then answered with the error `cancelled`. Any thread, until the
 * request is freed. */
void request_cancel(struct request *request);

/* After done. Accepts NULL. */
void request_free(struct request *request);

#endif
