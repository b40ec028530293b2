/* SPDX-License-Identifier: Apache-2.0 */
/* Decides when a call climbs. */
#include "ladder.h"

#include <string.h>

#include "engine/prepare.h"
#include "prepare.h"
#include "queue_slot.h"

enum {
	PREPARED_HERE = 2,          /* embedded: a preparation costs as much as two runs, and saves nearly all of each later one */
	PREPARED_THERE = 4,         /* by a daemon: it costs as much as a run, and saves half of each; most calls are run once or twice */
	QUEUED = 64,                /* in QUEUED_WITHIN_NS: the queue pays for itself after as many */
	QUEUED_WITHIN_NS = 2000000000, /* 32 runs a second: each of a crowd of hundreds has not many more */
	QUEUED_AS_ASKED = 4,        /* where the options ask for a queue, or the call was found to come often with other parameters */
	PARAMETERS_MOST = 16 << 10, /* bytes of a prepared call: the engine would keep them as long as the call lives */
};

static bool can_prepare(const struct trnsci_call *call)
{
	const struct operation *operation = operation_find(call->method, strlen(call->method));

	return operation && prepared_allows(operation) && args_bytes(&call->args.map) <= PARAMETERS_MOST;
}

static bool is_often(struct trnsci_call *call)
{
	struct call_ladder *ladder = &call->ladder;

	if (call->session->queue_option > 0 || ladder->often)
		return ladder->runs >= QUEUED_AS_ASKED;
	if (ladder->runs % QUEUED == 1)
		ladder->began_ns = clock_ns();
	return ladder->runs % QUEUED == 0 && clock_ns() - ladder->began_ns < QUEUED_WITHIN_NS;
}

/* A slot keeps a copy of the last reply, which has to be a prepared call's of this connection. */
static bool has_prepared_reply(const struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;
	bool has;

	pthread_mutex_lock(&session->lock);
	has = call->state == CALL_DONE && call->answer.reply && prepare_is_used(call) && call->connection == session->connection;
	pthread_mutex_unlock(&session->lock);
	return has;
}

/* A session that has no queue asks for one. Returns whether it has one. It asks no more when the daemon has refused. */
static bool begin_queue(struct trnsci_session *session)
{
	struct error error;
	const int r = session->engine->begin_queue(session, &error);

	if (r < 0 && r != -ERROR_CLOSED && r != -ERROR_TIMEOUT)
		atomic_store(&session->queue_refused, true);
	return r == 0;
}

static void climb_to_queue(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;
	int r;

	if (!session->engine->begin_queue || session->queue_option < 0 || call->queue_slot || call->ladder.stays_prepared ||
	    atomic_load_explicit(&session->queue_refused, memory_order_relaxed) || !has_prepared_reply(call))
		return;
	r = queue_slot_give(call);
	call->ladder.stays_prepared = r < 0;
	call->ladder.lacks_tile = r == -ERROR_BAD_TILE;
	if (r == 0 && !begin_queue(session))
		queue_slot_take(call);
}

void ladder_climb(struct trnsci_call *call)
{
	const bool in_process = call->session->engine->prepare;
	const bool changed = call->ladder.version != call->args.version;

	if (call->internal || !args_are_good(&call->args))
		return;
	if (changed)
		call->ladder = (struct call_ladder){.version = call->args.version, .often = call->ladder.lacks_tile};
	if (prepare_renew(call, changed))
		queue_slot_take(call);
	call->ladder.runs++;
	if (call->ladder.runs >= (in_process ? PREPARED_HERE : PREPARED_THERE) && !call->preparation.asked) {
		call->preparation.asked = true;
		if (can_prepare(call))
			prepare_ask(call);
	} else if (!in_process && is_often(call)) {
		climb_to_queue(call);
	}
}
