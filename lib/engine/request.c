/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: bound, compiled, and computed here or by the pool.
 *
 * The callbacks of the job come first, from the pool's threads or the caller's; below them stands how each kind of
 * method is readied, in the caller's thread; last, where the job then runs. */
#include "engine/request.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/compile/compile.h"
#include "engine/call/prepared.h"
#include "engine/call/prepared_core.h"
#include "engine/call/placement.h"
#include "engine/request_core.h"
#include "engine/request_owner.h"
#include "engine/service.h"
#include "engine/scheduler/pool_caller.h"

static struct request *of_job(struct job *job)
{
	return (struct request *)((char *)job - offsetof(struct request, job));
}

/* Builds the next piece of what its steps need. Returns JOB_AGAIN while pieces are left, then 0, or an error. */
static int build_piece(struct request *request)
{
	const int more = deferred_build_advance(&request->run.bound.deferred, &request->error);

	return more > 0 ? JOB_AGAIN : more;
}

/* The same for a `prepare`: the call is kept, and its handle is the reply, once its tables are built. */
static int advance_prepared(struct request *request)
{
	struct prepared *prepared = request->preparing;
	const int more = deferred_build_advance(&prepared->first.bound.deferred, &request->error);

	if (more)
		return more > 0 ? JOB_AGAIN : more;
	request->preparing = NULL;
	return service_keep(request->session, prepared, request->bump, &request->result, &request->error);
}

/* job_ops.advance, called by one thread at a time: the next stage, JOB_AGAIN, JOB_WAIT, 0 at the end, or an error.
 * Pieces are built before the owner's replies are in, so that disk and tables overlap, and again behind them, for what
 * positions ask for. */
static int advance_request(struct job *job)
{
	struct request *request = of_job(job);
	int error;

	if (request->preparing)
		return advance_prepared(request);
	if (!request->settled) {
		error = build_piece(request);
		if (error)
			return error;
		if (atomic_load_explicit(&request->awaiting, memory_order_acquire))
			return JOB_WAIT;
		error = request_settle(request);
		if (error)
			return error;
	}
	error = build_piece(request);
	return error ? error : run_advance(&request->run, job);
}

/* job_ops.run: computes a chunk of the current stage, beside other threads. Returns the words it drew, for the lanes'
 * counters. */
static uint64_t run_request(struct job *job, size_t chunk, void *scratch)
{
	return run_chunk(&of_job(job)->run, chunk, scratch);
}

/* Ends the request and calls done. The session is kept until done has returned, since done may free the request and
 * with it the last pointer to the session. A failed request gives back the tiles that it made with {new: true}: the
 * client never learns their handles. */
static void answer_request(struct request *request)
{
	struct engine_session *session = request->session;

	prepared_drop(request->preparing);
	if (request->error.code)
		run_free_new_tiles(&request->run);
	run_end(&request->run);
	engine_session_leave(session, &request->entry);
	request->done(request, request->arg);
	engine_session_unref(session);
}

/* job_ops.finish: names the error, if there is one, and answers. The text of a failed step (run.failure) goes
 * before the general meaning of its code. */
static void finish_request(struct job *job, int error)
{
	struct request *request = of_job(job);

	request_forget_replies(request);
	if (!error && request->prepared)
		prepared_learn(request->prepared, &request->run);
	if (error == -ERROR_CANCELLED && atomic_load_explicit(&job->late, memory_order_relaxed))
		error_set(&request->error, ERROR_TIMEOUT, "the request was not done within its timeout_ms");
	else if (error == -ERROR_CANCELLED)
		error_set(&request->error, ERROR_CANCELLED, "the request was stopped before its end");
	else if (error && request->run.failure)
		error_set(&request->error, (enum error_code) - error, "%s", request->run.failure);
	else if (error && !request->error.code)
		error_set(&request->error, (enum error_code) - error, "%s", error_meaning(error));
	answer_request(request);
}

static const struct job_ops request_ops = {advance_request, run_request, finish_request};

