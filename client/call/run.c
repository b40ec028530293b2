/* SPDX-License-Identifier: Apache-2.0 */
/* Running calls and waiting for them. */
#include "run.h"

#include "session/wait.h"
#include "table.h"
#include "ladder.h"
#include "prepare.h"
#include "queue_slot.h"
#include "session/public_error.h"
#include "send.h"
#include "tiles.h"

/* ---- starting ---- */

/* Runs a small prepared call in this thread, without an allocation, if the engine is here. Returns false if it has to be
 * sent, as one that may be in the queue of answered calls; that also reports what is wrong with it. */
static bool run_inline(struct trnsci_call *call)
{
	struct trnsci_session *session = call->session;
	const struct value *reply;

	if (!call->preparation.inline_prepared || call->ladder.version != call->args.version || call->answers_to_next ||
	    call->state == CALL_IN_FLIGHT || !args_are_good(&call->args) || !changes_fit_prepared(&call->changes) || !session_enter(session))
		return false;
	call_drop_reply(call);
	reply = prepared_rerun(call->preparation.inline_prepared, changes_for_engine(&call->changes));
	call->ran_inline = reply;
	call->answer.reply = reply;
	call->connection = session->connection;
	call_clear_error(call);
	atomic_store_explicit(&call->state, reply ? CALL_DONE : CALL_IDLE, memory_order_release);
	session_leave(session);
	return reply;
}

/* Sends the call as a request. */
static int start_request(struct trnsci_call *call, bool answers_to_next)
{
	struct trnsci_session *session = call->session;
	struct error error = {0};
	int r;

	ladder_climb(call);
	call_drop_reply(call);
	r = call_check_args(call, &error);
	if (r == 0 && call->args.new_tile)
		r = session->engine->begin_arenas(session, 0, &error);
	if (r == 0) {
		pthread_mutex_lock(&session->lock);
		r = call_begin(call, answers_to_next, &error);
		pthread_mutex_unlock(&session->lock);
	}
	if (r < 0)
		return call_set_error(call, &error);
	return call_send(call);
}

static int refuse_start(struct trnsci_call *call)
{
	struct error error = {0};

	session_check(call->session, &error);
	return call_set_error(call, &error);
}

int call_change(struct trnsci_call *call, const struct trnsci_param *changes)
{
	struct error error;

	if (session_check(call->session, NULL) < 0)
		return refuse_start(call);
	if (call_is_in_flight(call))
		return -ERROR_OUT_OF_RANGE;
	if (changes_set(&call->changes, changes, call->method, &call->args, &error) == 0)
		return 0;
	call_drop_reply(call);
	return call_set_error(call, &error);
}

int call_start(struct trnsci_call *call, bool answers_to_next)
{
	if (session_check(call->session, NULL) < 0)
		return refuse_start(call);
	if (!answers_to_next && run_inline(call))
		return 0;
	if (call->queue_slot && call->session->engine->enqueue(call, answers_to_next))
		return 0;
	return call_is_in_flight(call) ? -ERROR_OUT_OF_RANGE : start_request(call, answers_to_next);
}

/* ---- waiting ---- */

/* A condition of session_wait: evaluated with the lock. */
static bool is_answered(void *arg)
{
	return ((struct trnsci_call *)arg)->state != CALL_IN_FLIGHT;
}

static int wait_until(struct trnsci_call *call, int64_t deadline)
{
	struct trnsci_session *session = call->session;
	int r = session_check(session, NULL);

	if (r < 0)
		return r;
	if (call_is_in_flight(call)) {
		pthread_mutex_lock(&session->lock);
		r = session_wait_and_unlock(session, is_answered, call, deadline);
		if (r < 0)
			return r;
	}
	if (call->answers_to_next) {
		pthread_mutex_lock(&session->lock);
		call_unlist(call);
		pthread_mutex_unlock(&session->lock);
	}
	/* A call that was never started is the caller's mistake. */
	return call->state == CALL_IDLE && !call->answer.error.code ? -ERROR_OUT_OF_RANGE : -call->answer.error.code;
}

/* Cancels a call whose wait has ended with an error: its time is over, or the program has interrupted it. The call stays in flight
 * until the engine answers it; only its error is written now. One that was answered in time after all has its answer. */
static int give_up(struct trnsci_call *call, int r)
{
	const bool cancels = call_is_in_flight(call);
	struct error error;

	call_cancel(call);
	if (r == -ERROR_CANCELLED)
		error_set(&error, ERROR_CANCELLED, "%s: interrupted", call->method);
	else
		error_set(&error, ERROR_TIMEOUT, "%s: no answer within %d ms", call->method, call->session->timeout_ms);
	pthread_mutex_lock(&call->session->lock);
	const int code = call->answer.error.code;

	if (call->state == CALL_IN_FLIGHT || (cancels && code == TRNSCI_CANCELLED) || (r == -ERROR_CANCELLED && !code))
		r = call_set_error(call, &error);
	else
		r = -code;
	pthread_mutex_unlock(&call->session->lock);
	return r;
}

int call_await(struct trnsci_call *call, int64_t deadline)
{
	const int r = call->ran_inline ? 0 : wait_until(call, deadline);

	return r == -ERROR_TIMEOUT || r == -ERROR_CANCELLED ? give_up(call, r) : r;
}

int call_run_and_keep(struct trnsci_call *call)
{
	const int64_t deadline = deadline_after(call->session->timeout_ms);
	const int r = call_start(call, false);

	return r < 0 ? r : call_await(call, deadline);
}

int call_run(struct trnsci_call *call, struct error *err)
{
	int r = call_run_and_keep(call);

	if (r == 0)
		return 0;
	error_import(err, &call->answer.error);
	trnsci_call_free(call);
	return r;
}

int call_run_and_free(struct trnsci_call *call, struct error *err)
{
	int r = call_run(call, err);

	if (r == 0)
		trnsci_call_free(call);
	return r;
}

int call_run_to_end(struct trnsci_call *call, struct error *err)
{
	int r = call_run_and_keep(call);

	if (r == 0)
		return 0;
	error_import(err, &call->answer.error);
	while (call_is_in_flight(call) && wait_until(call, DEADLINE_NEVER) == -ERROR_CANCELLED)
		; /* interrupted again: the engine may still write to the caller's memory */
	trnsci_call_free(call);
	return r;
}

/* ---- the public interface ---- */

int trnsci_wait(struct trnsci_call *call, int timeout_ms)
{
	return call ? wait_until(call, deadline_after(timeout_ms)) : -ERROR_NO_MEMORY;
}

int trnsci_cancel(struct trnsci_call *call)
{
	if (!call)
		return -ERROR_OUT_OF_RANGE;
	int r = session_check(call->session, NULL);

	if (r == 0)
		call_cancel(call);
	return r;
}

void trnsci_call_free(struct trnsci_call *call)
{
	if (!call)
		return;
	if (session_check(call->session, NULL) < 0)
		return; /* a child after fork: a thread that is not here may hold the lock */
	if (call_is_in_flight(call))
		call_cancel(call);
	pthread_mutex_lock(&call->session->lock);
	call_unlist(call);
	call->answers_to_next = false;
	pthread_mutex_unlock(&call->session->lock);
	queue_slot_take(call);
	prepare_end(call);
	if (call->give_back)
		call->give_back(call);
	call_unref(call);
}
