/* SPDX-License-Identifier: Apache-2.0 */
/* A call ends once, whichever of two threads comes first: the one whose request the engine refuses, or another that finds the
 * session lost. The engine is the test's own: it fails the session just before it refuses. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "call/send.h"
#include "call/table.h"

static bool loses_session; /* while it takes a request */
static int answers;

static int refuse(struct trnsci_call *call, struct error *err)
{
	struct trnsci_session *session = call->session;

	if (loses_session) {
		pthread_mutex_lock(&session->lock);
		session_fail(session, &(struct error){.code = ERROR_CLOSED, .text = "closed: the daemon has gone"});
		pthread_mutex_unlock(&session->lock);
	}
	return error_set(err, ERROR_NO_MEMORY, "no memory for the request");
}

static void count_answer(struct trnsci_call *call)
{
	(void)call;
	answers++;
}

static void destroy(struct trnsci_session *session)
{
	(void)session;
}

static const struct session_engine engine = {.send = refuse, .destroy = destroy};

static struct trnsci_session *open_session(bool lost)
{
	struct trnsci_session *session = session_new(&engine, "fake", &(struct trnsci_options){.spin_us = -1});

	assert_non_null(session);
	loses_session = lost;
	answers = 0;
	return session;
}

static struct trnsci_call *new_call(struct trnsci_session *session)
{
	struct trnsci_call *call;

	assert_int_equal(call_new(session, "ping", &call), 0);
	call->answered = count_answer;
	return call;
}

/* Begins and sends it. */
static int send_call(struct trnsci_call *call, bool answers_to_next)
{
	struct error error;
	int r;

	pthread_mutex_lock(&call->session->lock);
	r = call_begin(call, answers_to_next, &error);
	pthread_mutex_unlock(&call->session->lock);
	assert_int_equal(r, 0);
	return call_send(call);
}

static void refused(void **state)
{
	struct trnsci_session *session = open_session(false);
	struct trnsci_call *call = new_call(session);

	(void)state;
	assert_int_equal(send_call(call, true), -ERROR_NO_MEMORY);
	assert_int_equal(call->state, CALL_IDLE);
	assert_int_equal(trnsci_call_error(call)->code, TRNSCI_NO_MEMORY);
	assert_int_equal(answers, 0);
	assert_null(session->oldest);
	assert_int_equal(session->n_in_flight, 0);
	call_unref(call);
	session_unref(session);
}

/* It was answered with all others, so it is for trnsci_next as they are. */
static void lost_before_it_is_refused(void **state)
{
	struct trnsci_session *session = open_session(true);
	struct trnsci_call *call = new_call(session);

	(void)state;
	assert_int_equal(send_call(call, true), 0);
	assert_int_equal(call->state, CALL_DONE);
	assert_int_equal(trnsci_call_error(call)->code, TRNSCI_CLOSED);
	assert_int_equal(answers, 1);
	assert_ptr_equal(session->oldest, call);
	assert_int_equal(session->n_in_flight, 0);
	pthread_mutex_lock(&session->lock);
	call_unlist(call);
	pthread_mutex_unlock(&session->lock);
	call_unref(call);
	session_unref(session);
}

/* The library's own requests, which nobody waits for. */
static void posted(void **state)
{
	(void)state;
	for (int lost = 0; lost < 2; lost++) {
		struct trnsci_session *session = open_session(lost);

		call_send_unawaited(new_call(session));
		assert_int_equal(answers, 1);
		assert_int_equal(session->n_in_flight, 0);
		assert_int_equal(session->refs, 1);
		session_unref(session);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(refused),
		cmocka_unit_test(lost_before_it_is_refused),
		cmocka_unit_test(posted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