/* Refuses what cannot be bound: an unknown method, one of the daemon's own, or parameters that are no map. */
static int check_method(const struct operation *operation, const char *method, size_t size, const struct value *params,
			struct error *err)
{
	char got[BIND_TEXT];

	if (!operation)
		return error_set(err, ERROR_UNKNOWN_METHOD, "\"%s\": no such method, describe lists them all",
				 bind_text(method, size, got));
	if (operation->start == START_SESSION)
		return error_set(err, ERROR_NOT_SUPPORTED, "%s: needs a daemon, allowed: a session with one", operation->name);
	if (params->kind != VALUE_MAP)
		return error_set(err, ERROR_WRONG_TYPE, "%s: params: got %s, allowed is a map", operation->name,
				 bind_kind_text(params->kind));
	return 0;
}

/* Returns the bytes that a run holds: inline results, temporaries, and the tables and work memory of plans that it has
 * to build first. They are reserved before results are written, temporaries allocated and larger tables filled. */
static uint64_t bytes_of(const struct run *run)
{
	const uint64_t bytes = run->plan->inline_out + run->plan->temp_bytes;

	return run->bound.deferred.first ? bytes + run->bound.deferred.held_bytes + run->bound.deferred.work_bytes : bytes;
}

/* Reserves bytes of the owner's work memory, which request_free gives back. The owner refuses what goes beyond its
 * share. */
static int reserve_work(struct request *request, uint64_t bytes)
{
	const struct session_owner *limits = &request->session->limits;
	int error = limits->reserve && bytes ? limits->reserve(limits->reserve_arg, bytes, &request->error) : 0;

	if (error || !limits->reserve)
		return error;
	request->reserved = bytes;
	request->unreserve = limits->unreserve;
	request->reserve_arg = limits->reserve_arg;
	return 0;
}

/* Takes a run's part of the session's shares: of the bytes of replies, then of work memory. */
static int reserve_run(struct request *request)
{
	const struct session_owner *limits = &request->session->limits;
	const uint64_t reply_bytes = request->run.plan->inline_out;
	int error = 0;

	if (limits->reserve_reply && reply_bytes)
		error = limits->reserve_reply(limits->reply_arg, reply_bytes, &request->error);
	return error ? error : reserve_work(request, bytes_of(&request->run));
}

/* Sets a job's deadline: timeout_ms from now, or the caller's own where that is sooner. timeout_ms is below 2^32, so
 * nothing overflows. */
static void set_deadline(struct request *request, uint64_t timeout_ms)
{
	uint64_t deadline_ns;

	if (timeout_ms == 0)
		return;
	deadline_ns = now_ns() + timeout_ms * 1000000u;
	if (request->job.deadline_ns == 0 || deadline_ns < request->job.deadline_ns)
		request->job.deadline_ns = deadline_ns;
}

/* Reserves what a run takes, and finds where its draws lie. Returns 1: it is ready to run, or waits
 * for its reservations; or an error. */
static int ready_run(struct request *request, const char *context, uint64_t timeout_ms)
{
	int error = 0;

	set_deadline(request, timeout_ms);
	if (!placement_waits(&request->run)) {
		error = request_settle(request);
		if (!error)
			error = reserve_run(request);
		return error ? error : 1;
	}
	/* Words that are reserved are spent, so everything else that can be wrong is found before. */
	error = deferred_build_check(&request->run.bound.deferred, context, &request->error);
	if (!error)
		error = reserve_run(request);
	if (!error && request->run.plan->placements.is_run)
		error = placement_seek(&request->run, &request->error);
	if (!error)
		error = request_ask_reservations(request);
	return error < 0 ? error : 1;
}

/* Sets the compiler for a request's plan, run and reply. bind_args sets the rest of args, which is large. */
static void init_compiler(struct compiler *compiler, struct request *request, const struct operation *operation)
{
	memset(compiler, 0, offsetof(struct compiler, args.at));
	compiler->plan = &request->plan;
	compiler->first_run = &request->run;
	compiler->reply = &request->result;
	compiler->err = &request->error;
	compiler->args.operation = operation;
	compiler->args.context = operation->name;
}

