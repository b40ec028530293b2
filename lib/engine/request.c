/* SPDX-License-Identifier: Apache-2.0 */
/* Requests: bound, compiled, and computed here or by the pool. */
#include "engine/request.h"

#include <assert.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "engine/compile.h"
#include "engine/served.h"
#include "engine/service.h"

/* Waking a sleeping thread, about; and the most that a request may keep its caller from others. */
enum { WAKE_NS = 20 * 1000, HERE_MOST_NS = 80 * 1000 };

struct request {
	struct job job;
	struct space_job entry;
	struct space *space;
	struct zone *zone;
	struct program program;
	uint64_t reserved; /* bytes, to be given back with these two */
	void (*unreserve)(void *arg, uint64_t bytes);
	void *reserve_arg;
	struct error error;
	struct value result;
	request_done *done;
	void *arg;
	/* Of a request that the space's owner answers. */
	bool is_draw, later, answered;
	struct drawn drawn;
	struct served served;
	int answer;           /* of the owner */
	atomic_bool awaiting; /* the owner has not answered yet */
};

static struct request *of_served(struct served *served)
{
	return (struct request *)((char *)served - offsetof(struct request, served));
}

static struct request *of_job(struct job *job)
{
	return (struct request *)((char *)job - offsetof(struct request, job));
}

/* Puts a draw where the owner says. */
static int place(struct request *request)
{
	int error = compile_place(&request->program, &request->drawn, &request->served.stream, request->served.offset,
				  &request->result);

	return error ? error_set(&request->error, (enum error_code) - error, "stream_draw: %s", error_meaning(error)) : 0;
}

/* The owner has answered: the draw is run; of others that was all. */
static int advance_served(struct request *request)
{
	int error = request->answer;

	request->answer = 0;
	if (!error && request->is_draw)
		error = place(request);
	return error;
}

static int advance(struct job *job)
{
	struct request *request = of_job(job);
	int error;

	if (request->later && !request->answered) {
		if (atomic_load_explicit(&request->awaiting, memory_order_acquire))
			return JOB_WAIT;
		request->answered = true;
		error = advance_served(request);
		if (error || !request->is_draw)
			return error ? error : JOB_END;
	}
	return program_advance(&request->program, job, &job->n_units);
}

static uint64_t run(struct job *job, size_t unit, void *scratch)
{
	return program_run(&of_job(job)->program, unit, scratch);
}

/* The caller's reference to the space outlives the callback, in which the request may be freed. */
static void answer(struct request *request)
{
	struct space *space = request->space;

	program_end(&request->program);
	space_leave(space, &request->entry);
	request->done(request, request->arg);
	space_unref(space);
}

static void finish(struct job *job, int error)
{
	struct request *request = of_job(job);
	const struct space_limits *limits = &request->space->limits;

	/* Also after the answer: the owner may still be in served_answer. */
	if (request->later)
		limits->served->forget(limits->served_arg, &request->served);
	if (error == -ERROR_CANCELLED && atomic_load_explicit(&job->late, memory_order_relaxed))
		error_set(&request->error, ERROR_TIMEOUT, "the request was not done within its timeout_ms");
	else if (error == -ERROR_CANCELLED)
		error_set(&request->error, ERROR_CANCELLED, "the request was stopped before its end");
	else if (error && request->program.failure)
		error_set(&request->error, (enum error_code) - error, "%s", request->program.failure);
	else if (error && !request->error.code)
		error_set(&request->error, (enum error_code) - error, "%s", error_meaning(error));
	answer(request);
}

static const struct job_ops request_ops = {advance, run, finish};

static int check_method(const struct operation *operation, const char *method, size_t size, const struct value *params,
			struct error *err)
{
	char got[BIND_TEXT];

	if (!operation)
		return error_set(err, ERROR_UNKNOWN_METHOD, "\"%s\": no such method, describe lists them all",
				 bind_text(method, size, got));
	if (operation->class == METHOD_SESSION)
		return error_set(err, ERROR_NOT_SUPPORTED, "%s: is answered by a session only", operation->name);
	if (params->kind != VALUE_MAP)
		return error_set(err, ERROR_WRONG_TYPE, "%s: params: takes a map", operation->name);
	return 0;
}

/* Results are written, and temporaries had, only after this. */
static int reserve(struct request *request)
{
	const struct space_limits *limits = &request->space->limits;
	uint64_t bytes = request->program.inline_out + request->program.temp_bytes;
	int error = limits->reserve && bytes ? limits->reserve(limits->reserve_arg, bytes, &request->error) : 0;

	if (error || !limits->reserve)
		return error;
	request->reserved = bytes;
	request->unreserve = limits->unreserve;
	request->reserve_arg = limits->reserve_arg;
	return 0;
}

