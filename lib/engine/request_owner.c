/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to the session's owner, and its replies.
 *
 * `awaiting` starts at 1 and counts each question before it is asked. An owner that replies at once therefore cannot
 * wake a job whose other questions are still to be asked; await_replies takes the 1 away last. */
#include "engine/request_owner.h"

#include <string.h>

#include "engine/deferred_reply.h"
#include "engine/call/placement.h"

/* One question, in the request's bump. */
struct owner_question {
	struct deferred_reply deferred; /* must be the first member: on_reply casts back to us */
	struct request *request;
	struct stream_reservation *range; /* to be reserved; NULL: the owner replies to the request itself */
	struct error error; /* the owner's: a question's own, since several replies may come at once */
	int reply;     /* 0 or the error; valid once awaiting has come to 0 */
	bool is_later; /* the owner said REPLY_DEFERRED, and has to be asked to forget it */
};

int request_settle(struct request *request)
{
	request->settled = true;
	for (size_t i = 0; i < request->n_questions; i++) {
		const struct owner_question *question = &request->questions[i];

		if (question->reply) {
			request->error = question->error;
			return question->reply;
		}
		if (question->range) {
			question->range->stream = question->deferred.stream;
			question->range->offset = question->deferred.offset;
		}
	}
	return placement_seek(&request->run, &request->error);
}

void request_forget_replies(struct request *request)
{
	const struct session_owner *limits = &request->session->limits;

	for (size_t i = 0; i < request->n_questions; i++)
		if (request->questions[i].is_later)
			limits->deferred->forget(limits->deferred_arg, &request->questions[i].deferred);
}

void deferred_reply_send(struct deferred_reply *deferred, int error)
{
	deferred->send(deferred, error);
}

/* Takes a reply that came later, in the owner's thread. The request outlives this call, though its job may end as soon
 * as it is woken: request_forget_replies waits for the call before the request is answered. */
static void on_reply(struct deferred_reply *deferred, int error)
{
	struct owner_question *question = (struct owner_question *)deferred;
	struct request *request = question->request;

	question->reply = error;
	if (atomic_fetch_sub_explicit(&request->awaiting, 1, memory_order_acq_rel) == 1)
		pool_wake(request->session->engine->pool, &request->job);
}

int request_check_owner(struct request *request, const char *context)
{
	if (request->session->limits.deferred)
		return 0;
	return error_set(&request->error, ERROR_NOT_SUPPORTED,
			 "%s: named streams are kept by a daemon, allowed: a session with one", context);
}

/* Allocates room for n questions and takes the asking thread's count. */
static int make_questions(struct request *request, size_t n)
{
	request->questions = bump_alloc(request->bump, n * sizeof *request->questions);
	if (!request->questions)
		return error_set(&request->error, ERROR_NO_MEMORY, "no memory for the request");
	atomic_store(&request->awaiting, 1);
	return 0;
}

/* Prepares the next question. It is counted as awaited before the owner can see it. */
static struct owner_question *add_question(struct request *request, struct stream_reservation *range)
{
	struct owner_question *question = &request->questions[request->n_questions++];

	memset(question, 0, sizeof *question);
	question->request = request;
	question->range = range;
	question->deferred = (struct deferred_reply){.bump = request->bump,
						     .reply = &request->result,
						     .error = &question->error,
						     .same = range ? range->same : NULL,
						     .n = range ? range->n : 0,
						     .words = range ? range->words : 0,
						     .send = on_reply};
	atomic_fetch_add(&request->awaiting, 1);
	return question;
}

/* Takes what begin or reserve returned. A reply that came at once is counted off here, as on_reply is not called.
 * Returns 0 or its error. */
static int take_reply(struct owner_question *question, int reply)
{
	question->is_later = reply == REPLY_DEFERRED;
	if (question->is_later)
		return 0;
	atomic_fetch_sub(&question->request->awaiting, 1);
	if (reply)
		question->request->error = question->error;
	return reply;
}

/* All questions are asked. Returns 0 if all replies are there, 1 if the last of them wakes the job, or an error. */
static int await_replies(struct request *request)
{
	if (atomic_fetch_sub_explicit(&request->awaiting, 1, memory_order_acq_rel) != 1)
		return 1;
	return request_settle(request);
}

int request_ask_reply(struct request *request, const struct args *args)
{
	const struct session_owner *limits = &request->session->limits;
	struct owner_question *question;
	int error = make_questions(request, 1);

	if (error)
		return error;
	question = add_question(request, NULL);
	error = take_reply(question, limits->deferred->begin(limits->deferred_arg, args, &question->deferred));
	return error ? error : await_replies(request);
}

int request_ask_reservations(struct request *request)
{
	const struct session_owner *limits = &request->session->limits;
	const struct placements *placements = &request->run.plan->placements;
	char context[PLACEMENT_CONTEXT];
	int error = make_questions(request, placements->n_ranges);

	for (size_t i = 0; i < placements->n_ranges && !error; i++) {
		struct stream_reservation *range = &request->run.ranges[i];
		struct owner_question *question;

		if (!range->name || range->draws == 0)
			continue;
		placement_context(&placements->at[range->first], context);
		error = request_check_owner(request, context);
		if (error)
			break;
		question = add_question(request, range);
		error = take_reply(question, limits->deferred->reserve(limits->deferred_arg, range->name,
								       range->name_size, context, &question->deferred));
	}
	return error ? error : await_replies(request);
}