/* ---- by its row: how each kind of method starts. 0: the reply is there; 1: the job has to run; or an error ---- */

/* Replies at once, except for a `prepare` that has tables to build: it runs as a job. */
static int start_service(struct request *request, struct compiler *compiler, const struct value *params)
{
	int error = bind_args(&compiler->args, params, &request->error);

	if (!error)
		error = service_answer(request->session, &compiler->args, request->bump, &request->result,
				       &request->preparing, &request->error);
	if (error || !request->preparing)
		return error;
	error = reserve_work(request, request->preparing->first.bound.deferred.work_bytes);
	return error ? error : 1;
}

/* Passes a bound request on to the session's owner, a daemon with named streams. */
static int start_owner(struct request *request, struct compiler *compiler, const struct value *params)
{
	int error = bind_args(&compiler->args, params, &request->error);

	if (!error)
		error = request_check_owner(request, compiler->args.context);
	if (error)
		return error;
	set_deadline(request, bind_timeout_ms(&compiler->args));
	return request_ask_reply(request, &compiler->args);
}

/* Compiles an operation, a program or the draw of a named stream. Without an owner that fails before anything is
 * compiled. */
static int start_compiled(struct request *request, struct compiler *compiler, const struct value *params)
{
	const struct args *args = &compiler->args;
	int error = bind_args(&compiler->args, params, &request->error);

	if (!error && args->operation->start == START_STREAM_DRAW)
		error = request_check_owner(request, args->context);
	if (!error)
		error = compile(compiler);
	if (!error && run_get_results(&request->run))
		error = error_set(&request->error, ERROR_NO_MEMORY, "%s: no memory for the request", args->context);
	return error ? error : ready_run(request, args->operation->name, bind_timeout_ms(args));
}

/* Sets up a run of a prepared call. The run's timeout_ms goes before that of the call. */
static int start_prepared(struct request *request, struct compiler *compiler, const struct value *params)
{
	uint64_t timeout_ms;
	int error = bind_args(&compiler->args, params, &request->error);

	if (!error)
		error = prepared_copy_run(request->session, compiler->args.at[PREPARED_RUN_HANDLE].u64, &request->result,
					  &request->run, &request->prepared, &request->error);
	if (!error)
		error = prepared_read_changes(request->prepared, &compiler->args, &request->run, &request->error);
	if (!error)
		error = prepared_bind(request->prepared, &request->run, &request->error);
	if (error)
		return error;
	timeout_ms = bind_timeout_ms(&compiler->args);
	return ready_run(request, compiler->args.operation->name,
			     timeout_ms ? timeout_ms : request->prepared->timeout_ms);
}

static int ready_request(struct request *request, const struct operation *operation, const struct value *params)
{
	static int (*const starts[])(struct request * request, struct compiler * compiler,
				     const struct value *params) = {
		[START_SERVICE] = start_service,   [START_OWNER] = start_owner,
		[START_COMPILED] = start_compiled, [START_STREAM_DRAW] = start_compiled,
		[START_PREPARED] = start_prepared,
	};
	struct compiler compiler;

	init_compiler(&compiler, request, operation);
	return starts[operation->start](request, &compiler, params);
}

/* The same for a run_prepared whose parameters come as a structure. */
static int ready_prepared(struct request *request, const char *context, uint32_t handle,
			  const struct prepared_changes *changes)
{
	int error = prepared_copy_run(request->session, handle, &request->result, &request->run, &request->prepared,
				      &request->error);

	if (!error)
		error = prepared_change(request->prepared, changes, &request->run, &request->error);
	if (error >= 0)
		error = prepared_bind(request->prepared, &request->run, &request->error);
	return error ? error : ready_run(request, context, request->prepared->timeout_ms);
}

/* Makes a request in its own bump. Takes ownership of bump, also when it returns NULL for want of memory. */
static struct request *request_new(struct engine_session *session, struct bump *bump, request_done *done, void *arg)
{
	struct request *request = bump_alloc(bump, sizeof *request);