/* Of a job: timeout_ms, which runs from here. */
static void set_deadline(struct request *request, const struct args *args)
{
	const uint64_t timeout_ms = bind_timeout_ms(args);
	struct timespec now;

	if (timeout_ms == 0)
		return;
	clock_gettime(CLOCK_MONOTONIC, &now);
	request->job.deadline_ns =
		(uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + timeout_ms * 1000000u;
}

static void on_answer(struct served *served, int error)
{
	struct request *request = of_served(served);

	request->answer = error;
	atomic_store_explicit(&request->awaiting, false, memory_order_release);
	pool_wake(request->space->engine->pool, &request->job);
}

void served_answer(struct served *served, int error)
{
	served->answered(served, error);
}

/* Asks the space's owner. 0: answered; 1: there is something to run, or to wait for; or an error. */
static int serve(struct request *request, struct compiler *compiler, const struct value *params)
{
	const struct space_limits *limits = &request->space->limits;
	const struct operation *operation = compiler->args.operation;
	int error = bind_args(&compiler->args, params, &request->error), answer;

	request->is_draw = strcmp(operation->name, "stream_draw") == 0;
	if (!error && !limits->served)
		error = error_set(&request->error, ERROR_NOT_SUPPORTED,
				  "%s: named streams are kept by a daemon, allowed: a session with one", operation->name);
	if (!error && request->is_draw) {
		error = compile_stream_draw(compiler);
		request->drawn = compiler->drawn;
	}
	if (!error)
		error = reserve(request);
	if (error)
		return error;
	set_deadline(request, &compiler->args);
	request->served = (struct served){.zone = request->zone,
					  .reply = &request->result,
					  .error = &request->error,
					  .n = request->drawn.n,
					  .words = request->drawn.words,
					  .answered = on_answer};
	atomic_store(&request->awaiting, true);
	answer = limits->served->begin(limits->served_arg, &compiler->args, &request->served);
	request->later = answer == SERVED_LATER;
	if (request->later)
		return 1;
	if (answer || !request->is_draw)
		return answer;
	error = place(request);
	return error ? error : 1;
}

/* 0: answered; 1: a program is ready to run; or an error. */
static int prepare(struct request *request, const struct operation *operation, const struct value *params)
{
	struct compiler compiler;
	int error;

	memset(&compiler, 0, offsetof(struct compiler, args.at));
	compiler.program = &request->program;
	compiler.reply = &request->result;
	compiler.err = &request->error;
	compiler.args.operation = operation;
	compiler.args.context = operation->name;
	if (operation->class == METHOD_STREAM)
		return serve(request, &compiler, params);
	if (operation->class != METHOD_SERVICE) {
		error = compile(&compiler, params);
		if (!error)
			error = reserve(request);
		if (!error)
			set_deadline(request, &compiler.args);
		return error ? error : 1;
	}
	error = bind_args(&compiler.args, params, &request->error);
	if (!error)
		error = service_answer(request->space, &compiler.args, request->zone, &request->result,
				       &request->error);
	return error;
}

static struct request *request_new(struct space *space, struct zone *zone, request_done *done, void *arg)
{
	struct request *request = zone_alloc(zone, sizeof *request);

	if (!request)
		return NULL;
	memset(request, 0, sizeof *request);
	request->space = space;
	request->zone = zone;
	request->result = value_map();
	request->done = done;
	request->arg = arg;
	request->program = (struct program){.space = space, .zone = zone};
	request->job.ops = &request_ops;
	request->job.turn = &space->turn;
	request->entry.job = &request->job;
	return request;
}

/* To hand over c of work to t threads takes two wakings and c / t: below this, c is done sooner where it arrived. By
 * counted work alone, so that what runs where does not hang on a clock. */
static uint64_t here_ns(unsigned threads)
{
	const uint64_t even = threads > 1 ? (uint64_t)2 * WAKE_NS * threads / (threads - 1) : HERE_MOST_NS;

	return even < HERE_MOST_NS ? even : HERE_MOST_NS;
}

int request_start(struct space *space, const char *method, size_t method_size, const struct value *params,
		  struct zone *zone, request_done *done, void *arg, struct request **ret_request)
{
	const struct operation *operation = operation_find(method, method_size);
	struct request *request = request_new(space, zone, done, arg);
	int ready;

	if (!request) {
		zone_free(zone);
		return -ERROR_NO_MEMORY;
	}
	*ret_request = request;
	if (check_method(operation, method, method_size, params, &request->error) ||
	    space_enter(space, &request->entry, operation->name, &request->error)) {
		done(request, arg);
		return 0;
	}
	ready = prepare(request, operation, params);
	if (ready != 1)
		answer(request);
	else if (program_cost_ns(&request->program) <= here_ns(pool_threads(space->engine->pool)))
		pool_run_here(space->engine->pool, &request->job);
	else
		pool_submit(space->engine->pool, &request->job);
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

void request_cancel(struct request *request)
{
	pool_cancel(request->space->engine->pool, &request->job);
}

void request_free(struct request *request)
{
	if (!request)
		return;
	const uint64_t reserved = request->reserved;
	void (*const unreserve)(void *arg, uint64_t bytes) = request->unreserve;
	void *const arg = request->reserve_arg;

	zone_free(request->zone); /* and the request with it */
	if (reserved)
		unreserve(arg, reserved);
}