	if (!request) {
		bump_free(bump);
		return NULL;
	}
	memset(request, 0, sizeof *request);
	request->session = session;
	request->bump = bump;
	request->result = value_map();
	request->done = done;
	request->arg = arg;
	request->plan = (struct plan){.session = session, .bump = bump};
	request->run = (struct run){.plan = &request->plan, .bound = {.engine = session->engine, .bump = bump}};
	request->job.ops = &request_ops;
	request->job.fair_entry = &session->fair_entry;
	request->entry.job = &request->job;
	return request;
}

/* Makes the calling thread the first to compute the request. */
static void set_runner(struct request *request, const struct request_run *how)
{
	request->job.runs_in_caller = true;
	request->job.deadline_ns = how->deadline_ns;
	request->job.interrupted = how->interrupted;
	request->job.interrupted_arg = how->interrupted_arg;
	how->begins(request, request->arg);
}

/* Runs the job here, where handing it over would take longer; else submits it. ready: as ready_request returns; a
 * request that has its reply, or an error, is answered. */
static void start_job(struct request *request, int ready)
{
	struct pool *pool = request->session->engine->pool;
	const bool is_built = !request->preparing && !request->run.bound.deferred.first;

	if (ready != 1) {
		request_forget_replies(request);
		answer_request(request);
	} else if (request->job.runs_in_caller) {
		pool_run_here(pool, &request->job);
	} else {
		request->job.runs_in_caller = is_built && engine_session_shares_threads(request->session);
		if (is_built && run_cost_ns(&request->run) <= pool_here_ns(pool, request->job.runs_in_caller)) {
			pool_run_here(pool, &request->job);
			return;
		}
		request->job.runs_in_caller = false;
		pool_submit(pool, &request->job);
	}
}

/* Begins a request, which answers also when it is wrong. */
static void begin_request(struct request *request, const struct request_call *call)
{
	static const char run_prepared[] = "run_prepared";
	const struct operation *operation = call->method ? operation_find(call->method, call->method_size) : NULL;
	const char *name = operation ? operation->name : run_prepared;

	if ((call->method && check_method(operation, call->method, call->method_size, call->params, &request->error)) ||
	    engine_session_enter(request->session, &request->entry, name, &request->error))
		request->done(request, request->arg);
	else
		start_job(request, call->method ? ready_request(request, operation, call->params)
						: ready_prepared(request, name, call->prepared, call->changes));
}

int request_start(struct engine_session *session, const struct request_call *call, struct bump *bump, request_done *done,
		  void *arg, struct request **ret_request)
{
	struct request *request = request_new(session, bump, done, arg);

	if (!request)
		return -ERROR_NO_MEMORY;
	*ret_request = request;
	begin_request(request, call);
	return 0;
}

int request_run(struct engine_session *session, const struct request_call *call, struct bump *bump,
		const struct request_run *how, request_done *done, void *arg)
{
	struct request *request = request_new(session, bump, done, arg);

	if (!request)
		return -ERROR_NO_MEMORY;
	set_runner(request, how);
	begin_request(request, call);
	return 0;
}

const struct error *request_error(const struct request *request)
{
	return request->error.code ? &request->error : NULL;
}

const struct value *request_result(const struct request *request)
{
	return &request->result;
}

struct request_account request_account(const struct request *request)
{
	struct request_account account = {.began_ns = request->job.began_ns, .ended_ns = request->job.ended_ns};

	for (size_t i = 0; i < request->run.plan->n_steps; i++) {
		const struct buffer *out = request->run.plan->steps[i].out;

		if (out && out->kind != BUFFER_TEMP)
			account.result_bytes += out->shape.bytes;
	}
	return account;
}

void request_cancel(struct request *request)
{
	pool_cancel(request->session->engine->pool, &request->job);
}

void request_free(struct request *request)
{
	if (!request)
		return;
	const uint64_t reserved = request->reserved;
	void (*const unreserve)(void *arg, uint64_t bytes) = request->unreserve;
	void *const arg = request->reserve_arg;

	bump_free(request->bump); /* and the request with it */
	if (reserved && unreserve)
		unreserve(arg, reserved);
}
